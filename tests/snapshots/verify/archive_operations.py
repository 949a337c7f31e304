"""What the list of mutations does to the web archive and its index."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from snapshots import digest
from snapshots.verify.cdx import expected_line
from tests.snapshots.verify.member_operations import value_of
from tests.snapshots.verify.mutable import ARCHIVE, BLOCKS, INDEX, NOTHING, Bundle, gzip_member, gzip_members, moved

Step = dict[str, Any]
HEAD_OF_LIST = b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n'


@dataclass
class Record:
    """A record of the archive, taken apart."""

    fields: list[tuple[str, str]]
    block: bytes

    @classmethod
    def parse(cls, data: bytes) -> "Record":
        head, _, rest = data.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")[1:]
        fields = [(name, value) for name, _, value in (line.partition(": ") for line in lines)]
        return cls(fields, rest[: int(dict(fields)["Content-Length"])])

    def get(self, name: str) -> str:
        return dict(self.fields).get(name, "")

    def put(self, name: str, value: str) -> None:
        self.fields = [(each, value if each == name else old) for each, old in self.fields]

    @property
    def payload(self) -> bytes:
        http = self.get("Content-Type").startswith("application/http")
        return self.block.partition(b"\r\n\r\n")[2] if http else self.block

    def fit(self) -> None:
        self.put("WARC-Block-Digest", digest(self.block))
        self.put("WARC-Payload-Digest", digest(self.payload))
        self.put("Content-Length", str(len(self.block)))

    def replace(self, old: bytes, new: bytes) -> None:
        assert old in self.block, old
        self.block = self.block.replace(old, new, 1)
        self.fit()

    @property
    def data(self) -> bytes:
        lines = "".join(f"{name}: {value}\r\n" for name, value in self.fields)
        return f"WARC/1.1\r\n{lines}\r\n".encode() + self.block + b"\r\n\r\n"

    def copy(self) -> "Record":
        return Record(list(self.fields), self.block)


def records_of(bundle: Bundle) -> list[Record]:
    return [Record.parse(part) for part in gzip_members(bundle.members[ARCHIVE])]


def find(bundle: Bundle, records: list[Record], step: Step) -> Record:
    capture, wanted = bundle.good.captures[step["page"]].id, step["record"]
    for record in records:
        kind = "dom" if record.get("WARC-Target-URI").startswith("urn:dom:") else record.get("WARC-Type")
        if (record.get("Citator-Capture"), kind) == (capture, wanted):
            return record
    raise AssertionError(step)


def put_records(bundle: Bundle, records: list[Record], *, index: bool) -> None:
    packed = [gzip_member(record.data) for record in records]
    bundle.members[ARCHIVE] = b"".join(packed)
    if not index:
        return
    lines, offset = [], 0
    for record, member in zip(records, packed, strict=True):
        if record.get("WARC-Type") in {"response", "resource"}:
            status = re.match(rb"HTTP/1.1 (\d+)", record.block)
            mime = re.search(rb"\r\nContent-Type: ([^\r]+)", record.block.partition(b"\r\n\r\n")[0])
            lines.append(
                expected_line(
                    record.get("WARC-Target-URI"),
                    record.get("WARC-Date"),
                    mime=(mime[1].decode() if mime else None) if status else record.get("Content-Type"),
                    status=int(status[1]) if status else None,
                    digest=record.get("WARC-Payload-Digest"),
                    length=len(member),
                    offset=offset,
                )
            )
        offset += len(member)
    put_index(bundle, sorted(lines))


def put_index(bundle: Bundle, lines: list[bytes]) -> None:
    """One block, and the list that leads to it."""
    packed = gzip_member(b"".join(lines))
    bundle.members[INDEX] = packed
    told = {"offset": 0, "length": len(packed), "digest": f"sha256:{sha256(packed).hexdigest()}"}
    key = lines[0].partition(b"{")[0].strip()
    bundle.members[BLOCKS] = HEAD_OF_LIST + key + b" " + json.dumps(told).encode() + b"\n"


def warc(bundle: Bundle, step: Step) -> None:
    records = records_of(bundle)
    if step["do"] == "all records in one gzip member":
        bundle.members[ARCHIVE] = gzip_member(b"".join(record.data for record in records))
        return
    record = find(bundle, records, step)
    change = _DONE[step["do"]]
    put_records(bundle, change(bundle, records, record) or records, index=step.get("index", False))


def _changed(change: Callable[[Bundle, Record], None]) -> Callable[[Bundle, list[Record], Record], None]:
    def done(bundle: Bundle, _: list[Record], record: Record) -> None:
        change(bundle, record)

    return done


def _word(_: Bundle, record: Record) -> None:
    record.replace(b"The", b"Tha")


def _surplus(_: Bundle, records: list[Record], record: Record) -> list[Record]:
    new = record.copy()
    new.put("WARC-Record-ID", "<urn:uuid:00000000-0000-8000-8000-000000000001>")
    new.put("WARC-Target-URI", "http://elsewhere.example/")
    new.fields = [pair for pair in new.fields if pair[0] != "Citator-Capture"]
    new.replace(b"ferry", b"lorry")
    return [*records, new]


def _again(_: Bundle, records: list[Record], record: Record) -> list[Record]:
    place = records.index(record) + 2
    return [*records[:place], record.copy(), *records[place:]]


def _shorter(_: Bundle, record: Record) -> None:
    said = int(re.search(rb"\r\nContent-Length: (\d+)", record.block)[1])  # type: ignore[index]
    record.replace(b"\r\nContent-Length: %d" % said, b"\r\nContent-Length: %d" % (said - 10))


_DONE: dict[str, Callable[[Bundle, list[Record], Record], list[Record] | None]] = {
    "a word of the body is another one of the same length": _changed(_word),
    "dropped": lambda _, records, record: [each for each in records if each is not record],
    "a second time right after the request": _again,
    "a copy with another id, address and body and no capture is appended": _surplus,
    "WARC-Target-URI is http://elsewhere.example/": _changed(
        lambda _, record: record.put("WARC-Target-URI", "http://elsewhere.example/")
    ),
    "WARC-Date is a year earlier": _changed(
        lambda _, record: record.put("WARC-Date", moved(record.get("WARC-Date"), days=-365))
    ),
    "the status line says 404 Not Found": _changed(lambda _, record: record.replace(b"200 OK", b"404 Not Found")),
    "Citator-Capture is that of redirected": _changed(
        lambda bundle, record: record.put("Citator-Capture", bundle.good.captures["redirected"].id)
    ),
    "WARC-Payload-Digest is the hash of no bytes": _changed(
        lambda _, record: record.put("WARC-Payload-Digest", f"sha256:{NOTHING}")
    ),
    "WARC-Block-Digest is the hash of no bytes": _changed(
        lambda _, record: record.put("WARC-Block-Digest", f"sha256:{NOTHING}")
    ),
    "the HTTP Content-Length is ten less; the block digest fits, the payload and its digest stay": _changed(_shorter),
    "X-Archive-Orig-Content-Encoding is Content-Encoding": _changed(
        lambda _, record: record.replace(b"X-Archive-Orig-Content-Encoding", b"Content-Encoding")
    ),
    "a header Transfer-Encoding: chunked is put in": _changed(
        lambda _, record: record.replace(b"\r\n", b"\r\nTransfer-Encoding: chunked\r\n")
    ),
    "the WARC Content-Length is one less": _changed(
        lambda _, record: record.put("Content-Length", str(len(record.block) - 1))
    ),
}


def cdx(bundle: Bundle, step: Step) -> None:
    (data,) = gzip_members(bundle.members[INDEX])
    lines = data.splitlines(keepends=True)
    places = {
        name: next(at for at, line in enumerate(lines) if b'/%s"' % name.encode() in line)
        for name in ("plain", "encoded")
    }
    what = step.get("do")
    if what is None:
        at = places[step["page"]]
        head, brace, rest = lines[at].partition(b"{")
        value = json.loads(brace + rest)
        value[step["field"]] = value_of(bundle, step)(value[step["field"]])
        lines[at] = head + json.dumps(value).encode() + b"\n"
    elif what.startswith("its line is dropped"):
        del lines[places["plain"]]
    elif what.startswith("the first two lines"):
        lines[0], lines[1] = lines[1], lines[0]
    elif what.startswith("its closing brace"):
        lines[places["plain"]] = lines[places["plain"]].replace(b"}", b"")
    else:
        assert what.startswith("offset and length are those of encoded"), what
        other = re.search(rb'"length": "\d+", "offset": "\d+"', lines[places["encoded"]])
        assert other
        mine = lines[places["plain"]]
        lines[places["plain"]] = re.sub(rb'"length": "\d+", "offset": "\d+"', other[0], mine)
    put_index(bundle, lines)


OPERATIONS: dict[str, Callable[[Bundle, Step], None]] = {"warc": warc, "cdx": cdx}
