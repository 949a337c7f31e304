"""Reads transcripts in bounded memory: lines of JSON one by one, or the parts of one JSON document.

Nothing here fails on what a file holds: what cannot be read comes back as `Unread`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

import orjson

from service.transcripts.events import Unread

MAX_LINE: Final = 16 * 1024 * 1024
"""Bytes of one line or part that is read. Parsed, JSON takes five times its size; a reply has at most megabytes."""

PIECE: Final = 1024 * 1024


class Source(Protocol):
    """Bytes that are read once, from the beginning to the end."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""
        ...


@dataclass(frozen=True, slots=True)
class Piece:
    """A JSON value and where it stands: its line, and the members and places that lead to it from the file's root."""

    line: int
    path: tuple[str | int, ...]
    value: Any


class Peeked:
    """A source whose beginning can be looked at before it is read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._held = b""

    def peek(self, size: int) -> bytes:
        """The first bytes, `size` of them if there are as many."""
        while len(self._held) < size:
            more = self._source.read(size - len(self._held))
            if not more:
                break
            self._held += more
        return self._held[:size]

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        if self._held:
            given, self._held = self._held[:size], self._held[size:]
            return given
        return self._source.read(size)


def raw_lines(source: Source, limit: int = MAX_LINE) -> Iterator[tuple[int, bytes | Unread]]:
    """Each line that is not empty, without its end. A longer one than `limit` is skipped and told."""
    number, held, skipped = 1, bytearray(), 0
    while data := source.read(PIECE):
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            part = data[start:end] if start or end < len(data) else data
            if skipped:
                yield number, _too_long(number, skipped + len(part))
            elif len(held) + len(part) > limit:
                yield number, _too_long(number, len(held) + len(part))
            else:
                line = bytes(held) + part if held else part
                if line.strip():
                    yield number, line
            held.clear()
            number, start, skipped = number + 1, end + 1, 0
        rest = data[start:]
        if skipped or len(held) + len(rest) > limit:
            skipped += len(held) + len(rest)
            held.clear()
        else:
            held += rest
    if skipped:
        yield number, _too_long(number, skipped)
    elif held.strip():
        yield number, bytes(held)


def _too_long(number: int, size: int) -> Unread:
    return Unread(number, f"the line has more than {MAX_LINE} bytes", size)


def json_lines(source: Source, limit: int = MAX_LINE) -> Iterator[Piece | Unread]:
    """The value of each line."""
    for number, line in raw_lines(source, limit):
        if isinstance(line, Unread):
            yield line
            continue
        value = parsed(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
        yield Unread(number, "the line is no JSON", len(line)) if value is NO_JSON else Piece(number, (), value)


NO_JSON: Final = object()


def parsed(data: bytes | str | memoryview) -> Any:
    """The JSON value of `data`; NO_JSON if it is none."""
    try:
        return orjson.loads(data)
    except ValueError:
        return NO_JSON
