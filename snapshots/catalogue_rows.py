"""What the catalogue answers with."""

from dataclasses import dataclass

from snapshots.answers import PassageRef

UNVERIFIED = "unverified"
"""The outcome, in listings, of a whole answer whose server's certificate did not hold.

So that whatever looks for a page that came whole (outcome `ok`) passes by what only its asker wanted to believe.
"""


@dataclass(frozen=True)
class CaptureRow:
    """A capture as listings show it. `position` is its place in the log; times are stamps."""

    position: int
    id: str
    asked: str
    final: str
    retrieved_at: str
    document: str | None
    body: str | None
    outcome: str
    page_state: str
    method: str
    crawl: str | None


@dataclass(frozen=True)
class PassageRow:
    """A passage, and the first logged record that shows it."""

    ref: PassageRef
    record: str
    position: int


@dataclass(frozen=True)
class Naming:
    """A logged record that names an id."""

    position: int
    id: str
    kind: str
