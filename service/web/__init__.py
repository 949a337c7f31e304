"""The web pages: what is kept, opened up for a person. Server-rendered; captured HTML is only ever shown as text."""
