"""Captures that others have made, out of their WARC and WACZ files: each response as a visit, as if we had been there.

What the file says of address, time and headers is taken as its word; what can be checked is: lengths, digests, codings.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from crawler.archived_response import HEAD_ROOM, Archived, Turned, response_in, split_message, target_of
from crawler.errors import BadArchive
from crawler.warc import GZIP, ZSTD, Readable, WarcRecord, read_warc

__all__ = ["Archive", "Archived", "Turned", "open_archive"]


class Member(Protocol):
    """A WARC file: by itself, or a member of a WACZ file."""

    @property
    def name(self) -> str:
        """What it is called."""

    def open(self) -> AbstractContextManager[Readable]:
        """Its bytes from the beginning. Raises BadArchive."""


@dataclass(frozen=True)
class Lone:
    """A WARC file by itself."""

    path: Path

    @property
    def name(self) -> str:
        """Its name."""
        return self.path.name

    def open(self) -> AbstractContextManager[Readable]:
        """Its bytes."""
        return self.path.open("rb")


@dataclass
class Archive:
    """A file with captures of others. After going through it, `passed` counts what was no response, by kind."""

    form: str
    members: tuple[Member, ...]
    turned: tuple[Turned, ...] = ()
    """Members that are refused as a whole."""
    remarks: tuple[str, ...] = ()
    passed: Counter[str] = field(default_factory=Counter)

    def responses(self, *, max_body: int) -> Iterator[Archived | Turned]:
        """Each response, in the order of the file. Bodies larger than `max_body` bytes are turned away.

        Raises:
            BadArchive: the file cannot be read any further; what came before it stands.
        """
        yield from self.turned
        for member in self.members:
            with member.open() as file:
                yield from _responses(file, member.name, max_body, self.passed)


def open_archive(path: Path) -> Archive | None:
    """The archive in a file; None if it is neither WARC nor WACZ. The file is read as it is gone through.

    Raises:
        BadArchive: it says that it is one, and cannot be read as one. OSError: the file cannot be read.
    """
    from crawler.wacz import read_wacz  # noqa: PLC0415 - it builds on this module

    with path.open("rb") as file:
        start = file.read(4)
        if start.startswith(b"PK\x03\x04"):
            return read_wacz(path)
        named = path.name.lower().endswith((".warc", ".warc.gz", ".warc.zst"))
        if start == ZSTD and named:
            raise BadArchive("files compressed with zstd are not read", offset=0)
        file.seek(0)
        if not start.startswith(GZIP):
            return Archive("warc", (Lone(path),)) if file.read(5) == b"WARC/" else None
        try:
            next(read_warc(file, max_block=0), None)
        except BadArchive:
            if named:
                raise
            return None
    return Archive("warc", (Lone(path),))


def _responses(file: Readable, name: str, max_body: int, passed: Counter[str]) -> Iterator[Archived | Turned]:
    """The responses of one WARC file; each is paired with the request that stands beside it."""
    pairing = _Pairing(passed)
    try:
        for record in read_warc(file, max_block=max_body * 2 + HEAD_ROOM):
            yield from pairing.take(record, name, max_body)
    except BadArchive:
        yield from pairing.end()  # what came before the fault is whole
        raise
    yield from pairing.end()


@dataclass
class _Pairing:
    """Holds a response back until it is known whether its request comes next."""

    passed: Counter[str]
    waiting: Archived | Turned | None = None
    asked: WarcRecord | None = None

    def take(self, record: WarcRecord, name: str, max_body: int) -> Iterator[Archived | Turned]:
        """A record; gives what need not wait any longer."""
        if record.kind == "request":
            self.passed["request"] += 1
            if self.waiting is not None and _together(self.waiting, record):
                self.waiting = _with_request(self.waiting, record)
                yield from self.end()
            else:
                self.asked = record
            return
        yield from self.end()
        made = response_in(record, name, max_body)
        if made is None:
            self.passed[record.kind or "unknown"] += 1
            return
        self.waiting = made
        if self.asked is not None and _together(made, self.asked):
            self.waiting = _with_request(made, self.asked)
            yield from self.end()
        self.asked = None

    def end(self) -> Iterator[Archived | Turned]:
        """What waits, if anything does."""
        if self.waiting is not None:
            yield self.waiting
        self.waiting = None


def _together(made: Archived | Turned, request: WarcRecord) -> bool:
    """Whether a request belongs to a response: it says so, or is for the same address right beside it."""
    if isinstance(made, Turned):
        return False
    named = request.field("WARC-Concurrent-To")
    if named is not None and named.strip("<>") == made.about["record"]:
        return True
    return target_of(request) == made.about["target"]


def _with_request(made: Archived | Turned, request: WarcRecord) -> Archived | Turned:
    if isinstance(made, Turned) or request.block is None:
        return made
    line, headers, _ = split_message(request.block)
    method = line.split(b" ", 1)[0].decode("ascii", "replace")[:20]
    if method not in {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"}:
        return made
    hop = replace(made.visit.hops[0], method=method, request_headers=headers)
    agent = next((value for name, value in headers if name.lower() == "user-agent"), "")
    return replace(made, visit=replace(made.visit, hops=(hop,), user_agent=agent))
