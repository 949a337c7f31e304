"""A verified bundle of another installation, opened so that what is in it can be kept here: see `docs/importing.md`.

Only for bundles whose claims hold: nothing is verified here but what could have changed since. Records and blobs are
put down in temporary files; what is held in memory are ids.
"""

import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Self

from snapshots.bundles.shelf import Shelf
from snapshots.deeds import Crawl, Crawl2
from snapshots.document import Document
from snapshots.errors import Unsound
from snapshots.ids import digest
from snapshots.record import Record, UnknownRecord
from snapshots.records import names, read
from snapshots.session import Event
from snapshots.verify.warc import WarcReader

ARCHIVE: Final = "archive/data.warc.gz"
RECORDS: Final = "evidence/records.jsonl"
PROOFS: Final = "evidence/proofs.jsonl"
BLOBS: Final = "evidence/blobs.jsonl"
KEPT: Final = re.compile(
    r"datapackage(-digest)?\.json|evidence/(bundle\.json|checkpoint\.txt|log\.vkey|proofs\.jsonl|statement\.dsse\.json|"
    r"handover-[0-9]+\.txt|token-[0-9]+\.(tsr|checkpoint|consistency|pem))"
)
"""Members that are kept as they are: what proves the records there. None of them holds text of a page."""
DEEDS: Final = frozenset({"deletion", "hold", "watch"})
"""Kinds that do something where they stand in the log. From elsewhere they are kept and shown, and do nothing."""
MAX_BLOB: Final = 1024 * 1024 * 1024
"""Bytes of a blob that is taken in; it is held in memory while it is kept."""
MAX_KEPT: Final = 512 * 1024 * 1024
"""Bytes of the members that are kept, which are read whole: the proofs of some 300,000 records."""
PIECE: Final = 256 * 1024


@dataclass(frozen=True)
class Refusal:
    """A record that is not taken in: itself or something it names was removed here (`deletion`), or is left out."""

    id: str
    why: str
    deletion: str | None


@dataclass
class Incoming:
    """What a bundle holds. A context manager; `folder` is a directory for its temporary files."""

    path: Path
    folder: Path
    origin: str = ""
    vkey: str = ""
    tree: int = 0
    absent: tuple[str, ...] = ()
    """Ids that records in it name and that it does not hold, as it says."""
    members: dict[str, bytes] = field(default_factory=dict)
    logged: tuple[str, ...] = ()
    """The records that are to stand in the log here, in the order of the log there."""
    deeds: tuple[str, ...] = ()
    named: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._zip = stack.enter_context(zipfile.ZipFile(self.path))
            self._records = stack.enter_context(Shelf(self.folder / "incoming-records"))
            self._blobs = stack.enter_context(Shelf(self.folder / "incoming-blobs"))
            try:
                self._read()
            except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, TypeError) as error:
                raise Unsound("malformed", f"the bundle has changed since it was verified: {error}") from None
            self._closing = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def record(self, record_id: str) -> Record | UnknownRecord:
        """A record or document of the bundle. Raises BadRecord, KeyError."""
        return read(self._records.get(record_id))

    def weight(self, record_id: str) -> int:
        """Bytes of the blobs that a record names, and its own."""
        named = sum(self._blobs.size(name) for name in self.named[record_id] if name in self._blobs)
        return named + self._records.size(record_id)

    def with_it(self, record_id: str) -> tuple[list[Document], list[bytes]]:
        """The documents and blobs in the bundle that a record names, and what those name."""
        documents: list[Document] = []
        blobs: list[bytes] = []
        for name in self.named[record_id]:
            if name in self._blobs:
                blobs.append(self._blobs.get(name))
            elif name in self._records and name not in self.named:
                document = self.record(name)
                if isinstance(document, Document):
                    documents.append(document)
                    if document.source in self._blobs:
                        blobs.append(self._blobs.get(document.source))
        return documents, blobs

    def _read(self) -> None:
        head = json.loads(self._zip.read("evidence/bundle.json"))
        self.origin, self.tree = str(head["origin"]), int(head["size"])
        self.absent = tuple(str(one["id"]) for one in head["missing"])
        wanted = [info for info in self._zip.infolist() if KEPT.fullmatch(info.filename)]
        if sum(info.file_size for info in wanted) > MAX_KEPT:
            raise Unsound("too-large", f"its proofs have more than the {MAX_KEPT} bytes that are taken here")
        self.members = {info.filename: self._zip.read(info) for info in wanted}
        self.vkey = self.members["evidence/log.vkey"].decode().strip()
        places = {str(one["record"]): _place(str(one["proof"])) for one in map(json.loads, self._lines(PROOFS))}
        deeds = []
        for line in self._lines(RECORDS):
            record_id = digest(line)
            self._records.put(record_id, line)
            if record_id not in places:
                continue
            record = read(line)
            self.named[record_id] = names(record)
            if record.kind in DEEDS:
                deeds.append(record_id)
        self.deeds = tuple(deeds)
        kept = self.named.keys() - set(deeds)
        self.logged = tuple(sorted(kept, key=lambda name: places[name]))
        for one in map(json.loads, self._lines(BLOBS)):
            if int(one["bytes"]) > MAX_BLOB:
                raise Unsound("blob-size", f"{one['id']} has {one['bytes']} bytes, more than the {MAX_BLOB} taken here")
            if one["member"] != ARCHIVE:
                self._put(str(one["id"]), self._zip.read(one["member"]))
        self._pages()

    def _lines(self, member: str) -> Iterator[bytes]:
        """The lines of a member; a list without lines is left out of a bundle."""
        if member not in self._zip.NameToInfo:
            return
        with self._zip.open(member) as file:
            for line in file:
                yield line.removesuffix(b"\n")

    def _put(self, name: str, data: bytes) -> None:
        if digest(data) != name:
            raise Unsound("blob-hash", f"{name} has changed since the bundle was verified")
        self._blobs.put(name, data)

    def _pages(self) -> None:
        """The payloads in the web archive, by the hash that each record tells."""
        with self._zip.open(ARCHIVE) as file:
            reader = WarcReader(_pieces(file), packed=True, strict=True)
            while (head := reader.next()) is not None:
                block = b"".join(reader.block()) if head.type in {"response", "resource"} else None
                for _ in reader.block():
                    pass
                reader.finish(head)
                if block is None:
                    continue
                payload = block.partition(b"\r\n\r\n")[2] if head.type == "response" else block
                self._blobs.put(digest(payload), payload)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


def _place(proof: str) -> int:
    """The place of an entry in its log, as its proof says."""
    return next(int(line.removeprefix("index ")) for line in proof.split("\n") if line.startswith("index "))


def continued(record: Record | UnknownRecord) -> str | None:
    """The record whose story this one goes on with: the session of a step, the start of a crawl that ends."""
    match record:
        case Event():
            return record.session
        case Crawl() | Crawl2():
            return record.crawl
        case _:
            return None


def refusals(
    incoming: Incoming, removed: Callable[[Iterable[str]], dict[str, str]], ours: Callable[[str], bool]
) -> list[Refusal]:
    """Which records are not taken in.

    Those with which what was removed here would come back: `removed` gives the deletion of each of some ids that was
    removed here. A record goes if it was removed itself, if it names something that was, or if it names a record that
    goes: so no reply that shows a removed page comes in. And those that would go on with a session or end a crawl that
    is our own: `ours` says of an id whether it stands in the log here and was made here.
    """
    known = removed({*incoming.logged, *(name for one in incoming.logged for name in incoming.named[one])})
    gone: dict[str, Refusal] = {}
    for name in incoming.logged:
        first = next((one for one in (name, *incoming.named[name]) if one in known), None)
        if first is not None:
            why = "it was removed here" if first == name else f"it names {first}, which was removed here"
            gone[name] = Refusal(name, why, known[first])
    for name in incoming.logged:
        begun = None if name in gone or ours(name) else continued(incoming.record(name))
        if begun is not None and ours(begun):
            gone[name] = Refusal(name, f"it would go on with {begun}, which was begun here", None)
    grown = -1
    while len(gone) > grown:  # names lead back in the log, so the second round finds nothing more
        grown = len(gone)
        for name in incoming.logged:
            first = next((one for one in incoming.named[name] if one in gone), None)
            if first is not None and name not in gone:
                gone[name] = Refusal(name, f"it names {first}, which is left out", gone[first].deletion)
    return [gone[name] for name in incoming.logged if name in gone]


def proof_within(proofs: bytes, record_id: str) -> str | None:
    """The text of a record's proof in the bytes of an `evidence/proofs.jsonl`; None if there is none."""
    mark = f'"record":"{record_id}"}}'.encode()
    at = proofs.find(mark)
    if at < 0:
        return None
    line: dict[str, Any] = json.loads(proofs[proofs.rfind(b"\n", 0, at) + 1 : at + len(mark)])
    return str(line["proof"])
