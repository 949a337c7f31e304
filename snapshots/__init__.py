"""Keeps what was seen under names that prove it."""
