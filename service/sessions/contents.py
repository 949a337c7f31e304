"""What was said in sessions, read in parallel and held in memory: every step of a run looks at most of it again."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from service.sessions.paths import parsed
from snapshots import Archive, Event, EvidenceError

HELD: Final = 32 * 1024 * 1024
"""Bytes of contents held, as they were kept: some forty thousand messages."""
READERS: Final = 16
"""Threads that read: a bucket on the network is waited for, not computed."""
FEW: Final = 8
"""What is read one after the other: threads would cost more."""


class Contents:
    """The contents of events of one archive. All calls block."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._held: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._generation = 0
        self._turn = threading.Lock()

    def forget(self) -> None:
        """Let go of all, because something was removed."""
        with self._turn:
            self._generation += 1
            self._held.clear()
            self._size = 0

    def said(self, event: Event) -> Any:
        """What an event says, where that is JSON; a sentence under `removed` where it is not there."""
        if event.content is None:
            return None
        with self._turn:
            generation = self._generation
            held = self._held.get(event.content)
            if held is not None:
                self._held.move_to_end(event.content)
                return held[0]
        try:
            data = self._archive.get(event.content)
        except EvidenceError as error:
            return {"removed": str(error)}
        value = parsed(data)
        self._hold(event.content, value, len(data), generation)
        return value

    def fetch(self, events: Iterable[Event]) -> None:
        """Read what is not held yet, at once."""
        wanted = [event for event in events if event.content is not None and event.content not in self._held]
        if len(wanted) > FEW:
            with ThreadPoolExecutor(READERS, "citator-contents") as pool:
                list(pool.map(self.said, wanted))

    def _hold(self, name: str, value: Any, size: int, generation: int) -> None:
        with self._turn:
            if self._generation != generation or name in self._held:
                return
            self._held[name] = (value, size)
            self._size += size
            while self._size > HELD:
                _, (_, gone) = self._held.popitem(last=False)
                self._size -= gone


def records_of(archive: Archive, names: Sequence[str]) -> list[Any]:
    """Records by their ids, in order, read at once. Blocking; raises as `Archive.record`."""
    if len(names) <= FEW:
        return [archive.record(name) for name in names]
    with ThreadPoolExecutor(READERS, "citator-events") as pool:
        return list(pool.map(archive.record, names))
