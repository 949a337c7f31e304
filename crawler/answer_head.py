"""The head of an HTTP/1.1 answer as browsers read it: much that servers write into one is no header, and does no harm.

Pure: bytes in, the same head out as a strict parser takes it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.visit import Header

HTTP: Final = b"HTTP/"
"""How every answer begins, in whatever case."""
END: Final = re.compile(rb"\n\r?\n")
"""How the head ends: lines may lack their carriage return."""
FINAL: Final = 200
"""Statuses below are of answers that announce another one."""

_STATUS_LINE: Final = re.compile(rb"HTTP/([0-9](?:\.[0-9])?)[ \t]+([0-9]{3})(?![0-9])", re.IGNORECASE)
_FIELD: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*", re.DOTALL)
_SPACE: Final = re.compile(rb"[\r\f\v]")
"""White space within a value, which stands for a blank (RFC 9112 section 2.2)."""
_CODINGS: Final = b"transfer-encoding"
_LENGTH: Final = b"content-length"
_NO_CODINGS: Final = frozenset({b"", b"identity"})


@dataclass(frozen=True, slots=True)
class AnswerHead:
    """`strict` is the head as a strict parser reads it, `headers` are those that came, in order, as they stood.

    `final`: no other answer follows it. `left_out` counts the lines that are no headers: they have no colon, or no name
    before it.
    """

    strict: bytes
    headers: tuple[Header, ...]
    final: bool
    left_out: int


def begins_answer(data: bytes) -> bool:
    """Whether `data`, the first bytes that came, may begin an answer."""
    start = data[: len(HTTP)].upper()
    return HTTP.startswith(start)


def read_answer_head(head: bytes) -> AnswerHead:
    """Read a whole head, blank line included. One whose first line says no status is left for a parser to refuse."""
    first, *lines = head.rstrip(b"\r\n").split(b"\n")
    status = _STATUS_LINE.match(first)
    if status is None:
        return AnswerHead(head, (), final=True, left_out=0)
    version = status[1] if b"." in status[1] else b"1.0"
    fields: list[tuple[bytes, bytes]] = []
    left_out = 0
    for line in _unfolded(lines):
        field = _FIELD.fullmatch(line)
        if field is None:
            left_out += 1
        else:
            fields.append((field[1], _SPACE.sub(b" ", field[2]).strip()))
    return AnswerHead(
        b"\r\n".join([b"HTTP/%s %s" % (version, status[2]), *_strict(fields), b"", b""]),
        tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in fields),
        final=int(status[2]) >= FINAL,
        left_out=left_out,
    )


def _unfolded(lines: list[bytes]) -> Iterator[bytes]:
    """The lines without their ends, each with those that go on with it (RFC 9112 section 5.2)."""
    whole: list[bytes] = []
    for line in lines:
        if line[:1] in (b" ", b"\t") and whole:
            whole.append(line.strip())
            continue
        if whole:
            yield b" ".join(whole)
        whole = [line.removesuffix(b"\r")]
    if whole:
        yield b" ".join(whole)


def _strict(fields: list[tuple[bytes, bytes]]) -> Iterator[bytes]:
    """The header lines, with what is said of the transfer said once, and left out where it says nothing."""
    codings = [part.strip().lower() for name, value in fields if name.lower() == _CODINGS for part in value.split(b",")]
    codings = [coding for coding in codings if coding not in _NO_CODINGS]
    if set(codings) == {b"chunked"}:  # applied once, whoever of several servers in a row wrote that
        codings = [b"chunked"]
    for name, value in fields:
        if name.lower() != _CODINGS and (value or name.lower() != _LENGTH):
            yield b"%s: %s" % (name, value)
    if codings:
        yield b"Transfer-Encoding: " + b", ".join(codings)
