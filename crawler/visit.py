"""What came of asking for an address: the visit, its hops, and what was seen of the connection.

These are values for others to read; everything in them was either sent by us or received, nothing is guessed.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from crawler.addresses import Address
from crawler.cookies import Cookie
from crawler.proxies import DIRECT, Proxies

Outcome = Literal["ok", "incomplete", "timeout", "too_large", "refused", "rate_limited", "error"]
RobotsMode = Literal["follow", "record", "ignore"]
Header = tuple[str, str]
"""Name and value as they stood on the wire, decoded as latin-1 (which loses nothing)."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The encryption of one connection.

    `chain` are the certificates as the server sent them, leaf first, each as DER. `verified` says whether they hold for
    this host with the trusted authorities at that time; if not, `error` says why. Nothing was sent over it then, unless
    that was asked for.
    """

    protocol: str | None
    cipher: str | None
    chain: tuple[bytes, ...]
    verified: bool
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Hop:
    """One request and what came back, in the order of the chain that led from asked to final address.

    `status` is None if no answer came; then `error` has the machine code of why. `remote` is `ip:port` (IPv6 in
    brackets) of the very connection. `ended_at` is when the last byte that we read had come.
    """

    url: str
    method: str
    request_headers: tuple[Header, ...]
    status: int | None
    response_headers: tuple[Header, ...]
    protocol: str | None
    remote: str | None
    tls: Tls | None
    started_at: datetime
    ended_at: datetime
    error: str | None = None


@dataclass(frozen=True, slots=True)
class RobotsRuling:
    """What a site's robots.txt says about the final address (or the one that was refused).

    `decision` is `allowed` or `disallowed` by its rules, `no_rules` (there are none), `unreachable` (it could not be
    had, which forbids everything) or `not_asked`. `source` is the address of the robots.txt. `overridden`: it forbids
    the address (or was not asked), and the caller chose to fetch it all the same.
    """

    decision: Literal["allowed", "disallowed", "no_rules", "unreachable", "not_asked"]
    source: str
    overridden: bool = False


@dataclass(frozen=True, slots=True)
class Visit:
    """What came of asking for `asked`.

    `outcome` `ok` means a whole answer, whatever its status (the last hop has it); every other outcome has a machine
    code in `reason` and a sentence in `detail`. `body` is the payload after transfer and content decoding; it is None
    when nothing came or too much; with `incomplete` and `timeout` it is the part that came. `wire_length` and
    `wire_sha256` (hex) are of the body before content decoding, as far as it came. `media_type` is lower case without
    parameters, `charset_header` the charset parameter as sent. `warnings` are machine codes, optionally followed by
    `: ` and a remark. `retry_after`: seconds that the site asked us to wait.
    """

    asked: str
    final: str
    hops: tuple[Hop, ...]
    body: bytes | None
    wire_length: int | None
    wire_sha256: str | None
    media_type: str | None
    charset_header: str | None
    outcome: Outcome
    reason: str | None
    detail: str | None
    warnings: tuple[str, ...]
    robots: RobotsRuling | None
    user_agent: str
    settings: dict[str, str | int | bool | None]
    started_at: datetime
    retrieved_at: datetime
    clock_offset_ms: int | None = None
    retry_after: float | None = None
    cookies: tuple[Cookie, ...] = ()
    """What the site had set in the end: for a browser that goes on from here, never for records."""

    @property
    def status(self) -> int | None:
        """The status of the last hop, None if no answer came."""
        return self.hops[-1].status if self.hops else None


@dataclass(frozen=True, slots=True)
class Like:
    """A page that was seen before and is asked for again in the same way.

    `accept_language` is what was asked for then (None: nothing). `etag` and `last_modified` are what `url`, the address
    it was found at, said of it, as they stood in its headers; a site may then answer that nothing changed.
    """

    url: str
    accept_language: str | None = None
    etag: str | None = None
    last_modified: str | None = None

    @property
    def language(self) -> str | None:
        """What to ask for; None if what was kept cannot stand in a header."""
        said = self.accept_language
        return said if said and said.isascii() and said.isprintable() else None

    @property
    def conditions(self) -> tuple[Header, ...]:
        """The headers that make a request conditional."""
        found = (("If-None-Match", self.etag), ("If-Modified-Since", self.last_modified))
        return tuple((name, value) for name, value in found if value and value.isascii() and value.isprintable())


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How the web is asked. Sizes in bytes, times in seconds.

    `max_wire` and `max_body` bound a body before and after content decoding. `deadline` bounds a whole fetch,
    `read_timeout` one silence within it. `delay` and `concurrency` are the pace per host. `allow_addresses` (CIDR)
    opens closed ranges, `allow_origins` are endpoints that the operator named.
    """

    user_agent: str = "Citator/0.1"
    robots: RobotsMode = "follow"
    accept_language: str | None = None
    max_body: int = 20 * 1024 * 1024
    max_wire: int = 20 * 1024 * 1024
    deadline: float = 30.0
    connect_timeout: float = 10.0
    read_timeout: float = 15.0
    delay: float = 0.5
    concurrency: int = 4
    http2: bool = True
    allow_addresses: tuple[str, ...] = ()
    allow_origins: tuple[str, ...] = ()
    certificate_authorities: tuple[str, ...] = field(default=())
    """Files with further trusted authorities (PEM), beside those of the system."""
    proxies: Proxies = DIRECT
    """Which way connections go out."""
    retries: int = 0
    """Further attempts when a site is busy or broken for the moment."""
    host_headers: tuple[tuple[str, tuple[Header, ...]], ...] = field(default=(), repr=False)
    """Headers that the operator sets for hosts (`example.org`, or `*.example.org` for those below): never recorded, and
    sent over https only, or to a number."""

    def headers_for(self, address: Address) -> dict[str, str]:
        """The operator's headers for a request, names in lower case."""
        if not self.host_headers or not (address.scheme == "https" or address.ip is not None):
            return {}
        return {
            name.lower(): value
            for host, headers in self.host_headers
            if address.host == host or (host.startswith("*.") and address.host.endswith(host[1:]))
            for name, value in headers
        }
