"""Feeding the catalogue from the log, and finishing what deletions began.

A deletion is in the log before anything is deleted. From there on it is only a question of time: whoever feeds a
catalogue past it deletes what it names, wipes the traces from the database, and only then notes that it is done. Killed
in between, the next one to open the archive goes on.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from snapshots.batches import OrderedLog, Progress
from snapshots.catalogue import Catalogue
from snapshots.database import chunks
from snapshots.errors import BadRecord, DamagedObject, UnknownId
from snapshots.objects import Objects
from snapshots.reading import Reader
from snapshots.record import Record, UnknownRecord
from snapshots.records import read
from snapshots.rows import Entry

AT_ONCE: Final = 1000
"""Entries that are read and applied together."""
READERS: Final = 8
"""Threads that read records: a bucket on the network is waited for, not computed."""
ERASED_AT_ONCE: Final = 256
"""Objects that are deleted together."""
HELD: Final = 64 * 1024 * 1024
"""Plain bytes that are held in memory while their objects are deleted, in case somebody keeps them again just then."""


class Feeding:
    """Keeps `catalogue` in step with `log`. Used by one thread at a time."""

    def __init__(self, objects: Objects, log: OrderedLog, catalogue: Catalogue, reader: Reader) -> None:
        self._objects = objects
        self._log = log
        self._catalogue = catalogue
        self._reader = reader

    def apply(self, first: int, batch: Sequence[Entry]) -> None:
        """Applies entries that this process has just appended, after those of other writers before them, if any."""
        if self._catalogue.apply(first, batch) < first:
            self._feed(None)

    def catch_up(self, progress: Progress | None = None) -> int:
        """Takes over what the log has and the catalogue lacks, finishes removals, and returns the position.

        A catalogue that goes with another log (a bucket was put back, or exchanged) is made anew.
        """
        self._log.refresh()
        if not self._fits():
            self._catalogue.wipe()
        self._feed(progress)
        self._catalogue.unfinished = True
        self.finish_removals()
        return self._catalogue.position()

    def rebuild(self, progress: Progress | None = None) -> int:
        """Makes the catalogue anew from bucket and log alone."""
        self._catalogue.wipe()
        return self.catch_up(progress)

    def _fits(self) -> bool:
        """Whether what the catalogue has is the beginning of the log."""
        position = self._catalogue.position()
        if position > self._log.size and not self._log.read_only:
            self._log.refresh()  # another writer that shares the catalogue may have been quick
            if position > self._log.size:
                return False
        last = min(position, self._log.size) - 1
        if last < 0:
            return True
        known = self._catalogue.entries(last, 1)
        return [one.id for one in known] == self._log.entries(last, last + 1)

    def finish_removals(self) -> None:
        """Deletes what applied deletions name, and leaves no trace of it in the database. Does nothing twice."""
        if not self._catalogue.unfinished:
            return
        while until := self._catalogue.unscrubbed():
            ids = [name for name, _ in self._catalogue.removals(unscrubbed=True)]
            self._reader.forget(ids)
            for part in chunks(ids, ERASED_AT_ONCE):
                there = self._objects.exists(part)
                self._erase([name for name in there if self._catalogue.deletion_of(name) is not None])
            self._catalogue.scrub(until)
        self._catalogue.unfinished = False

    def _erase(self, ids: Sequence[str]) -> None:
        waiting = list(ids)
        while waiting:
            held: dict[str, bytes] = {}
            gone: list[str] = []
            while waiting and sum(map(len, held.values())) < HELD:
                gone.append(waiting.pop())
                try:
                    held[gone[-1]] = self._objects.get(gone[-1])
                except (UnknownId, DamagedObject):
                    continue  # nothing that could be kept again
            self._objects.delete(gone)
            # Another writer may have found one of them there and named it in a record a moment ago. Its entry is in
            # the log by now, or it will look again after appending: see `Keeping`.
            self._log.refresh()
            self._feed(None)
            self._objects.put([data for name, data in held.items() if self._catalogue.deletion_of(name) is None])

    def _feed(self, progress: Progress | None) -> None:
        position = self._catalogue.position()
        with ThreadPoolExecutor(READERS, "citator-feed") as pool:
            while position < self._log.size:
                ids = self._log.entries(position, position + AT_ONCE)
                records = list(pool.map(self._read, ids))
                entries = [Entry(name, record) for name, record in zip(ids, records, strict=True)]
                position = self._catalogue.apply(position, entries)
                if progress is not None:
                    progress(position, self._log.size)

    def _read(self, record_id: str) -> Record | UnknownRecord | None:
        """A logged record straight from the bucket; None if it was removed or is damaged, which a check will tell."""
        try:
            return read(self._objects.get(record_id))
        except (UnknownId, DamagedObject, BadRecord):
            return None
