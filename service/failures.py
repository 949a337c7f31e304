"""What can go wrong in the service itself.

    ServiceError
    ├── BadSetting        a setting cannot be used; names it
    ├── BadRequest        a request that parsed but makes no sense
    ├── DataInUse         another process holds the data directory
    ├── DataVersion       the data directory is of another version
    ├── UnknownCrawl      no crawl has that id
    ├── UnknownKey        no API key has that id
    ├── UnknownWatch      no watch has that id
    ├── CrawlOver         the crawl has ended and does not go on
    ├── WatchEnded        the watch is over and does not go on
    ├── UnknownHold       no hold has that id
    ├── UnknownRule       no retention rule has that id
    ├── HeldBack          a removal would touch what is held; lists it
    ├── UnknownSession    no session has that id
    ├── SessionLocked     a run holds the session's lock
    ├── SessionDeleted    the session was deleted
    ├── StaleHead         the session has gone on since the caller looked
    ├── KeyReused         an Idempotency-Key stands for something else
    ├── BackupRefused     the target of a backup or restore is not usable
    ├── BundleRefused     a bundle that does not verify is not taken in; names the claims
    ├── Unreadable        a file that was named cannot be read
    └── Closing           the service is stopping and takes nothing new

What the libraries raise (`EvidenceError`, `CrawlError`, `QueryError`) passes through unchanged; the doors have one
table from all of them to statuses.
"""

from collections.abc import Mapping, Sequence


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


class UnknownSession(ServiceError):
    """No session has that id."""


class SessionLocked(ServiceError):
    """A run holds the session's lock. `locked_by` is the run and `until` its lease's end, where that is known."""

    def __init__(self, session: str, locked_by: str | None, until: str | None) -> None:
        self.session, self.locked_by, self.until = session, locked_by, until
        held = f"the run {locked_by} until {until}" if locked_by else "others who are writing to it"
        super().__init__(f"the session is held by {held}")


class SessionDeleted(ServiceError):
    """The session was deleted; it can be brought back until it is removed."""


class StaleHead(ServiceError):
    """The session has gone on since the caller looked. `head` is its newest event."""

    def __init__(self, session: str, head: str) -> None:
        self.session, self.head = session, head
        super().__init__(f"the session's head is {head} by now")


class KeyReused(ServiceError):
    """An Idempotency-Key stands for another request, or for one that is being done."""


class BackupRefused(ServiceError):
    """The target of a backup or a restore is not usable."""


class Unreadable(ServiceError):
    """A file or directory that was named cannot be read."""


class BundleRefused(ServiceError):
    """A bundle is not taken in. `claims` are those that did not hold, as the verifier tells them."""

    def __init__(self, message: str, *, claims: Sequence[Mapping[str, object]] = ()) -> None:
        self.claims = list(claims)
        super().__init__(message)


class UnknownWatch(ServiceError):
    """No watch has that id."""


class CrawlOver(ServiceError):
    """The crawl has ended: it can be neither paused nor gone on with."""


class WatchEnded(ServiceError):
    """The watch is over: a new one can be begun."""


class UnknownRule(ServiceError):
    """No retention rule in force has that id."""


class UnknownHold(ServiceError):
    """No hold has that id, or it was released."""


class HeldBack(ServiceError):
    """A removal would touch what is held. `held` lists it: the hold, its reason, and the ids."""

    def __init__(self, message: str, *, held: Sequence[Mapping[str, object]]) -> None:
        self.held = list(held)
        super().__init__(message)


class SessionForked(ServiceError):
    """A session cannot be removed alone: `forks` share its events."""

    def __init__(self, message: str, *, forks: Sequence[str]) -> None:
        self.forks = list(forks)
        super().__init__(message)


class ModelMismatch(ServiceError):
    """A session went on with another model, provider or API schema so far. `changed` holds `[before, now]` of each."""

    def __init__(self, changed: Mapping[str, Sequence[str]]) -> None:
        self.changed = dict(changed)
        told = ", ".join(f"{name} {before} and not {now}" for name, (before, now) in changed.items())
        super().__init__(f"the session went on with {told} so far")


class ModelFailed(ServiceError):
    """The operator's model did not do what was asked of it."""


class Closing(ServiceError):
    """The service is stopping and takes nothing new."""
