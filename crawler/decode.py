"""From the bytes on the wire to the payload: content codings undone while they come, within limits, wrong labels seen.

A label that does not fit the bytes is common (a cache that unpacked and kept the header); browsers show such pages, so
the bytes are taken as they came and the record says so.
"""

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
SNIFFED: Final = 64
"""Bytes looked at before the label is believed: enough that compressed data does not pass for text by chance."""
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
"""Share of ASCII at the beginning of text in any encoding, as it begins with markup; compressed data has less."""


def content_codings(headers: Sequence[tuple[str, str]]) -> list[str]:
    """Give the labels of all Content-Encoding headers, lower case, in the order in which they were applied."""
    values = [value for name, value in headers if name.lower() == "content-encoding"]
    labels = [part.strip().lower() for value in values for part in value.split(",")]
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
    _pieces: list[bytes] = field(default_factory=list)
    _size: int = 0

    def __post_init__(self) -> None:
        self._stages: list[_Stage] = []
        for label in reversed(self.labels):
            if label in CODINGS:
                self._stages.append(_Stage(CODINGS[label]))
            else:
                self.warnings.append(f"content_encoding: unknown label {label[:40]!r}, bytes taken as they came")
        self._stages = self._stages[:MAX_CODINGS]

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
        for piece in self._through(data, 0):
            self._add(piece)

    def finish(self) -> None:
        """Say that the wire has given all.

        Raises:
            TooLarge: as above.
            CutShort: a coding has not come to its end.
        """
        for depth, stage in enumerate(self._stages):
            if not stage.begun:
                for piece in self._begin(stage, depth, ended=True):
                    self._add(piece)
            if stage.engine is None:
                continue
            if not stage.engine.ended:
                raise CutShort("content_encoding_cut", f"the {stage.label} stream ends before its end")
            if stage.engine.leftover:
                self.warnings.append(f"content_encoding: bytes behind the end of the {stage.label} stream are left out")

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
        stage.engine = _engine(stage.label, data, ended=ended)
        if stage.engine is None:
            self.warnings.append(f"content_encoding: labelled {stage.label}, but the bytes are not; taken as they came")
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


def _engine(label: str, data: bytes, *, ended: bool) -> Inflater | None:
    """Choose what undoes `label`, or None if the first bytes (`ended`: all of them) show that the label is wrong."""
    match label:
        case "gzip":
            return Gzip() if data.startswith(GZIP_MAGIC) else None
        case "zstd":
            return Zstd() if data.startswith((ZSTD_MAGIC, *ZSTD_SKIPPABLE)) else None
        case "deflate":
            if _is_zlib(data):
                return Deflate()
            return None if _is_plain(data, RawDeflate, ended=ended) else RawDeflate()
        case _:
            return None if _is_plain(data, Brotli, ended=ended) else Brotli()


def _is_zlib(data: bytes) -> bool:
    """Whether the two bytes in front are a zlib header (RFC 1950: method 8, and together a multiple of 31)."""
    return len(data) > 1 and data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:2]) % 31 == 0


def _is_plain(data: bytes, engine: type[Brotli] | type[RawDeflate], *, ended: bool) -> bool:
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
        return not trial.ended and _looks_plain(data)
    return _looks_plain(data)


def _looks_plain(data: bytes) -> bool:
    if data.startswith(MAGICS):
        return True
    has_controls = len(data.translate(None, CONTROLS)) < len(data)
    return not has_controls and len(data.translate(None, NOT_ASCII)) >= len(data) * ASCII_SHARE
