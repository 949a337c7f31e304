"""Finds the steps of sessions that repeat what a page says: with the page, what they say goes too."""

from collections.abc import Iterator
from typing import Final

from snapshots.catalogue import Catalogue
from snapshots.errors import BadRecord, DamagedObject, RemovedId, UnknownId
from snapshots.reading import Reader
from snapshots.session import Event

WINDOW: Final = 32
"""Characters in a row that a content shares with a page before it counts as repeating it: some six words."""


class Retelling:
    """Looks among the events that name a capture, its passages, or a record that shows it."""

    def __init__(self, reader: Reader, catalogue: Catalogue) -> None:
        self._reader = reader
        self._catalogue = catalogue

    def contents(self, capture: str, text: str | None) -> Iterator[str]:
        """The contents that repeat the page; `text` is what it says, None if that cannot be read any more.

        The result of a tool that names the page always counts, and so does every content if nobody can look.
        """
        windows = None if text is None else _windows(" ".join(text.split()))
        for event in self._events(capture):
            if event.content is None:
                continue
            if event.type == "tool_result" or windows is None or self._repeats(event.content, windows):
                yield event.content

    def _events(self, capture: str) -> Iterator[Event]:
        showing = self._catalogue.naming(capture)
        named = [capture, *self._catalogue.passages_of(capture)]
        named += [one.id for one in showing if one.kind in {"search", "fetch"}]
        named += [one.id for record in showing for one in self._catalogue.naming(record.id, kind="serving")]
        seen: set[str] = set()
        for name in named:
            for one in self._catalogue.naming(name, kind="event"):
                if one.id in seen:
                    continue
                seen.add(one.id)
                record = self._reader.record(one.id)
                if isinstance(record, Event):
                    yield record

    def _repeats(self, content: str, windows: list[str]) -> bool:
        try:
            said = self._reader.get(content).decode("utf-8", "replace")
        except (UnknownId, RemovedId, DamagedObject, BadRecord):
            return False
        # JSON writes line ends as \n and quotation marks as \": both sides are looked at without them.
        plain = " ".join(said.replace("\\n", " ").replace("\\t", " ").replace('\\"', '"').split())
        return any(window in plain for window in windows)


def _windows(text: str) -> list[str]:
    """Pieces of a text of which each stretch of twice their length holds one."""
    if len(text) <= WINDOW:
        return [text] if text else []
    return [text[start : start + WINDOW] for start in range(0, len(text) - WINDOW + 1, WINDOW)]
