"""Reads one record of a web archive whole: its digests, and whether headers and body of what it holds agree."""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from snapshots.errors import Unsound
from snapshots.verify.http_bodies import MAX_HTTP_HEAD, BodyForm, HttpHead, parse_head
from snapshots.verify.warc import WarcHead, WarcReader

ALGORITHMS = {"sha1": 20, "sha256": 32, "sha512": 64, "md5": 16}
"""Hashes that records are digested with, and their bytes. The weak ones show damage, and nothing more."""

_DIGEST = re.compile(r"([A-Za-z0-9-]+):([A-Za-z0-9=+/_-]+)")
_HTTP = "application/http"


@dataclass(frozen=True)
class RecordRead:
    """A record that has been read. `payload` is its payload's id (for bundles), `failures` pairs of reason and text."""

    head: WarcHead
    packed: int
    http: HttpHead | None
    http_bytes: bytes
    payload: str
    size: int
    maybe_head_request: bool
    unknown_digest: bool
    failures: tuple[tuple[str, str], ...]


def parse_digest(text: str) -> tuple[str, bytes] | None:
    """Algorithm and hash of a labelled digest in hex or base32; None for what is not known here."""
    match = _DIGEST.fullmatch(text)
    if match is None:
        return None
    algorithm, value = match[1].lower().replace("sha-", "sha"), match[2]
    size = ALGORITHMS.get(algorithm)
    if size is None:
        return None
    try:
        if len(value) == 2 * size:
            return algorithm, bytes.fromhex(value)
        plain = value.rstrip("=").upper()
        found = base64.b32decode(plain + "=" * (-len(plain) % 8))
    except (ValueError, binascii.Error):
        return None
    return (algorithm, found) if len(found) == size else None


class _Hashes:
    """The hashes of one run of bytes, each made once."""

    def __init__(self, *algorithms: str) -> None:
        self._made: dict[str, Any] = {each: hashlib.new(each, usedforsecurity=False) for each in algorithms if each}

    def feed(self, data: bytes) -> None:
        for each in self._made.values():
            each.update(data)

    def of(self, algorithm: str) -> bytes:
        found: bytes = self._made[algorithm].digest()
        return found


class _Message:
    """The parts of an HTTP message in a block: its head, then its body."""

    def __init__(self, head: WarcHead, packed: Callable[[], int], raw: _Hashes, unchunked: _Hashes) -> None:
        self._head = head
        self._packed = packed
        self._raw = raw
        self._unchunked = unchunked
        self._start = bytearray()
        self.bytes = b""
        self.http: HttpHead | None = None
        self.body: BodyForm | None = None
        self.size = 0

    def feed(self, data: bytes) -> None:
        if self.http is not None:
            self._feed_body(data)
            return
        self._start += data
        end, length = _end_of_head(self._start)
        if end < 0:
            if len(self._start) > MAX_HTTP_HEAD:
                raise Unsound("warc-malformed", f"the HTTP head has more than {MAX_HTTP_HEAD} bytes")
            return
        self._begin(bytes(self._start[:end]), bytes(self._start[: end + length]))
        rest = bytes(self._start[end + length :])
        self._start.clear()
        self._feed_body(rest)

    def _begin(self, head: bytes, whole: bytes) -> None:
        try:
            self.http = parse_head(head if b"\r\n" in whole else head.replace(b"\n", b"\r\n"))
        except Unsound as problem:
            raise Unsound("warc-malformed", f"in the HTTP head {problem}") from None
        self.bytes = whole
        if self._head.type == "response":
            truncated = self._head.get("WARC-Truncated") is not None
            self.body = BodyForm(self.http, truncated=truncated, put=self._unchunked.feed, packed=self._packed)

    def _feed_body(self, data: bytes) -> None:
        if not data:
            return
        self.size += len(data)
        self._raw.feed(data)
        if self.body is not None:
            self.body.feed(data)

    def finish(self) -> None:
        """A block without an empty line is a head and nothing else."""
        if self.http is None:
            self._begin(bytes(self._start).rstrip(b"\r\n"), bytes(self._start))


def _end_of_head(data: bytearray) -> tuple[int, int]:
    """Where the head of a message ends, and how long the empty line is that ends it."""
    strict, loose = data.find(b"\r\n\r\n"), data.find(b"\n\n")
    if strict >= 0 and (loose < 0 or strict < loose):
        return strict, 4
    return loose, 2


def read_record(reader: WarcReader, head: WarcHead, *, strict: bool) -> RecordRead:
    """Reads a record's block, and holds it against its digests and headers.

    `strict` asks for both digests, in SHA-256. Raises Unsound(warc-malformed) if nothing after it can be read.
    """
    start = reader.used
    said_block, said_payload = head.get("WARC-Block-Digest"), head.get("WARC-Payload-Digest")
    block = parse_digest(said_block) if said_block else None
    payload = parse_digest(said_payload) if said_payload else None
    is_message = (head.get("Content-Type") or "").lower().startswith(_HTTP) and head.type in {
        "response",
        "request",
        "revisit",
    }
    of_payload = payload[0] if payload else ""
    hashes = _Hashes(block[0] if block else "", *(() if is_message else (of_payload, "sha256" if strict else "")))
    raw = _Hashes(*((of_payload, "sha256" if strict else "") if is_message else ()))
    unchunked = _Hashes(of_payload if is_message and not strict else "")
    message = _Message(head, lambda: max(1, reader.used - start), raw, unchunked) if is_message else None
    failures: list[tuple[str, str]] = []
    for piece in reader.block():
        hashes.feed(piece)
        if message is not None:
            try:
                message.feed(piece)
            except Unsound as problem:
                failures.append((problem.reason, str(problem)))
                message = None
    packed = reader.finish(head)
    if message is not None:
        _finish_message(message, failures)
    if block is not None and hashes.of(block[0]) != block[1]:
        failures.append(("warc-digest", "the block has another hash than WARC-Block-Digest"))
    checked = payload is not None and head.type != "revisit" and head.get("WARC-Segment-Number") is None
    if checked and payload is not None and (message is not None or not is_message):
        found = [(raw if message else hashes).of(payload[0])]
        if message is not None and message.body is not None and message.body.chunked and not strict:
            found.append(unchunked.of(payload[0]))
        if payload[1] not in found:
            failures.append(("warc-digest", "the payload has another hash than WARC-Payload-Digest"))
    unknown = (said_block is not None and block is None) or (said_payload is not None and payload is None)
    if strict and (unknown or block is None or payload is None or {block[0], payload[0]} != {"sha256"}):
        failures.append(("warc-digest", "it has not both digests in SHA-256"))
    digest = (raw if is_message else hashes).of("sha256").hex() if strict else ""
    return RecordRead(
        head,
        packed,
        message.http if message else None,
        message.bytes if message else b"",
        f"sha256:{digest}" if digest else said_payload or "",
        message.size if message else head.length,
        message is not None and message.body is not None and message.body.empty,
        unknown,
        tuple(failures),
    )


def _finish_message(message: _Message, failures: list[tuple[str, str]]) -> None:
    try:
        message.finish()
    except Unsound as problem:
        failures.append((problem.reason, str(problem)))
        return
    if message.body is not None:
        failures += [("warc-headers", problem) for problem in message.body.problems()]
