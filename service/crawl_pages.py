"""Where a crawl has a page from that it has not captured yet: the store, if that is good enough, or the web."""

from anyio.to_thread import run_sync

from crawler import is_sitemap
from service.capturing import Page, from_store, look_again
from service.crawl_account import EPOCH
from service.crawl_book import FOLLOWS
from service.crawl_calendar import due
from service.crawl_requests import CrawlRequest
from service.looking import Wish
from service.parts import Parts
from snapshots import Crawl, digest


async def fresh_enough(parts: Parts, crawl: Crawl, request: CrawlRequest, url: str) -> Page | None:
    """What the store has of a page, if that is new enough for this crawl."""
    if request.max_age and (found := await from_store(parts, url, request.max_age)) is not None:
        return found
    if crawl.options.get(FOLLOWS) and request.min_interval and request.max_interval:
        interval = (request.min_interval, request.max_interval)
        when = await run_sync(due, parts.archive, url, interval)
        if when is not None and when > parts.clock():
            age = int((parts.clock() - EPOCH).total_seconds())
            return await from_store(parts, url, age)
    return None


async def from_web(parts: Parts, crawl: Crawl, request: CrawlRequest, url: str) -> Page:
    """A page as it is now; nothing of it is kept yet."""
    return await look_again(parts, url, Wish(request.render), robots="follow", crawl=crawl.id, patient=True)


async def sitemap_in(page: Page) -> bytes | None:
    """The body of a page from the web, if that is a sitemap."""
    blobs = page.fresh.blobs if page.fresh else ()
    body = next((blob for blob in blobs if digest(blob) == page.capture.body), b"")
    return body if await run_sync(is_sitemap, body) else None
