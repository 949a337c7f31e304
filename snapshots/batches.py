"""What is handed to the archive to be kept, and what it says then."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from snapshots.document import Document
from snapshots.ids import digest
from snapshots.log_check import LogReport
from snapshots.proof import Proof
from snapshots.record import Record, UnknownRecord

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


@dataclass(frozen=True)
class Batch:
    """Blobs and records that are kept together: all of them, or an error. Records may name what stands beside them.

    Documents stand among the records. Passages are never handed over: they follow from what is kept. `own` are blobs
    that cannot have been kept before, since they hold something random; nobody looks whether they are there.
    """

    blobs: tuple[bytes, ...] = ()
    records: tuple[Record | UnknownRecord, ...] = ()
    own: tuple[bytes, ...] = ()

    @cached_property
    def blob_ids(self) -> tuple[str, ...]:
        """The ids of the blobs, in order."""
        return tuple(map(digest, self.blobs))

    @cached_property
    def shared(self) -> dict[str, bytes]:
        """What may have been kept before, by id: blobs and documents."""
        documents = {record.id: record.encoded for record in self.records if isinstance(record, Document)}
        return dict(zip(self.blob_ids, self.blobs, strict=True)) | documents

    @cached_property
    def logged(self) -> dict[str, Record | UnknownRecord]:
        """What gets an entry in the log, by id."""
        return {record.id: record for record in self.records if not isinstance(record, Document)}

    @property
    def size(self) -> int:
        """Bytes of all that is in it."""
        return sum(map(len, (*self.blobs, *self.own))) + sum(len(record.encoded) for record in self.records)


@dataclass(frozen=True)
class Kept:
    """A batch is durable and in the log. Ids in the order they were handed over; positions of logged records."""

    blobs: tuple[str, ...]
    ids: tuple[str, ...]
    positions: dict[str, int]


class OrderedLog(Protocol):
    """What the archive needs of a log; `snapshots.log.Log` is one, and says what each call promises and raises."""

    @property
    def size(self) -> int: ...  # noqa: D102 - see Log

    @property
    def vkey(self) -> str: ...  # noqa: D102

    @property
    def read_only(self) -> bool: ...  # noqa: D102

    def append(  # noqa: D102
        self, ids: Sequence[str], *, publish_now: bool = True, beside: Mapping[str, bytes] | None = None
    ) -> range: ...

    def publish(self) -> None: ...  # noqa: D102

    def refresh(self) -> int: ...  # noqa: D102

    def entries(self, start: int, end: int) -> list[str]: ...  # noqa: D102

    def proof(self, index: int) -> Proof: ...  # noqa: D102

    def check(self, *, deep: bool = False, progress: Progress | None = None) -> LogReport: ...  # noqa: D102
