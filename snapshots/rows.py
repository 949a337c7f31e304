"""What each record leaves in the catalogue: rows, computed from the record alone."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from snapshots.answers import Fetch, PassageRef, Search, Serving
from snapshots.capture import Capture
from snapshots.catalogue_rows import UNVERIFIED
from snapshots.database import Row
from snapshots.deeds import Crawl, Deletion, Import
from snapshots.ids import raw_prefix, to_raw
from snapshots.recheck import Recheck
from snapshots.record import Record, UnknownRecord
from snapshots.records import names
from snapshots.session import Agent, Event, Session
from snapshots.times import milliseconds
from snapshots.watch import Hold, Retention, Watch

PREFIX = 8
"""Bytes of a hash that stand for it where a miss costs little: what is found is always read and compared whole."""

GONE = ""
"""The kind of an entry whose record is not in the bucket, until a deletion says what it was."""


@dataclass(frozen=True)
class Entry:
    """One entry of the log with its record; None if the bucket no longer holds it."""

    id: str
    record: Record | UnknownRecord | None


@dataclass
class Rows:
    """Rows for each table, in the order of the columns."""

    entries: list[Row] = field(default_factory=list)
    captures: list[Row] = field(default_factory=list)
    addresses: list[Row] = field(default_factory=list)
    links: list[Row] = field(default_factory=list)
    considered: list[Row] = field(default_factory=list)
    passages: list[Row] = field(default_factory=list)

    def add(self, position: int, entry: Entry) -> None:
        """The rows of one entry."""
        record = entry.record
        kind = GONE if record is None else record.kind
        self.entries.append((position, to_raw(entry.id), kind, None if record is None else kept_at(record)))
        match record:
            case None | Deletion():
                return
            case Capture():
                self._capture(position, record)
                linked = names(record)
            case Search():
                linked = tuple(dict.fromkeys(_shown(record)))
                self._considered(position, record, linked)
            case Fetch():
                linked = (record.capture,)
            case _:
                linked = names(record)
        self.links.extend((to_raw(name), position) for name in linked)
        if isinstance(record, Search | Fetch):
            self.passages.extend(_passage(position, ref) for ref in passages_of(record))

    def _capture(self, position: int, capture: Capture) -> None:
        self.captures.append(
            (
                position,
                capture.asked,
                capture.final,
                milliseconds(capture.retrieved_at),
                _raw(capture.document),
                _raw(capture.body),
                UNVERIFIED if capture.outcome == "ok" and capture.unverified else capture.outcome,
                capture.page_state,
                capture.method,
                _raw(capture.crawl),
            )
        )
        self.addresses.extend((number(address_prefix(url)), position) for url in {capture.asked, capture.final})

    def _considered(self, position: int, search: Search, linked: tuple[str, ...]) -> None:
        shown = set(linked)
        prefixes = dict.fromkeys(
            address_prefix(candidate.url) if candidate.capture is None else raw_prefix(candidate.capture, PREFIX)
            for candidate in search.candidates
            if candidate.capture not in shown
        )
        if prefixes:
            self.considered.append((position, b"".join(prefixes)))


def kept_at(record: Record | UnknownRecord) -> int | None:
    """When the record was kept, by its own word; None for bytes that may be older than their record, and unknown."""
    match record:
        case Capture(method="upload" | "import"):
            return None
        case Capture() | Search() | Fetch():
            return milliseconds(record.retrieved_at)
        case Serving():
            return milliseconds(record.served_at)
        case (
            Crawl() | Deletion() | Import() | Recheck() | Watch() | Hold() | Retention() | Session() | Event() | Agent()
        ):
            return milliseconds(record.at)
        case _:
            return None


def passages_of(record: Search | Fetch) -> Iterator[PassageRef]:
    """The passages a record shows, in order."""
    if isinstance(record, Fetch):
        yield from record.passages
    else:
        for result in record.results:
            yield from result.passages


def address_prefix(url: str) -> bytes:
    """The first bytes of the hash of an address."""
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).digest()[:PREFIX]


def number(prefix: bytes) -> int:
    """A prefix as the signed 64-bit number that both databases keep in 8 bytes."""
    return int.from_bytes(prefix, "big", signed=True)


def _shown(search: Search) -> Iterator[str]:
    """What a search names, without the passages and the candidates that were not shown."""
    for provider in search.providers:
        if provider.reply is not None:
            yield provider.reply
    for result in search.results:
        yield result.capture


def _passage(position: int, ref: PassageRef) -> Row:
    return to_raw(ref.id), position, to_raw(ref.capture), ref.ordinal, ref.start, ref.end


def _raw(name: str | None) -> bytes | None:
    return None if name is None else to_raw(name)
