"""From what the crawler saw to the records that keep it: pure, no input or output.

A visit and its reading become at most three objects: the body, the document, the capture. Certificates are blobs of
their own, since thousands of captures share them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from crawler import Hop as SeenHop
from crawler import Navigation, NotRendered, Reading, Rendered, RenderSettings, Visit
from snapshots import (
    Block,
    Block2,
    Capture,
    Charset,
    Dated,
    Document,
    Document2,
    Extractor,
    Hop,
    Language,
    Link,
    Method,
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


@dataclass(frozen=True)
class Shown:
    """What a browser made of a visit: `rendered` is None if it could not, or was not needed. `why` it was asked."""

    rendered: Rendered | None = None
    settings: RenderSettings | None = None
    why: str | None = None
    warnings: tuple[str, ...] = ()
    failure: NotRendered | None = None
    """Why the page was not shown, where that was what was asked for."""


NOT_SHOWN = Shown()
FAILURES: Mapping[str, Literal["timeout", "refused"]] = {"render_timeout": "timeout", "render_refused": "refused"}


def observe(
    visit: Visit,
    reading: Reading | None,
    *,
    crawl: str | None = None,
    shown: Shown = NOT_SHOWN,
    imported: bool = False,
) -> Observation:
    """The records of one visit. `reading` is None when there was nothing to read."""
    blobs: list[bytes] = []
    hops = tuple(_hop(hop, blobs) for hop in visit.hops)
    body = digest(visit.body) if visit.body is not None else None
    if visit.body is not None:
        blobs.append(visit.body)
    rendered = shown.rendered
    source = body
    if rendered is not None:
        source = digest(rendered.document)
        blobs += [blob for blob in (rendered.document, rendered.screenshot, rendered.pdf) if blob is not None]
        hops += tuple(_navigation(one, visit) for one in rendered.navigations)
    document = _document(reading, source, visit.final) if reading and source else None
    warnings = [*visit.warnings, *shown.warnings, *(rendered.actions + rendered.warnings if rendered else ())]
    failure = shown.failure
    if reading:
        warnings += _warnings(reading)
    state = reading.page_state if reading else "unknown"
    capture = Capture(
        asked=visit.asked,
        final=rendered.navigations[-1].url if rendered and rendered.navigations else visit.final,
        hops=hops,
        body=body,
        body_length=len(visit.body or b""),
        wire_length=visit.wire_length,
        wire_digest=f"sha256:{visit.wire_sha256}" if visit.wire_sha256 else None,
        rendered=digest(rendered.document) if rendered else None,
        screenshot=digest(rendered.screenshot) if rendered and rendered.screenshot else None,
        pdf=digest(rendered.pdf) if rendered and rendered.pdf else None,
        method="import" if imported else "browser" if rendered else "http",
        settings=dict(visit.settings) | _render_settings(shown),
        locale=shown.settings.locale if rendered and shown.settings else _sent(visit, "accept-language"),
        time_zone=shown.settings.time_zone if rendered and shown.settings else None,
        user_agent=(shown.settings.user_agent if rendered and shown.settings else None) or visit.user_agent or None,
        clock_offset_ms=visit.clock_offset_ms,
        outcome=FAILURES.get(failure.reason, "error") if failure else visit.outcome,
        reason=failure.reason if failure else visit.reason,
        detail=str(failure) if failure else visit.detail,
        page_state=state if visit.outcome == "ok" and failure is None else "unknown",
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


def _render_settings(shown: Shown) -> dict[str, str | int | bool | None]:
    """What shaped a rendering, as a record holds it."""
    if shown.rendered is None or shown.settings is None:
        return {}
    used = shown.settings
    return {
        "render_why": shown.why,
        "render_deadline": f"{used.deadline:g}",
        "browser": shown.rendered.browser,
        "viewport": f"{used.width}x{used.height}",
        "rendered_cut": shown.rendered.cut,
    }


def _navigation(seen: Navigation, visit: Visit) -> Hop:
    """A document that the page itself went to, in the browser."""
    return Hop(
        url=seen.url,
        method="GET",
        request_headers=(),
        status=seen.status,
        response_headers=seen.headers,
        protocol=None,
        remote=None,
        tls=None,
        started_at=stamp(visit.retrieved_at),
        ended_at=stamp(visit.retrieved_at),
        error=None,
    )


@dataclass(frozen=True)
class Given:
    """Bytes that a person handed over, and what they say about them."""

    body: bytes
    url: str
    received_at: datetime
    claimed_at: datetime | None = None
    title: str | None = None
    settings: Mapping[str, str | int | bool | None] = field(default_factory=dict)
    method: Method = "upload"
    warnings: tuple[str, ...] = ()


def observe_upload(given: Given, reading: Reading) -> Observation:
    """The records of bytes that a person handed over. The claimed time is taken, and marked as a claim."""
    body = digest(given.body)
    if given.title and not reading.title:
        reading = replace(reading, title=given.title)
    document = _document(reading, body, given.url)
    warnings = [*given.warnings, *_warnings(reading)]
    if given.claimed_at:
        warnings.append("retrieved_at_claimed: the time is the uploader's word")
    capture = Capture(
        asked=given.url,
        final=given.url,
        body=body,
        body_length=len(given.body),
        method=given.method,
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
    """None when nothing could be read: the capture's warnings then say why.

    The second version is for texts with pages or captions, so that all others keep the ids that they have.
    """
    if not reading.text and not reading.visible:
        return None
    fields: dict[str, Any] = {
        "source": source,
        "media_type": reading.media_type or "application/octet-stream",
        "base": reading.base or url,
        "text": reading.text,
        "visible": reading.visible,
        "title": reading.title,
        "author": reading.author,
        "published": _dated(reading.published),
        "modified": _dated(reading.modified),
        "language": Language(tag=reading.language.tag, how=reading.language.how) if reading.language else None,
        "canonical": reading.canonical,
        "links": tuple(Link(url=link.url, text=link.text) for link in reading.links),
        "links_total": reading.links_total,
        "flags": reading.flags,
        "extractors": tuple(Extractor(name=name, version=version) for name, version in reading.extractors),
    }
    blocks: list[dict[str, Any]] = [
        {"type": one.type, "start": one.start, "end": one.end, "level": one.level if one.type == "heading" else None}
        for one in reading.blocks
    ]
    if not any(one.page is not None or one.type == "caption" for one in reading.blocks):
        return Document(**fields, blocks=tuple(Block(**block) for block in blocks))
    pages = [one.page for one in reading.blocks]
    return Document2(**fields, blocks=tuple(Block2(**one, page=page) for one, page in zip(blocks, pages, strict=True)))


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
