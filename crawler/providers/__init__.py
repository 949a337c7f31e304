"""Search providers: a query in, their raw reply and its candidates out."""
