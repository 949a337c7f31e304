"""What stands before each request of a fetch: robots.txt, then the site's pace."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from crawler.addresses import Address, same_origin
from crawler.errors import CrawlError, RobotsRefused
from crawler.pace import MAX_HOLD, Pace
from crawler.robots import Robots
from crawler.visit import RobotsMode, RobotsRuling

NO_CONNECTION: Final = frozenset(
    {"address_refused", "name_not_found", "connect_failed", "connect_timeout", "tls_failed", "tls_certificate"}
)
"""Reasons for which a site's robots.txt cannot be had that stand in the way of its pages just the same."""


class Gate:
    """The gate of one fetch. `ruling` says what robots.txt means for the last address that came to it."""

    def __init__(self, robots: Robots, pace: Pace, mode: RobotsMode, *, patient: bool) -> None:
        self.ruling: RobotsRuling | None = None
        self._robots = robots
        self._pace = pace
        self._mode = mode
        self._patient = patient
        self._turn = AsyncExitStack()
        self._host: str | None = None
        self._scope: asyncio.Timeout | None = None

    @asynccontextmanager
    async def within(self, scope: asyncio.Timeout) -> AsyncIterator[None]:
        """Hold turns until the end of the block, which runs under the deadline `scope`."""
        self._scope = scope
        async with self._turn:
            yield

    async def open(self, address: Address) -> None:
        """Let a request for `address` through, when it is its turn.

        Raises:
            RobotsRefused: robots.txt forbids it, or cannot be had.
            PaceHeld: the site asked us to stay away for longer than there is time.
            CrawlError: why there is no connection, if that is why there is no robots.txt.
        """
        crawl_delay = await self._ask_robots(address)
        if address.host == self._host:  # redirects within a site are followed at once, as browsers do
            return
        await self._turn.aclose()
        if crawl_delay:
            self._pace.slow_down(address.host, crawl_delay)
        self._host = address.host
        await self._wait(address.host)

    async def _ask_robots(self, address: Address) -> float | None:
        if self._mode == "ignore":
            self.ruling = RobotsRuling("not_asked", address.origin + "/robots.txt", overridden=True)
            return None
        rules = await self._robots.rules(address)
        ruling = self._robots.apply(rules, address)
        forbidden = ruling.decision in {"disallowed", "unreachable"}
        if forbidden and self._mode == "follow":
            self.ruling = ruling
            raise self._refusal(address, ruling, rules.failure)
        self.ruling = RobotsRuling(ruling.decision, ruling.source, overridden=forbidden)
        return rules.crawl_delay

    async def _wait(self, host: str) -> None:
        scope = self._scope
        loop = asyncio.get_running_loop()
        end = scope.when() if scope is not None else None
        left = MAX_HOLD if end is None else max(end - loop.time(), 0.0)
        if self._patient and scope is not None:
            scope.reschedule(None)
        await self._turn.enter_async_context(
            self._pace.turn(host, MAX_HOLD if self._patient else left, patient=self._patient)
        )
        if self._patient and scope is not None:
            scope.reschedule(loop.time() + left)

    @staticmethod
    def _refusal(address: Address, ruling: RobotsRuling, failure: CrawlError | None) -> CrawlError:
        if ruling.decision == "disallowed":
            return RobotsRefused("robots_disallowed", f"{ruling.source} does not allow it")
        at_home = same_origin(ruling.source, address.href)  # a robots.txt that is elsewhere says nothing of the page
        if failure is not None and failure.reason in NO_CONNECTION and at_home:
            return failure
        return RobotsRefused(
            "robots_unreachable", f"{ruling.source} cannot be had, so nothing there is fetched for now"
        )
