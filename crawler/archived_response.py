"""One response in a WARC file of others: as a visit, with its body decoded and what could be checked checked."""

import base64
import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from crawler.addresses import parse_address
from crawler.decode import Decoder, content_codings
from crawler.errors import BadAddress, CutShort, TooLarge
from crawler.kinds import content_type
from crawler.visit import Header, Hop, Visit
from crawler.warc import WarcRecord

HEAD_ROOM: Final = 256 * 1024
"""Bytes of status line and headers that a response may have beside its body."""
MAX_HEADERS: Final = 1000
"""Header lines that are kept; servers send some twenty."""

_STATUS: Final = re.compile(rb"HTTP/(\d(?:\.\d)?) +(\d{3})(?: .*)?", re.DOTALL)
_HEX: Final = re.compile(r"[0-9a-fA-F]+")
_CHUNK: Final = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_SIZES: Final = {"sha1": 20, "sha256": 32, "sha512": 64, "md5": 16}


@dataclass(frozen=True)
class Archived:
    """One response of an archive as a visit. `about` says where in which file it stood and what was checked."""

    visit: Visit
    about: dict[str, str | int | bool | None]


@dataclass(frozen=True)
class Turned:
    """A response that is not taken, and why: a machine code and a sentence."""

    url: str | None
    record: str | None
    offset: int
    reason: str
    detail: str


def target_of(record: WarcRecord) -> str:
    """The address that a record is about, as it stands there."""
    return (record.field("WARC-Target-URI") or "").strip("<> ")


def response_in(record: WarcRecord, file: str, max_body: int) -> Archived | Turned | None:
    """What becomes of a record; None for one that is no answer of a web server.

    `file` is what the WARC file is called. Bodies of more than `max_body` bytes are turned away.
    """
    if not target_of(record).lower().startswith(("http:", "https:")) or record.kind not in {"response", "resource"}:
        return None
    identity = (record.field("WARC-Record-ID") or "").strip("<> ") or None
    try:
        return _taken(record, file, identity, max_body)
    except _Away as away:
        return Turned(target_of(record), identity, record.offset, away.reason, away.detail)


class _Away(Exception):
    """This record is not taken."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(detail)


def _taken(record: WarcRecord, file: str, identity: str | None, max_body: int) -> Archived:
    if record.block is None:
        raise _Away("too_large", f"the record has {record.length} bytes, more than is taken")
    at = _moment(record.field("WARC-Date"))
    if at is None:
        raise _Away("no_date", "the record does not say when it was made")
    try:
        address = parse_address(target_of(record)).href
    except BadAddress as error:
        raise _Away("bad_address", str(error)) from None
    response = record.kind == "response"
    line, headers, stored = split_message(record.block) if response else (b"", _resource(record), record.block)
    status = _STATUS.fullmatch(line)
    if response and status is None:
        raise _Away("no_http", "the record holds no answer in HTTP")
    payload, remarks = _dechunked(headers, stored)
    digests = _digests(record, record.block, [stored, payload])
    body = _Body(headers, payload, max_body, record.field("WARC-Truncated"))
    declared = _length(headers)
    if declared is not None and declared not in {len(stored), len(payload)}:
        remarks.append(f"content_length: the headers say {declared} bytes, and {len(stored)} are in the file")
    media_type, charset = content_type(_last(headers, "content-type"))
    hop = Hop(
        url=address,
        method="GET",
        request_headers=(),
        status=int(status[2]) if status else None,
        response_headers=headers,
        protocol=f"http/{status[1].decode()}" if status else None,
        remote=record.field("WARC-IP-Address"),
        tls=None,
        started_at=at,
        ended_at=at,
    )
    visit = Visit(
        asked=address,
        final=address,
        hops=(hop,) if response else (),
        body=body.decoded,
        wire_length=len(payload),
        wire_sha256=hashlib.sha256(payload).hexdigest(),
        media_type=media_type,
        charset_header=charset,
        outcome="ok" if body.reason is None else "incomplete",
        reason=body.reason,
        detail=body.detail,
        warnings=(*remarks, *body.warnings),
        robots=None,
        user_agent="",
        settings={},
        started_at=at,
        retrieved_at=at,
    )
    about: dict[str, str | int | bool | None] = {
        "archive": file,
        "offset": record.offset,
        "record": identity,
        "kind": record.kind,
    }
    return Archived(visit, about | {"target": target_of(record), **digests})


class _Body:
    """A payload with its content codings undone. Raises _Away if that is too much."""

    def __init__(self, headers: tuple[Header, ...], payload: bytes, limit: int, truncated: str | None) -> None:
        decoder = Decoder(content_codings(headers), limit)
        self.reason: str | None = None
        self.detail: str | None = None
        try:
            decoder.feed(payload)
            decoder.finish()
        except TooLarge as error:
            raise _Away("too_large", str(error)) from None
        except CutShort as error:
            self.reason, self.detail = error.reason, str(error)
        if truncated is not None:
            self.reason, self.detail = "truncated", f"whoever made the file cut the body short ({truncated[:80]})"
        self.decoded = decoder.body
        self.warnings = decoder.warnings


def _digests(record: WarcRecord, block: bytes, payloads: list[bytes]) -> dict[str, str]:
    """What became of each digest. Writers differ in whether the chunks belong to the payload: either will do."""
    found = {
        "block_digest": _checked(record.field("WARC-Block-Digest"), [block]),
        "payload_digest": _checked(record.field("WARC-Payload-Digest"), payloads),
    }
    for name, result in found.items():
        if result == "differs":
            raise _Away(name, f"the {name.replace('_', ' ')} is not that of the bytes in the file")
    return found


def split_message(block: bytes) -> tuple[bytes, tuple[Header, ...], bytes]:
    """First line, headers and body of an HTTP message. Nothing is required of them."""
    head, separator, body = block.partition(b"\r\n\r\n")
    if not separator or len(head) > HEAD_ROOM:
        head, separator, body = block.partition(b"\n\n")
    first, *lines = head[:HEAD_ROOM].split(b"\n")
    headers: list[Header] = []
    for line in lines[:MAX_HEADERS]:
        text = line.rstrip(b"\r").decode("latin-1")
        name, colon, value = text.partition(":")
        if text[:1] in {" ", "\t"} and headers:
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {text.strip()}")
        elif colon and name.strip():
            headers.append((name.strip(), value.strip(" \t")))
    return first.rstrip(b"\r"), tuple(headers), body


def _resource(record: WarcRecord) -> tuple[Header, ...]:
    kind = record.field("Content-Type")
    return (("Content-Type", kind),) if kind else ()


def _last(headers: tuple[Header, ...], name: str) -> str | None:
    values = [value for key, value in headers if key.lower() == name]
    return values[-1] if values else None


def _length(headers: tuple[Header, ...]) -> int | None:
    value = (_last(headers, "content-length") or "").strip()
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 19 else None  # noqa: PLR2004 - digits of a length


def _dechunked(headers: tuple[Header, ...], stored: bytes) -> tuple[bytes, list[str]]:
    """The body without chunks. Many writers undo them and leave the header: then the bytes are taken as they are."""
    if "chunked" not in (_last(headers, "transfer-encoding") or "").lower():
        return stored, []
    pieces: list[bytes] = []
    at = 0
    while (found := _CHUNK.match(stored, at)) is not None:
        size = int(found[1], 16)
        if size == 0:
            return b"".join(pieces), []
        piece = stored[found.end() : found.end() + size]
        end = found.end() + size
        rest = stored[end : end + 2]
        if len(piece) < size or not rest.startswith((b"\r\n", b"\n")):
            break
        pieces.append(piece)
        at = end + (2 if rest == b"\r\n" else 1)
    return stored, ["transfer_encoding: labelled chunked, but the bytes in the file are not; taken as they are"]


def _checked(digest: str | None, candidates: list[bytes]) -> str:
    """`held`, `differs`, `absent`, or `unknown` for an algorithm or form that is not known here."""
    if digest is None:
        return "absent"
    name, _, value = digest.strip().partition(":")
    name = name.lower().replace("-", "")
    size = _SIZES.get(name)
    if size is None:
        return "unknown"
    wanted = _digits(value.strip(), size)
    if wanted is None:
        return "unknown"
    found = (hashlib.new(name, data, usedforsecurity=False).digest() for data in candidates)
    return "held" if wanted in found else "differs"


def _digits(value: str, size: int) -> bytes | None:
    """A digest in hexadecimal or in base 32."""
    if len(value) == 2 * size and _HEX.fullmatch(value):
        return bytes.fromhex(value)
    try:
        found = base64.b32decode(value.upper() + "=" * (-len(value) % 8))
    except ValueError:
        return None
    return found if len(found) == size else None


def _moment(text: str | None) -> datetime | None:
    """A WARC-Date: RFC 3339 in UTC; older files leave out seconds or write fourteen digits."""
    if text is None:
        return None
    try:
        if len(text) == 14 and text.isdecimal():  # noqa: PLR2004 - as in names of Memento and CDX
            return datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        at = datetime.fromisoformat(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
