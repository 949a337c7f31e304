"""From what the crawler saw to the records that keep it: pure, no input or output.

A visit and its reading become at most three objects: the body, the document, the capture. Certificates are blobs of
their own, since thousands of captures share them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from crawler import Hop as SeenHop
from crawler import Reading, Visit
from snapshots import (
    Block,
    Capture,
    Charset,
    Dated,
    Document,
    Extractor,
    Hop,
    Language,
    Link,
    Record,
    Robots,
    Tls,
    digest,
    stamp,
)

# A reading that broke off still leaves a document, marked as such, when it gave any text at all.
READ = frozenset({"ok"})


@dataclass(frozen=True)
class Observation:
    """What one look at an address leaves: the records, and the blobs they name."""

    capture: Capture
    document: Document | None
    blobs: tuple[bytes, ...]
    reading: Reading | None = field(default=None, repr=False)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records to keep, the document before the capture that names it."""
        return (self.document, self.capture) if self.document else (self.capture,)


def observe(visit: Visit, reading: Reading | None, *, crawl: str | None = None) -> Observation:
    """The records of one visit. `reading` is None when there was nothing to read."""
    blobs: list[bytes] = []
    hops = tuple(_hop(hop, blobs) for hop in visit.hops)
    body = digest(visit.body) if visit.body is not None else None
    if visit.body is not None:
        blobs.append(visit.body)
    document = _document(reading, body, visit.final) if reading and body else None
    warnings = list(visit.warnings)
    if reading:
        warnings += _warnings(reading)
    state = reading.page_state if reading else "unknown"
    capture = Capture(
        asked=visit.asked,
        final=visit.final,
        hops=hops,
        body=body,
        body_length=len(visit.body or b""),
        wire_length=visit.wire_length,
        wire_digest=f"sha256:{visit.wire_sha256}" if visit.wire_sha256 else None,
        method="http",
        settings=dict(visit.settings),
        locale=_sent(visit, "accept-language"),
        user_agent=visit.user_agent,
        clock_offset_ms=visit.clock_offset_ms,
        outcome=visit.outcome,
        reason=visit.reason,
        detail=visit.detail,
        page_state=state if visit.outcome == "ok" else "unknown",
        page_state_evidence=reading.page_state_evidence if reading else (),
        warnings=tuple(warnings),
        media_type=reading.media_type if reading else visit.media_type,
        charset=Charset(name=reading.charset.name, source=reading.charset.source)
        if reading and reading.charset
        else None,
        robots=Robots(decision=visit.robots.decision, source=visit.robots.source, overridden=visit.robots.overridden)
        if visit.robots
        else None,
        started_at=stamp(visit.started_at),
        retrieved_at=stamp(visit.retrieved_at),
        document=document.id if document else None,
        crawl=crawl,
    )
    return Observation(capture, document, tuple(blobs), reading)


@dataclass(frozen=True)
class Given:
    """Bytes that a person handed over, and what they say about them."""

    body: bytes
    url: str
    received_at: datetime
    claimed_at: datetime | None = None
    title: str | None = None
    settings: Mapping[str, str | int | bool | None] = field(default_factory=dict)


def observe_upload(given: Given, reading: Reading) -> Observation:
    """The records of bytes that a person handed over. The claimed time is taken, and marked as a claim."""
    body = digest(given.body)
    if given.title and not reading.title:
        reading = replace(reading, title=given.title)
    document = _document(reading, body, given.url)
    warnings = _warnings(reading)
    if given.claimed_at:
        warnings.append("retrieved_at_claimed: the time is the uploader's word")
    capture = Capture(
        asked=given.url,
        final=given.url,
        body=body,
        body_length=len(given.body),
        method="upload",
        settings=dict(given.settings),
        outcome="ok",
        page_state=reading.page_state,
        page_state_evidence=reading.page_state_evidence,
        warnings=tuple(warnings),
        media_type=reading.media_type,
        charset=Charset(name=reading.charset.name, source=reading.charset.source) if reading.charset else None,
        started_at=stamp(given.received_at),
        retrieved_at=stamp(given.claimed_at or given.received_at),
        document=document.id if document else None,
    )
    return Observation(capture, document, (given.body,), reading)


def _hop(hop: SeenHop, blobs: list[bytes]) -> Hop:
    tls = None
    if hop.tls is not None:
        blobs.extend(hop.tls.chain)
        tls = Tls(
            protocol=hop.tls.protocol,
            cipher=hop.tls.cipher,
            chain=tuple(digest(certificate) for certificate in hop.tls.chain),
            verified=hop.tls.verified,
            error=hop.tls.error,
        )
    return Hop(
        url=hop.url,
        method=hop.method,
        request_headers=hop.request_headers,
        status=hop.status,
        response_headers=hop.response_headers,
        protocol=hop.protocol,
        remote=hop.remote,
        tls=tls,
        started_at=stamp(hop.started_at),
        ended_at=stamp(hop.ended_at),
        error=hop.error,
    )


def _document(reading: Reading, source: str, url: str) -> Document | None:
    """None when nothing could be read: the capture's warnings then say why."""
    if not reading.text and not reading.visible:
        return None
    return Document(
        source=source,
        media_type=reading.media_type or "application/octet-stream",
        base=reading.base or url,
        text=reading.text,
        visible=reading.visible,
        title=reading.title,
        author=reading.author,
        published=_dated(reading.published),
        modified=_dated(reading.modified),
        language=Language(tag=reading.language.tag, how=reading.language.how) if reading.language else None,
        canonical=reading.canonical,
        blocks=tuple(
            Block(
                type=block.type,
                start=block.start,
                end=block.end,
                level=block.level if block.type == "heading" else None,
            )
            for block in reading.blocks
        ),
        links=tuple(Link(url=link.url, text=link.text) for link in reading.links),
        links_total=reading.links_total,
        flags=reading.flags,
        extractors=tuple(Extractor(name=name, version=version) for name, version in reading.extractors),
    )


def _dated(found: object) -> Dated | None:
    if found is None:
        return None
    return Dated(value=found.value, how=found.how, firm=found.firm)  # type: ignore[attr-defined]  # crawler's Dated


def _warnings(reading: Reading) -> list[str]:
    if reading.outcome in READ:
        return [f"reading: {reading.detail}"] if reading.detail else []
    return [f"reading_{reading.outcome}: {reading.detail or reading.outcome}"]


def _sent(visit: Visit, name: str) -> str | None:
    """What we sent in the header `name` with the first request."""
    for header, value in visit.hops[0].request_headers if visit.hops else ():
        if header.lower() == name:
            return value
    return None
