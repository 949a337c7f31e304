"""Whether the body in an HTTP record is what its headers say: its length, its chunks, its content coding.

Many writers keep headers as they came over the wire beside a body that was decoded meanwhile. Every reader then makes
something else of it.
"""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from snapshots.errors import Unsound
from snapshots.verify.zip_rules import may_expand

MAX_HTTP_HEAD = 1024 * 1024
"""Bytes of a status line with its headers; servers refuse far smaller ones."""

MAX_FOLDED = 65_536
"""Characters of a header that may go on in a further line: each line copies what came before."""

MAX_CHUNK_LINE = 8192
"""Bytes of the line that says how long a chunk is; it has some ten."""

SAMPLE = 64
"""Bytes that are looked at to tell text from something packed."""

_STATUS_LINE = re.compile(r"HTTP/[0-9.]+ ([0-9]{3})(?: .*)?", re.ASCII)
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
_NO_BODY = {204, 304}
_FIRST_FINAL = 200
_TEXT = frozenset(range(0x20, 0x7F)) | {0x09, 0x0A, 0x0D}


@dataclass(frozen=True)
class HttpHead:
    """The first line of a message and its headers, in order."""

    first: str
    headers: tuple[tuple[str, str], ...]

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for each, value in self.headers if each.lower() == name]

    @property
    def status(self) -> int | None:
        """The status of a response; None if the first line is none of one."""
        match = _STATUS_LINE.fullmatch(self.first)
        return int(match[1]) if match else None


def parse_head(data: bytes) -> HttpHead:
    """Takes the head of a message apart (without the empty line). Raises Unsound(head)."""
    first, *lines = data.decode("latin-1").split("\r\n")
    headers: list[tuple[str, str]] = []
    for line in lines:
        if line[:1] in {" ", "\t"} and headers:
            if len(headers[-1][1]) > MAX_FOLDED:
                raise Unsound("head", f"a header of more than {MAX_FOLDED} characters, folded further, is no header")
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip()}")
            continue
        name, colon, value = line.partition(":")
        if not colon or not name or "\n" in line:
            raise Unsound("head", f"{line[:60]!r} is no header")
        headers.append((name.rstrip(), value.strip()))
    return HttpHead(first, tuple(headers))


class Chunks:
    """Takes chunked transfer coding apart. `problem` says what is not in its form."""

    def __init__(self, put: Callable[[bytes], None]) -> None:
        self._put = put
        self._line = b""
        self._left = 0
        self._state = "size"
        self.problem: str | None = None

    @property
    def ended(self) -> bool:
        """Whether the last chunk and what follows it were there."""
        return self._state == "end" and not self._line

    def feed(self, data: bytes) -> None:
        """Takes some more bytes."""
        while data and self.problem is None:
            if self._state == "data":
                piece, data = data[: self._left], data[self._left :]
                self._put(piece)
                self._left -= len(piece)
                if not self._left:
                    self._state = "break"
                continue
            line, newline, rest = data.partition(b"\n")
            self._line += line
            if len(self._line) > MAX_CHUNK_LINE:
                self.problem = "it is not in chunks"
            if not newline:
                return
            data, whole, self._line = rest, self._line.removesuffix(b"\r"), b""
            self._take(whole)

    def _take(self, line: bytes) -> None:
        if self._state == "size":
            match = _CHUNK.fullmatch(line)
            if match is None:
                self.problem = "it is not in chunks"
                return
            self._left = int(match[1], 16)
            self._state = "data" if self._left else "trailers"
        elif self._state == "break":
            self._state = "size"
            if line:
                self.problem = "a chunk is longer than it says"
        elif self._state == "trailers":
            if not line:
                self._state = "end"
        else:
            self.problem = "something follows the last chunk"


class Coding:
    """Tries out whether bytes have a content coding. `problem` says why they cannot have it."""

    def __init__(self, name: str, packed: Callable[[], int]) -> None:
        self._name = name
        self._packed = packed
        self._engine = zlib.decompressobj(31) if name in {"gzip", "x-gzip"} else None
        self._first = b""
        self._given = 0
        self.problem: str | None = None

    def feed(self, data: bytes) -> None:
        """Takes some more bytes."""
        if len(self._first) < SAMPLE:
            self._first += data[: SAMPLE - len(self._first)]
        if self._name == "deflate" and self._engine is None and data:
            self._engine = zlib.decompressobj(15 if data[0] & 0x0F == 8 and data[0] >> 4 <= 7 else -15)  # noqa: PLR2004 - zlib's head
        if self._engine is not None and self.problem is None:
            self._inflate(data)

    def _inflate(self, data: bytes) -> None:
        while data and self.problem is None:
            engine = self._engine
            assert engine is not None, "a coding that can be tried out has an engine"
            try:
                self._given += len(engine.decompress(data, 1 << 20))
            except zlib.error:
                self.problem = f"it is not coded with {self._name}"
                return
            if not may_expand(self._packed(), self._given):
                self.problem = f"what is coded with {self._name} grows without measure"
            data = engine.unconsumed_tail
            if engine.eof:
                data = engine.unused_data
                if not data.strip(b"\0"):
                    return
                self._engine = zlib.decompressobj(31 if self._name != "deflate" else 15)

    def finish(self, *, whole: bool) -> None:
        """The bytes are over; `whole` says that they are not known to be cut off."""
        if not self._first or self.problem is not None:
            return
        if self._engine is not None:
            if whole and not self._engine.eof:
                self.problem = f"what is coded with {self._name} ends too early"
        elif self._name in {"br", "zstd", "compress", "x-compress"}:
            packed_mark = self._name != "zstd" or self._first.startswith(b"\x28\xb5\x2f\xfd")
            if not packed_mark or (len(self._first) == SAMPLE and set(self._first) <= _TEXT):
                self.problem = f"it is not coded with {self._name}: it is plain text"


class BodyForm:
    """Holds a response's body against its headers while it passes by.

    `put` gets the body without its chunks. `packed` tells how many bytes of the file the record has taken so far.
    """

    def __init__(
        self, head: HttpHead, *, truncated: bool, put: Callable[[bytes], None], packed: Callable[[], int]
    ) -> None:
        self._truncated = truncated
        self._status = head.status
        self._put = put
        self._lengths = head.all("content-length")
        transfer = ",".join(head.all("transfer-encoding")).lower().replace(" ", "").split(",")
        contents = [each for each in ",".join(head.all("content-encoding")).lower().replace(" ", "").split(",") if each]
        coding = contents[-1] if contents and contents[-1] != "identity" else None
        self._coding = Coding(coding, packed) if coding else None
        self.chunks = Chunks(self._after_chunks) if "chunked" in transfer else None
        self._size = 0

    @property
    def chunked(self) -> bool:
        """Whether the headers say that the body is in chunks."""
        return self.chunks is not None

    def feed(self, data: bytes) -> None:
        """Takes some more of the body as it stands in the record."""
        self._size += len(data)
        if self.chunks is not None:
            self.chunks.feed(data)
        elif self._coding is not None:
            self._coding.feed(data)

    def _after_chunks(self, data: bytes) -> None:
        self._put(data)
        if self._coding is not None:
            self._coding.feed(data)

    def problems(self) -> list[str]:
        """What does not fit, each as a sentence. Call it once, after the last byte."""
        found: list[str] = []
        if self.chunks is not None and self._size:
            problem = self.chunks.problem
            if problem is None and not self.chunks.ended and not self._truncated:
                problem = "the last chunk is missing"
            if problem is not None:
                found.append(f"inconsistent: Transfer-Encoding says chunked, and the body does not agree: {problem}")
                return found
        if self._coding is not None:
            self._coding.finish(whole=not self._truncated)
            if self._coding.problem is not None:
                found.append(f"inconsistent: Content-Encoding does not fit the body: {self._coding.problem}")
        if self.chunks is None:
            found += self._wrong_lengths()
        return found

    def _wrong_lengths(self) -> list[str]:
        status = self._status or 0
        if self._truncated or status in _NO_BODY or status < _FIRST_FINAL:
            return []
        said = {value.strip() for value in self._lengths}
        if said and said != {str(self._size)}:
            told = ", ".join(sorted(said))
            return [f"inconsistent: Content-Length says {told}, the body has {self._size} bytes"]
        return []

    @property
    def empty(self) -> bool:
        """Whether there was no body at all, as in replies to HEAD."""
        return not self._size
