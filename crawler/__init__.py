"""Asks the web: an address in, what was seen and its text out. No storage, no index."""
