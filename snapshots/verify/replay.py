"""Whether a bundle's web archive, its index and its list of pages say what its captures say."""

from collections.abc import Callable
from dataclasses import dataclass, field

from snapshots.errors import Unsound
from snapshots.verify.blobs import ARCHIVE
from snapshots.verify.capture_records import Expected, expected_records, first_expected
from snapshots.verify.cdx import expected_line
from snapshots.verify.claims import Faults
from snapshots.verify.contents import Contents
from snapshots.verify.members import Members
from snapshots.verify.record_lines import Records
from snapshots.verify.warc import WarcReader
from snapshots.verify.warc_records import RecordRead, read_record

_INDEXED = {"response", "resource"}


@dataclass
class Replayed:
    """What the web archive holds: payloads by id with their sizes, and the lines its index must have."""

    payloads: dict[str, int] = field(default_factory=dict)
    index_lines: list[bytes] = field(default_factory=list)
    records: int = 0


class Replay:
    """Goes through a bundle's archive, record by record, and holds each against its capture."""

    def __init__(
        self,
        records: Records,
        there: Callable[[str], bool],
        faults: Faults,
        blob_faults: Faults,
    ) -> None:
        self._records = records
        self._there = there
        self._faults = faults
        self._blob_faults = blob_faults
        order = sorted(records.captures, key=lambda each: (records.times[each], each))
        self._places = {capture: place for place, capture in enumerate(order)}
        self._seen: dict[str, int] = {}  # for each capture a bit for each of its records
        self._wanted: dict[str, int] = {}
        self._current: tuple[str, list[Expected]] = ("", [])
        self._last = (-1, -1)
        self.found = Replayed()

    def read(self, members: Members, contents: Contents | None) -> Replayed:
        """Reads the archive to its end; what is wrong is noted."""
        if ARCHIVE not in members:
            self._faults.add("warc-malformed", ARCHIVE, "it is not there")
            return self.found
        try:
            reader = WarcReader(members.pieces(ARCHIVE), packed=True, strict=True)
            self._first(reader, contents)
            while (head := reader.next()) is not None:
                self._record(read_record(reader, head, strict=True))
        except Unsound as problem:
            self._faults.add(problem.reason, ARCHIVE, str(problem))
        self._check_missing()
        return self.found

    def _first(self, reader: WarcReader, contents: Contents | None) -> None:
        head = reader.next()
        if head is None:
            self._faults.add("warc-malformed", ARCHIVE, "it is empty")
            return
        read = read_record(reader, head, strict=True)
        if head.type != "warcinfo":
            self._faults.add("warc-capture", ARCHIVE, "it does not begin with the record that tells of it (warcinfo)")
            self._record(read)
            return
        self._note_failures(read)
        self.found.records += 1
        if contents is not None:
            self._compare(read, first_expected(contents.origin, contents.created, contents.software))

    def _record(self, read: RecordRead) -> None:
        self.found.records += 1
        self._note_failures(read)
        capture_id = read.head.get("Citator-Capture") or ""
        where = f"{ARCHIVE} byte {read.head.offset}"
        expected = self._expected(capture_id)
        if expected is None:
            self._faults.add("warc-surplus", where, "it belongs to no capture of this bundle")
            return
        record = read.head.get("WARC-Record-ID")
        ordinal = next((place for place, each in enumerate(expected) if each.id == record), None)
        seen = self._seen.get(capture_id, 0)
        if ordinal is None or seen >> ordinal & 1:
            self._faults.add(
                "warc-surplus", where, f"the capture {capture_id} gives no such record, or it is there twice"
            )
            return
        self._seen[capture_id] = seen | 1 << ordinal
        place = (self._places[capture_id], ordinal)
        if place <= self._last:
            self._faults.add("warc-capture", where, "the records are not in the order of their captures")
        self._last = place
        self._compare(read, expected[ordinal])
        self._note_payload(read, expected[ordinal])

    def _expected(self, capture_id: str) -> list[Expected] | None:
        if self._current[0] != capture_id:
            capture = self._records.capture(capture_id)
            if capture is None:
                return None
            self._current = (capture_id, expected_records(capture_id, capture, self._there))
            self._wanted[capture_id] = len(self._current[1])
        return self._current[1]

    def _note_failures(self, read: RecordRead) -> None:
        for reason, detail in read.failures:
            self._faults.add(reason, f"{ARCHIVE} byte {read.head.offset}", detail)

    def _compare(self, read: RecordRead, expected: Expected) -> None:
        where = f"{ARCHIVE} byte {read.head.offset}"
        found = sorted(pair for pair in read.head.fields if pair[0] not in {"WARC-Block-Digest", "Content-Length"})
        if found != expected.fields:
            names = sorted({name for name, _ in set(found) ^ set(expected.fields)}) or ["repetition of a field"]
            self._faults.add("warc-capture", where, f"differs from its capture in {', '.join(names)}")
        head = expected.head
        if expected.type == "response":
            head += b"Content-Length: %d\r\n\r\n" % read.size
        if read.http_bytes != head:
            self._faults.add("warc-capture", where, "its HTTP head is not the one that the capture has")
        if read.payload != expected.payload:
            self._faults.add("warc-capture", where, f"its payload is {read.payload}, not {expected.payload}")
            if expected.blob is not None:
                self._blob_faults.add("blob-hash", expected.blob, f"hash mismatch: the archive holds {read.payload}")

    def _note_payload(self, read: RecordRead, expected: Expected) -> None:
        found = self.found
        if expected.blob is not None:
            found.payloads[read.payload] = read.size
        if expected.type in _INDEXED and expected.target is not None:
            line = expected_line(
                expected.target,
                expected.date,
                mime=expected.mime,
                status=expected.status,
                digest=read.head.get("WARC-Payload-Digest") or "",
                length=read.packed,
                offset=read.head.offset,
            )
            found.index_lines.append(line)

    def _check_missing(self) -> None:
        for capture_id in self._records.captures:
            if capture_id not in self._wanted:
                self._expected(capture_id)
            wanted, seen = self._wanted[capture_id], self._seen.get(capture_id, 0).bit_count()
            if seen != wanted:
                told = f"gives {wanted} records, of which {seen} are in {ARCHIVE}"
                self._faults.add("warc-capture", capture_id, told)
