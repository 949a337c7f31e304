"""How often, and how many at a time, the holder of a key may ask. Held in memory: each process counts for itself."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from service.errors import RateLimited
from service.requests import Caller

MINUTE: Final = 60.0

MAX_KEYS: Final = 10_000
"""Keys that are remembered; more have not asked within the last minute or are being made up."""

BUSY_SECONDS: Final = 1
"""When to try again while other requests of the key are still running: most end within a second."""


@dataclass
class _Use:
    """What is left of a key's requests (a bucket that fills evenly), and how many are running."""

    left: float
    at: float
    running: int = 0


@dataclass
class Limits:
    """Limits of all keys. `rate` (a minute) and `concurrency` hold for keys without their own; 0 is no limit."""

    rate: int = 0
    concurrency: int = 0
    clock: Callable[[], float] = time.monotonic
    _uses: dict[str, _Use] = field(default_factory=dict)

    def enter(self, caller: Caller) -> None:
        """Count a request that begins. Whoever holds no key is on this machine, and is not counted.

        Raises:
            RateLimited: it is one too many; it is not counted.
        """
        if caller.key is None:
            return
        rate = caller.rate or self.rate
        concurrency = caller.concurrency or self.concurrency
        now = self.clock()
        use = self._use(caller.key, rate, now)
        if concurrency and use.running >= concurrency:
            raise RateLimited(f"this key may ask {concurrency} at a time", retry_after=BUSY_SECONDS)
        if rate:
            use.left = min(rate, use.left + (now - use.at) * rate / MINUTE)
            use.at = now
            if use.left < 1:
                wait = math.ceil((1 - use.left) * MINUTE / rate)
                raise RateLimited(f"this key may ask {rate} times a minute", retry_after=max(1, wait))
            use.left -= 1
        use.running += 1

    def leave(self, caller: Caller) -> None:
        """Count the end of a request that was let in."""
        use = self._uses.get(caller.key) if caller.key is not None else None
        if use is not None:
            use.running = max(0, use.running - 1)

    def _use(self, key: str, rate: int, now: float) -> _Use:
        use = self._uses.get(key)
        if use is None:
            if len(self._uses) >= MAX_KEYS:
                self._uses = {one: used for one, used in self._uses.items() if used.running or now - used.at < MINUTE}
            use = self._uses[key] = _Use(left=float(rate), at=now)
        return use
