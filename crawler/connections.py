"""Connections kept for the next request to the same origin: a kept one leads to the same checked address as before."""

from collections import deque
from typing import Final

from crawler.addresses import Address
from crawler.clock import Clock
from crawler.dialling import Dialler
from crawler.exchange import Connection, speak

MAX_KEPT: Final = 64
"""Origins with idle connections; each connection holds a file descriptor."""
KEPT_PER_ORIGIN: Final = 6
"""As browsers do."""
KEPT_SECONDS: Final = 15.0
"""Servers commonly close idle connections after 5 to 75 seconds; a name may also move to another address."""


class Connections:
    """Opens connections and keeps idle ones. Not safe for use from several event loops."""

    def __init__(self, dialler: Dialler, clock: Clock) -> None:
        self._dialler = dialler
        self._clock = clock
        self._idle: dict[str, deque[tuple[Connection, float]]] = {}

    async def take(self, address: Address, *, fresh: bool = False) -> Connection:
        """Give a connection for one exchange: a kept one that is still good, or a new one (always, if `fresh`).

        Raises:
            AddressRefused, NameNotFound, ConnectFailed, TimedOut, TlsFailed: as from `Dialler.dial`.
        """
        kept = self._idle.get(address.origin)
        while kept and not fresh:
            connection, until = kept.pop()
            if until > self._clock.monotonic() and connection.idle:
                return connection
            await connection.close()
        return speak(await self._dialler.dial(address), address)

    async def give_back(self, address: Address, connection: Connection) -> None:
        """Keep the connection if it can serve another exchange, close it otherwise."""
        kept = self._idle.setdefault(address.origin, deque())
        if not connection.renew() or not connection.idle:
            await connection.close()
            return
        now = self._clock.monotonic()
        kept.append((connection, now + KEPT_SECONDS))
        while len(kept) > KEPT_PER_ORIGIN or kept[0][1] <= now:
            await kept.popleft()[0].close()
        await self._shrink()

    async def close(self) -> None:
        """Close all that are kept."""
        for kept in self._idle.values():
            for connection, _ in kept:
                await connection.close()
        self._idle.clear()

    async def _shrink(self) -> None:
        """Forget origins without connections, and close those of the longest unused ones beyond the limit."""
        if len(self._idle) <= MAX_KEPT:
            return
        by_age = sorted(self._idle, key=lambda origin: self._idle[origin][-1][1] if self._idle[origin] else 0.0)
        for origin in by_age[: len(by_age) - MAX_KEPT]:
            for connection, _ in self._idle.pop(origin):
                await connection.close()
