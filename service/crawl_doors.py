"""What the doors ask for of crawls, beside starting, following and ending one."""

from typing import Any, Literal, Protocol

from service.requests import Caller

Json = dict[str, Any]


class Crawling(Protocol):
    """Ids may be given as unique prefixes."""

    async def listed(self, *, limit: int, before: str | None = None) -> Json:
        """`{crawls: [{id, state, started_at, seeds, counts, next_round, …}], next}`, the newest first."""
        ...

    async def change(self, crawl: str, phase: Literal["paused", "resumed"], caller: Caller) -> Json:
        """Pause a crawl, or let it go on: as `crawl`."""
        ...
