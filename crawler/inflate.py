"""The content codings, each as a stage that gives its output in bounded pieces.

Bounded matters: 64 KiB on the wire may stand for gigabytes, so no stage may hand out more at a time than the caller can
afford to throw away.
"""

import itertools
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, Protocol

import brotli
import zstandard

PIECE: Final = 65_536
"""Bytes of output at a time, about."""
ZSTD_STEP: Final = 256
"""Bytes fed to zstd at a time: its blocks of at least 4 bytes give up to 128 KiB each, so a step stays under 8 MiB."""
ZSTD_WINDOW: Final = 8 * 1024 * 1024
"""The largest window that a sender may ask for on the web (RFC 9659)."""
MAX_MEMBERS: Final = 10_000
"""Members or frames of one stream; honest ones have a few, endless empty ones would burn time without output."""

GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
ZSTD_SKIPPABLE: Final = tuple(bytes((first,)) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))
"""How a frame begins that holds no content (RFC 8878 section 3.1.2)."""

TEXT: Final = bytes(range(32, 127)) + b"\t\n\r"
"""What is added behind a stream by hand: notes of caches."""


class Damaged(Exception):
    """The stream cannot be what it is labelled as, or is broken from here on."""


class Inflater(Protocol):
    """Undoes one coding."""

    @property
    def ended(self) -> bool:
        """Whether the stream's own end was seen."""

    @property
    def leftover(self) -> bool:
        """Whether anything but padding followed the end."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give what `data` stands for, in pieces.

        Raises:
            Damaged: the stream is broken.
        """


class Deflate:
    """deflate in its zlib wrapping (RFC 1950), as the standard means it."""

    window = 15

    def __init__(self) -> None:
        self.ended = False
        self.leftover = False
        self._engine = zlib.decompressobj(self.window)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """See `Inflater`."""
        while not self.leftover:
            if self.ended:
                if not data or not self._begin_again(data):
                    return
                self.ended = False
            before = self._engine.copy()
            try:
                piece = self._engine.decompress(data, PIECE)
            except zlib.error as error:  # which takes along what the same call had decoded
                yield from _up_to_the_fault(before, data)
                raise Damaged(str(error)) from error
            self.ended = self._engine.eof
            data = self._engine.unused_data if self.ended else self._engine.unconsumed_tail
            yield piece
            if not data and len(piece) < PIECE:  # a full piece may leave more inside the engine
                return

    def _begin_again(self, data: bytes) -> bool:
        """Say whether `data`, behind the stream's end, begins another one."""
        self.leftover = bool(data.strip(b"\0"))  # padding with zeros is harmless
        return False


def _up_to_the_fault(engine: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    """Give what can be decoded of `data`, byte by byte."""
    with suppress(zlib.error):
        for place in range(len(data)):
            if piece := engine.decompress(data[place : place + 1]):
                yield piece


class RawDeflate(Deflate):
    """deflate without its wrapping (RFC 1951), as some servers send it."""

    window = -15


class Gzip(Deflate):
    """gzip (RFC 1952) with any number of members."""

    window = 31
    _members = 1

    def _begin_again(self, data: bytes) -> bool:
        if not data.startswith(GZIP_MAGIC[: len(data)]):
            return super()._begin_again(data)
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise Damaged("too many members")
        self._engine = zlib.decompressobj(self.window)
        return True


class Brotli:
    """Brotli (RFC 7932). Its decoder takes bytes behind the end for damage, so the end is looked for if need be."""

    def __init__(self) -> None:
        self.ended = False
        self.leftover = False
        self._engine = brotli.Decompressor()
        self._fed: list[bytes] = []
        self._given = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """See `Inflater`."""
        if self.ended:
            self._pass_over(data)
            return
        try:
            for piece in _drawn(self._engine, data):
                self._given += len(piece)
                yield piece
            self.ended = self._engine.is_finished()
        except brotli.error as error:
            yield from self._up_to_the_end(data, error)
        self._fed.append(data)

    def _up_to_the_end(self, data: bytes, error: brotli.error) -> Iterator[bytes]:
        """Give what is missing if the stream ends within `data`: all again, at last byte by byte.

        Raises:
            Damaged: it does not.
        """
        engine, known = brotli.Decompressor(), self._given
        steps = itertools.chain(self._fed, (data[place : place + 1] for place in range(len(data))))
        taken = -sum(map(len, self._fed))
        try:
            for step in steps:
                taken += len(step)
                for piece in _drawn(engine, step):
                    yield piece[known:]
                    known = max(known - len(piece), 0)
                if engine.is_finished():
                    self.ended = True
                    break
        except brotli.error:
            pass
        if not self.ended:
            raise Damaged("brotli stream is broken") from error
        self._pass_over(data[taken:])

    def _pass_over(self, rest: bytes) -> None:
        """Take what is behind the end for padding or for text that somebody added.

        Raises:
            Damaged: it is neither, so the end came by damage: there is no checksum that would tell.
        """
        if rest.strip(b"\0") and rest.translate(None, TEXT):
            raise Damaged("brotli stream ends amid other bytes")
        self.leftover = self.leftover or bool(rest.strip(b"\0"))


def _drawn(engine: brotli.Decompressor, data: bytes) -> Iterator[bytes]:
    """Give all that `engine` makes of `data`, in pieces."""
    piece = engine.process(data, output_buffer_limit=PIECE)
    yield piece
    # Its word that it takes more bytes does not mean that it has given all it has.
    while piece and not engine.is_finished():
        piece = engine.process(b"", output_buffer_limit=PIECE)
        yield piece


class Zstd:
    """Zstandard (RFC 8878) with any number of frames."""

    def __init__(self) -> None:
        self.ended = False
        self.leftover = False
        self._frames = 0
        self._engine = self._frame()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """See `Inflater`."""
        for start in range(0, len(data), ZSTD_STEP):
            step = data[start : start + ZSTD_STEP]
            while step and not self.leftover:
                if self.ended:
                    if not step.startswith((ZSTD_MAGIC[: len(step)], *ZSTD_SKIPPABLE)):
                        self.leftover = bool(step.strip(b"\0"))
                        return
                    self._engine = self._frame()
                try:
                    piece = self._engine.decompress(step)
                except zstandard.ZstdError as error:
                    raise Damaged(str(error)) from error
                self.ended = self._engine.eof
                step = self._engine.unused_data if self.ended else b""
                yield piece

    def _frame(self) -> "zstandard.ZstdDecompressionObj":  # a type of the stubs only
        self._frames += 1
        if self._frames > MAX_MEMBERS:
            raise Damaged("too many frames")
        return zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()
