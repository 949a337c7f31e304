"""A search over several providers while it is under way: what was proposed, what was opened, what became of each."""

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final

from service.asking_around import Said
from service.merging import Merged
from service.observing import Observation
from service.own_index import OwnAnswer
from service.requests import SearchRequest
from snapshots import Capture, Document

SNIPPET_ONLY: Final = "snippet_only"
NOT_TRIED: Final = "deadline"
FETCH_FAILED: Final = "fetch_failed"
NO_TEXT: Final = "no_text"


@dataclass(frozen=True)
class Opened:
    """A page that was opened for a candidate: fresh from the web, or kept earlier."""

    candidate: Merged
    capture: Capture
    document: Document
    fresh: Observation | None


@dataclass
class Run:
    """A search under way."""

    request: SearchRequest
    begun: datetime
    ends: float
    """On the loop's clock."""
    said: list[Said] = field(default_factory=list)
    own: OwnAnswer | None = None
    candidates: list[Merged] = field(default_factory=list)
    opened: list[Opened] = field(default_factory=list)
    decisions: dict[str, str] = field(default_factory=dict)
    details: dict[str, str] = field(default_factory=dict)
    failed: list[Observation] = field(default_factory=list)
    """Visits that gave no page: kept as evidence that they were made."""
    timings: dict[str, int] = field(default_factory=dict)


def day(value: datetime | None) -> date | None:
    """The day of a time."""
    return value.date() if value else None
