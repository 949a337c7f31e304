"""The sitemaps of a crawl: those that robots.txt names, and where it names none what lies in the usual place."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Final

from anyio.to_thread import run_sync

from crawler import BadSitemap, SiteCrawl, Step, parse_address, read_sitemap
from service.parts import Parts

FOUND: Final = 200
CLIENT_ERRORS: Final = range(400, 500)
DISALLOWED: Final = "robots_disallowed"


class CrawlSitemaps:
    """Reads them into a `site`; `tell_bad` is told the address of each that could not be read whole, and why."""

    def __init__(self, parts: Parts, site: SiteCrawl, tell_bad: Callable[[str, str], Awaitable[None]]) -> None:
        self.pages = 0
        """Addresses that came from them and were not known."""
        self._parts = parts
        self._site = site
        self._tell_bad = tell_bad
        self._guessed: set[str] = set()
        """Those that nobody named, …"""
        self._unanswered: dict[str, str] = {}
        """… and those of them that gave no answer at all, with why."""

    async def find(self, step: Step) -> None:
        """Have the sitemaps read that a robots.txt names, or the one that lies in the usual place."""
        rules = await self._parts.fetcher.rules(step.url)
        usual = parse_address("/sitemap.xml", step.url).href
        if not rules.sitemaps:
            self._guessed.add(usual)
        self._site.add_sitemaps(rules.sitemaps or [usual])

    async def read(self, step: Step) -> None:
        """Take the addresses of a sitemap. Where nobody named one it is no fault that there is none."""
        visit = await self._parts.fetcher.fetch(step.url, robots="follow", patient=True)
        why = visit.detail or ("there is nothing in it" if visit.status == FOUND else f"it answers {visit.status}")
        if visit.status == FOUND and visit.body:
            await self.take_in(step, visit.body, whole=visit.outcome == "ok")
        elif step.url not in self._guessed:
            await self._tell_bad(step.url, why)
        elif visit.status is None and visit.reason != DISALLOWED:
            self._unanswered[step.url] = why
        elif visit.status not in CLIENT_ERRORS and visit.reason != DISALLOWED:
            await self._tell_bad(step.url, why)

    async def take_in(self, step: Step, body: bytes, *, whole: bool = True) -> None:
        """Take the addresses of a sitemap that was fetched."""
        try:
            found = await run_sync(partial(read_sitemap, body, step.url, whole=whole))
        except BadSitemap as error:
            await self._tell_bad(step.url, str(error))
            return
        self.pages += self._site.sitemap_read(step, found)
        if found.cut:
            taken = len(found.pages) + len(found.sitemaps)
            await self._tell_bad(step.url, f"it is damaged or too long; {taken} addresses in it could be read")

    async def settle(self, captured: Iterable[str]) -> None:
        """Say at the end which guessed ones gave no answer, on sites of which pages were `captured`.

        Where no page came either, the site is away: that is told by its pages, and is no fault of a sitemap.
        """
        alive = {parse_address(url).origin for url in captured} if self._unanswered else set()
        for url, why in self._unanswered.items():
            if parse_address(url).origin in alive:
                await self._tell_bad(url, why)
