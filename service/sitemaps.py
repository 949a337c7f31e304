"""The addresses that a site's sitemaps name. They are asked for as a crawl asks, and nothing of them is kept."""

from functools import partial

from anyio.to_thread import run_sync

from crawler import BadSitemap, parse_address, read_sitemap
from service.parts import Parts

MAX_SITEMAPS = 10
"""Sitemaps that are read for one answer: each is a request to the site, and a second's work if it is large."""

MAX_ADDRESSES = 50_000
"""Addresses that are taken: what one sitemap may hold."""

FOUND = 200


async def addresses(parts: Parts, url: str) -> list[str]:
    """The addresses in the sitemaps of the site at `url`, each once, in their order."""
    site = parse_address(url).origin
    rules = await parts.fetcher.rules(site)
    waiting = list(rules.sitemaps or [site + "/sitemap.xml"])
    found: dict[str, None] = {}
    asked: set[str] = set()
    while waiting and len(asked) < MAX_SITEMAPS and len(found) < MAX_ADDRESSES:
        sitemap = waiting.pop(0)
        if sitemap in asked:
            continue
        asked.add(sitemap)
        visit = await parts.fetcher.fetch(sitemap, robots="follow")
        if visit.status != FOUND or not visit.body:
            continue
        try:
            read = await run_sync(partial(read_sitemap, visit.body, sitemap, whole=visit.outcome == "ok"))
        except BadSitemap:
            continue
        found |= dict.fromkeys(read.pages)
        waiting += read.sitemaps
    return list(found)[:MAX_ADDRESSES]
