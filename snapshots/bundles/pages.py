"""The list of pages that readers of web archives show first, with the text of each to search in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import orjson

from snapshots.answers import PassageRef
from snapshots.bundles.warc import seconds, target_of
from snapshots.canonical import Json, canonical
from snapshots.capture import Capture
from snapshots.document import Document, page_starts
from snapshots.errors import BadRecord
from snapshots.ids import hex_of
from snapshots.passages import Passage, remake
from snapshots.records import read


@dataclass(frozen=True)
class Page:
    """What was read out of one capture; `data` are the bytes of its document, None if it has none."""

    data: bytes | None

    @cached_property
    def _fields(self) -> dict[str, object]:
        return {} if self.data is None else dict(orjson.loads(self.data))

    @property
    def title(self) -> str | None:
        """The page's title."""
        found = self._fields.get("title")
        return found if isinstance(found, str) and found.strip() else None

    @property
    def text(self) -> str:
        """The page's text; empty if none was read."""
        return str(self._fields.get("text", ""))

    @property
    def language(self) -> str | None:
        """The language of the text (BCP 47), as far as known."""
        found = self._fields.get("language")
        return str(found["tag"]) if isinstance(found, dict) else None

    @cached_property
    def pages(self) -> tuple[tuple[int, int], ...]:
        """Where in the text each page of a PDF begins, and its number; nothing for what has no pages."""
        blocks = self._fields.get("blocks")
        return page_starts((one["start"], one.get("page")) for one in (blocks if isinstance(blocks, list) else ()))

    def passages(self, capture: Capture, wanted: Mapping[str, PassageRef]) -> list[Passage]:
        """The passages that `wanted` names, in the order of the text. Raises BadRecord if one does not follow."""
        if not wanted:
            return []
        document = None if self.data is None else read(self.data, canonical=True)
        if not isinstance(document, Document):
            raise BadRecord(f"{capture.id} has no text that a passage could be of")
        made = [remake(ref, capture, document) for ref in wanted.values()]
        return sorted(made, key=lambda one: (one.start, one.end, one.id))


class PageWriter:
    """Writes `pages.jsonl` through `put`. `count` pages so far; `first` is the address and time of the first."""

    def __init__(self, put: Callable[[bytes], None]) -> None:
        self._put = put
        self.count = 0
        self.first: tuple[str, str] | None = None
        put(canonical({"format": "json-pages-1.0", "id": "pages", "title": "Pages", "hasText": True}) + b"\n")

    def add(self, name: str, capture: Capture, document: bytes | None) -> Page:
        """Adds a capture, if there is anything to see of it."""
        page = Page(document)
        if capture.body is None and document is None:
            return page
        url, time = target_of(capture.final), seconds(capture.retrieved_at)
        line: dict[str, Json] = {
            "id": hex_of(name),
            "url": url,
            "ts": time,
            "title": page.title or capture.final,
            "text": page.text,
            "size": capture.body_length,
        }
        self._put(canonical(line) + b"\n")
        self.count += 1
        self.first = self.first or (url, time)
        return page
