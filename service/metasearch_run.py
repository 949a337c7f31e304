"""A search over several providers while it is under way: what was proposed, what was opened, what became of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from index import Span
from service.asking_around import Said
from service.merging import Merged
from service.narrowing import Narrowed
from service.observing import Observation
from service.own_index import OwnAnswer
from service.requests import SearchRequest
from snapshots import Capture, Document

SNIPPET_ONLY: Final = "snippet_only"
NOT_TRIED: Final = "deadline"
TRIES_SPENT: Final = "budget"
"""There were not enough pages among as many as a search tries."""
FETCH_FAILED: Final = "fetch_failed"
NO_TEXT: Final = "no_text"
LANGUAGE_OUTSIDE: Final = "language_outside"


@dataclass(frozen=True)
class Opened:
    """A page that was opened for a candidate: fresh from the web, or kept earlier."""

    candidate: Merged
    capture: Capture
    document: Document
    fresh: Observation | None


@dataclass(frozen=True)
class Scored:
    """A passage that wants to be shown. `score` decides; `words` and `model` are the scores that it is made of."""

    span: Span
    score: float
    words: float
    model: float | None = None


@dataclass
class Run:
    """A search under way."""

    request: SearchRequest
    narrowed: Narrowed
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
    offered: list[list[Scored]] = field(default_factory=list)
    """The passages of each opened page that the budget may choose from, best first."""
    index_late: bool = False
    """The own index did not answer in time."""
    weights: Mapping[str, float] = field(default_factory=dict)
    ranker: str | None = None
    """What ranked the passages besides their words."""
    unranked: str | None = None
    """Why it did not."""
