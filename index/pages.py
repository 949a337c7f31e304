"""The values that go into the index and come out of it. Offsets count code points of the document's text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime

# Passages of one page: their number shares 64 bits with the page's position. A text of a gigabyte has fewer.
MAX_SPANS = (1 << 20) - 1


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a document's text at `start:end`: `heading`, `paragraph`, `list`, `table`, `code`, `quote`, `caption`.

    `level` is a heading's depth, 1 for the outermost; None elsewhere.
    """

    type: str
    start: int
    end: int
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """One passage of a document: its number from 0 on, and where it stands in the text."""

    ordinal: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Page:
    """One document as it was seen at one address, ready to be indexed.

    `position` is the log's size once it held the capture, so 1 for the first entry: it is the page's version number,
    and no two pages share one.
    `headings` has one entry for each span: the chain of headings above it, outermost first.
    `published` is a day; `language` a tag such as `en` or `pt-BR`, or None where nobody knows.
    """

    capture: str
    document: str
    url: str
    retrieved_at: datetime
    position: int
    text: str
    spans: tuple[Span, ...]
    headings: tuple[tuple[str, ...], ...]
    title: str | None = None
    language: str | None = None
    published: date | None = None

    def __post_init__(self) -> None:
        if len(self.headings) != len(self.spans):
            raise ValueError(f"{len(self.spans)} spans need as many chains of headings, not {len(self.headings)}")
        if self.position < 1 or len(self.spans) > MAX_SPANS:
            raise ValueError(f"position {self.position} must be 1 or more, {len(self.spans)} spans at most {MAX_SPANS}")


class Hit(NamedTuple):
    """One passage that answers. It points at text that is kept elsewhere.

    `position` is its page version's (see `Page`). `parts` are the named parts of the score, whose sum it is: `text`,
    `title` and `heading` for the best passage of each of the first pages, `bm25` for all together elsewhere.
    `folded_into` is the place in the list (from 0) of an earlier hit that says nearly the same; None for the others.
    """

    capture: str
    document: str
    url: str
    position: int
    ordinal: int
    start: int
    end: int
    score: float
    parts: Mapping[str, float]
    folded_into: int | None = None


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search gives: at most `limit` hits in their final order, folded ones among them, and what it rests on.

    `cut` says that more passages matched than are listed. `relaxed` names what of the query was read as plain words or
    left out (see `query.py`). `position` is the log size up to which the index had read, `passages` how many
    passages it held (of all versions: the statistics of the scores rest on them), `pages` how many pages are newest.
    """

    hits: tuple[Hit, ...]
    cut: bool
    relaxed: tuple[str, ...]
    position: int
    passages: int
    pages: int
