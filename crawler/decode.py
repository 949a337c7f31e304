"""From the bytes on the wire to the payload: content codings undone while they come, within limits, wrong labels seen.

A label that does not fit the bytes is common (a cache that unpacked and kept the header); browsers show such pages, so
the bytes are taken as they came and the record says so.
"""

import codecs
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from crawler.errors import CutShort, TooLarge
from crawler.inflate import (
    GZIP_MAGIC,
    ZSTD_MAGIC,
    ZSTD_SKIPPABLE,
    Brotli,
    Damaged,
    Deflate,
    Gzip,
    Inflater,
    RawDeflate,
    Zstd,
)

CODINGS: Final = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate", "br": "br", "zstd": "zstd"}
NO_CODINGS: Final = frozenset({"", "identity", "none"})
UNDONE_BY_NOBODY: Final = frozenset({"compress", "x-compress", "exi", "pack200-gzip", "dcb", "dcz", "aes128gcm"})
"""Registered codings that we do not offer and cannot undo."""
MAX_CODINGS: Final = 4
"""Codings stacked on each other; honest servers use one, misconfigured ones two."""
GZIP_START: Final = GZIP_MAGIC + b"\x08"
"""How a gzip member begins: there is but one method (RFC 1952)."""
STEP: Final = 65_536
"""Bytes that a coding is given at a time: what it has not used yet is copied for each piece and member it gives."""
SNIFFED: Final = 256
"""Bytes looked at before the label is believed: enough that compressed data does not pass for text by chance."""
LOOKED_AT: Final = 4096
"""Bytes of the beginning that are looked at in all, if so many have come at once."""
MAGICS: Final = (
    b"%PDF-",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\xff\xfe",
    b"\xfe\xff",
    b"RIFF",
    b"wOF",
)
CONTROLS: Final = bytes(set(range(32)) - set(b"\t\n\r\f\x1b")) + b"\x7f"
NOT_ASCII: Final = bytes(range(128, 256))
ASCII_SHARE: Final = 0.6
"""Share of ASCII in a short beginning of text in any encoding, as it begins with markup; compressed data has less."""

STORED_CHECK: Final = 0xFFFF
"""A length and its complement."""
CONTROL_SHARE: Final = 0.01
"""Share of control characters that text may have by mistake; compressed data has ten times as many."""


def content_codings(headers: Sequence[tuple[str, str]]) -> list[str]:
    """Give the labels of all Content-Encoding headers, lower case, in the order in which they were applied.

    Quotes around a label and parameters behind it mean nothing, but are sent.
    """
    values = [value for name, value in headers if name.lower() == "content-encoding"]
    labels = [part.partition(";")[0].strip(" \t\"'").lower() for value in values for part in value.split(",")]
    return [label for label in labels if label not in NO_CODINGS]


@dataclass(slots=True)
class _Stage:
    """One coding of a body: not begun until enough was seen to believe its label."""

    label: str
    engine: Inflater | None = None
    begun: bool = False
    plain: bool = False
    waiting: bytes = b""
    given: int = 0


@dataclass
class Decoder:
    """Undoes the codings `labels` (in the order they were applied), giving at most `limit` bytes."""

    labels: Sequence[str]
    limit: int
    warnings: list[str] = field(default_factory=list)
    undecodable: str | None = None
    """A label that nobody here can undo, on bytes that it may well fit."""
    _pieces: list[bytes] = field(default_factory=list)
    _size: int = 0

    def __post_init__(self) -> None:
        self._stages = [_Stage(CODINGS.get(label, label)) for label in reversed(self.labels)][:MAX_CODINGS]

    @property
    def body(self) -> bytes:
        """What has come so far."""
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        return self._pieces[0] if self._pieces else b""

    def feed(self, data: bytes) -> None:
        """Take bytes from the wire.

        Raises:
            TooLarge: they stand for more than the limit; what is within it is kept.
            CutShort: a coding is broken; what came before it stays.
        """
        for start in range(0, len(data), STEP):
            for piece in self._through(data[start : start + STEP], 0):
                self._add(piece)

    def finish(self) -> None:
        """Say that the wire has given all.

        Raises:
            TooLarge: as above.
            CutShort: a coding has not come to its end.
        """
        self.flush()
        for stage in self._stages:
            if stage.engine is None:
                continue
            if not stage.engine.ended:
                raise CutShort("content_encoding_cut", f"the {stage.label} stream ends before its end")
            if stage.engine.leftover:
                self.warnings.append(f"content_encoding: bytes behind the end of the {stage.label} stream are left out")

    def flush(self) -> None:
        """Give out what still waits for more bytes, as none will come.

        Raises:
            TooLarge, CutShort: as above.
        """
        for depth, stage in enumerate(self._stages):
            if not stage.begun:
                for piece in self._begin(stage, depth, ended=True):
                    self._add(piece)
        if len(self.labels) > MAX_CODINGS and self._pieces:
            self.warnings.append(f"content_encoding: more than {MAX_CODINGS} codings are named, the rest is left")
            if not _looks_plain(self.body):
                self.undecodable = self.undecodable or self.labels[0]

    def _add(self, piece: bytes) -> None:
        room = self.limit - self._size
        self._size += len(piece)
        if piece and room > 0:
            self._pieces.append(piece[:room])
        if self._size > self.limit:
            raise self._too_large()

    def _too_large(self) -> TooLarge:
        return TooLarge("body_limit", f"the body is larger than {self.limit} bytes after decoding")

    def _through(self, data: bytes, depth: int) -> Iterator[bytes]:
        if depth == len(self._stages):
            yield data
            return
        stage = self._stages[depth]
        if not stage.begun:
            stage.waiting += data
            if len(stage.waiting) >= SNIFFED:
                yield from self._begin(stage, depth, ended=False)
            return
        yield from self._run(stage, data, depth)

    def _begin(self, stage: _Stage, depth: int, *, ended: bool) -> Iterator[bytes]:
        stage.begun = True
        data, stage.waiting = stage.waiting, b""
        if not data:  # an empty body has no stream, whatever its label
            return
        coding = _coding(stage.label, data, ended=ended)
        if coding != stage.label:
            self.warnings.append(_remark(stage.label, coding))
        if coding is None and stage.label in UNDONE_BY_NOBODY and not _looks_plain(data):
            self.undecodable = self.undecodable or stage.label
        stage.engine = _engine(coding, data)
        yield from self._run(stage, data, depth)

    def _run(self, stage: _Stage, data: bytes, depth: int) -> Iterator[bytes]:
        try:
            for piece in (data,) if stage.engine is None else stage.engine.feed(data):
                stage.given += len(piece)
                if depth < len(self._stages) - 1 and stage.given > self.limit:  # nothing of it may reach the end
                    raise self._too_large()
                yield from self._through(piece, depth + 1)
        except Damaged as error:
            raise CutShort("content_encoding_damaged", f"the {stage.label} stream is broken: {error}") from error


def _remark(label: str, coding: str | None) -> str:
    """Say what was wrong with a label."""
    if coding is not None:
        return f"content_encoding: labelled {label[:40]}, but the bytes are {coding}; undone as that"
    if label not in CODINGS.values():
        return f"content_encoding: unknown label {label[:40]!r}, bytes taken as they came"
    return f"content_encoding: labelled {label}, but the bytes are not; taken as they came"


def _coding(label: str, data: bytes, *, ended: bool) -> str | None:
    """Tell which coding `data` is in, or None for none: the label is believed where the first bytes allow it.

    `ended`: there are no more bytes than these. A mark that only one coding has outweighs any label.
    """
    if data.startswith(GZIP_START):
        return "gzip"
    if data.startswith(ZSTD_MAGIC) or (label == "zstd" and data.startswith(ZSTD_SKIPPABLE)):
        return "zstd"
    if label == "deflate":
        return None if _is_plain(data, Deflate if _is_zlib(data) else RawDeflate, ended=ended) else label
    return label if label == "br" and not _is_plain(data, Brotli, ended=ended) else None


def _engine(coding: str | None, data: bytes) -> Inflater | None:
    match coding:
        case "gzip":
            return Gzip()
        case "zstd":
            return Zstd()
        case "deflate":
            return Deflate() if _is_zlib(data) else RawDeflate()
        case "br":
            return Brotli()
        case _:
            return None


def _is_zlib(data: bytes) -> bool:
    """Whether the two bytes in front are a zlib header (RFC 1950: method 8, and together a multiple of 31)."""
    return len(data) > 1 and data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:2]) % 31 == 0


def _is_plain(data: bytes, engine: type[Brotli] | type[Deflate], *, ended: bool) -> bool:
    """Whether `data` is no stream of a coding that has no mark of its own, but text or a known file format.

    So few bytes that they may be both (`ended`: there are no more) are first tried as a stream.
    """
    if ended:
        trial = engine()
        try:
            for _ in trial.feed(data):
                pass
        except Damaged:
            return _looks_plain(data)
        return (trial.leftover or not trial.ended) and _looks_plain(data)
    if engine is not Brotli and _begins_stored(data[2:] if engine is Deflate else data):
        return False
    return _looks_plain(data)


def _begins_stored(data: bytes) -> bool:
    """Whether a deflate stream begins with a block that is not compressed, so that text in it can be read."""
    length, check = (int.from_bytes(data[place : place + 2], "little") for place in (1, 3))
    return data[0] in {0, 1} and length ^ check == STORED_CHECK  # RFC 1951 section 3.2.4


def _looks_plain(data: bytes) -> bool:
    """Whether `data` is a known file format or text: without the control characters that compressed data is full of."""
    start = data[:LOOKED_AT]
    if start.startswith(MAGICS):
        return True
    if len(start) - len(start.translate(None, CONTROLS)) > len(start) * CONTROL_SHARE:
        return False
    return (
        len(start) >= SNIFFED
        or len(start.translate(None, NOT_ASCII)) >= len(start) * ASCII_SHARE
        or _is_utf8(start)  # its rules leave no room for chance
    )


def _is_utf8(data: bytes) -> bool:
    """Whether `data` is UTF-8, but for a last character that may be cut."""
    try:
        codecs.utf_8_decode(data, "strict", False)  # noqa: FBT003 - more may follow
    except UnicodeDecodeError:
        return False
    return True
