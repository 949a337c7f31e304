"""The index of a web archive (CDXJ), and the list of its blocks."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from snapshots.bundles.surt import surt
from snapshots.errors import Unsound
from snapshots.verify.claims import Faults
from snapshots.verify.gunzip import Gunzip
from snapshots.verify.members import PIECE, Members
from snapshots.verify.strict_json import read_json

INDEX = "indexes/index.cdx.gz"
INDEX_LIST = "indexes/index.idx"

MAX_INDEX = 256 * 1024 * 1024
"""Packed bytes of an index; a million captures have some fifty million."""

MAX_INDEX_LINE = 1024 * 1024
"""Bytes of one line of an index; addresses of several kilobytes are seen."""

BLOCK_LINES = 1024
"""Lines of a block in a bundle's index."""

_CDXJ = re.compile(rb"([^ ]+) ([0-9]{4,17}) (\{.*\})")
_FIRST_LINE = b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n'


@dataclass(frozen=True, slots=True)
class Indexed:
    """What a line of the index says."""

    key: bytes
    time: str
    filename: str
    offset: int
    length: int
    url: str
    status: str | None
    digest: str | None


def parse_line(line: bytes) -> Indexed:
    """A line without its end. Raises Unsound(cdx-malformed)."""
    match = _CDXJ.fullmatch(line)
    if match is None:
        raise Unsound("cdx-malformed", "it is no line of key, time and JSON")
    try:
        value = read_json(match[3])
    except Unsound as problem:
        raise Unsound("cdx-malformed", str(problem)) from None
    try:
        status, digest = value.get("status"), value.get("digest")
        return Indexed(
            match[1],
            match[2].decode(),
            str(value["filename"]),
            int(value["offset"]),
            int(value["length"]),
            str(value["url"]),
            None if status is None else str(status),
            None if digest is None else str(digest),
        )
    except (KeyError, ValueError, TypeError) as problem:
        raise Unsound("cdx-malformed", f"it lacks something, or has something else there: {problem}") from None


def expected_line(
    target: str, date: str, *, mime: str | None, status: int | None, digest: str, length: int, offset: int
) -> bytes:
    """The line that a bundle's index has for a record, with its end."""
    told = {"url": target}
    if mime is not None:
        told["mime"] = media_type_of(mime)
    if status is not None:
        told["status"] = str(status)
    told |= {"digest": digest, "length": str(length), "offset": str(offset), "filename": "data.warc.gz"}
    digits = "".join(each for each in date if each.isdigit())
    return f"{surt(target)} {digits} {json.dumps(told)}\n".encode()


def media_type_of(value: str) -> str:
    """A Content-Type up to its parameters, as a header's bytes spell it."""
    raw = value.strip().encode("latin-1", "replace")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    end = next((place for place, letter in enumerate(text) if letter == ";" or letter.isspace()), len(text))
    return text[:end]


@dataclass(frozen=True)
class Block:
    """One gzip member of an index: where it lies, the hash of its packed bytes, and its lines with their ends."""

    offset: int
    length: int
    digest: str
    lines: tuple[bytes, ...]


def blocks_of(members: Members, name: str, *, strict: bool) -> Iterator[Block]:
    """The blocks of a packed index. Raises Unsound(cdx-malformed)."""
    data = members.whole(name, MAX_INDEX)
    view = memoryview(data)
    stream = Gunzip((bytes(view[at : at + PIECE]) for at in range(0, len(data), PIECE)), strict=strict)
    start = 0
    while (plain := _next_block(stream)) is not None:
        digest = f"sha256:{sha256(view[start : stream.at]).hexdigest()}"
        yield Block(start, stream.at - start, digest, tuple(plain.splitlines(keepends=True)))
        start = stream.at


def _next_block(stream: Gunzip) -> bytes | None:
    plain = bytearray()
    try:
        if not stream.begin():
            return None
        while piece := stream.piece():
            plain += piece
            if len(plain) > MAX_INDEX:
                break
    except Unsound as problem:
        raise Unsound("cdx-malformed", str(problem)) from None
    if len(plain) > MAX_INDEX:
        raise Unsound("cdx-malformed", "a block is too large")
    return bytes(plain)


def check_bundle_index(members: Members, expected: list[bytes], faults: Faults) -> None:
    """Holds a bundle's index against the lines that its records give, and the list of blocks against the index."""
    expected.sort()
    waiting: set[bytes] = set(expected)
    list_lines = [_FIRST_LINE]
    before, count = b"", 0
    try:
        for block in blocks_of(members, INDEX, strict=True):
            for line in block.lines:
                count += 1
                if line < before:
                    faults.add("cdx-order", f"{INDEX} line {count}", "the lines are not sorted")
                before = line
                _check_expected(line, waiting, f"{INDEX} line {count}", faults)
            list_lines += _list_line(block)
    except Unsound as problem:
        faults.add("cdx-malformed", INDEX, str(problem))
        return
    for line in sorted(waiting):
        faults.add("cdx-mismatch", INDEX, f"lacks the line of a record: {line[:120]!r}")
    _check_list(members, list_lines, faults)


def _check_expected(line: bytes, waiting: set[bytes], where: str, faults: Faults) -> None:
    if line in waiting:
        waiting.discard(line)
        return
    try:
        parse_line(line.removesuffix(b"\n"))
    except Unsound as problem:
        faults.add(problem.reason, where, str(problem))
    else:
        faults.add("cdx-mismatch", where, "no record of the archive gives this line")


def _list_line(block: Block) -> list[bytes]:
    if not block.lines:
        return []
    told = {"offset": block.offset, "length": block.length, "digest": block.digest}
    key = block.lines[0].partition(b"{")[0].strip()
    return [key + b" " + json.dumps(told).encode() + b"\n"]


def _check_list(members: Members, expected: list[bytes], faults: Faults) -> None:
    try:
        found = members.whole(INDEX_LIST, MAX_INDEX).splitlines(keepends=True)
    except Unsound as problem:
        faults.add("idx-mismatch", INDEX_LIST, str(problem))
        return
    for number, (line, wanted) in enumerate(zip(found, expected, strict=False), 1):
        if line != wanted:
            faults.add("idx-mismatch", f"{INDEX_LIST} line {number}", "does not lead to its block of the index")
    if len(found) != len(expected):
        faults.add("idx-mismatch", INDEX_LIST, f"has {len(found)} lines instead of {len(expected)}")


def parse_list_line(line: bytes) -> dict[str, Any]:
    """A line of somebody else's list of blocks. Raises Unsound(idx-mismatch)."""
    _, brace, rest = line.partition(b"{")
    try:
        value = read_json(brace + rest)
    except Unsound as problem:
        raise Unsound("idx-mismatch", str(problem)) from None
    if type(value) is not dict:
        raise Unsound("idx-mismatch", "it is no line of key and JSON")
    found: dict[str, Any] = value
    return found
