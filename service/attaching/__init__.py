"""Takes a report or a transcript along with the evidence for what it cites."""
