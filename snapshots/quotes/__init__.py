"""Does a page say what was quoted from it: pure functions on text, without likeness deciding anything."""
