"""Captures as records of a web archive (WARC 1.1), made so that headers and body of each agree.

What is kept of a page is its payload after transfer and content decoding. So the headers that tell of those codings are
kept under other names, and one Content-Length tells the truth. Pure: blobs are handed in, bytes come out.
"""

import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http import HTTPStatus
from typing import Final
from urllib.parse import quote, urlsplit

from snapshots.capture import Capture, Hop
from snapshots.ids import digest

NOT_MODIFIED = 304
"""The status of an answer without a body, which says that the one that is kept still holds."""

FIELDS: Final = "application/warc-fields"
ORIGINAL: Final = "X-Archive-Orig-"
"""What goes before the names of headers that were true on the wire and are not here."""

HOP_HEADERS: Final = frozenset(
    {
        "connection",
        "content-encoding",
        "content-length",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers that speak of the connection, or of a coding that the kept payload no longer has."""

CUT_SHORT: Final = frozenset({"incomplete", "too_large", "timeout"})
"""Outcomes of which the payload is not the whole one."""

_URL_BYTES: Final = "!#$%&'()*+,/:;=?@[]_.~-"
_EMPTY: Final = digest(b"")
_LINE_BREAKS: Final = {0: " ", 10: " ", 13: " "}
_GZIP: Final = 31


@dataclass(frozen=True)
class WarcRecord:
    """One record. `head` is what the block has before the payload: an HTTP head, or nothing.

    `payload_digest` is the payload's id if it is known. `named` are further fields, in order.
    """

    type: str
    id: str
    date: str
    target: str | None
    content_type: str
    payload: bytes = b""
    head: bytes = b""
    payload_digest: str | None = None
    status: int | None = None
    mime: str | None = None
    named: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Written:
    """Where a record went: `length` bytes (one gzip member) from `offset` on."""

    record: WarcRecord
    offset: int
    length: int
    payload_digest: str


@dataclass
class WarcWriter:
    """Writes records through `put`, a gzip member each."""

    put: Callable[[bytes], None]
    offset: int = field(default=0, init=False)

    def write(self, record: WarcRecord) -> Written:
        """Writes one record."""
        block = sha256(record.head)
        block.update(record.payload)
        payload_digest = record.payload_digest or digest(record.payload)
        fields = [
            ("WARC-Type", record.type),
            ("WARC-Record-ID", record.id),
            ("WARC-Date", record.date),
            *([("WARC-Target-URI", record.target)] if record.target is not None else []),
            *record.named,
            ("WARC-Block-Digest", f"sha256:{block.hexdigest()}"),
            ("WARC-Payload-Digest", payload_digest),
            ("Content-Type", record.content_type),
            ("Content-Length", str(len(record.head) + len(record.payload))),
        ]
        lines = "".join(f"{name}: {_flat(value)}\r\n" for name, value in fields)
        pack = zlib.compressobj(6, zlib.DEFLATED, _GZIP)
        offset = self.offset
        for piece in (f"WARC/1.1\r\n{lines}\r\n".encode(), record.head, record.payload, b"\r\n\r\n"):
            self._put(pack.compress(piece))
        self._put(pack.flush())
        return Written(record, offset, self.offset - offset, payload_digest)

    def _put(self, data: bytes) -> None:
        self.offset += len(data)
        self.put(data)


def first_record(origin: str, created: str, software: str) -> WarcRecord:
    """The `warcinfo` that an archive begins with."""
    told = {"software": software, "format": "WARC File Format 1.1", "isPartOf": origin}
    return WarcRecord(
        type="warcinfo",
        id=_record_id(f"warcinfo\n{origin}"),
        date=created,
        target=None,
        content_type=FIELDS,
        payload=_fields(told),
        named=[("WARC-Filename", "data.warc.gz")],
    )


def records_of(capture: Capture, blobs: Mapping[str, bytes]) -> Iterator[WarcRecord]:
    """The records of one capture, in order. `blobs` holds those of its body and its rendered DOM that are kept."""
    made = list(_records_of(capture, blobs))
    mark = ("Citator-Capture", capture.id)
    for ordinal, record in enumerate(made):
        named = [*record.named, mark]
        if record.type == "request":
            named.insert(0, ("WARC-Concurrent-To", _record_id(f"{capture.id}\n{ordinal - 1}")))
        yield replace(record, id=_record_id(f"{capture.id}\n{ordinal}"), named=named)


def _records_of(capture: Capture, blobs: Mapping[str, bytes]) -> Iterator[WarcRecord]:
    date, final = seconds(capture.retrieved_at), target_of(capture.final)
    seen = False
    answering = _answering(capture)
    for hop in capture.hops:
        if hop.status is None:
            continue
        seen = True
        yield from _exchange(capture, hop, blobs, last=hop is answering)
    if capture.body in blobs and (answering is None or answering.status == NOT_MODIFIED):
        seen = True
        yield _resource(final, date, _media_type(capture), capture.body, blobs)
    if capture.rendered in blobs:
        seen = True
        yield _resource(f"urn:dom:{final}", date, "text/html;charset=utf-8", capture.rendered, blobs)
    if not seen:
        told = {"outcome": capture.outcome} | ({"reason": capture.reason} if capture.reason else {})
        yield WarcRecord("metadata", "", date, final, FIELDS, _fields(told))


def _answering(capture: Capture) -> Hop | None:
    """The hop whose answer the body is: the last that was fetched. Where a browser went on from there follows it."""
    return next((hop for hop in reversed(capture.hops) if hop.remote is not None), next(reversed(capture.hops), None))


def _exchange(capture: Capture, hop: Hop, blobs: Mapping[str, bytes], *, last: bool) -> Iterator[WarcRecord]:
    body = blobs.get(capture.body) if last and capture.body and hop.status != NOT_MODIFIED else None
    target = target_of(capture.final if hop is capture.hops[-1] else hop.url)
    date = seconds(capture.retrieved_at if last else hop.ended_at)
    named = [*_connection(hop)]
    if (body is None and _has_body(hop.response_headers)) or (last and capture.outcome in CUT_SHORT):
        named.append(("WARC-Truncated", "unspecified"))
    status = hop.status or 0
    headers = _kept_headers(hop.response_headers, len(body or b""))
    yield WarcRecord(
        type="response",
        id="",
        date=date,
        target=target,
        content_type="application/http;msgtype=response",
        payload=body or b"",
        head=_head(f"HTTP/1.1 {status} {_reason(status)}", headers),
        payload_digest=capture.body if body is not None else _EMPTY,
        status=status,
        mime=next((value for name, value in headers if name.lower() == "content-type"), None),
        named=named,
    )
    yield WarcRecord(
        type="request",
        id="",
        date=date,
        target=target,
        content_type="application/http;msgtype=request",
        head=_head(f"{_flat(hop.method)} {_path(hop.url)} HTTP/1.1", _wire_headers(hop.request_headers)),
        payload_digest=_EMPTY,
        named=[*_connection(hop)],
    )


def _resource(target: str, date: str, kind: str, blob: str | None, blobs: Mapping[str, bytes]) -> WarcRecord:
    assert blob is not None, "a resource is a blob that is kept"
    return WarcRecord("resource", "", date, target, kind, blobs[blob], payload_digest=blob, mime=kind)


def target_of(url: str) -> str:
    """An address as records and indexes hold it: printable ASCII, everything else percent-encoded."""
    return quote(url.encode("utf-8", "surrogatepass"), safe=_URL_BYTES)


def seconds(time: str) -> str:
    """A record's time without what is finer than a second."""
    return f"{time[:19]}Z"


def _media_type(capture: Capture) -> str:
    kind = capture.media_type or "application/octet-stream"
    return f"{kind}; charset={capture.charset.name}" if capture.charset and kind.startswith("text/") else kind


def _has_body(headers: Sequence[tuple[str, str]]) -> bool:
    told = {name.lower(): value.strip() for name, value in headers}
    return "transfer-encoding" in told or told.get("content-length", "0") != "0"


def _kept_headers(headers: Sequence[tuple[str, str]], length: int) -> list[tuple[str, str]]:
    kept = [(f"{ORIGINAL}{name}" if name.lower() in HOP_HEADERS else name, value) for name, value in headers]
    return [*_wire_headers(kept), ("Content-Length", str(length))]


def _wire_headers(headers: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [pair for pair in headers if not pair[0].startswith(":")]


def _head(first: str, headers: Sequence[tuple[str, str]]) -> bytes:
    lines = [first, *(f"{_flat(name)}: {_flat(value)}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def _connection(hop: Hop) -> Iterator[tuple[str, str]]:
    if hop.remote:
        yield "WARC-IP-Address", hop.remote.rpartition(":")[0].strip("[]")
    name = (hop.protocol or "").lower()
    if name:
        yield "WARC-Protocol", {"http/2": "h2", "http/2.0": "h2", "http/3": "h3", "http/3.0": "h3"}.get(name, name)
    if hop.tls and hop.tls.protocol:
        yield "WARC-Protocol", "tls/" + hop.tls.protocol.lower().removeprefix("tlsv")


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _path(url: str) -> str:
    parts = urlsplit(target_of(url))
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _fields(told: Mapping[str, str]) -> bytes:
    return "".join(f"{name}: {_flat(value)}\r\n" for name, value in told.items()).encode()


def _flat(text: str) -> str:
    """What stands in a header cannot end the line that it stands in."""
    return text.translate(_LINE_BREAKS)


def _record_id(text: str) -> str:
    return f"<urn:uuid:{uuid8(sha256(text.encode()).digest())}>"


def uuid8(data: bytes) -> uuid.UUID:
    """The UUID of version 8 (RFC 9562: our own meaning) that 16 bytes give."""
    number = int.from_bytes(data[:16], "big")
    number &= ~(0xF << 76) & ~(0x3 << 62)
    return uuid.UUID(int=number | 8 << 76 | 2 << 62)
