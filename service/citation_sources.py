"""The kept pages behind the ids and addresses that a report names, and those that may say what a quotation says."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from crawler import BadAddress, parse_address
from index import QueryError
from service.citing import passages_of
from service.following import ANSWERS
from service.parts import Parts
from snapshots import (
    AmbiguousId,
    BadId,
    Capture,
    Document,
    EvidenceError,
    Fetch,
    PageText,
    Passage,
    Recheck,
    RemovedId,
    Search,
    Serving,
    UnknownId,
    names,
    page_text,
    read_passage,
)

HELD: Final = 64
"""Pages kept ready for comparing."""
VERSIONS: Final = 10
"""Captures of one address that are looked at, newest first: a page may have said so once."""
LOOKED_BACK: Final = 100
"""Captures among which the good ones are looked for."""
LIKELY: Final = 20
"""Passages that the index names as likely to say what a quotation says."""
QUERY: Final = 500
"""Characters of a quotation that are searched for."""

State = Literal["kept", "not_kept", "unknown", "ambiguous", "removed"]


@dataclass(frozen=True)
class Page:
    """One kept version of a page."""

    capture: Capture
    document: Document
    texts: PageText

    def passage_at(self, start: int) -> str | None:
        """The id of the passage, as the index cuts them, in which a place of the main text lies."""
        return next((one.id for one in passages_of(self.capture, self.document) if one.start <= start < one.end), None)


@dataclass(frozen=True)
class Source:
    """What an id or an address of a report stands for. `passage` is what was cited, if it was one."""

    name: str
    state: State
    pages: tuple[Page, ...] = ()
    passage: Passage | None = None
    reason: str | None = None


class Sources:
    """Looks sources up; the same one once. Blocking."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._archive = parts.archive
        self._known: dict[str, Source] = {}
        self._texts: OrderedDict[str, PageText] = OrderedDict()

    def source(self, name: str) -> Source:
        """What NAME, an id or an address, stands for."""
        if name not in self._known:
            self._known[name] = self._address(name) if "://" in name else self._id(name)
        return self._known[name]

    def likely(self, quote: str) -> Iterator[Page]:
        """Kept pages that may say what a quotation says, the likeliest first, each once."""
        for source in self._known.values():
            yield from source.pages
        try:
            hits = self._parts.follower.index.search(quote[:QUERY], limit=LIKELY).hits
        except QueryError:
            return
        for capture in dict.fromkeys(hit.capture for hit in hits):
            page = self._page(capture)
            if page is not None:
                yield page

    def _address(self, url: str) -> Source:
        try:
            address = parse_address(url).href
        except BadAddress as error:
            return Source(url, "unknown", reason=str(error))
        rows = [
            row
            for row in self._archive.catalogue.captures(address, limit=LOOKED_BACK)
            if row.outcome == "ok" and row.page_state in ANSWERS and row.document is not None
        ]
        pages = tuple(page for row in rows[:VERSIONS] if (page := self._page(row.id)) is not None)
        if pages:
            return Source(url, "kept", pages)
        return Source(url, "not_kept", reason="no good capture of this address is kept")

    def _id(self, name: str) -> Source:
        try:
            found = self._archive.resolve(name)
            if self._archive.kind_of(found) == "passage":
                passage = read_passage(self._archive.get(found))
                return Source(name, "kept", self._pages([passage.capture]), passage)
            return Source(name, "kept", self._pages(self._captures(self._archive.record(found))))
        except AmbiguousId:
            return Source(name, "ambiguous", reason="several ids begin like this")
        except RemovedId as error:
            return Source(name, "removed", reason=str(error))
        except (UnknownId, BadId):
            return Source(name, "unknown", reason="nothing is kept under this id")
        except EvidenceError as error:
            return Source(name, "unknown", reason=str(error))

    def _captures(self, record: object) -> list[str]:
        """The captures that a record is of or shows."""
        match record:
            case Capture():
                return [record.id]
            case Document():
                return [one.id for one in self._archive.catalogue.naming(record.id, kind="capture", limit=1)]
            case Search():
                return [result.capture for result in record.results]
            case Fetch() | Recheck():
                return [name for name in names(record) if self._archive.kind_of(name) == "capture"]
            case Serving():
                return self._captures(self._archive.record(record.record))
            case _:
                return []

    def _pages(self, captures: list[str]) -> tuple[Page, ...]:
        return tuple(page for name in captures if (page := self._page(name)) is not None)

    def _page(self, capture: str) -> Page | None:
        try:
            seen = self._archive.capture(capture)
            if seen.document is None:
                return None
            document = self._archive.document(seen.document)
        except EvidenceError:
            return None
        texts = self._texts.get(document.id)
        if texts is None:
            texts = self._texts[document.id] = page_text(document.text, document.visible)
            while len(self._texts) > HELD:
                self._texts.popitem(last=False)
        return Page(seen, document, texts)
