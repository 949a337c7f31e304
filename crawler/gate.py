"""What stands before each request of a fetch: robots.txt, then the site's pace."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from crawler.addresses import Address, same_origin
from crawler.errors import PROXY_REASONS, CrawlError, RobotsRefused
from crawler.pace import MAX_CRAWL_DELAY, MAX_HOLD, NO_SLOWING, Pace
from crawler.robots import MAX_ROBOTS, Robots, Rules
from crawler.visit import RobotsMode, RobotsRuling

NO_CONNECTION: Final = frozenset(
    {"address_refused", "name_not_found", "connect_failed", "connect_timeout", "tls_failed", "tls_certificate"}
    | PROXY_REASONS
)
"""Reasons for which a site's robots.txt cannot be had that stand in the way of its pages just the same."""


MAX_PATIENCE: Final = 5.0
"""Seconds that a single fetch is kept waiting because a host has trouble: somebody waits for the page, …"""
PATIENCE_SHARE: Final = 0.25
"""… and this much of its time, so that the rest is enough for asking."""


class Gate:
    """The gate of one fetch. `ruling` says what robots.txt means for the last address that came to it."""

    def __init__(self, robots: Robots, pace: Pace, mode: RobotsMode, *, patient: bool) -> None:
        self.ruling: RobotsRuling | None = None
        self.notes: list[str] = []
        """What a record should say of the waiting, and of rules that are not followed to the letter."""
        self.began: float | None = None
        """When it was this fetch's turn at the last host that it came to, as the pace tells the time."""
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
        rules = await self._ask_robots(address)
        if address.host == self._host:  # redirects within a site are followed at once, as browsers do
            return
        await self._turn.aclose()
        if rules is not None:
            self._keep_to(rules, address.host)
        self._host = address.host
        await self._wait(address.host)

    def _keep_to(self, rules: Rules, host: str) -> None:
        """Take on the pace that the rules ask for, and say where they are followed only in part."""
        if rules.cut:
            self.notes.append(
                f"robots_cut: the robots.txt of {host} is longer than the {MAX_ROBOTS} bytes that are read"
            )
        if rules.crawl_delay:
            self._pace.slow_down(host, rules.crawl_delay)
            if rules.crawl_delay > MAX_CRAWL_DELAY:
                asked = f"{host} asks for {rules.crawl_delay:g} seconds between two requests"
                self.notes.append(f"crawl_delay: {asked}, and gets {MAX_CRAWL_DELAY:g}")

    async def _ask_robots(self, address: Address) -> Rules | None:
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
        return rules

    async def _wait(self, host: str) -> None:
        scope = self._scope
        loop = asyncio.get_running_loop()
        end = scope.when() if scope is not None else None
        left = MAX_HOLD if end is None else max(end - loop.time(), 0.0)
        if self._patient and scope is not None:
            scope.reschedule(None)
        patience = math.inf if self._patient else min(MAX_PATIENCE, left * PATIENCE_SHARE)
        slowed = await self._turn.enter_async_context(
            self._pace.turn(host, MAX_HOLD if self._patient else left, patience=patience)
        )
        if slowed >= NO_SLOWING:
            self.notes.append(f"slowed_down: waited {slowed:.1f} seconds more than usual, as the site has trouble")
        self.began = self._pace.now()
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
