"""Fetching: one address in, one visit out, whatever the web does."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Final, Self

from crawler.addresses import Address, parse_address
from crawler.again import PASSING, wait_before
from crawler.clock import Clock, SystemClock
from crawler.connections import Connections
from crawler.dialling import Dialler
from crawler.errors import PROXY_REASONS, CrawlError, TimedOut, TooLarge
from crawler.gate import Gate
from crawler.guard import Guard
from crawler.outcomes import asked_to_wait, visit_of
from crawler.pace import DEFAULT_HOLD, Pace, SharedPace
from crawler.resolving import Resolver, SystemResolver
from crawler.robots import MAX_ROBOTS, MAX_ROBOTS_HOPS, Robots, RobotsAnswer, Rules, product_token
from crawler.tls import TlsClient
from crawler.trip import Trip
from crawler.visit import FetchSettings, Header, Like, RobotsMode, Visit

ROBOTS_DEADLINE: Final = 10.0
"""Seconds for a robots.txt with all its redirects; a site that cannot give it in that time gives nothing."""
NOTHING_SENT: Final = frozenset({"held", "robots_disallowed", "robots_unreachable", "address_refused"}) | PROXY_REASONS
"""Reasons that say nothing of how a host is."""
CIRCLES: Final = frozenset({"too_many_redirects", "redirect_loop"})


class Fetcher:
    """Asks the web, politely and guarded. An async context manager, for many tasks of one event loop.

    `resolver` and `clock` are for tests and special networks; `shared` keeps the pace with other processes.

    Raises:
        ValueError: a network in `allow_addresses` is none, or what is to be sent cannot stand in a header.
        BadAddress: an origin in `allow_origins` is none.
        OSError: a file with certificate authorities cannot be read.
    """

    def __init__(
        self,
        settings: FetchSettings,
        *,
        resolver: Resolver | None = None,
        clock: Clock | None = None,
        shared: SharedPace | None = None,
    ) -> None:
        for value in (settings.user_agent, settings.accept_language or ""):
            if not (value.isascii() and value.isprintable()):
                raise ValueError(f"{value!r} cannot be sent: headers hold printable ASCII only")
        self.settings = settings
        self._clock = clock or SystemClock()
        self._own_resolver = SystemResolver() if resolver is None else None
        client = TlsClient(settings.certificate_authorities, http2=settings.http2)
        self._operators = Guard.of(settings.allow_addresses, settings.allow_origins)

        def connections(guard: Guard, *, lenient: bool = False) -> Connections:
            used = self._own_resolver if resolver is None else resolver
            assert used is not None, "one of the two is there"
            dialler = Dialler(guard, used, client, settings.connect_timeout, lenient=lenient, proxies=settings.proxies)
            return Connections(dialler, self._clock)

        self._resolver = self._own_resolver if resolver is None else resolver
        self._client = client
        self._guarded = connections(replace(self._operators, origins=frozenset()))
        self._exempt = connections(self._operators)
        # Of its own, so that no connection that was taken unchecked ever serves who did not ask for that.
        self._lenient = connections(replace(self._operators, origins=frozenset()), lenient=True)
        self._pace = Pace(self._clock, delay=settings.delay, concurrency=settings.concurrency, shared=shared)
        token = product_token(settings.user_agent)
        self._robots = Robots(partial(self._ask_robots, self._guarded), token, self._clock)
        self._lenient_robots = Robots(partial(self._ask_robots, self._lenient), token, self._clock)

    @property
    def dialler(self) -> Dialler:
        """Opens connections to where pages may lead: for a browser, which is to reach nothing else."""
        assert self._resolver is not None, "there is one"
        guard = replace(self._operators, origins=frozenset())
        used = self.settings
        return Dialler(guard, self._resolver, self._client, used.connect_timeout, proxies=used.proxies)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._guarded.close()
        await self._exempt.close()
        await self._lenient.close()
        if self._own_resolver is not None:
            self._own_resolver.close()

    async def fetch(
        self,
        url: str,
        *,
        robots: RobotsMode | None = None,
        deadline: float | None = None,
        patient: bool = False,
        like: Like | None = None,
        accept_bad_certificate: bool = False,
    ) -> Visit:
        """Fetch `url` and tell what came of it.

        Args:
            url: what to ask for; its fragment is dropped.
            robots: `follow` refuses what robots.txt forbids, `record` fetches it and notes the override, `ignore` does
                not ask. None: as in the settings.
            deadline: seconds for everything together. None: as in the settings.
            patient: whether waiting for the site's pace does not count against the deadline (for crawls).
            like: ask as a page was asked for before, and only for what changed since. A visit whose status is 304 then
                has no body.
            accept_bad_certificate: ask on where a certificate does not hold. The hops say so, and so does a warning.

        Raises:
            BadAddress: `url` is no address that can be asked. Nothing else: the outcome tells what the web did.
        """
        address = parse_address(url)
        mode = robots or self.settings.robots
        seconds = deadline or self.settings.deadline
        exempt = address.origin in self._operators.origins
        lenient = accept_bad_certificate and not exempt
        gate = Gate(
            self._lenient_robots if lenient else self._robots,
            self._pace,
            mode if not exempt else "ignore",
            patient=patient,
        )
        used = self.settings if like is None else replace(self.settings, accept_language=like.language)
        trip = Trip(
            self._exempt if exempt else self._lenient if lenient else self._guarded,
            self._clock,
            used,
            address,
            gate.open,
            follow=not exempt,
            like=like,
        )
        started_at = self._clock.now()
        failure: CrawlError | None = None
        try:
            async with asyncio.timeout(seconds) as scope, gate.within(scope):
                await self._walk(trip, scope)
        except TimeoutError:
            trip.close("deadline")
            failure = TimedOut("deadline", f"not done within {seconds:g} seconds")
        except CrawlError as error:
            failure = error.with_traceback(None)  # else it would hold the body until the next collection of garbage
        trip.warnings += gate.notes
        visit = visit_of(
            address,
            trip,
            failure,
            ruling=None if exempt else gate.ruling,
            settings={**_recorded(used), "robots": mode, "deadline": f"{seconds:g}"}
            | ({"accept_bad_certificate": True} if lenient else {})
            | ({"proxy": trip.via} if trip.via else {}),
            started_at=started_at,
            now=self._clock.now(),
        )
        if visit.reason not in NOTHING_SENT:
            busy = visit.outcome in {"rate_limited", "timeout"} or (visit.status or 0) in PASSING
            self._pace.answered(trip.address.host, trouble=busy or visit.reason == "connection_lost", began=gate.began)
        if visit.outcome == "rate_limited" and visit.status is not None:
            self._pace.hold(trip.address.host, visit.retry_after or DEFAULT_HOLD)
        elif visit.retry_after:
            self._pace.hold(trip.address.host, visit.retry_after)
        return visit

    async def _walk(self, trip: Trip, scope: asyncio.Timeout) -> None:
        """Walk to the end; again, after a while, where a site is busy or broken for the moment."""
        for attempt in range(self.settings.retries + 1):
            failure: CrawlError | None = None
            try:
                await trip.run()
            except CrawlError as error:
                failure = error
            wait = wait_before(
                attempt,
                status=trip.head.status if trip.head else None,
                failure=failure,
                asked=asked_to_wait(trip, self._clock.now()),
            )
            end = scope.when()
            left = None if end is None else end - asyncio.get_running_loop().time()
            if wait is None or attempt == self.settings.retries or (left is not None and wait >= left):
                if failure is not None:
                    raise failure
                return
            self._pace.hold(trip.address.host, wait)
            await self._clock.sleep(wait)
            trip.begin_again()
            trip.warnings.append(f"asked_again: after {wait:.1f} seconds")

    async def rules(self, url: str) -> Rules:
        """Give the robots.txt rules of the address's site, with its sitemaps.

        Raises:
            BadAddress: `url` is no address that can be asked.
        """
        return await self._robots.rules(parse_address(url))

    async def _ask_robots(self, connections: Connections, address: Address) -> RobotsAnswer:
        """Ask an origin for its robots.txt: guarded like any request, without robots or pace in its way."""
        target = parse_address("/robots.txt", address.href)
        # One byte more than is read tells that there is more; what is announced behind it is nobody's concern.
        settings = replace(self.settings, max_body=MAX_ROBOTS + 1, max_wire=sys.maxsize)
        trip = Trip(connections, self._clock, settings, target, _open_gate, max_hops=MAX_ROBOTS_HOPS, pages=False)
        try:
            async with asyncio.timeout(ROBOTS_DEADLINE):
                with suppress(TooLarge):  # the first part is enough
                    await trip.run()
        except TimeoutError:
            failure: CrawlError = TimedOut("read_timeout", f"no robots.txt within {ROBOTS_DEADLINE:g} seconds")
            return RobotsAnswer("failed", trip.address.href, failure=failure)
        except CrawlError as error:
            if error.reason in CIRCLES:
                return RobotsAnswer("lost", trip.address.href)
            return RobotsAnswer("failed", trip.address.href, failure=error)
        head, intake = trip.head, trip.intake
        assert head is not None, "the trip came to its end"
        assert intake is not None, "the trip came to its end"
        wait = asked_to_wait(trip, self._clock.now())
        return RobotsAnswer("answered", trip.address.href, head.status, intake.body, _max_age(head.headers), wait)


def _recorded(used: FetchSettings) -> dict[str, str | int | bool | None]:
    """The settings that shape what is seen, as a record holds them."""
    return {
        "max_body": used.max_body,
        "max_wire": used.max_wire,
        "http2": used.http2,
        "accept_language": used.accept_language,
    }


async def _open_gate(_address: Address) -> None:
    """Let everything pass."""


def _max_age(headers: Sequence[Header]) -> float | None:
    """Read max-age (seconds) from Cache-Control, if it is there."""
    for name, value in headers:
        if name.lower() == "cache-control":
            for part in value.split(","):
                key, _, given = part.strip().partition("=")
                if key.lower() == "max-age" and given.strip('"').isdecimal():
                    return float(given.strip('"')[:9])
    return None
