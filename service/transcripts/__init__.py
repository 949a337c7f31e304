"""Transcripts that others wrote, read into one stream of events, and what of them can be proven."""
