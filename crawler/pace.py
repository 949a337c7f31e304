"""The pace per host: how many requests at a time, how long between two, and how long not at all."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from crawler.clock import Clock
from crawler.errors import PaceHeld

MAX_CRAWL_DELAY: Final = 30.0
"""Seconds of a robots.txt Crawl-delay that are honoured; more would mean days for a small site."""
MAX_HOLD: Final = 3600.0
"""Seconds that a Retry-After can keep us away; after that we ask again."""
DEFAULT_HOLD: Final = 5.0
"""Seconds to stay away after a 429 that does not say how long."""
MAX_HOSTS: Final = 10_000
"""Hosts whose pace is remembered; the longest unused is forgotten first."""


@dataclass(slots=True)
class _Host:
    slots: asyncio.Semaphore
    next_start: float = 0.0
    held_until: float = 0.0
    delay: float = 0.0
    users: int = 0


class Pace:
    """Keeps requests to one host apart: at most `concurrency` at a time, at least `delay` seconds between starts."""

    def __init__(self, clock: Clock, *, delay: float, concurrency: int) -> None:
        self._clock = clock
        self._delay = delay
        self._concurrency = concurrency
        self._hosts: OrderedDict[str, _Host] = OrderedDict()

    @asynccontextmanager
    async def turn(self, host: str, longest_hold: float) -> AsyncIterator[float]:
        """Wait for the turn to send a request to `host`, and keep it; gives the seconds waited.

        Raises:
            PaceHeld: the host asked us to stay away for more than `longest_hold` seconds from now.
        """
        state = self._host(host)
        state.users += 1
        began = self._clock.monotonic()
        try:
            async with state.slots:
                while (wait := self._start(host, state, longest_hold)) > 0:
                    await self._clock.sleep(wait)
                state.next_start = self._clock.monotonic() + max(self._delay, state.delay)
                yield self._clock.monotonic() - began
        finally:
            state.users -= 1

    def slow_down(self, host: str, crawl_delay: float) -> None:
        """Honour a Crawl-delay (seconds) of the host's robots.txt, up to a limit."""
        self._host(host).delay = min(max(crawl_delay, 0.0), MAX_CRAWL_DELAY)

    def hold(self, host: str, seconds: float) -> None:
        """Send nothing to `host` for that long (up to a limit); requests under way go on."""
        state = self._host(host)
        state.held_until = max(state.held_until, self._clock.monotonic() + min(seconds, MAX_HOLD))

    def _start(self, host: str, state: _Host, longest_hold: float) -> float:
        """Give the seconds until a request may start."""
        now = self._clock.monotonic()
        held = state.held_until - now
        if held > longest_hold:
            raise PaceHeld(host, held)
        return max(held, state.next_start - now)

    def _host(self, name: str) -> _Host:
        state = self._hosts.get(name)
        if state is None:
            state = self._hosts[name] = _Host(asyncio.Semaphore(self._concurrency))
            if len(self._hosts) > MAX_HOSTS:
                unused = next((host for host, held in self._hosts.items() if not held.users and host != name), None)
                if unused is not None:
                    del self._hosts[unused]
        self._hosts.move_to_end(name)
        return state


def retry_after(value: str | None, now: datetime) -> float | None:
    """Read a Retry-After header: seconds or an HTTP date. None if there is none, or nothing that can be read."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(min(int(text[:9]), int(MAX_HOLD) * 24))
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)
