"""Reading what is kept: verified bytes, records, documents and passages, and the right error for what is not there."""

import threading
import time
from collections.abc import Iterable
from typing import Any, Final, Protocol, TypeVar

from snapshots.answers import PassageRef
from snapshots.capture import Capture, Sighting
from snapshots.catalogue import Catalogue
from snapshots.deeds import Import
from snapshots.document import Document, Reading, reading_of
from snapshots.errors import BadRecord, LostObject, RemovedId, UnknownId
from snapshots.ids import SCHEME
from snapshots.objects import Objects
from snapshots.passages import Passage, remake
from snapshots.recent import Recent
from snapshots.record import Record, UnknownRecord
from snapshots.records import read

RECORDS: Final = 12 * 1024 * 1024
"""Encoded bytes of captures and documents kept in memory; as objects they take some three times as much."""
READINGS: Final = 16 * 1024 * 1024
"""Characters of texts kept in memory for searches; most take a byte."""
SIGHTINGS: Final = 12 * 1024 * 1024
"""Bytes for where and when captures saw what: some 20,000 of them. Searches ask for nothing else."""
SIGHTING: Final = 500
"""Bytes of one without its address."""

NAMING: Final = 10
"""Records that are looked at to find out whether something is lost, or never came."""

LOOK_AFTER: Final = 1.0
"""Seconds after which it is asked again whether another process removed something: so long may a node answer from its
memory what is gone. In the process that removes, nothing is remembered a moment longer."""


class _Named(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=_Named)


class Reader:
    """Reads through a small memory of captures and documents that were verified before. Thread-safe.

    Every call may raise UnknownId, RemovedId, DamagedObject, a StoreError, or a CatalogueError.
    """

    def __init__(self, objects: Objects, catalogue: Catalogue) -> None:
        self._objects = objects
        self._catalogue = catalogue
        self._records = Recent[Record](RECORDS)
        self._readings = Recent[Reading](READINGS)
        self._sightings = Recent[Sighting](SIGHTINGS)
        self._memories: tuple[Recent[Any], ...] = (self._records, self._readings, self._sightings)
        self._forgotten = 0
        self._turn = threading.Lock()
        self._removal = 0
        self._looked = float("-inf")

    def get(self, object_id: str) -> bytes:
        """The bytes of a record, document or blob."""
        if self._catalogue.unfinished:  # what was removed may still lie there
            self._require_kept(object_id)
        try:
            return self._objects.get(object_id)
        except UnknownId:
            self._require_kept(object_id)
            known = self._catalogue.position_of(object_id) is not None
            named = self._catalogue.leading_to(object_id) is not None and not self._came_without(object_id)
            if known or named:
                raise LostObject(object_id) from None
            raise

    def _came_without(self, object_id: str) -> bool:
        """Whether what names it was imported, out of a bundle that said that it does not hold it."""
        digits = object_id.removeprefix(SCHEME)
        for naming in self._catalogue.naming(object_id, limit=NAMING):
            for one in self._catalogue.naming(naming.id, kind="import"):
                record = read(self._objects.get(one.id))
                if isinstance(record, Import) and digits in record.absent:
                    return True
        return False

    def _require_kept(self, object_id: str) -> None:
        deletion = self._catalogue.deletion_of(object_id)
        if deletion is not None:
            raise RemovedId(object_id, deletion)

    def record(self, record_id: str, likely: type[Record] | None = None) -> Record | UnknownRecord:
        """A record or document, most likely of that kind; raises BadRecord if the id is a blob's."""
        self._look()
        with self._turn:
            found = self._records.get(record_id)
            forgotten = self._forgotten
        if found is not None:
            return found
        # What has this id was canonical when it was kept, and still has the hash of those bytes.
        record = read(self.get(record_id), canonical=True, likely=likely)
        if isinstance(record, Capture | Document):
            record.known_as(record_id)
            self._remember(self._records, record, len(record.encoded), forgotten)
        return record

    def capture(self, record_id: str) -> Capture:
        """A capture; raises BadRecord if the id is anything else's."""
        record = self.record(record_id, Capture)
        if not isinstance(record, Capture):
            raise BadRecord(f"{record_id} is a {record.kind}, not a capture")
        return record

    def sighting(self, record_id: str) -> Sighting:
        """Where and when a capture saw which document; raises as `capture`."""
        self._look()
        with self._turn:
            found = self._sightings.get(record_id)
            forgotten = self._forgotten
        if found is None:
            capture = self.capture(record_id)
            found = Sighting(record_id, capture.final, capture.retrieved_at, capture.document)
            self._remember(self._sightings, found, SIGHTING + len(found.final), forgotten)
        return found

    def reading(self, document_id: str) -> Reading:
        """What of a document a search shows; raises as `document`."""
        self._look()
        with self._turn:
            found = self._readings.get(document_id)
            forgotten = self._forgotten
        if found is None:
            found = reading_of(document_id, self.get(document_id))
            self._remember(self._readings, found, len(found.text) + SIGHTING, forgotten)
        return found

    def document(self, document_id: str) -> Document:
        """A document; raises BadRecord if the id is anything else's."""
        record = self.record(document_id, Document)
        if not isinstance(record, Document):
            raise BadRecord(f"{document_id} is a {record.kind}, not a document")
        return record

    def passage(self, ref: PassageRef) -> Passage:
        """A passage, made again and compared with its id."""
        try:
            capture = self.capture(ref.capture)
            if capture.document is None:
                raise BadRecord(f"{ref.capture} has no text that {ref.id} could be a passage of")
            return remake(ref, capture, self.document(capture.document))
        except RemovedId as error:
            raise RemovedId(ref.id, error.deletion) from None
        except UnknownId as error:
            raise BadRecord(f"{ref.id} rests on {error.id}, which is not kept") from None

    def forget(self, ids: Iterable[str]) -> None:
        """Lets go of what was removed. What is being read at this moment is not remembered either."""
        with self._turn:
            self._forgotten += 1
            for name in ids:
                for memory in self._memories:
                    memory.drop(name)

    def _look(self) -> None:
        """Lets go of everything if something was removed since the last look."""
        now = time.monotonic()
        if now - self._looked < LOOK_AFTER:
            return
        removal = self._catalogue.removal()
        with self._turn:
            self._looked = now
            if removal != self._removal:
                self._removal = removal
                self._forgotten += 1
                for memory in self._memories:
                    memory.clear()

    def _remember(self, memory: Recent[T], value: T, size: int, forgotten: int) -> None:
        """Holds what was read, unless something was removed since that began."""
        with self._turn:
            if self._forgotten == forgotten:
                memory.keep(value.id, value, size)
