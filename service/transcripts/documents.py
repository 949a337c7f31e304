"""Takes one JSON document apart while it is read: its messages come one by one, however large the whole is.

Which containers are opened is decided by where they stand; everything else is parsed whole. Strings and brackets are
found by regular expressions, so that Python looks at each token once and at no character.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from service.transcripts.events import Unread
from service.transcripts.lines import MAX_LINE, NO_JSON, PIECE, Piece, Source, parsed

Path = tuple[str | int, ...]
Opens = Callable[[Path], bool]

MAX_DEPTH: Final = 512
"""Containers within one another. Real transcripts have a dozen; the stack of an attack would grow with its file."""

_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}"]|[^\s"\[\]{},:]+', re.DOTALL)

_BETWEEN: Final = re.compile(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
_BRACKET: Final = re.compile(_BETWEEN.pattern + rb"[\[\]{}]", re.DOTALL)


@dataclass
class _Level:
    """An opened container: what it is, which member or place comes next."""

    is_object: bool
    key: str | None = None
    place: int = 0
    path: Path = field(default=())

    @property
    def step(self) -> str | int:
        """Where in it the next value stands."""
        return (self.key or "") if self.is_object else self.place


def document_pieces(source: Source, opens: Opens, limit: int = MAX_LINE) -> Iterator[Piece | Unread]:
    """The parts of the document: each value that stands in an opened container and is not opened itself.

    `opens` is asked for each container by its path. What is larger than `limit` is told and not read, and so is what
    is no JSON from there on.
    """
    return _Walk(source, opens, limit).pieces()


class _Walk:
    def __init__(self, source: Source, opens: Opens, limit: int) -> None:
        self._source = source
        self._opens = opens
        self._limit = limit
        self._buffer = bytearray()
        self._at = 0
        self._line = 1
        self._ended = False

    def _more(self) -> bool:
        data = b"" if self._ended else self._source.read(PIECE)
        self._ended = not data
        self._buffer += data
        return bool(data)

    def _drop(self) -> None:
        if self._at > PIECE:
            del self._buffer[: self._at]
            self._at = 0

    def _token(self) -> bytes | None:
        """The next token, None at the end; a string comes whole, or as its first quote where it is too long."""
        while True:
            self._skip_space()
            if self._at >= len(self._buffer):
                if not self._more():
                    return None
                continue
            found = _TOKEN.match(self._buffer, self._at)
            if found is not None and self._complete(found):
                self._at = found.end()
                return found.group()
            if len(self._buffer) - self._at > self._limit:
                return self._skip_string()
            if not self._more() and found is None:
                return None

    def _complete(self, found: re.Match[bytes]) -> bool:
        """Whether more bytes could not make another token of it. A quote alone is the beginning of a string."""
        return self._ended or (
            found.end() < len(self._buffer) and found.end() - found.start() > (self._buffer[found.start()] == _QUOTE)
        )

    def _skip_space(self) -> None:
        while True:
            buffer, at = self._buffer, self._at
            while at < len(buffer) and buffer[at] in b" \t\r\n,:":
                self._line += buffer[at] == 10  # noqa: PLR2004 - a line feed
                at += 1
            self._at = at
            self._drop()
            if at < len(buffer) or not self._more():
                return

    def _skip_string(self) -> bytes:
        """Go past a string (or a word) that is too long to hold."""
        escaped = False
        self._at += 1
        while True:
            for place in range(self._at, len(self._buffer)):
                byte = self._buffer[place]
                if escaped:
                    escaped = False
                elif byte == 0x5C:  # noqa: PLR2004 - a backslash
                    escaped = True
                elif byte == _QUOTE:
                    self._at = place + 1
                    return b'"'
            self._buffer.clear()
            self._at = 0
            if not self._more():
                return b'"'

    def pieces(self) -> Iterator[Piece | Unread]:
        """See `document_pieces`."""
        self._more()
        if self._buffer.startswith(b"\xef\xbb\xbf"):
            self._at = 3
        stack: list[_Level] = []
        while (token := self._token()) is not None:
            top = stack[-1] if stack else None
            if token in (b"]", b"}"):
                if top is None or (token == b"}") != top.is_object:
                    yield Unread(self._line, "a bracket closes what was not opened; the rest is not read", 0)
                    return
                stack.pop()
                self._next(stack)
            elif top is not None and top.is_object and top.key is None:
                top.key = self._key(token)
                if top.key is None:
                    yield Unread(self._line, "this is no JSON; the rest is not read", 0)
                    return
            elif token in (b"[", b"{") and len(stack) < MAX_DEPTH and self._opens(_path(top)):
                stack.append(_Level(token == b"{", path=_path(top)))
            else:
                piece = self._value(token, _path(top))
                yield piece
                if isinstance(piece, Unread) and not piece.size:
                    return
                self._next(stack)
        if stack:
            yield Unread(self._line, "the document breaks off", 0)

    @staticmethod
    def _key(token: bytes) -> str | None:
        key = parsed(token) if token[:1] == b'"' else NO_JSON
        return key if isinstance(key, str) else None

    def _value(self, token: bytes, path: Path) -> Piece | Unread:
        """The value that begins with `token`; one that was not read and has no size ends the reading."""
        line = self._line
        value = self._whole() if token in (b"[", b"{") else parsed(token)
        if value is _TOO_LARGE or (value is NO_JSON and token == b'"'):
            return Unread(line, f"{_shown(path)} has more than {self._limit} bytes", self._limit)
        if value is NO_JSON:
            return Unread(line, f"{_shown(path)} is no JSON; the rest is not read", 0)
        return Piece(line, path, value)

    @staticmethod
    def _next(stack: list[_Level]) -> None:
        if stack:
            stack[-1].key = None
            stack[-1].place += 1

    def _whole(self) -> Any:
        """The container whose opening bracket was read last, parsed; _TOO_LARGE or NO_JSON."""
        begin = counted = self._at - 1
        depth, large = 1, False
        while depth:
            found = _BRACKET.match(self._buffer, self._at)
            if found is not None:
                self._at = found.end()
                depth += _DEEPER[self._buffer[self._at - 1]]
                continue
            if len(self._buffer) - begin > self._limit:
                large = True
                between = _BETWEEN.match(self._buffer, self._at)
                self._at = between.end() if between is not None else self._at
                self._line += self._buffer.count(b"\n", counted, self._at)
                if self._at < len(self._buffer):
                    self._skip_string()
                del self._buffer[: self._at]
                begin = counted = self._at = 0
                if self._buffer:
                    continue
            if not self._more():
                return NO_JSON
        self._line += self._buffer.count(b"\n", counted, self._at)
        if large or self._at - begin > self._limit:
            return _TOO_LARGE
        with memoryview(self._buffer) as view:
            value = parsed(view[begin : self._at])
        self._drop()
        return value


_TOO_LARGE: Final = object()
_QUOTE: Final = 0x22
_DEEPER: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def _path(top: _Level | None) -> Path:
    """Where the next value stands."""
    return () if top is None else (*top.path, top.step)


def _shown(path: Path) -> str:
    return "the document" if not path else "/".join(str(step)[:40] for step in path)


def opened(value: Any, opens: Opens, line: int, path: Path = ()) -> Iterator[Piece]:
    """The same parts of a value that is parsed already."""
    waiting: list[tuple[Path, Any]] = [(path, value)]
    while waiting:
        here, one = waiting.pop()
        if isinstance(one, dict | list) and len(here) < MAX_DEPTH and opens(here):
            members = one.items() if isinstance(one, dict) else enumerate(one)
            waiting.extend(((*here, step), inner) for step, inner in reversed(list(members)))
        else:
            yield Piece(line, here, one)
