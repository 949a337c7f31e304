"""Streams of bytes that a web archive is read from: plain, or gzip members one after the other."""

import zlib
from collections.abc import Iterator
from typing import Protocol

from snapshots.errors import Unsound
from snapshots.verify.members import PIECE
from snapshots.verify.zip_rules import may_expand

_GZIP_HEAD = 10
_GZIP_MARK = b"\x1f\x8b\x08"
_PLAIN_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"


class Unpacked(Protocol):
    """Plain bytes, and where in the packed file they come from."""

    at: int
    """How many packed bytes have been used up."""

    def begin(self) -> bool:
        """Goes to the next member; False if there is none. A plain file has one, which begins again and again."""
        ...

    def piece(self) -> bytes:
        """Some more bytes of this member; nothing at its end."""
        ...


class Gunzip:
    """Gzip members. `strict`: with no time, name or other extras in their heads."""

    def __init__(self, pieces: Iterator[bytes], *, strict: bool) -> None:
        self._pieces = pieces
        self._strict = strict
        self._waiting = b""
        self._engine = zlib.decompressobj(31)
        self._start = 0
        self._given = 0
        self.at = 0

    def begin(self) -> bool:
        """Goes to the next member. Raises Unsound(gzip) if what follows is none."""
        while len(self._waiting) < _GZIP_HEAD:
            more = next(self._pieces, b"")
            if not more:
                break
            self._waiting += more
        if not self._waiting:
            return False
        if not self._waiting.startswith(_PLAIN_HEAD if self._strict else _GZIP_MARK):
            raise Unsound("gzip", f"at byte {self.at} there is no gzip member as it should be")
        self._engine = zlib.decompressobj(31)
        self._start, self._given = self.at, 0
        return True

    def piece(self) -> bytes:
        """Some more bytes of this member, at most PIECE. Raises Unsound(gzip)."""
        ended: bool = self._engine.eof
        while not ended:
            plain, ended = self._some()
            if plain:
                self._given += len(plain)
                if not may_expand(self.at - self._start, self._given):
                    raise Unsound("gzip", f"the gzip member at byte {self._start} grows without measure")
                return plain
            if not ended and not self._waiting:
                self._waiting = next(self._pieces, b"")
                if not self._waiting:
                    raise Unsound("gzip", f"the gzip member at byte {self._start} ends too early")
        return b""

    def _some(self) -> tuple[bytes, bool]:
        """What the waiting bytes give, and whether the member ends there."""
        engine, before = self._engine, len(self._waiting)
        try:
            plain = engine.decompress(self._waiting, PIECE)
        except zlib.error as problem:
            raise Unsound("gzip", f"the gzip member at byte {self._start} is damaged: {problem}") from None
        self._waiting = engine.unused_data if engine.eof else engine.unconsumed_tail
        self.at += before - len(self._waiting)
        return plain, engine.eof


class PlainBytes:
    """A file that is not packed."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._first = next(pieces, b"")
        self.at = 0

    def begin(self) -> bool:
        """Whether anything is left."""
        self._first = self._first or next(self._pieces, b"")
        return bool(self._first)

    def piece(self) -> bytes:
        """Some more bytes."""
        piece, self._first = self._first or next(self._pieces, b""), b""
        self.at += len(piece)
        return piece
