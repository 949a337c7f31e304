"""`citator demo`: the whole of Citator on a small site that it brings along."""
