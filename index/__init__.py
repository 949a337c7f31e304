"""Passages, and finding the right ones. A cache: it may be deleted at any time."""
