"""What was read out of a page: plain frozen values, cheap to make, to send and to compare.

Offsets count code points of `Reading.text`. Every block is a slice of that text; blocks stand in order and do not
overlap; between two blocks there is one line break where both are list items, else two; the text begins with the
first block and ends with the last. No string here holds a lone surrogate or U+0000.
"""

from dataclasses import dataclass
from typing import Literal

READER_VERSION = "21"
"""Counts up whenever the same page may be read otherwise than before; every reading names it."""

Outcome = Literal["ok", "empty", "unreadable", "timeout", "too_large", "failed"]
"""
ok          the page was read; `text` holds its main text
empty       it was read and holds no text
unreadable  this kind of content is not read, or the bytes are not what they are called
timeout     reading took too long and was stopped; `text` may hold a plain fall-back
too_large   it needs more memory or has more parts than is allowed; `text` may hold a plain fall-back
failed      the reader broke on it; `text` may hold a plain fall-back
"""

PageState = Literal["ok", "not_found", "blocked", "login", "consent", "paywall", "empty", "error", "unknown"]

BlockType = Literal["heading", "paragraph", "list", "table", "code", "quote", "caption"]

CharsetSource = Literal["bom", "header", "meta", "xml", "detected", "default"]


@dataclass(frozen=True, slots=True)
class Charset:
    """A WHATWG encoding name in lower case and what it was taken from."""

    name: str
    source: CharsetSource


@dataclass(frozen=True, slots=True)
class Dated:
    """A date (`2024-03-05`) or time with its zone as the page gives it, how it was found, and whether the page says it.

    `firm` is false for anything that only looks like the page's date: text near the title, the address.
    """

    value: str
    how: str
    firm: bool


@dataclass(frozen=True, slots=True)
class Language:
    """A BCP 47 tag and how it was found: `html`, `meta`, `text`."""

    tag: str
    how: str


@dataclass(frozen=True, slots=True)
class Block:
    """`text[start:end]` is one block; `level` is 1 to 6 for headings, the depth for list items, else None.

    `page` is the page of a PDF that it stands on, from 1; None in what has no pages.
    """

    type: BlockType
    start: int
    end: int
    level: int | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """An absolute http(s) address without fragment or white space around it, and the link's text on one line."""

    url: str
    text: str


@dataclass(frozen=True, slots=True)
class RobotsMeta:
    """What the page's own robots tags ask for."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """One page, read. `detail` is a sentence whenever `outcome` is not ok or the page was read in a lesser way."""

    outcome: Outcome
    media_type: str | None
    detail: str | None = None
    charset: Charset | None = None
    text: str = ""
    visible: str = ""
    hidden: str = ""
    """The text of elements that say of themselves that they are not shown, on one line. No part of a document."""
    title: str | None = None
    author: str | None = None
    published: Dated | None = None
    modified: Dated | None = None
    language: Language | None = None
    canonical: str | None = None
    base: str | None = None
    blocks: tuple[Block, ...] = ()
    links: tuple[Link, ...] = ()
    links_total: int = 0
    flags: tuple[str, ...] = ()
    page_state: PageState = "unknown"
    page_state_evidence: tuple[str, ...] = ()
    extractors: tuple[tuple[str, str], ...] = ()
    robots_meta: RobotsMeta = RobotsMeta()
    needs_browser: str | None = None
    """Why a browser would probably show more than the HTML says: a machine code; None if there is no sign of it."""
    replaced: int = 0
    """How many bytes or sequences the charset could not decode (U+FFFD that decoding put in)."""
