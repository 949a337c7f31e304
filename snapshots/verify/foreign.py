"""Web archives of others (WARC and WACZ): checked for what they claim of themselves."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from snapshots.errors import Unsound
from snapshots.verify.cdx import MAX_INDEX_LINE, Indexed, blocks_of, parse_line, parse_list_line
from snapshots.verify.claims import NOT_CHECKABLE, Claim, Faults, cut_short
from snapshots.verify.members import Members
from snapshots.verify.page_list import PAGES, check_foreign_pages
from snapshots.verify.warc import WarcReader
from snapshots.verify.warc_records import RecordRead, read_record

_INDEXED = {"response", "revisit", "resource"}
_TRUST = "the hashes in the archive itself, which whoever made it could have made for anything"


@dataclass(frozen=True, slots=True)
class Place:
    """What is kept of a record to hold the index against it."""

    length: int
    url: bytes
    time: str
    status: str | None
    digest: str | None
    indexed: bool


@dataclass
class _Found:
    places: dict[tuple[str, int], Place] = field(default_factory=dict)
    urls: set[bytes] = field(default_factory=set)
    records: int = 0
    revisits: int = 0
    digests: int = 0
    unknown: int = 0


class ForeignReplay:
    """Reads archives, index and pages of somebody else's file. `keep` says whether records are kept for an index."""

    def __init__(self, members: Members, faults: Faults, *, keep: bool) -> None:
        self._members = members
        self._faults = faults
        self._keep = keep
        self._found = _Found()
        self._pending: dict[str, list[tuple[str, str, str]]] = {}
        self._asked_for_head: set[str] = set()

    def check(self) -> Claim:
        """The claim that archive, index and pages agree, and that each record is what it says."""
        archives = [name for name in self._members.sizes if _is_archive(name) or not self._keep]
        for name in archives:
            self._archive(name)
        for failures in self._pending.values():
            for failure in failures:
                self._faults.add(*failure)
        told = self._told(len(archives))
        if self._keep:
            listed = self._indexes()
            pages, absent = (0, 0)
            if PAGES in self._members:
                pages, absent = check_foreign_pages(
                    self._members, lambda url: _short(url) in self._found.urls, self._faults
                )
            unlisted = sum(place.indexed and key not in listed for key, place in self._found.places.items())
            told += f"; {len(listed)} of them in the index, {pages} pages listed"
            told += f"; {unlisted} captures are in no index" if unlisted else ""
            told += f"; {absent} listed pages are not in the archive" if absent else ""
        claim = self._faults.verdict(told, _TRUST)
        if not archives and not self._faults.count:
            return Claim("replay", NOT_CHECKABLE, "there is no archive", "")
        return claim

    def _told(self, archives: int) -> str:
        found = self._found
        told = f"{found.records} records in {archives} archives, {found.digests} of them with digests that hold"
        if found.revisits:
            told += f"; {found.revisits} stand for content that is kept elsewhere (revisit)"
        if found.unknown:
            told += f"; {found.unknown} have digests of a kind that is not known here"
        return told

    def _archive(self, name: str) -> None:
        pieces = self._members.pieces(name)
        first = next(pieces, b"")

        def again() -> Iterator[bytes]:
            yield first
            yield from pieces

        packed = first.startswith(b"\x1f\x8b")
        try:
            reader = WarcReader(again(), packed=packed, strict=False)
            while (head := reader.next()) is not None:
                self._record(name, read_record(reader, head, strict=False))
        except Unsound as problem:
            self._faults.add(problem.reason, name, str(problem))
        if not first:
            self._faults.add("warc-malformed", name, "it is empty")
        if packed != name.endswith(".gz") and self._keep:
            self._faults.add("warc-malformed", name, "its name says something else than its bytes about being packed")

    def _record(self, name: str, read: RecordRead) -> None:
        found, head = self._found, read.head
        where = f"{name} byte {head.offset} ({head.type} {cut_short(head.target or '')[:100]})"
        found.records += 1
        found.revisits += head.type == "revisit"
        found.unknown += read.unknown_digest
        found.digests += bool(head.get("WARC-Block-Digest") or head.get("WARC-Payload-Digest")) and not read.failures
        failures = [(reason, where, detail) for reason, detail in read.failures]
        self._note_head_requests(read)
        record_id = head.get("WARC-Record-ID") or ""
        # Replies to HEAD have the length of a body that they do not have; which ones those are, the request tells.
        unsure = [each for each in failures if each[0] == "warc-headers"] if read.maybe_head_request else []
        for failure in failures:
            if failure not in unsure:
                self._faults.add(*failure)
        if unsure and record_id not in self._asked_for_head:
            self._pending[record_id] = unsure
        if self._keep and head.target is not None:
            self._keep_place(name, read)

    def _note_head_requests(self, read: RecordRead) -> None:
        if read.head.type == "request" and read.http is not None and read.http.first.startswith("HEAD "):
            for answered in (*read.head.all("WARC-Concurrent-To"), read.head.get("WARC-Record-ID") or ""):
                self._asked_for_head.add(answered)
                self._pending.pop(answered, None)
        elif read.head.type == "response" and set(read.head.all("WARC-Concurrent-To")) & self._asked_for_head:
            self._asked_for_head.add(read.head.get("WARC-Record-ID") or "")

    def _keep_place(self, name: str, read: RecordRead) -> None:
        head = read.head
        url = _short(head.target or "")
        self._found.urls.add(url)
        status = read.http.status if read.http is not None else None
        self._found.places[name.removeprefix("archive/"), head.offset] = Place(
            read.packed,
            url,
            "".join(each for each in head.get("WARC-Date") or "" if each.isdigit()),
            None if status is None else str(status),
            head.get("WARC-Payload-Digest"),
            head.type in _INDEXED,
        )

    def _indexes(self) -> set[tuple[str, int]]:
        """Reads all indexes; gives the places that they lead to."""
        listed: set[tuple[str, int]] = set()
        for name in self._members.sizes:
            if not name.startswith("indexes/") or name.endswith(".idx"):
                continue
            before, count = b"", 0
            try:
                for line in self._index_lines(name):
                    count += 1
                    where = f"{name} line {count}"
                    if line < before:
                        self._faults.add("cdx-order", where, "the lines are not sorted")
                    before = line
                    self._index_line(line, where, listed)
            except Unsound as problem:
                self._faults.add("cdx-malformed", name, str(problem))
        return listed

    def _index_lines(self, name: str) -> Iterator[bytes]:
        if not name.endswith(".gz"):
            for _, line in self._members.lines(name, loose=True):
                if line.strip() and not line.startswith((b" CDX ", b"!meta")):
                    yield line
            return
        blocks: dict[int, tuple[int, str]] = {}
        for block in blocks_of(self._members, name, strict=False):
            blocks[block.offset] = (block.length, block.digest)
            for line in block.lines:
                if line.strip() and not line.startswith(b"!meta"):
                    yield line.rstrip(b"\r\n")
        self._check_lists(name, blocks)

    def _index_line(self, line: bytes, where: str, listed: set[tuple[str, int]]) -> None:
        try:
            if len(line) > MAX_INDEX_LINE:
                raise Unsound("cdx-malformed", "it is too long")  # noqa: TRY301 - told like the other faults of a line
            entry = parse_line(line)
        except Unsound as problem:
            self._faults.add(problem.reason, where, str(problem))
            return
        key = (entry.filename.removeprefix("archive/"), entry.offset)
        place = self._found.places.get(key)
        if place is None:
            self._faults.add("cdx-mismatch", where, f"no record begins at byte {entry.offset} of {entry.filename}")
            return
        listed.add(key)
        wrong = _differs(entry, place)
        if wrong is not None:
            self._faults.add("cdx-mismatch", where, f"its {wrong} is not that of the record it leads to")

    def _check_lists(self, name: str, blocks: dict[int, tuple[int, str]]) -> None:
        """Holds lists of blocks against the index they are about."""
        for each in self._members.sizes:
            if not (each.startswith("indexes/") and each.endswith(".idx")):
                continue
            for number, line in self._members.lines(each, loose=True):
                if not line.strip() or line.startswith(b"!meta"):
                    continue
                try:
                    value = parse_list_line(line)
                except Unsound as problem:
                    self._faults.add(problem.reason, f"{each} line {number}", str(problem))
                    continue
                if value.get("filename", name.removeprefix("indexes/")) != name.removeprefix("indexes/"):
                    continue
                block = blocks.get(value.get("offset", -1))
                if block is None or value.get("length") != block[0] or value.get("digest", block[1]) != block[1]:
                    self._faults.add("idx-mismatch", f"{each} line {number}", "does not lead to a block of the index")


def _is_archive(name: str) -> bool:
    return name.startswith("archive/") and name.endswith((".warc", ".warc.gz"))


def _short(url: str) -> bytes:
    """Enough of a hash to know an address again: archives may hold millions."""
    return sha256(url.encode("utf-8", "surrogatepass")).digest()[:12]


def _differs(entry: Indexed, place: Place) -> str | None:
    """What an index says otherwise than the record; what it does not say is not missed."""
    wrong = {
        "length": entry.length != place.length,
        "url": _short(entry.url) != place.url,
        "time": not (place.time.startswith(entry.time) or entry.time.startswith(place.time)),
        "status": None not in {entry.status, place.status} and entry.status not in {place.status, "-"},
        "digest": not _same_digest(entry.digest, place.digest),
    }
    return next((name for name, differs in wrong.items() if differs), None)


def _same_digest(one: str | None, two: str | None) -> bool:
    """Old indexes leave the algorithm out."""
    return None in {one, two} or (one or "").rpartition(":")[2] == (two or "").rpartition(":")[2]
