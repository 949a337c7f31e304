"""What can go wrong in the index. Everything here may be cured by deleting the index and building it anew."""


class QueryError(Exception):
    """Top of the tree: every error that this package raises on purpose is one of these."""


class IndexDamaged(QueryError):
    """The directory is not a whole index: files are missing, cut short or of different times. Delete, rebuild."""


class IndexVersion(QueryError):
    """The directory was made by another version of this package. Delete and rebuild."""


class IndexBusy(QueryError):
    """Another process writes to this index. Searching goes on; writing needs the other one to close."""


class IndexFull(QueryError):
    """The disk is full. What was committed before stands; the same pages can be applied again when there is room."""


class BadOption(QueryError):
    """A search option has a value that cannot be meant, such as a limit of none. Never raised for query text."""
