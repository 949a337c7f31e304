"""Which records name what is removed, and which of them can be removed as well. Nothing is changed here.

Searches, fetches, rechecks, their servings and watches that have ended only tell of what was shown. What steers
something, or is a link of a chain (sessions, crawls, holds, watches that go on), stays.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from snapshots.answers import Serving
from snapshots.catalogue import Catalogue
from snapshots.catalogue_rows import Naming
from snapshots.errors import DamagedObject, RemovedId, UnknownId
from snapshots.reading import Reader
from snapshots.record import Record, UnknownRecord
from snapshots.watch import Watch

Telling = Literal["search", "fetch", "recheck", "serving", "watch"]

TELLING: Final[dict[str, Telling]] = {
    "search": "search", "fetch": "fetch", "recheck": "recheck", "serving": "serving", "watch": "watch",
}  # fmt: skip
"""Kinds of records that can be removed because of what they name."""


@dataclass
class NamingRecords:
    """Records by id with their kinds: those that can go, and those that stay."""

    going: dict[str, Telling] = field(default_factory=dict)
    staying: dict[str, str] = field(default_factory=dict)


class RecordsNaming:
    """Finds them. Every call may raise what reading raises."""

    def __init__(self, reader: Reader, catalogue: Catalogue) -> None:
        self._reader = reader
        self._catalogue = catalogue

    def of(self, named: Mapping[str, str], captures: Collection[str], chosen: Iterable[str]) -> NamingRecords:
        """Of the records that are known to name CAPTURES, by id with their kinds; and of `chosen` ids that are some."""
        found = NamingRecords()
        for name, kind in ({**named} | {one.id: one.kind for one in self._chosen(tuple(chosen))}).items():
            self._add(found, name, kind)
        for name in list(found.going):
            for serving in self._catalogue.naming(name, kind="serving"):
                found.going[serving.id] = "serving"
        for name in captures:
            found.going.pop(name, None)
        return found

    def _chosen(self, ids: Collection[str]) -> Iterator[Naming]:
        for name in ids:
            position = self._catalogue.position_of(name)
            if position is None:
                continue
            (entry,) = self._catalogue.entries(position, 1)
            yield entry
            record = self.read(name) if entry.kind == "serving" else None
            if isinstance(record, Serving):
                told = self._catalogue.naming(record.record, kind="serving")
                if {one.id for one in told} <= {*ids}:  # nothing else was served for it
                    yield from self._chosen((record.record,))

    def _add(self, found: NamingRecords, name: str, kind: str) -> None:
        if kind == "watch":
            self._add_watch(found, name)
        elif kind in TELLING:
            found.going[name] = TELLING[kind]
        elif kind not in {"capture", "deletion"}:
            found.staying[name] = kind

    def _add_watch(self, found: NamingRecords, name: str) -> None:
        """A watch goes with all that became of it, if it has ended."""
        phases = self._catalogue.naming(name, kind="watch")
        if not any(isinstance(one := self.read(phase.id), Watch) and one.phase == "ended" for phase in phases):
            found.staying[name] = "watch"
            return
        found.going |= dict.fromkeys([name, *(phase.id for phase in phases)], TELLING["watch"])
        found.going |= dict.fromkeys(
            (one.id for one in self._catalogue.naming(name, kind="recheck")), TELLING["recheck"]
        )

    def read(self, name: str) -> Record | UnknownRecord | None:
        """A record; None if it cannot be read any more."""
        try:
            return self._reader.record(name)
        except (UnknownId, RemovedId, DamagedObject):
            return None
