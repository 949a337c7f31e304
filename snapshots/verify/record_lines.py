"""Reads the records and passages of a bundle, one line at a time, and keeps of them what other claims need."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from snapshots.errors import Unsound
from snapshots.verify.claims import Faults
from snapshots.verify.kinds import check_record, named_ids, references, time_of
from snapshots.verify.members import Members
from snapshots.verify.passage_bytes import PassageRead, check_capture_of, check_passage, read_passage_line
from snapshots.verify.strict_json import read_canonical

RECORDS = "evidence/records.jsonl"
PASSAGES = "evidence/passages.jsonl"


@dataclass(frozen=True, slots=True)
class DocumentRead:
    """What is kept of a document: enough to hold the pages' list and a new reading against it."""

    source: str
    media_type: str
    base: str
    title: str | None
    text_hash: bytes
    """Of the text as JSON writes it, which is how records and the list of pages hold it."""
    text_length: int
    extractors: tuple[tuple[str, str], ...]


@dataclass
class Records:
    """What the records of a bundle say, as far as other claims need it."""

    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Every record and document, in order, and the ids that it names."""
    kinds: dict[str, str] = field(default_factory=dict)
    times: dict[str, str] = field(default_factory=dict)
    captures: dict[str, bytes] = field(default_factory=dict)
    """The bytes of each capture: its headers and hops take several times as much room once they are read."""
    documents: dict[str, DocumentRead] = field(default_factory=dict)
    passages: dict[str, PassageRead] = field(default_factory=dict)
    removed: dict[str, set[str]] = field(default_factory=dict)
    """What each deletion removed."""
    absent_passages: dict[str, str] = field(default_factory=dict)
    """The capture of each passage that a record refers to and that is not in the bundle."""
    served: dict[str, str] = field(default_factory=dict)
    """Which record each serving answered with."""

    def capture(self, capture_id: str) -> dict[str, Any] | None:
        """A capture's members; None if it is not in the bundle."""
        data = self.captures.get(capture_id)
        if data is None:
            return None
        value: dict[str, Any] = json.loads(data)
        return value


def _written_text(line: bytes, source: str) -> bytes:
    """The text of a document as it stands in its canonical bytes, with its quotation marks.

    It stands between `source` and `title`. Quotation marks inside of strings are escaped, so that neither can be
    mistaken for something that is part of a text.
    """
    end = line.rindex(b',"title":')
    mark = b',"source":"%s","text":' % source.encode()
    return line[line.rindex(mark, 0, end) + len(mark) : end]


class RecordReader:
    """Reads both files; passages first, so that no document has to be kept for them."""

    def __init__(self, members: Members, faults: Faults, passage_faults: Faults) -> None:
        self._members = members
        self._faults = faults
        self._passage_faults = passage_faults
        self._by_document: dict[str, list[PassageRead]] = {}
        self.read = Records()

    def passages(self) -> None:
        """Reads the passages."""
        faults, before = self._passage_faults, ""
        try:
            for number, line in self._members.lines(PASSAGES):
                where = f"{PASSAGES} line {number}"
                try:
                    passage = read_passage_line(line)
                except Unsound as problem:
                    faults.add(problem.reason, where, str(problem))
                    continue
                if passage.id <= before:
                    faults.add("passage-order", where, "the passages are not sorted by id, each once")
                before = passage.id
                self.read.passages[passage.id] = passage
                self._by_document.setdefault(passage.document, []).append(passage)
        except Unsound as problem:
            faults.add("passage-malformed", PASSAGES, str(problem))

    def records(self) -> None:
        """Reads the records, and holds the passages against them."""
        before = ""
        try:
            for number, line in self._members.lines(RECORDS):
                where = f"{RECORDS} line {number}"
                record_id = "sha256:" + sha256(line).hexdigest()
                if record_id <= before:
                    self._faults.add("record-order", where, "the records are not sorted by id, each once")
                before = record_id
                self._record(record_id, line, where)
        except Unsound as problem:
            self._faults.add("record-malformed", RECORDS, str(problem))
        self._passages_of_captures()

    def _record(self, record_id: str, line: bytes, where: str) -> None:
        try:
            value = read_canonical(line)
            kind, known = check_record(value)
        except Unsound as problem:
            self._faults.add(f"record-{problem.reason}", where, str(problem))
            return
        read = self.read
        read.kinds[record_id] = kind
        read.names[record_id] = tuple(dict.fromkeys(named_ids(kind, value, known=known)))
        time = time_of(kind, value, known=known)
        if time is not None:
            read.times[record_id] = time
        if known:
            self._keep(kind, record_id, line, value)
        for reference in references(kind, value, known=known):
            found = read.passages.get(reference["id"])
            if found is None:
                read.absent_passages[reference["id"]] = reference["capture"]
            elif found.reference != reference:
                self._passage_faults.add("passage-mismatch", found.id, f"{record_id} refers to another place")

    def _keep(self, kind: str, record_id: str, line: bytes, value: dict[str, Any]) -> None:
        read = self.read
        if kind == "capture":
            read.captures[record_id] = line
        elif kind == "deletion":
            read.removed[record_id] = {removed["id"] for removed in value["removed"]}
        elif kind == "serving":
            read.served[record_id] = value["record"]
        elif kind == "document":
            text: str = value["text"]
            read.documents[record_id] = DocumentRead(
                value["source"],
                value["media_type"],
                value["base"],
                value["title"],
                sha256(_written_text(line, value["source"])).digest(),
                len(text),
                tuple((each["name"], each["version"]) for each in value["extractors"]),
            )
            for passage in self._by_document.get(record_id, ()):
                self._check_passage(passage, value)

    def _check_passage(self, passage: PassageRead, document: dict[str, Any]) -> None:
        try:
            check_passage(passage, document)
        except Unsound as problem:
            self._passage_faults.add(problem.reason, passage.id, str(problem))

    def _passages_of_captures(self) -> None:
        read, faults = self.read, self._passage_faults
        for passage in read.passages.values():
            capture = read.capture(passage.capture)
            if capture is None:
                faults.add("passage-capture-missing", passage.id, f"its capture {passage.capture} is not there")
                continue
            if passage.document not in read.documents:
                faults.add("passage-capture-missing", passage.id, f"its document {passage.document} is not there")
            try:
                check_capture_of(passage, capture)
            except Unsound as problem:
                faults.add(problem.reason, passage.id, str(problem))
