"""`capture`: one observation of an address, from the question to what was got."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from snapshots.record import Code, Count, Flat, Id, Int, LoggedRecord, Pair, Part, Seq, Time

Method = Literal["http", "browser", "upload", "import"]
Outcome = Literal["ok", "incomplete", "timeout", "too_large", "refused", "rate_limited", "error"]
PageState = Literal["ok", "not_found", "blocked", "login", "consent", "paywall", "empty", "error", "unknown"]


class Tls(Part):
    """The encryption of one connection and what checking it gave."""

    protocol: str | None
    cipher: str | None
    chain: Seq[Id]
    """One blob (DER) per certificate, leaf first, as the server sent them."""
    verified: bool
    error: str | None


class Hop(Part):
    """One request and its response. Header bytes are decoded as Latin-1, in the order of the wire."""

    url: str
    method: str
    request_headers: Seq[Pair]
    status: Count | None
    response_headers: Seq[Pair]
    protocol: str | None
    remote: str | None
    """`ip:port` of the connection, IPv6 in brackets."""
    tls: Tls | None
    started_at: Time
    ended_at: Time
    error: str | None


class Charset(Part):
    """The character encoding the body was read in, and what said so."""

    name: str
    source: str


class Robots(Part):
    """What robots.txt said about this address, and whether it was followed."""

    decision: str
    source: str | None
    overridden: bool


class Capture(LoggedRecord):
    """One observation of an address: who was asked for what, what came back, and what it was taken for."""

    kind: Literal["capture"] = "capture"
    version: Literal[1] = 1
    asked: str
    final: str
    hops: Seq[Hop] = ()
    body: Id | None
    """The payload after transfer and content decoding."""
    body_length: Count
    wire_length: Count | None = None
    wire_digest: Id | None = None
    """The hash of the payload as it came over the wire, before content decoding; nothing is stored under it."""
    rendered: Id | None = None
    screenshot: Id | None = None
    pdf: Id | None = None
    method: Method
    settings: Flat = Field(default_factory=dict)
    locale: str | None = None
    time_zone: str | None = None
    user_agent: str | None = None
    clock_offset_ms: Int | None = None
    outcome: Outcome
    reason: Code | None = None
    detail: str | None = None
    page_state: PageState
    page_state_evidence: Seq[str] = ()
    warnings: Seq[str] = ()
    media_type: str | None = None
    charset: Charset | None = None
    robots: Robots | None = None
    started_at: Time
    retrieved_at: Time
    document: Id | None
    crawl: Id | None = None

    @property
    def unverified(self) -> str | None:
        """Why the certificate of a server that answered did not hold; None if all did, or none was needed."""
        unheld = (hop.tls.error or "not checked" for hop in self.hops if hop.tls is not None and not hop.tls.verified)
        return next(unheld, None)

    def named(self) -> Iterator[str]:
        """Blobs and document of this capture, its certificates, and the crawl it belongs to."""
        for name in (self.body, self.rendered, self.screenshot, self.pdf, self.document, self.crawl):
            if name is not None:
                yield name
        for hop in self.hops:
            if hop.tls is not None:
                yield from hop.tls.chain


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a passage says of its capture: the final address, when, and which document was seen there."""

    id: str
    final: str
    retrieved_at: str
    document: str | None
