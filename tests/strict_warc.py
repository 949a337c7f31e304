"""A reader of WARC files that believes nothing: each length, digest and header has to fit."""

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Read:
    """One record. `status`, `http` and `body` are of the HTTP message in it, if there is one."""

    fields: tuple[tuple[str, str], ...]
    block: bytes
    offset: int
    length: int
    first: str = ""
    http: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def __getitem__(self, name: str) -> str:
        found = self.all(name)
        assert len(found) == 1, f"{name} stands there {len(found)} times"
        return found[0]

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def header(self, name: str) -> list[str]:
        return [value for key, value in self.http if key.lower() == name.lower()]


def records(data: bytes) -> Iterator[Read]:
    """The records of a WARC file in which each is a gzip member."""
    offset = 0
    while offset < len(data):
        unpack = zlib.decompressobj(31)
        plain = unpack.decompress(data[offset:])
        assert unpack.eof, "a gzip member is cut short"
        length = len(data) - offset - len(unpack.unused_data)
        assert data[offset : offset + 8] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00", (
            "a gzip header says more than it has to"
        )
        yield _record(plain, offset, length)
        offset += length


def _record(plain: bytes, offset: int, length: int) -> Read:
    head, _, rest = plain.partition(b"\r\n\r\n")
    version, *lines = head.decode().split("\r\n")
    assert version == "WARC/1.1"
    fields = _fields(lines)
    told = {name.lower(): value for name, value in fields}
    size = int(told["content-length"])
    assert rest[size:] == b"\r\n\r\n", "the block has another length than it says"
    block = rest[:size]
    assert told["warc-block-digest"] == named(block)
    if not told["content-type"].startswith("application/http"):
        assert told["warc-payload-digest"] == named(block)
        return Read(fields, block, offset, length)
    http, _, body = block.partition(b"\r\n\r\n")
    first, *http_lines = http.decode("latin-1").split("\r\n")
    headers = _fields(http_lines)
    assert told["warc-payload-digest"] == named(body)
    if told["warc-type"] == "response":
        lengths = [int(value) for name, value in headers if name.lower() == "content-length"]
        assert lengths == [len(body)], "the headers tell of another body"
        codings = [value for name, value in headers if name.lower() in {"transfer-encoding", "content-encoding"}]
        assert codings == [], "the headers tell of a coding that the body does not have"
    return Read(fields, block, offset, length, first, headers, body)


def _fields(lines: list[str]) -> tuple[tuple[str, str], ...]:
    pairs = [line.partition(": ") for line in lines]
    assert all(separator for _, separator, _ in pairs), "a line is no header"
    return tuple((name, value) for name, _, value in pairs)


def named(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
