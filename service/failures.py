"""What can go wrong in the service itself.

    ServiceError
    ├── BadSetting        a setting cannot be used; names it
    ├── BadRequest        a request that parsed but makes no sense
    ├── DataInUse         another process holds the data directory
    ├── DataVersion       the data directory is of another version
    ├── UnknownCrawl      no crawl has that id
    ├── UnknownKey        no API key has that id
    ├── BackupRefused     the target of a backup or restore is not usable
    └── Closing           the service is stopping and takes nothing new

What the libraries raise (`EvidenceError`, `CrawlError`, `QueryError`) passes through unchanged; the doors have one
table from all of them to statuses.
"""


class ServiceError(Exception):
    """Anything the service itself refuses or fails at."""


class BadSetting(ServiceError):
    """A setting cannot be used. The message names it and says what would do."""


class BadRequest(ServiceError):
    """The request parsed but makes no sense as it stands."""


class DataInUse(ServiceError):
    """Another process holds the data directory."""


class DataVersion(ServiceError):
    """The data directory was written by another version of the layout."""


class UnknownCrawl(ServiceError):
    """No crawl has that id."""


class UnknownKey(ServiceError):
    """No API key has that id."""


class BackupRefused(ServiceError):
    """The target of a backup or a restore is not usable."""


class Closing(ServiceError):
    """The service is stopping and takes nothing new."""
