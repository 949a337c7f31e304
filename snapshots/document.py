"""`document`: what one extractor read out of one body. Holds both texts; removal deletes it whole."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Literal, Protocol, Self

import orjson
from pydantic import Field, model_validator

from snapshots.errors import BadRecord
from snapshots.record import Count, Flat, Id, Part, Rank, Record, Seq

BlockType = Literal["heading", "paragraph", "list", "table", "code", "quote"]

BlockType2 = Literal["heading", "paragraph", "list", "table", "code", "quote", "caption"]

MAX_LEVEL = 6
"""HTML has six levels of headings."""


class Block(Part):
    """A piece of the text by its role: `text[start:end]`, in code points. Only headings have a level (1 to 6)."""

    type: BlockType
    start: Count
    end: Count
    level: int | None = Field(default=None, ge=1, le=MAX_LEVEL)

    @model_validator(mode="after")
    def _only_headings_have_levels(self) -> Self:
        if (self.type == "heading") != (self.level is not None):
            raise ValueError("a heading has a level, no other block has one")
        return self


class Block2(Block):
    """A piece of a text that has pages, or captions. `page` is the page it stands on, from 1; null without pages."""

    type: BlockType2  # type: ignore[assignment]  # the kinds of the first version and one more
    page: Rank | None = None


class Link(Part):
    """A link of the page, resolved against its base address."""

    url: str
    text: str


class Dated(Part):
    """A date the page claims, how it was found, and whether the page says it outright (`firm`)."""

    value: str
    how: str
    firm: bool


class Language(Part):
    """The language of the text (BCP 47) and how it was found."""

    tag: str
    how: str


class Extractor(Part):
    """A program that had a part in reading the page."""

    name: str
    version: str


class Document(Record):
    """Distinct content under one extractor and its settings. No nonce: the same reading gives the same id."""

    kind: Literal["document"] = "document"
    version: Literal[1] = 1
    source: Id
    media_type: str
    base: str
    text: str
    visible: str
    """All text a reader of the page can see, menus and footers included."""
    title: str | None = None
    author: str | None = None
    published: Dated | None = None
    modified: Dated | None = None
    language: Language | None = None
    canonical: str | None = None
    blocks: Seq[Block] = ()
    """In order of `start`."""
    links: Seq[Link] = ()
    links_total: Count = 0
    """How many links the page has; `links` may be cut short."""
    flags: Seq[str] = ()
    extractors: Seq[Extractor] = ()
    settings: Flat = Field(default_factory=dict)

    @model_validator(mode="after")
    def _blocks_lie_in_the_text(self) -> Self:
        length, before = len(self.text), 0
        for block in self.blocks:
            if not before <= block.start <= block.end <= length:
                raise ValueError(f"the block {block.start}..{block.end} is out of order or outside the text")
            before = block.start
        if self.links_total < len(self.links):
            raise ValueError("links_total is less than the links that are listed")
        return self

    @cached_property
    def headings(self) -> tuple[Block, ...]:
        """The blocks that are headings, in order."""
        return tuple(block for block in self.blocks if block.level is not None)

    @property
    def pages(self) -> tuple[tuple[int, int], ...]:
        """Where in the text each page begins, and its number; nothing in what has no pages."""
        return ()

    def named(self) -> Iterator[str]:
        """The body it was read from."""
        yield self.source


class Document2(Document):
    """A document whose blocks say which page they stand on, or that they are captions."""

    version: Literal[2] = 2  # type: ignore[assignment]  # what is read as the first version is written as it
    blocks: Seq[Block2] = ()

    @cached_property
    def pages(self) -> tuple[tuple[int, int], ...]:
        """Where in the text each page begins, and its number."""
        return page_starts((block.start, block.page) for block in self.blocks)


def page_starts(blocks: Iterable[tuple[int, int | None]]) -> tuple[tuple[int, int], ...]:
    """Where each page begins, from the place and the page of each block."""
    begun: dict[int, int] = {}
    for start, page in blocks:
        if page is not None:
            begun.setdefault(page, start)
    return tuple((start, page) for page, start in begun.items())


class Paged(Protocol):
    """What knows where in its text each page begins."""

    @property
    def pages(self) -> tuple[tuple[int, int], ...]:
        """Place in the text and number of each page, in order."""
        ...


def pages_of(paged: Paged, start: int, end: int) -> tuple[int, int] | None:
    """The pages that a range of a text begins and ends on; None where there are none."""
    first = bisect_right(paged.pages, start, key=itemgetter(0))
    last = bisect_right(paged.pages, max(start, end - 1), key=itemgetter(0))
    return (paged.pages[first - 1][1], paged.pages[last - 1][1]) if first else None


def in_pages(first: int, last: int) -> str:
    """Pages as a citation has them."""
    return f"p. {first}" if first == last else f"pp. {first}-{last}"


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a document passages are made of and a search shows, without blocks, links and the text beside."""

    id: str
    text: str
    title: str | None
    published: Dated | None
    language: Language | None
    headings: tuple[Block, ...]
    flags: tuple[str, ...]
    pages: tuple[tuple[int, int], ...] = ()


def reading_of(document_id: str, data: bytes) -> Reading:
    """The reading of the document that these bytes, which have that id, hold. Raises BadRecord for anything else.

    Five times as fast as reading all of it: a page has hundreds of links.
    """
    try:
        value = orjson.loads(data)
        if value["kind"] != "document" or value["version"] not in (1, 2):
            raise BadRecord(f"{document_id} is no document")
        published, language = value["published"], value["language"]
        return Reading(
            id=document_id,
            text=value["text"],
            title=value["title"],
            published=Dated(**published) if published else None,
            language=Language(**language) if language else None,
            headings=tuple(
                Block(type=block["type"], start=block["start"], end=block["end"], level=block["level"])
                for block in value["blocks"]
                if block["level"] is not None
            ),
            flags=tuple(value["flags"]),
            pages=()
            if value["version"] == 1
            else page_starts((each["start"], each["page"]) for each in value["blocks"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BadRecord(f"{document_id} is no document: {error}") from None
