"""Whose a crawl is: of several processes on one state, one at a time drives it, by a lease that it prolongs."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import structlog
from anyio.to_thread import run_sync

from snapshots import EvidenceError, Lease, State, stamp

log = structlog.get_logger(__name__)

LEASE_SECONDS: Final = 60
"""After this long a crawl whose process ended is taken over by another one; the same one goes on at once."""
RENEW_SECONDS: Final = 20
"""So that a busy process does not lose what it is driving."""
SURE_SECONDS: Final = 40
"""So long after the last renewal nobody else can have taken it, clocks that differ by less than the rest included."""


class CrawlLeases:
    """The leases of one process, whose name is `owner`. Blocking, but for `holds`."""

    def __init__(self, state: State, owner: str, clock: Callable[[], datetime]) -> None:
        self._state = state
        self._owner = owner
        self._clock = clock
        self._held: dict[str, Lease] = {}
        self._renewed: dict[str, datetime] = {}

    def take(self, crawl: str) -> bool:
        """Take or prolong the lease of a crawl; False while it is another's, or if it has been since it was taken."""
        now = self._clock()
        lease, held = self._take(f"crawl:{crawl}", now), self._held.get(crawl)
        if lease is None:
            return False
        if held is not None and lease.turn != held.turn:
            self._state.release_lease(lease)
            return False
        self._held[crawl], self._renewed[crawl] = lease, now
        return True

    def give_back(self, crawl: str) -> None:
        """Let others have it; where the state is away, they have it when the lease runs out."""
        self._renewed.pop(crawl, None)
        lease = self._held.pop(crawl, None)
        try:
            if lease is not None:
                self._state.release_lease(lease)
        except EvidenceError as error:
            log.warning("a crawl cannot be given back", crawl=crawl, reason=str(error))

    def fresh(self, crawl: str, seconds: float) -> bool:
        """Whether it was renewed so few seconds ago."""
        renewed = self._renewed.get(crawl)
        return renewed is not None and (self._clock() - renewed).total_seconds() < seconds

    async def holds(self, crawl: str) -> bool:
        """Whether a crawl is still this process's: machines sleep, and another one may have taken it meanwhile."""
        if self.fresh(crawl, SURE_SECONDS):
            return True
        try:
            return await run_sync(self.take, crawl)
        except EvidenceError as error:
            log.warning("whose a crawl is cannot be told", crawl=crawl, reason=str(error))
            return False

    def driven_elsewhere(self, crawl: str) -> bool:
        """Whether another process has it now."""
        lease = self._state.lease(f"crawl:{crawl}", now=stamp(self._clock()))
        return lease is not None and lease.owner != self._owner

    def begins_round(self, crawl: str) -> bool:
        """Whether it is this process that begins the next round of a crawl."""
        return self._take(f"next:{crawl}", self._clock()) is not None

    def _take(self, name: str, now: datetime) -> Lease | None:
        until = now + timedelta(seconds=LEASE_SECONDS)
        return self._state.take_lease(name, self._owner, now=stamp(now), until=stamp(until))
