"""The crawls of the small Citator, beside starting and following one."""

from typing import Any, Literal

from service.failures import CrawlOver, UnknownCrawl
from service.requests import Caller

STATES = {"paused": "paused", "resumed": "running"}


class SmallCrawls:
    """Crawls that nobody drives."""

    def __init__(self, all_of_them: dict[str, dict[str, Any]]) -> None:
        self.all = all_of_them

    async def listed(self, *, limit: int, before: str | None = None) -> dict[str, Any]:
        names = list(reversed(self.all))
        names = names[names.index(before) + 1 :] if before in names else names
        heads = [{name: self.all[one][name] for name in ("id", "state", "seeds", "counts")} for one in names[:limit]]
        return {"crawls": heads, "next": names[limit - 1] if len(names) > limit else None}

    async def change(self, crawl: str, phase: Literal["paused", "resumed"], _caller: Caller) -> dict[str, Any]:
        if crawl not in self.all:
            raise UnknownCrawl(f"there is no crawl {crawl}")
        if self.all[crawl]["state"] == "cancelled":
            raise CrawlOver(f"the crawl {crawl} has ended")
        self.all[crawl]["state"] = STATES[phase]
        return self.all[crawl]
