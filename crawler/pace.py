"""The pace per host: how many requests at a time, how long between two, and how long not at all."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Protocol

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


FIRST_SLOWING: Final = 1.0
"""Seconds by which a host that has trouble is asked more slowly; twice as much after each further trouble, …"""
MAX_SLOWING: Final = 60.0
"""… up to this, …"""
RECOVERY: Final = 0.8
"""… and so much of it remains after each good answer."""
NO_SLOWING: Final = 0.05
"""Below this it is over."""


class SharedPace(Protocol):
    """What processes that ask the same hosts keep together. Its calls may block: they are made in threads.

    Times are seconds from now. What goes wrong in it stays in it: pages are asked for at this process's own pace then.
    """

    def take(self, host: str, gap: float, patience: float) -> tuple[float, bool]:
        """Take the next turn at a host: when it begins, and whether it was taken; `gap` later is the next one.

        None is taken if the host is to be left alone for longer than `patience`.
        """
        ...

    def hold(self, host: str, seconds: float) -> None:
        """Have nobody ask a host for so long."""
        ...


@dataclass(slots=True)
class _Host:
    slots: asyncio.Semaphore
    next_start: float = 0.0
    held_until: float = 0.0
    delay: float = 0.0
    slowing: float = 0.0
    slowed_at: float = float("-inf")
    users: int = 0


class Pace:
    """Keeps requests to one host apart: at most `concurrency` at a time, at least `delay` seconds between starts.

    A host that has trouble is asked more slowly, until it is well again, as far as who asks has patience. `shared` is
    what other processes know.
    """

    def __init__(self, clock: Clock, *, delay: float, concurrency: int, shared: SharedPace | None = None) -> None:
        self._shared = shared
        self._clock = clock
        self._delay = delay
        self._concurrency = concurrency
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._telling: set[asyncio.Future[None]] = set()

    @asynccontextmanager
    async def turn(self, host: str, longest_hold: float, *, patience: float = 0.0) -> AsyncIterator[float]:
        """Wait for the turn to send a request to `host`, and keep it; gives the seconds waited because it has trouble.

        That is never more than `patience`; what the host's pace is without trouble is waited for in any case.

        Raises:
            PaceHeld: the host asked us to stay away for more than `longest_hold` seconds from now.
        """
        state = self._host(host)
        state.users += 1
        try:
            async with state.slots:
                began = self._clock.monotonic()
                slowing, latest = min(state.slowing, patience), began + patience
                while (wait := self._start(host, state, longest_hold, slowing, latest)) > 0:
                    await self._clock.sleep(wait)
                now = self._clock.monotonic()
                slowed = now - max(began, state.held_until, state.next_start)
                gap = max(self._delay, state.delay)
                state.next_start = now + gap
                if self._shared is not None:
                    await self._with_others(self._shared, host, gap + slowing, longest_hold)
                yield max(slowed, 0.0)
        finally:
            state.users -= 1

    def slow_down(self, host: str, crawl_delay: float) -> None:
        """Honour a Crawl-delay (seconds) of the host's robots.txt, up to a limit."""
        self._host(host).delay = min(max(crawl_delay, 0.0), MAX_CRAWL_DELAY)

    def hold(self, host: str, seconds: float) -> None:
        """Send nothing to `host` for that long (up to a limit); requests under way go on."""
        state = self._host(host)
        held = min(seconds, MAX_HOLD)
        state.held_until = max(state.held_until, self._clock.monotonic() + held)
        if self._shared is not None:
            telling = asyncio.get_running_loop().run_in_executor(None, self._shared.hold, host, held)
            self._telling.add(telling)
            telling.add_done_callback(self._telling.discard)

    def now(self) -> float:
        """The time, as `answered` wants to be told when a request began."""
        return self._clock.monotonic()

    def answered(self, host: str, *, trouble: bool, began: float | None = None) -> None:
        """Ask a host more slowly after trouble (it is busy, broken, or silent), and less so when it is well.

        Requests that `began` before the last slowing met the same trouble, which counts once.
        """
        state = self._host(host)
        if trouble:
            if began is None or began >= state.slowed_at:
                state.slowing = min(max(2 * state.slowing, FIRST_SLOWING), MAX_SLOWING)
                state.slowed_at = self._clock.monotonic()
        else:
            eased = state.slowing * RECOVERY
            state.slowing = eased if eased >= NO_SLOWING else 0.0

    async def _with_others(self, shared: SharedPace, host: str, gap: float, longest_hold: float) -> None:
        """Wait for the turn among all processes."""
        wait, taken = await asyncio.to_thread(shared.take, host, gap, longest_hold)
        if not taken:
            raise PaceHeld(host, wait)
        if wait > 0:
            await self._clock.sleep(wait)

    def _start(self, host: str, state: _Host, longest_hold: float, slowing: float, latest: float) -> float:
        """Give the seconds until a request may start; slowing counts until `latest`."""
        now = self._clock.monotonic()
        held = state.held_until - now
        if held > longest_hold:
            raise PaceHeld(host, held)
        return max(held, max(state.next_start, min(state.next_start + slowing, latest)) - now)

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
