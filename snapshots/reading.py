"""Reading what is kept: verified bytes, records, documents and passages, and the right error for what is not there."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from snapshots.answers import PassageRef
from snapshots.capture import Capture
from snapshots.catalogue import Catalogue
from snapshots.document import Document
from snapshots.errors import BadRecord, LostObject, RemovedId, UnknownId
from snapshots.objects import Objects
from snapshots.passages import Passage, remake
from snapshots.record import Record, UnknownRecord
from snapshots.records import read

RECENT: Final = 24 * 1024 * 1024
"""Encoded bytes of captures and documents kept in memory; as objects they take some three times as much."""


LOOK_AFTER: Final = 1.0
"""Seconds after which it is asked again whether another process removed something: so long may a node answer from its
memory what is gone. In the process that removes, nothing is remembered a moment longer."""


class Reader:
    """Reads through a small memory of captures and documents that were verified before. Thread-safe.

    Every call may raise UnknownId, RemovedId, DamagedObject, a StoreError, or a CatalogueError.
    """

    def __init__(self, objects: Objects, catalogue: Catalogue) -> None:
        self._objects = objects
        self._catalogue = catalogue
        self._recent: OrderedDict[str, Record] = OrderedDict()
        self._held = 0
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
            if self._catalogue.position_of(object_id) is not None or self._catalogue.leading_to(object_id) is not None:
                raise LostObject(object_id) from None
            raise

    def _require_kept(self, object_id: str) -> None:
        deletion = self._catalogue.deletion_of(object_id)
        if deletion is not None:
            raise RemovedId(object_id, deletion)

    def record(self, record_id: str) -> Record | UnknownRecord:
        """A record or document; raises BadRecord if the id is a blob's."""
        self._look()
        with self._turn:
            found = self._recent.get(record_id)
            if found is not None:
                self._recent.move_to_end(record_id)
                return found
        # What has this id was canonical when it was kept, and still has the hash of those bytes.
        record = read(self.get(record_id), canonical=True)
        if isinstance(record, Capture | Document):
            self._remember(record_id, record)
        return record

    def capture(self, record_id: str) -> Capture:
        """A capture; raises BadRecord if the id is anything else's."""
        record = self.record(record_id)
        if not isinstance(record, Capture):
            raise BadRecord(f"{record_id} is a {record.kind}, not a capture")
        return record

    def document(self, document_id: str) -> Document:
        """A document; raises BadRecord if the id is anything else's."""
        record = self.record(document_id)
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
        """Lets go of what was removed."""
        with self._turn:
            for name in ids:
                gone = self._recent.pop(name, None)
                if gone is not None:
                    self._held -= len(gone.encoded)

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
                self._recent.clear()
                self._held = 0

    def _remember(self, record_id: str, record: Record) -> None:
        size = len(record.encoded)
        if size > RECENT // 4:
            return
        with self._turn:
            if record_id not in self._recent:
                self._recent[record_id] = record
                self._held += size
            while self._held > RECENT:
                self._held -= len(self._recent.popitem(last=False)[1].encoded)
