"""What was done to the collection as a whole: `crawl`, `deletion` and `import`."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from snapshots.record import Code, Count, Id, LoggedRecord, Loose, Part, Seq, Time

CrawlState = Literal["running", "done", "cancelled", "failed"]


class Crawl(LoggedRecord):
    """A crawl begins (`started`) or ends (`finished`); the second names the first."""

    kind: Literal["crawl"] = "crawl"
    version: Literal[1] = 1
    phase: Literal["started", "finished"]
    crawl: Id | None = None
    seeds: Seq[str]
    options: Loose = Field(default_factory=dict)
    at: Time
    counts: dict[Code, Count] | None = None
    state: CrawlState

    @model_validator(mode="after")
    def _phases_fit(self) -> Self:
        if (self.phase == "finished") != (self.crawl is not None):
            raise ValueError("a finished crawl names the record it started with, a started one names none")
        if (self.phase == "started") != (self.state == "running"):
            raise ValueError("a crawl runs from its start and not after its end")
        return self

    def named(self) -> Iterator[str]:
        """The record the crawl started with."""
        if self.crawl is not None:
            yield self.crawl


class Crawl2(LoggedRecord):
    """A crawl is paused, or goes on; `crawl` is the record it started with."""

    kind: Literal["crawl"] = "crawl"
    version: Literal[2] = 2
    phase: Literal["paused", "resumed"]
    crawl: Id
    at: Time
    by: str | None = None

    def named(self) -> Iterator[str]:
        """The record the crawl started with."""
        yield self.crawl


class Removed(Part):
    """One object that was removed; `kind` is `capture`, `document`, `blob` or `reply`, `bytes` its plain length."""

    id: Id
    kind: Code
    bytes: Count


class Deletion(LoggedRecord):
    """A removal. It never holds what it removed, only the names that answer with it from now on."""

    kind: Literal["deletion"] = "deletion"
    version: Literal[0] = 0
    at: Time
    selector: Loose
    removed: Seq[Removed]
    counts: dict[Code, Count] = Field(default_factory=dict)
    reason: str | None = None
    by: str | None = None

    def named(self) -> Iterator[str]:
        """What was removed."""
        for removed in self.removed:
            yield removed.id


Digits = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ImportClaim(Part):
    """What a check of the file said about one claim, when it was imported."""

    claim: Code
    result: Literal["holds", "fails", "not-checkable"]
    detail: str


class ImportMember(Part):
    """A member of the file that is kept as a blob: none of them holds text of a page."""

    member: str
    id: Id


class Import(LoggedRecord):
    """Evidence came from elsewhere: which file, what it said of itself, and the records that were taken from it.

    A large file has several, one for each part that was taken in at once. Every id in it counts as named; `sha256` is
    bare digits, because the file itself is not kept.
    """

    kind: Literal["import"] = "import"
    version: Literal[1] = 1
    at: Time
    form: Code
    """`bundle`, `warc`, `wacz`."""
    name: str | None
    """The file's name, as it was told."""
    sha256: Digits
    size: Count
    origin: str | None = None
    """The name of the log that the records came from."""
    vkey: str | None = None
    """The key that signed its checkpoint."""
    tree: Count | None = None
    """Entries of that log under that checkpoint."""
    members: Seq[ImportMember] = ()
    claims: Seq[ImportClaim] = ()
    records: Seq[Id]
    """In the order in which the log here has them; those that it had before are among them."""
    absent: Seq[Digits] = ()
    """What the records name and the bundle did not hold, as it said: bare digits, since nothing need be kept of it."""
    deletions: Seq[Id] = ()
    """The deletions here because of which something was left out."""
    counts: dict[Code, Count] = Field(default_factory=dict)
    by: str | None = None

    def named(self) -> Iterator[str]:
        """The deletions, the members that are kept, and the records."""
        yield from self.deletions
        for one in self.members:
            yield one.id
        yield from self.records
