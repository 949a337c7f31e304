"""Everything that can go wrong with kept evidence, as one tree.

    EvidenceError
    ├── BadId                    the text is no id and no prefix of one
    ├── UnknownId                nothing is kept under this id
    ├── AmbiguousId              several ids begin with this prefix
    ├── RemovedId                it was kept and has been removed; names the deletion
    ├── DamagedObject            what is stored under the id no longer has that hash
    │   └── LostObject           the bucket no longer holds what is known by the id
    ├── BadRecord                the bytes or values are no record of the kind they claim
    ├── Unsound                  a part of a bundle is not what the format says; names the reason
    │   └── UnknownAlgorithm     it may be sound, but is made in a way that is not understood here
    ├── BadTrust                 what somebody vouches for to a verifier cannot be read, or makes no sense
    ├── ArchiveClosed            the archive is closed and takes nothing more
    ├── StoreError
    │   ├── StoreUnreachable     the bucket does not answer
    │   ├── StoreFull            the bucket has no room
    │   ├── StoreRefused         the bucket answers no; names the setting to look at
    │   ├── Conflict             a compare-and-swap was lost to another writer
    │   ├── Missing              no object of this name
    │   └── NoConditionalWrites  the bucket ignores conditions, so a second writer is refused
    ├── LogError
    │   ├── NoLog                the bucket has no log, and none was to be made
    │   ├── LogReadOnly          the log is open without its key
    │   ├── WrongLogKey          the key at hand is not the one the log was signed with
    │   ├── LogDamaged           tiles, checkpoint and lock contradict each other
    │   ├── BadProof             a proof, signed note, checkpoint or key is malformed or does not hold
    │   └── BadStamp             a time-stamping authority gave no token, or one that does not hold
    ├── CatalogueError
    │   ├── CatalogueBusy        the database is held by another process, or does not answer
    │   ├── CatalogueDamaged     the database file is not whole
    │   └── CatalogueVersion     the database was made by another version of Citator
    └── BundleError              a bundle could not be made
        └── NothingToBundle      nothing is kept of what was asked for

Exceptions of the parts underneath (botocore, SQLAlchemy, pydantic, OSError) never leave `snapshots`.
What an error means for a caller of the HTTP API or the command line is decided there, not here.
"""

from collections.abc import Sequence


class EvidenceError(Exception):
    """The root: anything that went wrong with kept evidence. Its text is a sentence for a person."""


class BadId(EvidenceError):
    """The text is neither an id (`sha256:` and 64 hex digits) nor a prefix of one (12 or more digits)."""

    def __init__(self, text: str) -> None:
        self.text = text
        shown = text if len(text) <= SHOWN else text[:SHOWN] + "…"
        super().__init__(f"{shown!r} is not an id: expected sha256: and 64 hex digits, or 12 or more of them")


SHOWN = 80
"""Code points of a wrong id that are repeated in its message; enough for any id, too few to flood a log."""


class UnknownId(EvidenceError):
    """Nothing is kept under `id`, and nothing was ever removed under it."""

    def __init__(self, object_id: str) -> None:
        self.id = object_id
        super().__init__(f"nothing is kept under {object_id}")


class AmbiguousId(EvidenceError):
    """Several ids begin with `text`; `candidates` lists some of them, in order."""

    def __init__(self, text: str, candidates: Sequence[str]) -> None:
        self.text = text
        self.candidates = tuple(candidates)
        super().__init__(f"{text} stands for several ids: {', '.join(self.candidates)}")


class RemovedId(EvidenceError):
    """`id` was kept and has been removed; `deletion` is the id of the deletion record that says so."""

    def __init__(self, object_id: str, deletion: str) -> None:
        self.id = object_id
        self.deletion = deletion
        super().__init__(f"{object_id} was removed, see {deletion}")


class DamagedObject(EvidenceError):
    """What is stored under `id` does not have that hash, or cannot be decompressed. It is never served."""

    def __init__(self, object_id: str) -> None:
        self.id = object_id
        super().__init__(f"the object stored as {object_id} is damaged")


class LostObject(DamagedObject):
    """The log says that `id` was kept, or that something names it, and the bucket does not hold it."""

    def __init__(self, object_id: str) -> None:
        super().__init__(object_id)
        self.args = (f"the bucket does not hold {object_id}, which was kept",)


class BadRecord(EvidenceError):
    """Bytes or values that are no record of the kind they claim; the text says which field and why."""


class Unsound(EvidenceError):
    """A part of a bundle is not what its format says. `reason` is for machines, the text a sentence for a person."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(detail)


class UnknownAlgorithm(Unsound):
    """A signature, key or extension of a kind that is not understood here, so that nothing can be said about it."""


class BadTrust(EvidenceError):
    """The key, certificates or claims that somebody names to a verifier cannot be read, or there are none such."""


class ArchiveClosed(EvidenceError):
    """The archive has been closed; what it had accepted before is kept, nothing more is taken."""


class StoreError(EvidenceError):
    """The bucket could not do what was asked."""


class StoreUnreachable(StoreError):
    """The bucket does not answer; trying again later can help."""


class StoreFull(StoreError):
    """The bucket has no room (disk full, quota)."""


class StoreRefused(StoreError):
    """The bucket answers, and says no; `setting` names the setting that most likely has to change."""

    def __init__(self, message: str, *, setting: str) -> None:
        self.setting = setting
        super().__init__(f"{message} (see {setting})")


class Conflict(StoreError):
    """A compare-and-swap found another value under `name` than the one expected; nothing was written."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"{name} was changed by another writer")


class Missing(StoreError):
    """There is no object called `name` in the bucket."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"the bucket holds nothing called {name}")


class NoConditionalWrites(StoreError):
    """The bucket overwrites where it was told not to; a second writer would lose entries and is refused."""


class LogError(EvidenceError):
    """The log could not do what was asked."""


class NoLog(LogError):
    """The bucket has no log, and opening it was not to make one."""


class LogReadOnly(LogError):
    """The log is open without its key: it can be read and proven, and takes no entries."""


class WrongLogKey(LogError):
    """The key at hand is not the one this log's checkpoint was signed with."""


class LogDamaged(LogError):
    """Tiles, checkpoint and lock of the log contradict each other; the text says where."""


class BadProof(LogError):
    """A proof, signed note, checkpoint or key text is malformed or does not hold; the text says what is wrong."""


class BadStamp(LogError):
    """A time-stamping authority gave no token for a checkpoint, or one that does not hold; the text says why."""


class CatalogueError(EvidenceError):
    """The catalogue or state database could not do what was asked."""


class CatalogueBusy(CatalogueError):
    """Another process held the database for too long, or its server does not answer; trying again can help."""


class CatalogueDamaged(CatalogueError):
    """The database file is not whole. A catalogue is made anew; of the state there may be a backup."""


class CatalogueVersion(CatalogueError):
    """The database was made by another version of Citator; the text says which and what to do."""


class BundleError(EvidenceError):
    """A bundle could not be made; the text says what was in the way."""


class NothingToBundle(BundleError):
    """Nothing is kept of what was asked for, so there is nothing to put into a bundle."""
