"""Time, as something that is handed in, so that tests can turn it."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits. `now` is UTC, `monotonic` seconds that never run backwards."""

    def now(self) -> datetime:
        """Give the time of day, with its zone (UTC)."""

    def monotonic(self) -> float:
        """Give seconds from some fixed point."""

    async def sleep(self, seconds: float) -> None:
        """Return when that many seconds have passed."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Give the time of day, with its zone (UTC)."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Give seconds from some fixed point."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return when that many seconds have passed."""
        await asyncio.sleep(seconds)
