"""Keeping: objects durable, then the log, then the catalogue. Only then is a caller told."""

from collections.abc import Iterable, Sequence

from snapshots.batches import Batch, Kept, OrderedLog
from snapshots.catalogue import Catalogue
from snapshots.errors import EvidenceError, StoreError, StoreUnreachable
from snapshots.feeding import Feeding
from snapshots.objects import Objects
from snapshots.rows import Entry


class Keeping:
    """Commits groups of batches. Used by one thread at a time."""

    def __init__(self, objects: Objects, log: OrderedLog, catalogue: Catalogue, feeding: Feeding) -> None:
        self._objects = objects
        self._log = log
        self._catalogue = catalogue
        self._feeding = feeding
        self.trouble: BaseException | None = None
        """What last went wrong after a commit had succeeded (catalogue, publishing); None once it works again."""

    def commit(self, batches: Sequence[Batch]) -> Sequence[Kept | BaseException]:
        """What became of each batch. One batch that cannot be stored does not take the others with it."""
        try:
            return self._together(batches)
        except StoreUnreachable as error:
            return [error] * len(batches)
        except EvidenceError as error:
            if len(batches) == 1:
                return [error]
            return [result for batch in batches for result in self.commit([batch])]
        except BaseException as error:  # noqa: BLE001 - a defect of ours must reach the callers, not end the thread
            return [error] * len(batches)

    def afterwards(self) -> None:
        """What nobody waits for: publishes what was committed, and finishes removals that other processes began.

        If that fails it is tried again after the next commit.
        """
        try:
            self._log.publish()
            self._feeding.finish_removals()
        except BaseException as error:  # noqa: BLE001 - nobody waits for it, and the thread must go on
            self.trouble = error

    def _together(self, batches: Sequence[Batch]) -> Sequence[Kept | BaseException]:
        shared = {name: data for batch in batches for name, data in batch.shared.items()}
        logged = {name: record for batch in batches for name, record in batch.logged.items()}
        own = [blob for batch in batches for blob in batch.own]
        # What others may have kept is looked at first; all that is new goes with the log's own objects.
        self._objects.put(shared.values())
        beside = self._objects.at_rest([*own, *(record.encoded for record in logged.values())])
        positions = self._log.append(list(logged), publish_now=False, beside=beside)
        # From here on the entries are in the log: whatever goes wrong, they must not be appended again.
        entries = [Entry(name, record) for name, record in logged.items()]
        removed = self._tell_catalogue(positions.start, entries, shared)
        lost = self._look_again({name: shared[name] for name in removed})
        places = dict(zip(logged, positions, strict=True))
        return [
            lost
            if lost is not None and not removed.isdisjoint(batch.shared)
            else Kept(
                blobs=batch.blob_ids,
                ids=tuple(record.id for record in batch.records),
                positions={name: places[name] for name in batch.logged},
            )
            for batch in batches
        ]

    def _tell_catalogue(self, first: int, entries: Sequence[Entry], shared: Iterable[str]) -> set[str]:
        """Those of `shared` that were removed at some time; all of them if the catalogue does not answer."""
        try:
            self._feeding.apply(first, entries)
            removed = self._catalogue.removed_among(shared)
        except EvidenceError as error:
            # The log has them, so they are kept; the catalogue takes them from there when it can.
            self.trouble = error
            return set(shared)
        self.trouble = None
        return removed

    def _look_again(self, again: dict[str, bytes]) -> StoreError | None:
        """Keeps once more what may be in the course of being removed by another process.

        It was there when we looked and may be gone now, because that process had not seen our entries. Now that they
        are in the log, it gives back what it takes; and what it took before is written here.
        """
        try:
            self._objects.put(again.values())
        except StoreError as error:
            return error
        return None
