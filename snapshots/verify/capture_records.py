"""The records that a capture gives in a bundle's web archive, worked out from the capture alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import UUID

WARC_FIELDS = "application/warc-fields"

_RENAMED = frozenset(
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
_CUT_OFF = frozenset({"incomplete", "too_large", "timeout"})
_ADDRESS_BYTES = "!#$%&'()*+,/:;=?@[]_.~-"
_BREAKS = {0: " ", 10: " ", 13: " "}
_PROTOCOLS = {"http/2": "h2", "http/2.0": "h2", "http/3": "h3", "http/3.0": "h3"}


@dataclass(frozen=True)
class Expected:
    """One record as it has to be: `head` is the HTTP head, `blob` the payload if that is a blob, else `block` is."""

    type: str
    date: str
    target: str | None
    content_type: str
    named: tuple[tuple[str, str], ...]
    head: bytes = b""
    blob: str | None = None
    block: bytes = b""
    status: int | None = None
    mime: str | None = None
    id: str = ""

    @property
    def payload(self) -> str:
        """The id of its payload."""
        return self.blob or f"sha256:{sha256(self.block).hexdigest()}"

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Its fields, sorted, but for length and hash of the block."""
        target = [("WARC-Target-URI", self.target)] if self.target is not None else []
        return sorted(
            [
                ("WARC-Type", self.type),
                ("WARC-Record-ID", self.id),
                ("WARC-Date", self.date),
                *target,
                *((name, one_line(value).strip(" \t")) for name, value in self.named),
                ("WARC-Payload-Digest", self.payload),
                ("Content-Type", one_line(self.content_type).strip(" \t")),
            ]
        )


def first_expected(origin: str, created: str, software: str) -> Expected:
    """The record that tells of the archive itself."""
    told = {"software": software, "format": "WARC File Format 1.1", "isPartOf": origin}
    named = (("WARC-Filename", "data.warc.gz"),)
    return Expected(
        "warcinfo", created, None, WARC_FIELDS, named, block=_field_lines(told), id=record_id(f"warcinfo\n{origin}")
    )


def expected_records(capture_id: str, capture: dict[str, Any], there: Callable[[str], bool]) -> list[Expected]:
    """The records of a capture, in order; `there` says whether the bundle has a blob."""
    made = []
    for ordinal, each in enumerate(_records(capture, there)):
        named = (*each.named, ("Citator-Capture", capture_id))
        if each.type == "request":
            named = (("WARC-Concurrent-To", record_id(f"{capture_id}\n{ordinal - 1}")), *named)
        made.append(replace(each, id=record_id(f"{capture_id}\n{ordinal}"), named=named))
    return made


def _records(capture: dict[str, Any], there: Callable[[str], bool]) -> Iterator[Expected]:
    date, final = whole_seconds(capture["retrieved_at"]), ascii_address(capture["final"])
    hops, body, rendered = capture["hops"], capture["body"], capture["rendered"]
    seen = False
    for place, hop in enumerate(hops):
        if hop["status"] is not None:
            seen = True
            yield from _exchange(capture, hop, there, last=place == len(hops) - 1)
    if not hops and body is not None and there(body):
        seen = True
        kind = _media_type(capture)
        yield Expected("resource", date, final, kind, (), blob=body, mime=kind)
    if rendered is not None and there(rendered):
        seen = True
        kind = "text/html;charset=utf-8"
        yield Expected("resource", date, f"urn:dom:{final}", kind, (), blob=rendered, mime=kind)
    if not seen:
        told = {"outcome": capture["outcome"]} | ({"reason": capture["reason"]} if capture["reason"] else {})
        yield Expected("metadata", date, final, WARC_FIELDS, (), block=_field_lines(told))


def _exchange(
    capture: dict[str, Any], hop: dict[str, Any], there: Callable[[str], bool], *, last: bool
) -> Iterator[Expected]:
    blob = capture["body"] if last and capture["body"] is not None and there(capture["body"]) else None
    target = ascii_address(capture["final"] if last else hop["url"])
    date = whole_seconds(capture["retrieved_at"] if last else hop["ended_at"])
    connection = tuple(_connection(hop))
    cut = (blob is None and _had_body(hop["response_headers"])) or (last and capture["outcome"] in _CUT_OFF)
    headers = [
        (f"X-Archive-Orig-{name}" if name.lower() in _RENAMED else name, value)
        for name, value in hop["response_headers"]
    ]
    yield Expected(
        "response",
        date,
        target,
        "application/http;msgtype=response",
        (*connection, ("WARC-Truncated", "unspecified")) if cut else connection,
        head=_message_head(f"HTTP/1.1 {hop['status']} {_phrase(hop['status'])}", headers),
        blob=blob,
        status=hop["status"],
        mime=next((value for name, value in headers if name.lower() == "content-type"), None),
    )
    first = f"{one_line(hop['method'])} {_path(hop['url'])} HTTP/1.1"
    yield Expected(
        "request",
        date,
        target,
        "application/http;msgtype=request",
        connection,
        head=_message_head(first, hop["request_headers"]) + b"\r\n",
    )


def ascii_address(url: str) -> str:
    """An address in printable ASCII, everything else percent-encoded."""
    return quote(url.encode("utf-8", "surrogatepass"), safe=_ADDRESS_BYTES)


def whole_seconds(time: str) -> str:
    """A record's time without what is finer than a second."""
    return f"{time[:19]}Z"


def one_line(text: str) -> str:
    """What stands in a header, without line ends."""
    return text.translate(_BREAKS)


def record_id(text: str) -> str:
    """The name of a record: a UUID of version 8 out of the hash of `text`."""
    number = int.from_bytes(sha256(text.encode()).digest()[:16], "big")
    number = number & ~(0xF << 76) & ~(0x3 << 62) | 8 << 76 | 2 << 62
    return f"<urn:uuid:{UUID(int=number)}>"


def _media_type(capture: dict[str, Any]) -> str:
    kind: str = capture["media_type"] or "application/octet-stream"
    charset = capture["charset"]
    return f"{kind}; charset={charset['name']}" if charset and kind.startswith("text/") else kind


def _had_body(headers: Sequence[Sequence[str]]) -> bool:
    told = {name.lower(): value.strip() for name, value in headers}
    return "transfer-encoding" in told or told.get("content-length", "0") != "0"


def _message_head(first: str, headers: Sequence[Sequence[str]]) -> bytes:
    """A head without the empty line; a response's true Content-Length comes after it."""
    lines = [first, *(f"{one_line(name)}: {one_line(value)}" for name, value in headers if not name.startswith(":"))]
    return ("\r\n".join(lines) + "\r\n").encode("latin-1", "replace")


def _connection(hop: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if hop["remote"]:
        yield "WARC-IP-Address", hop["remote"].rpartition(":")[0].strip("[]")
    name = (hop["protocol"] or "").lower()
    if name:
        yield "WARC-Protocol", _PROTOCOLS.get(name, name)
    tls = hop["tls"]
    if tls and tls["protocol"]:
        yield "WARC-Protocol", "tls/" + tls["protocol"].lower().removeprefix("tlsv")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _path(url: str) -> str:
    parts = urlsplit(ascii_address(url))
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _field_lines(told: dict[str, str]) -> bytes:
    return "".join(f"{name}: {one_line(value)}\r\n" for name, value in told.items()).encode()
