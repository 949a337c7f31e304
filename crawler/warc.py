"""Reads WARC files of others, record by record, within limits: plain or gzipped, whatever lengths they claim.

A record's block is held in memory up to a limit; what is larger is passed over without being held. Where the file stops
making sense the reader says so and stops: nothing behind such a place can be told apart from chance.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from crawler.errors import BadArchive
from crawler.visit import Header

PIECE: Final = 64 * 1024
MAX_HEAD: Final = 64 * 1024
"""Bytes of a record's own headers; honest ones have less than one thousand."""
MAX_FIELDS: Final = 100
"""Fields of a record's own headers; the standard knows some twenty."""
MAX_RECORD: Final = 4 * 1024 * 1024 * 1024
"""Bytes of a block that are passed over at most: a lying length or a bomb ends there."""
MAX_RECORDS: Final = 5_000_000
"""Records of one file; large crawls have some hundred thousand to a file."""
MAX_EXPANSION: Final = 200
"""How many times larger than itself a file may be when it is unpacked. Text gives ten; a record alone may give more."""
LEAST_GIVEN: Final = 64 * 1024 * 1024
"""Bytes that any file may unpack to."""
GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"

_VERSION: Final = re.compile(rb"WARC/(?:0\.1[78]|1\.[01])")
_FIELD: Final = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record: where it (for gzip, its member) begins, its fields, and its block if that is small enough."""

    offset: int
    fields: tuple[Header, ...]
    length: int
    block: bytes | None

    def field(self, name: str) -> str | None:
        """The first field of this name."""
        wanted = name.lower()
        return next((value for key, value in self.fields if key.lower() == wanted), None)

    @property
    def kind(self) -> str:
        """`response`, `request`, `warcinfo`, …; empty if it does not say."""
        return (self.field("WARC-Type") or "").lower()


class Readable(Protocol):
    """What a file must do to be read."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most `size`; empty at the end."""


def read_warc(file: Readable, *, max_block: int) -> Iterator[WarcRecord]:
    """The records of a file, in order. Blocks larger than `max_block` bytes come without their bytes.

    Raises:
        BadArchive: the file is no WARC, or stops being one; what was given before it is whole.
    """
    source = _Source(file)
    for _ in range(MAX_RECORDS):
        record = _record(source, max_block)
        if record is None:
            return
        yield record
    raise BadArchive(f"more than {MAX_RECORDS} records", offset=source.offset)


def _record(source: "_Source", max_block: int) -> WarcRecord | None:
    offset = source.begin()
    first = source.line()
    if first is None:
        return None
    if _VERSION.fullmatch(first) is None:
        raise BadArchive("here should be a record, and is none", offset=offset)
    fields = _fields(source, offset)
    declared = [value for name, value in fields if name.lower() == "content-length"]
    if len(set(declared)) != 1 or not (declared[0].isascii() and declared[0].isdecimal()) or len(declared[0]) > 18:  # noqa: PLR2004 - digits of a length
        raise BadArchive("a record does not say how long it is", offset=offset)
    length = int(declared[0])
    if length > MAX_RECORD:
        raise BadArchive(f"a record claims {length} bytes", offset=offset)
    block = source.take(length, keep=length <= max_block)
    source.end(offset)
    return WarcRecord(offset, fields, length, block)


def _fields(source: "_Source", offset: int) -> tuple[Header, ...]:
    fields: list[tuple[str, str]] = []
    size = 0
    while line := source.line():
        size += len(line)
        if size > MAX_HEAD:
            raise BadArchive("a record's headers have no end", offset=offset)
        if line[:1] in b" \t" and fields:  # a folded line
            name, value = fields.pop()
            fields.append((name, f"{value} {_text(line)}"))
            continue
        found = _FIELD.fullmatch(line)
        if found is None or len(fields) == MAX_FIELDS:
            raise BadArchive("a record's headers make no sense", offset=offset)
        fields.append((found[1].decode("ascii"), _text(found[2])))
    return tuple(fields)


def _text(data: bytes) -> str:
    return data.strip(b" \t\r").decode("utf-8", "replace")


class _Source:
    """The bytes of a file after decompression, and where in the file the next record begins."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        start = file.read(4)
        if start == ZSTD:
            raise BadArchive("files compressed with zstd are not read", offset=0)
        self._gzipped = start.startswith(GZIP)
        self._engine: zlib._Decompress | None = None
        self._raw = start if self._gzipped else b""
        self._raw_at = len(self._raw)
        """How many bytes of the file are read, for gzip."""
        self._given = 0
        self._buffer = bytearray(b"" if self._gzipped else start)
        self._buffer_at = 0
        self._member_at = 0

    @property
    def offset(self) -> int:
        """Where in the file we are, as exactly as can be told."""
        return self._member_at if self._gzipped else self._buffer_at

    def begin(self) -> int:
        """Where the record that comes next begins."""
        if not self._buffer:
            self._fill()
        return self.offset

    def line(self) -> bytes | None:
        """The next line without its end; None at the end of the file."""
        while (at := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > MAX_HEAD:
                raise BadArchive("a line has no end", offset=self.offset)
            if not self._fill():
                if self._buffer:
                    raise BadArchive("the file ends in the middle of a record", offset=self.offset)
                return None
        if at > MAX_HEAD:
            raise BadArchive("a line has no end", offset=self.offset)
        return self._cut(at + 1).rstrip(b"\r\n")

    def take(self, length: int, *, keep: bool) -> bytes | None:
        """The next `length` bytes, or None if they are not to be kept."""
        taken = bytearray()
        left = length
        while left:
            if not self._buffer and not self._fill():
                raise BadArchive("the file ends in the middle of a record", offset=self.offset)
            piece = self._cut(min(left, len(self._buffer)))
            left -= len(piece)
            if keep:
                taken += piece
        return bytes(taken) if keep else None

    def end(self, record: int) -> None:
        """Pass over what stands between two records: two line ends. One or none is forgiven at the end of the file."""
        while len(self._buffer) < 4 and self._fill(same_member=True):  # noqa: PLR2004 - two line ends
            pass
        rest = bytes(self._buffer[:4])
        size = len(rest) - len(rest.lstrip(b"\r\n"))
        if rest[:size] not in {b"\r\n\r\n", b"\n\n", b"\r\n", b"\n", b""}:
            size = 0
        self._cut(size)
        if self._buffer and not self._buffer.startswith(b"WARC/"[: len(self._buffer)]):
            raise BadArchive("a record is longer than it says", offset=record)

    def _cut(self, size: int) -> bytes:
        piece = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._buffer_at += size
        return piece

    def _fill(self, *, same_member: bool = False) -> bool:
        """Get more bytes; False at the end of the file, or of the member if only that is asked for."""
        if not self._gzipped:
            piece = self._file.read(PIECE)
            self._buffer += piece
            return bool(piece)
        while True:
            if self._engine is None:
                if same_member or not self._next_member():
                    return False
                continue
            ended = not self._raw and not self._engine.unconsumed_tail and not self._read()
            piece = self._inflated(self._engine)
            if piece:
                self._buffer += piece
                return True
            if ended and self._engine is not None:
                raise BadArchive("the file ends in the middle of a gzip member", offset=self._member_at)

    def _inflated(self, engine: "zlib._Decompress") -> bytes:
        try:
            piece = engine.decompress(engine.unconsumed_tail or self._raw, PIECE)
        except zlib.error as error:
            raise BadArchive(f"a gzip member is damaged: {error}", offset=self._member_at) from None
        self._raw = b""
        self._given += len(piece)
        if self._given > LEAST_GIVEN + MAX_EXPANSION * self._raw_at:
            raise BadArchive(f"the file unpacks to more than {MAX_EXPANSION} times its size", offset=self._member_at)
        if engine.eof:
            self._raw = engine.unused_data
            self._engine = None
        return piece

    def _next_member(self) -> bool:
        if not self._raw and not self._read():
            return False
        self._member_at = self._raw_at - len(self._raw)
        if not self._raw.startswith(GZIP[: len(self._raw)]):
            raise BadArchive("behind a gzip member comes something else", offset=self._member_at)
        self._engine = zlib.decompressobj(31)
        return True

    def _read(self) -> bool:
        self._raw = self._file.read(PIECE)
        self._raw_at += len(self._raw)
        return bool(self._raw)
