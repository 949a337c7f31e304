"""Who follows a crawl and comes back after any break misses nothing of it, and is told what could not be read."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.crawl_requests import CrawlRequest
from tests.service.opened import ME, crawled, opened, page
from tests.sites import HTML, Route, Site, robots

NOTICES = tuple(f"/notice/{n}" for n in range(12))
MANY = [
    robots(),
    Route("/", body=page("Index", "All notices of the year. " * 8, links=NOTICES)),
    *(Route(path, body=page("Notice", f"The notice at {path} is about a pier. " * 6)) for path in NOTICES),
]
XML = (("Content-Type", "application/xml"),)


class Listener:
    """One who remembers the number of the last event, as browsers do, and nothing else."""

    def __init__(self) -> None:
        self.last = 0
        self.kinds: list[str] = []
        self.pages: list[str] = []

    async def listen(self, actions: Actions, crawl: str, *, pages: int = 1000) -> None:
        """Hear what comes, until it ends or has told of so many pages."""
        async with aclosing(_events(actions, crawl, self.last)) as events:
            async for event in events:
                self.last = event["event"]
                self.kinds.append(event["type"])
                if event["type"] == "captured":
                    self.pages.append(event["url"])
                    pages -= 1
                if not pages:
                    return


async def _events(actions: Actions, crawl: str, after: int) -> AsyncIterator[dict[str, Any]]:
    async for event in actions.crawl_events(crawl, after=after):
        yield event


async def begun(actions: Actions, url: str) -> str:
    return str((await actions.crawl_start(CrawlRequest(url=url), ME))["id"])


async def test_a_listener_that_comes_back_after_a_pause_misses_no_page_and_hears_the_end(tmp_path: Path) -> None:
    listener = Listener()
    with Site(MANY) as site:
        async with opened(tmp_path, resume=True, crawl_concurrency=1, host_delay=0.02) as actions:
            crawl = await begun(actions, site.url("/"))
            await listener.listen(actions, crawl, pages=3)
            await actions.crawls.change(crawl, "paused", ME)
            for _ in range(30):  # a browser asks again whenever the stream ends
                await listener.listen(actions, crawl)
            await actions.crawls.change(crawl, "resumed", ME)
            await listener.listen(actions, crawl)

    assert set(listener.pages) == {site.url(path) for path in ("/", *NOTICES)}
    assert listener.kinds[-1] == "finished"


async def test_a_listener_that_comes_back_after_a_restart_misses_no_page_and_hears_the_end(tmp_path: Path) -> None:
    listener, crawl = Listener(), ""
    with Site(MANY) as site:
        for pages in (2, 3):
            async with opened(tmp_path, resume=True, crawl_concurrency=4, host_delay=0.02) as actions:
                crawl = crawl or await begun(actions, site.url("/"))
                await listener.listen(actions, crawl, pages=pages)
        async with opened(tmp_path, resume=True, crawl_concurrency=4) as actions:
            await listener.listen(actions, crawl)
        numbers = listener.last
        async with opened(tmp_path, resume=True) as actions:
            await listener.listen(actions, crawl)

    assert set(listener.pages) == {site.url(path) for path in ("/", *NOTICES)}
    assert listener.kinds[-2:] == ["finished", "finished"]
    assert numbers == listener.last < 2**53, "programs in pages read these as numbers"


async def test_what_a_listener_hears_while_a_crawl_waits_costs_it_no_event(tmp_path: Path) -> None:
    listener = Listener()
    with Site(MANY) as site:
        async with opened(tmp_path, resume=True, crawls_at_once=1, crawl_concurrency=1, host_delay=0.02) as actions:
            first, second = [await begun(actions, site.url("/")) for _ in range(2)]
            events = actions.crawl_events(second)
            listener.last = (await anext(aiter(events)))["event"]
            async for _ in actions.crawl_events(first):
                pass
            await listener.listen(actions, second)

    assert len(listener.pages) == len(NOTICES) + 1
    assert listener.kinds[-1] == "finished"


async def test_a_number_that_no_event_has_had_means_the_beginning(tmp_path: Path) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path, resume=True) as actions:
            crawl = await begun(actions, site.url("/"))
            kinds = [event["type"] async for event in actions.crawl_events(crawl, after=10**17)]

    assert (kinds.count("captured"), kinds[-1]) == (len(NOTICES) + 1, "finished")


async def test_each_sitemap_that_could_not_be_read_whole_is_told_and_counted(tmp_path: Path) -> None:
    entry = "<url><loc>/notice/{}</loc></url>"
    with Site([]) as site:
        named = ["/damaged.xml", "/busy.xml", "/none.xml", "/page.html", "/empty.xml", "/index.xml"]
        index = "<sitemapindex><sitemap><loc>http://elsewhere.test/map.xml</loc></sitemap></sitemapindex>"
        site.routes = [
            robots("".join(f"Sitemap: {site.url(path)}\n" for path in named)),
            Route("/damaged.xml", 200, XML, f"<urlset>{entry.format('1?a=1&b=2')}{entry.format(2)}</urlset>"),
            Route("/busy.xml", 503, XML),
            Route("/page.html", body=page("Not here", "There is nothing here.")),
            Route("/empty.xml", 200, XML),
            Route("/index.xml", 200, XML, index),
            Route("/notice/*", body=page("Notice", "The notice is about a pier. " * 6)),
            Route("/", body=page("Index", "All notices of the year. " * 8)),
        ]
        async with opened(tmp_path) as actions:
            crawl = await begun(actions, site.url("/"))
            told = [event async for event in actions.crawl_events(crawl)]
        async with opened(tmp_path) as actions:
            later = await actions.crawl(crawl)

    bad = {event["url"].rpartition("/")[2]: event["detail"] for event in told if event["type"] == "bad_sitemap"}
    assert set(bad) == {path.strip("/") for path in named} - {"index.xml"}
    assert "2 addresses" in bad["damaged.xml"]
    assert ("503" in bad["busy.xml"], "404" in bad["none.xml"], "nothing" in bad["empty.xml"]) == (True, True, True)
    assert told[-1]["counts"]["captured"] == 3
    assert (told[-1]["counts"]["bad_sitemaps"], told[-1]["counts"]["left_out_elsewhere"]) == (5, 1)
    assert later["counts"] == told[-1]["counts"]


async def test_of_a_sitemap_whose_connection_broke_the_addresses_that_came_are_visited(tmp_path: Path) -> None:
    entries = "".join(f"<url><loc>/notice/{number}</loc></url>" for number in range(3))
    with Site(
        [
            Route("/sitemap.xml", 200, XML, f"<urlset>{entries}"[:-25], declared=10_000, then="close"),
            Route("/notice/*", body=page("Notice", "The notice is about a pier. " * 6)),
            Route("/", body=page("Index", "All notices of the year. " * 8)),
        ]
    ) as site:
        async with opened(tmp_path) as actions:
            crawl = await begun(actions, site.url("/"))
            told = [event async for event in actions.crawl_events(crawl)]

    bad = [event["detail"] for event in told if event["type"] == "bad_sitemap"]
    assert told[-1]["counts"]["captured"] == 1 + 2
    assert len(bad) == 1
    assert "2 addresses" in bad[0]


@pytest.mark.parametrize(("status", "told"), [(404, False), (403, False), (500, True)])
async def test_that_a_site_has_no_sitemap_is_no_fault(tmp_path: Path, status: int, *, told: bool) -> None:
    with Site([Route("/sitemap.xml", status, (HTML,), "no"), *MANY[:2], Route("/*", 404, (HTML,))]) as site:
        async with opened(tmp_path) as actions:
            end = await crawled(actions, site.url("/"))

    assert ("bad_sitemaps" in end["counts"]) is told


async def test_a_crawl_that_rests_is_listed_with_what_it_has(tmp_path: Path) -> None:
    listener = Listener()
    broken = Route("/notice/0", 500, (HTML,), "no")
    with Site([*MANY[:2], broken, *MANY[3:]]) as site:
        async with opened(tmp_path, resume=True, crawl_concurrency=1, host_delay=0.02) as actions:
            crawl = await begun(actions, site.url("/"))
            await listener.listen(actions, crawl, pages=4)
            paused = await actions.crawls.change(crawl, "paused", ME)
        async with opened(tmp_path, resume=True) as actions:
            listed = [(await actions.crawls.listed(limit=5))["crawls"][0] for _ in range(2)]
            told = await actions.crawl(crawl)

    assert paused["counts"] == told["counts"] == listed[0]["counts"] == listed[1]["counts"]
    assert told["counts"] == {"captured": len(told["captures"]), "failed": 1}
    assert len(told["captures"]) >= 4
