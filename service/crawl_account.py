"""What has come of a crawl so far, in numbers and lists, and told as it happens to whoever listens."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, Final

from service.crawl_telling import CrawlTally

MICROSECONDS: Final = 1_000_000
MANY_EVENTS: Final = 1_000_000_000
"""More than any crawl has, and less than any number of a crawl that was gone on with."""


class CrawlAccount(CrawlTally):
    """The account of one run, which `began` then; `again`: there was one before it.

    `changed` is notified of each event, and of whatever else may make work for somebody. `over`: none is to come.
    """

    def __init__(self, began: datetime, *, again: bool) -> None:
        super().__init__()
        self.happened: list[dict[str, Any]] = []
        self.changed = asyncio.Condition()
        self.over = False
        self._numbered_from = int((began - EPOCH).total_seconds() * MICROSECONDS) if again else 0
        """Each run has numbers of its own, higher than those of earlier ones wherever they were: it tells its events
        in an order of its own, so that a number of an earlier run says nothing about what was heard of this one."""

    def add(self, kind: str, fields: dict[str, Any]) -> None:
        """Add an event. Whoever holds `changed` calls it, and notifies."""
        self.happened.append({"event": self._numbered_from + len(self.happened) + 1, "type": kind} | fields)

    async def heard_from(self, after: int) -> AsyncIterator[dict[str, Any]]:
        """The events behind number `after` (see `heard`), as they come, until all is over."""
        heard = self.heard(after)
        while True:
            async with self.changed:
                while len(self.happened) <= heard and not self.over:
                    await self.changed.wait()
            news = self.happened[heard:]
            for event in news:
                yield event
            heard += len(news)
            if self.over and heard >= len(self.happened):
                return

    def heard(self, after: int) -> int:
        """How many of its events somebody has heard, or wishes to pass over, who names the number `after`.

        None of them, if that is a number of another run.
        """
        heard = after - self._numbered_from
        return heard if 0 <= heard <= (len(self.happened) if self._numbered_from else MANY_EVENTS) else 0


EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
