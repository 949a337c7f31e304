"""The way from an asked address along its redirects to the answer, each hop written down."""

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from urllib.parse import quote_from_bytes

from crawler.addresses import MAX_ADDRESS, Address, parse_address
from crawler.clock import Clock
from crawler.connections import Connections
from crawler.cookies import Cookie, Jar
from crawler.errors import BadAddress, BadRedirect, BrokenExchange, CrawlError, TlsFailed
from crawler.exchange import Connection, Head
from crawler.kinds import content_type
from crawler.meta_refresh import refresh_target
from crawler.receive import Intake, skim
from crawler.visit import FetchSettings, Header, Hop, Like, Tls

OK: Final = 200
HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
NOT_RECORDED: Final = "(set by the operator, not recorded)"
BAD_CERTIFICATE: Final = "bad_certificate"
RENEWED: Final = "connection_renewed: a kept connection was closed, so the request was sent once more over a fresh one"
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
MAX_HOPS: Final = 20
"""Redirects followed, as browsers do (WHATWG Fetch)."""
MAX_ALIKE: Final = 2
"""Times that one address is asked with the same cookies: some sites remember who has been there, not by a cookie."""
ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_ENCODING: Final = "gzip, deflate, br, zstd"
URL_BYTES: Final = "".join(map(chr, range(0x21, 0x7F)))

Gate = Callable[[Address], Awaitable[None]]
"""Waited for before each request; raises a `CrawlError` to forbid it."""


@dataclass(slots=True)
class _OpenHop:
    """A hop under way."""

    url: str
    started_at: datetime
    request_headers: tuple[Header, ...] = ()
    head: Head | None = None
    remote: str | None = None
    tls: Tls | None = None

    def closed(self, now: datetime, error: str | None) -> Hop:
        head = self.head
        return Hop(
            url=self.url,
            method="GET",
            request_headers=self.request_headers,
            status=head.status if head else None,
            response_headers=head.headers if head else (),
            protocol=head.protocol if head else None,
            remote=self.remote,
            tls=self.tls,
            started_at=self.started_at,
            ended_at=now,
            error=error,
        )


@dataclass
class Trip:
    """One walk. After `run`, or after it failed, `hops`, `intake`, `address` and `warnings` tell what came of it."""

    connections: Connections
    clock: Clock
    settings: FetchSettings
    address: Address
    gate: Gate
    max_hops: int = MAX_HOPS
    follow: bool = True
    pages: bool = True
    """Whether what comes is a page, which may send its reader on by itself."""
    like: Like | None = None
    hops: list[Hop] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    intake: Intake | None = None
    head: Head | None = None
    via: str | None = None
    """Says that a proxy was used, and who looked names up."""
    asked: Address = field(init=False)
    _jar: Jar = field(default_factory=Jar)
    _seen: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    _open: _OpenHop | None = None

    def __post_init__(self) -> None:
        self.asked = self.address

    @property
    def cookies(self) -> tuple[Cookie, ...]:
        """What was set on the way."""
        return self._jar.cookies

    async def run(self) -> None:
        """Walk to the end and take in the body there.

        Raises:
            CrawlError: why it ended early.
        """
        while (location := await self._hop()) is not None:
            self.address = self._next(location)
            self.intake = None

    def close(self, error: str | None) -> None:
        """Write down the hop under way, if there is one, with the machine code of why it ended."""
        if self._open is not None:
            self.hops.append(self._open.closed(self.clock.now(), error))
            self._open = None

    async def _hop(self) -> str | None:
        """Make one request; gives where it redirects to, or None if its body was taken in."""
        self._open = _OpenHop(self.address.href, self.clock.now())
        try:
            self._refuse_circles()
            await self.gate(self.address)
            connection, head = await self._ask()
            try:
                location = await self._read(connection, head)
            except BaseException:
                await connection.close()
                raise
            await self.connections.give_back(self.address, connection)
        except TlsFailed as error:
            self._open.tls, self._open.remote = error.tls, error.remote
            self.close(error.reason)
            raise
        except CrawlError as error:
            self.close(error.reason)
            raise
        self.close(None)
        return location

    def _refuse_circles(self) -> None:
        """Tell a loop from a change of state: the same address may answer otherwise, with other cookies above all."""
        key = (self.address.href, self._jar.header(self.address))
        if self._seen[key] == MAX_ALIKE:
            raise BadRedirect("redirect_loop", f"{self.address.origin} redirects in a circle")
        if len(self.hops) > self.max_hops:
            raise BadRedirect("too_many_redirects", f"more than {self.max_hops} redirects")
        self._seen[key] += 1

    async def _ask(self) -> tuple[Connection, Head]:
        """Send the request; once more over a fresh connection, if a kept one turns out to be dead."""
        assert self._open is not None, "a hop is under way"
        connection = await self.connections.take(self.address)
        while True:
            kept = connection.used > 0
            tls = connection.stream.tls
            own = {} if tls and not tls.verified else self.settings.headers_for(self.address)
            headers = self._headers(own)
            self._open.request_headers = _told(connection.request_headers(self.address, headers), own)
            self._open.remote, self._open.tls = connection.stream.remote, tls
            self.via = connection.stream.via or self.via
            self._warn_of(tls)
            try:
                head = await connection.ask(self.address, headers, self.settings.read_timeout)
            except BrokenExchange as error:
                await connection.close()
                if not kept or error.reason == "bad_response":  # then the server has answered
                    raise
                self.warnings.append(RENEWED)
                connection = await self.connections.take(self.address, fresh=True)
            except BaseException:
                await connection.close()
                raise
            else:
                self._open.head = head
                return connection, head

    async def _read(self, connection: Connection, head: Head) -> str | None:
        """Read what follows the head: a redirect's body is skimmed, any other is taken in."""
        left_out = self._jar.take(self.address, _values(head, "set-cookie"), self.clock.now())
        if left_out:
            self.warnings.append(f"cookies_left_out: {self.address.host} sets {left_out} that are too many or too long")
        if head.left_out:
            self.warnings.append(f"header_lines_left_out: {head.left_out}, which are no headers")
        locations = _values(head, "location")
        pieces: AsyncGenerator[bytes] = connection.body(self.settings.read_timeout)
        if head.status in REDIRECTS and locations:
            if len(set(locations)) > 1:
                raise BadRedirect("bad_redirect", "the answer redirects to several addresses at once")
            if not self.follow:
                raise BadRedirect("redirect_refused", "this address may not redirect")
            if not await skim(pieces):
                await connection.close()
            return _as_text(locations[0])
        self.head = head
        limits = self.settings
        self.intake = Intake(head.headers, max_wire=limits.max_wire, max_body=limits.max_body)
        await self.intake.take(pieces)
        return self._sent_on(head, self.intake.body) if self.follow and self.pages else None

    def _sent_on(self, head: Head, body: bytes) -> str | None:
        """Where a page, rather than a status, sends its reader at once."""
        media_type, charset = content_type((_values(head, "content-type") or [""])[-1])
        if head.status != OK or media_type not in HTML:
            return None
        header = next((_as_text(value) for value in _values(head, "refresh")), None)
        target = refresh_target(body, header, self.address.href, charset)
        if target is None or (self._is_here(target) and not _values(head, "set-cookie")):
            return None  # a page that renews itself is a page
        self.warnings.append("refresh_followed: the page itself sends its reader on at once")
        return target or self.address.href

    def _is_here(self, target: str) -> bool:
        """Whether a page's redirect leads to itself, or to nothing that may be asked."""
        try:
            return parse_address(target or self.address.href, self.address.href).href == self.address.href
        except BadAddress:
            return True

    def begin_again(self) -> None:
        """Make ready for another attempt from the start; what was seen until now stays told."""
        self.address, self.intake, self.head = self.asked, None, None
        self._seen.clear()

    def _next(self, location: str) -> Address:
        """Read where a redirect leads.

        Raises:
            BadAddress: it leads to nothing that may be asked; this too is written down as a hop.
        """
        try:
            try:
                return parse_address(location, self.address.href)
            except BadAddress as error:
                if error.reason != "credentials":
                    raise
            self.warnings.append("credentials_dropped: a redirect carried a name or password")
            return parse_address(location, self.address.href, drop_credentials=True)
        except BadAddress as error:
            self._open = _OpenHop(location[:MAX_ADDRESS].encode("utf-8", "replace").decode(), self.clock.now())
            self.close(error.reason)
            raise

    def _warn_of(self, tls: Tls | None) -> None:
        """Say that an answer came from somebody who could not show that he is the one who was asked."""
        if tls is None or tls.verified:
            return
        warning = f"{BAD_CERTIFICATE}: {self.address.host}: {tls.error}; taken all the same, because that was asked for"
        if warning not in self.warnings:
            self.warnings.append(warning)

    def _headers(self, own: dict[str, str]) -> Sequence[Header]:
        """What is sent; OWN are the operator's headers, which go to nobody whose certificate does not hold."""
        own = dict(own)
        headers = [
            ("Host", self.address.authority),
            ("User-Agent", self.settings.user_agent),
            ("Accept", ACCEPT),
            ("Accept-Encoding", ACCEPT_ENCODING),
        ]
        if self.settings.accept_language:
            headers.append(("Accept-Language", self.settings.accept_language))
        if self.like is not None and self.like.url == self.address.href:
            headers.extend(self.like.conditions)
        cookies = "; ".join(filter(None, (self._jar.header(self.address), own.pop("cookie", None))))
        if cookies:
            headers.append(("Cookie", cookies))
        return [(n, v) for n, v in headers if n.lower() not in own] + [(n.title(), v) for n, v in own.items()]


def _told(headers: tuple[Header, ...], own: dict[str, str]) -> tuple[Header, ...]:
    """The headers as records hold them: without the values that the operator set for this host."""
    return tuple((name, NOT_RECORDED if name.lower() in own else value) for name, value in headers)


def _as_text(value: str) -> str:
    """What the bytes of a header's VALUE mean in an address: UTF-8, or single bytes that are to stay as they are."""
    wire = value.encode("latin-1")
    try:
        return wire.decode("utf-8")
    except UnicodeDecodeError:
        return quote_from_bytes(wire, safe=URL_BYTES)


def _values(head: Head, name: str) -> list[str]:
    return [value for key, value in head.headers if key.lower() == name]
