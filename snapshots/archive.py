"""The archive: the one object that keeps evidence, gives it back, proves it and removes it.

Bucket, log and catalogue are opened and closed by whoever makes the archive. All calls block and may come from any
thread. Each may raise what the bucket, the log or the catalogue raise: a StoreError, LogError or CatalogueError.
"""

from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from snapshots.answers import PassageRef
from snapshots.batches import Batch, Kept, OrderedLog, Progress
from snapshots.capture import Capture, Sighting
from snapshots.catalogue import Catalogue
from snapshots.catalogue_rows import Naming
from snapshots.checking import Checker, CheckReport
from snapshots.committer import Committer
from snapshots.deeds import Deletion
from snapshots.document import Document, Reading
from snapshots.errors import (
    AmbiguousId,
    DamagedObject,
    LogReadOnly,
    RemovedId,
    UnknownId,
)
from snapshots.feeding import Feeding
from snapshots.ids import SCHEME, parse_prefix
from snapshots.keeping import Keeping
from snapshots.objects import Objects
from snapshots.passages import Passage
from snapshots.reading import Reader
from snapshots.record import Record, UnknownRecord
from snapshots.records import names
from snapshots.removal import Planner, Removal, Selection
from snapshots.rows import Entry
from snapshots.store import Store
from snapshots.times import stamp

_WHOLE = 64


@dataclass(frozen=True)
class ProofOf:
    """That what has the id `id` was committed to.

    `leads` goes from `id` to `record`, the logged record: each is named in the bytes of the next. `record` is the entry
    at `index` of the log, as `tlog_proof` (the text of a c2sp.org/tlog-proof) proves to whoever has `vkey`.
    """

    id: str
    leads: tuple[str, ...]
    record: str
    index: int
    tlog_proof: str
    vkey: str


def _present() -> datetime:
    return datetime.now(UTC)


class Archive:
    """Keeps what was seen under names that prove it.

    After making one, call `catch_up`: it takes over what other writers or a killed process left in the log, and
    finishes removals that were cut short.
    """

    def __init__(
        self,
        store: Store,
        log: OrderedLog,
        catalogue: Catalogue,
        *,
        now: Callable[[], datetime] = _present,
    ) -> None:
        self.objects = Objects(store)
        self.log = log
        self.catalogue = catalogue
        self._now = now
        self._reader = Reader(self.objects, catalogue)
        self._feeding = Feeding(self.objects, log, catalogue, self._reader)
        self._keeping = Keeping(self.objects, log, catalogue, self._feeding)
        self._committer = Committer(self._keeping.commit, self._keeping.afterwards)

    # keeping

    def keep(self, batch: Batch) -> Future[Kept]:
        """Keeps a batch. When the future has a result, all of it is durable and its records are in the log.

        What waits at the same time is committed together. Blocks only while very much is waiting. The future raises
        LogReadOnly, a StoreError or another LogError; then nothing may be told of the batch. Raises ArchiveClosed.
        """
        return self._committer.submit(batch)

    @property
    def trouble(self) -> BaseException | None:
        """What stands in the way of catalogue or checkpoint although records are kept; None if nothing does."""
        return self._keeping.trouble

    # giving back

    def get(self, object_id: str) -> bytes:
        """The exact bytes of a record, document, blob or passage, verified.

        Raises UnknownId, RemovedId (which names the deletion), DamagedObject, and BadRecord for a passage that a
        record shows and that does not follow from its capture.
        """
        shown = self.catalogue.passage(object_id)
        return self._reader.get(object_id) if shown is None else self._reader.passage(shown.ref).encoded

    def kind_of(self, object_id: str) -> str:
        """What an id stands for: the kind of a record, `document`, `passage` or `blob`. Raises as `get`."""
        if self.catalogue.passage(object_id) is not None:
            return "passage"
        position = self.catalogue.position_of(object_id)
        if position is not None:
            return self.catalogue.entries(position, 1)[0].kind
        data = self._reader.get(object_id)
        leading = self.catalogue.leading_to(object_id)
        if leading is not None and leading.kind == "capture" and data.startswith(b"{"):
            capture = self._reader.record(leading.id)
            if isinstance(capture, Capture) and capture.document == object_id:
                return "document"
        return "blob"

    def record(self, record_id: str) -> Record | UnknownRecord:
        """A record or document. Raises as `get`, and BadRecord if the id is a blob's or a passage's."""
        return self._reader.record(record_id)

    def capture(self, capture_id: str) -> Capture:
        """A capture; recent ones are held in memory. Raises as `record`."""
        return self._reader.capture(capture_id)

    def sighting(self, capture_id: str) -> Sighting:
        """Where and when a capture saw which document; of many recent ones held in memory. Raises as `record`."""
        return self._reader.sighting(capture_id)

    def reading(self, document_id: str) -> Reading:
        """What of a document a search shows; of recent ones held in memory. Raises as `record`."""
        return self._reader.reading(document_id)

    def document(self, document_id: str) -> Document:
        """A document; recent ones are held in memory. Raises as `record`."""
        return self._reader.document(document_id)

    def passage(self, ref: PassageRef) -> Passage:
        """The passage a reference names. Raises as `get`."""
        return self._reader.passage(ref)

    def imported(self, record_id: str, position: int) -> bool:
        """Whether the record at `position` came from elsewhere: an import before it brought it."""
        found = self.catalogue.naming(record_id, kind="import", limit=1)
        return bool(found) and found[0].position < position

    def resolve(self, text: str) -> str:
        """The whole id that a person means: with or without scheme, or its first 12 or more hex digits.

        Raises BadId, UnknownId or AmbiguousId. A whole id is taken as it is, whether it is known or not.
        """
        digits = parse_prefix(text)
        if len(digits) == _WHOLE:
            return SCHEME + digits
        found = self.catalogue.find(digits)
        if not found:
            raise UnknownId(SCHEME + digits)
        if len(found) > 1:
            raise AmbiguousId(text, found)
        return found[0]

    def proof(self, object_id: str) -> ProofOf:
        """That a record, document, blob or passage was committed to, under the newest checkpoint. Raises as `get`."""
        record, leads = self._lead(object_id)
        index = self.catalogue.position_of(record)
        if index is None:
            raise UnknownId(record)
        return ProofOf(object_id, leads, record, index, self.log.proof(index).text, self.log.vkey)

    def _lead(self, object_id: str) -> tuple[str, tuple[str, ...]]:
        """The logged record that leads to an id, and the path to it."""
        shown = self.catalogue.passage(object_id)
        if shown is not None:
            deletion = self.catalogue.deletion_of(shown.ref.capture)
            if deletion is not None:
                raise RemovedId(object_id, deletion)
            if self.catalogue.deletion_of(shown.record) is not None:  # the record went, the page stayed
                return shown.ref.capture, (object_id, shown.ref.capture)
            return shown.record, (object_id, shown.record)
        deletion = self.catalogue.deletion_of(object_id)
        if deletion is not None:
            raise RemovedId(object_id, deletion)
        if self.catalogue.position_of(object_id) is not None:
            return object_id, (object_id,)
        leading = self.catalogue.leading_to(object_id)
        if leading is None:
            raise UnknownId(object_id)
        return leading.id, (object_id, leading.id)

    def dependents(self, object_id: str) -> list[Naming]:
        """The logged records that name an id, in the order of the log. Raises UnknownId for an id nobody knows."""
        shown = self.catalogue.passage(object_id)
        if shown is not None:
            of_capture = self.catalogue.naming(shown.ref.capture)
            return [
                one
                for one in of_capture
                if one.kind in {"search", "fetch", "recheck", "watch"} and self._names(one.id, object_id)
            ]
        found = self.catalogue.naming(object_id)
        found += [one for one in self.catalogue.considering(object_id) if self._names(one.id, object_id)]
        known = found or self.catalogue.position_of(object_id) is not None
        if not known and self.catalogue.deletion_of(object_id) is None:
            raise UnknownId(object_id)
        return sorted(found, key=lambda one: one.position)

    def _names(self, record_id: str, object_id: str) -> bool:
        try:
            return object_id in names(self._reader.record(record_id))
        except (DamagedObject, UnknownId):
            return False

    # following

    def follow(
        self, after: int, limit: int = 1000, *, kinds: Collection[str] | None = None
    ) -> list[tuple[int, str, Record | UnknownRecord | None]]:
        """The entries from position `after` on: position, id, record. For whoever keeps a view of its own.

        The record is None where it has been removed, is damaged, or is not of one of `kinds`. Waits for nothing, and
        shows nothing that the catalogue does not know yet.
        """
        return [
            (one.position, one.id, self._followed(one.id) if kinds is None or one.kind in kinds else None)
            for one in self.catalogue.entries(after, limit)
        ]

    def _followed(self, record_id: str) -> Record | UnknownRecord | None:
        try:
            return self._reader.record(record_id)
        except (UnknownId, RemovedId, DamagedObject):
            return None

    # removing

    def remove(
        self, selection: Selection, *, dry_run: bool = False, reason: str | None = None, by: str | None = None
    ) -> Removal:
        """Removes captures and everything in which they were shown, or with `dry_run` only lists it.

        Afterwards the ids of what went answer with the deletion. Killed or failing after the deletion is in the log,
        the rest is done by the next `catch_up`. A selection of pages of which nothing is kept removes nothing. Raises
        UnknownId and RemovedId for ids.
        """
        return self._committer.run(lambda: self._remove(selection, dry_run=dry_run, reason=reason, by=by))

    def _remove(self, selection: Selection, *, dry_run: bool, reason: str | None, by: str | None) -> Removal:
        self._feeding.catch_up()
        planned = Planner(self._reader, self.catalogue).plan(selection)
        if dry_run or not planned.removed:
            return planned
        if self.log.read_only:
            raise LogReadOnly("nothing can be removed while the log is open without its key")
        deletion = Deletion(
            at=stamp(self._now()),
            selector=selection.shown,
            removed=planned.removed,
            counts=planned.counts,
            reason=reason,
            by=by,
        )
        self.objects.put([deletion.encoded])
        positions = self.log.append([deletion.id])
        self._feeding.apply(positions.start, [Entry(deletion.id, deletion)])
        self._feeding.finish_removals()
        return replace(planned, deletion=deletion.id)

    # upkeep

    def catch_up(self, progress: Progress | None = None) -> int:
        """Takes over what the log has and the catalogue lacks, finishes removals; returns how many entries it has."""
        return self._committer.run(lambda: self._feeding.catch_up(progress))

    def rebuild(self, progress: Progress | None = None) -> int:
        """Makes the catalogue anew from the bucket alone. What is to be kept waits meanwhile."""
        return self._committer.run(lambda: self._feeding.rebuild(progress))

    def check(self, *, deep: bool = False, progress: Progress | None = None) -> CheckReport:
        """Checks log, bucket and catalogue against each other; `deep` reads and verifies every byte."""
        return Checker(self.objects, self.log, self.catalogue).check(deep=deep, progress=progress)

    def close(self) -> None:
        """Commits what is waiting, and takes nothing more. Bucket, log and catalogue stay open."""
        self._committer.close()
