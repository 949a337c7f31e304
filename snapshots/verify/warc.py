"""Reads web archives (WARC) record by record, without holding more than a piece of one in memory."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from snapshots.errors import Unsound
from snapshots.verify.gunzip import Gunzip, PlainBytes, Unpacked

MAX_WARC_HEAD = 1024 * 1024
"""Bytes of a record's own fields; addresses of several kilobytes are seen."""

_VERSION = re.compile(rb"WARC/(0\.1[78]|1\.0|1\.1)\r\n")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*", re.DOTALL)
_LENGTH = re.compile(r"[0-9]{1,18}", re.ASCII)
_END_OF_HEAD = b"\r\n\r\n"


@dataclass(frozen=True)
class WarcHead:
    """A record's fields, in order. `offset` is where its gzip member (or itself, if nothing is packed) begins."""

    version: str
    fields: tuple[tuple[str, str], ...]
    offset: int
    length: int

    @cached_property
    def _firsts(self) -> dict[str, str]:
        return {name.lower(): value for name, value in reversed(self.fields)}

    def get(self, name: str) -> str | None:
        """The first value of a field, by its name in any case."""
        return self._firsts.get(name.lower())

    def all(self, name: str) -> tuple[str, ...]:
        """All values of a field."""
        wanted = name.lower()
        return tuple(value for each, value in self.fields if each.lower() == wanted)

    @property
    def type(self) -> str:
        """What kind of record it is."""
        return (self.get("WARC-Type") or "").lower()

    @property
    def target(self) -> str | None:
        """The address it is about, without the brackets that old writers put around it."""
        found = self.get("WARC-Target-URI")
        return found[1:-1] if found and found.startswith("<") and found.endswith(">") else found


class WarcReader:
    """Records of one file. `strict`: version 1.1, one gzip member each, nothing between them."""

    def __init__(self, pieces: Iterator[bytes], *, packed: bool, strict: bool) -> None:
        self._bytes: Unpacked = Gunzip(pieces, strict=strict) if packed else PlainBytes(pieces)
        self._packed = packed
        self._strict = strict
        self._buffer = b""
        self._block_left = 0

    @property
    def used(self) -> int:
        """Packed bytes that have been read so far."""
        return self._bytes.at - (0 if self._packed else len(self._buffer))

    def next(self) -> WarcHead | None:
        """The next record's head; None at the end. Its block must have been read, and `finish` called.

        Raises:
            Unsound: `warc-malformed`, after which nothing more can be read.
        """
        offset = self.used
        if not self._buffer:
            if not self._begin():
                return None
        elif self._packed and self._strict:
            raise _malformed(offset, "a gzip member holds more than one record")
        data = self._until_end_of_head(offset)
        return self._head(data, offset)

    def _begin(self) -> bool:
        try:
            return self._bytes.begin()
        except Unsound as problem:
            raise Unsound("warc-malformed", str(problem)) from None

    def _more(self) -> bytes:
        """The next piece; a record may reach over gzip members in archives of others."""
        try:
            piece = self._bytes.piece()
            while not piece and not self._strict and self._packed and self._bytes.begin():
                piece = self._bytes.piece()
        except Unsound as problem:
            raise Unsound("warc-malformed", str(problem)) from None
        return piece

    def _until_end_of_head(self, offset: int) -> bytes:
        data = self._buffer
        while (end := data.find(_END_OF_HEAD)) < 0:
            piece = self._more()
            if not piece:
                raise _malformed(offset, "its head has no end")
            data += piece
            if len(data) > MAX_WARC_HEAD:
                raise _malformed(offset, f"its head has more than {MAX_WARC_HEAD} bytes")
        self._buffer = data[end + len(_END_OF_HEAD) :]
        return data[: end + 2]

    def _head(self, data: bytes, offset: int) -> WarcHead:
        match = _VERSION.match(data)
        if match is None or (self._strict and match[1] != b"1.1"):
            raise _malformed(offset, "it does not begin with the version of the format")
        try:
            text = data[match.end() :].decode()
        except UnicodeDecodeError:
            raise _malformed(offset, "its head is not UTF-8") from None
        fields: list[tuple[str, str]] = []
        for line in text.split("\r\n")[:-1]:
            if line[:1] in {" ", "\t"} and fields and not self._strict:
                fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.strip()}")
                continue
            field = _FIELD.fullmatch(line)
            if field is None:
                raise _malformed(offset, f"{line[:60]!r} is no field")
            fields.append((field[1], field[2]))
        lengths = [value for name, value in fields if name.lower() == "content-length"]
        if len(lengths) != 1 or _LENGTH.fullmatch(lengths[0]) is None:
            raise _malformed(offset, "it does not say once how long it is")
        self._block_left = int(lengths[0])
        return WarcHead(match[1].decode(), tuple(fields), offset, self._block_left)

    def block(self) -> Iterator[bytes]:
        """The bytes of the record's block. Raises Unsound(warc-malformed) if it ends too early."""
        while self._block_left:
            data = self._buffer or self._more()
            if not data:
                raise Unsound("warc-malformed", f"the record before byte {self.used} ends too early")
            piece, self._buffer = data[: self._block_left], data[self._block_left :]
            self._block_left -= len(piece)
            yield piece

    def finish(self, head: WarcHead) -> int:
        """Goes over the two line ends behind the block; gives the packed length of the record.

        Raises:
            Unsound: `warc-malformed` if they are not there.
        """
        while len(self._buffer) < len(_END_OF_HEAD):
            piece = self._more()
            if not piece:
                break
            self._buffer += piece
        if not self._buffer.startswith(_END_OF_HEAD):
            raise _malformed(head.offset, "two line ends do not follow it: its length is wrong")
        self._buffer = self._buffer[len(_END_OF_HEAD) :]
        if not self._buffer and self._packed:
            self._finish_member()
        return self.used - head.offset

    def _finish_member(self) -> None:
        """Reads to the end of the member, where its check sum is; what else is in it stays in the buffer."""
        try:
            self._buffer = self._bytes.piece()
        except Unsound as problem:
            raise Unsound("warc-malformed", str(problem)) from None


def _malformed(offset: int, detail: str) -> Unsound:
    return Unsound("warc-malformed", f"the record at byte {offset}: {detail}")
