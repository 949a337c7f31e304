"""Crawls over the real parts: what is captured, what failed and why, and going on after an interruption."""

import asyncio
from pathlib import Path

import pytest

from service.crawl_requests import CrawlRequest
from service.failures import UnknownCrawl
from tests.service.opened import HARBOUR, ME, captured, crawled, opened, page
from tests.sites import HTML, Route, Site, robots

MANY = [
    robots(),
    Route("/", body=page("Index", "All notices of the year. " * 8, links=tuple(f"/notice/{n}" for n in range(12)))),
    *(Route(f"/notice/{n}", body=page(f"Notice {n}", f"Notice number {n} is about pier {n}. " * 6)) for n in range(12)),
]


async def test_a_site_is_captured_and_each_page_names_the_crawl(tmp_path: Path) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path) as actions:
            end = await crawled(actions, site.url("/"))
            listed = await actions.captures(site.url("/notice/3"), limit=5, before=None, caller=ME)

    assert (end["type"], end["state"]) == ("finished", "done")
    assert end["counts"]["captured"] == 13
    assert sorted({line["url"] for line in end["captures"]}) == sorted(site.url(route.path) for route in MANY[1:])
    assert listed["captures"][0]["crawl"] == end["id"]


async def test_pages_that_fail_are_told_with_their_reason_and_do_not_count(tmp_path: Path) -> None:
    links = ("/ferry", "/gone", "/private", "/bridge")
    start = Route("/", body=page("Harbour", "All notices to skippers. " * 8, links=links))
    with Site([start, *HARBOUR]) as site:
        async with opened(tmp_path) as actions:
            end = await crawled(actions, site.url("/"), max_pages=3)
        async with opened(tmp_path) as actions:
            later = await actions.crawl(end["id"])

    assert end["counts"]["captured"] == 3
    assert [line["reason"] for line in later["failures"]] == [line["reason"] for line in end["failures"]]
    assert {line["url"] for line in later["captures"]} == {line["url"] for line in end["captures"]}
    assert {line["url"].rpartition("/")[2]: line["reason"] for line in end["failures"]} == {
        "gone": "http_404",
        "private": "robots_disallowed",
    }


async def test_a_sitemap_leads_to_pages_that_no_link_leads_to(tmp_path: Path) -> None:
    def hidden(site: Site) -> str:
        return f"<urlset><url><loc>{site.url('/hidden')}</loc></url></urlset>"

    with Site([]) as site:
        site.routes = [
            robots(),
            Route("/sitemap.xml", 200, (("Content-Type", "application/xml"),), hidden(site)),
            Route("/", body=page("Start", "Nothing is linked from here. " * 8)),
            Route("/hidden", body=page("Hidden", "Only the sitemap knows this page. " * 8)),
        ]
        async with opened(tmp_path) as actions:
            with_it = await crawled(actions, site.url("/"))
            without = await crawled(actions, site.url("/"), sitemap=False)

    assert {line["url"] for line in with_it["captures"]} == {site.url("/"), site.url("/hidden")}
    assert {line["url"] for line in without["captures"]} == {site.url("/")}


async def test_a_cancelled_crawl_keeps_what_it_has(tmp_path: Path) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path, crawl_concurrency=1, host_delay=0.2) as actions:
            crawl = await actions.crawl_start(CrawlRequest(url=site.url("/")), ME)
            async for event in actions.crawl_events(crawl["id"]):
                if event["type"] == "captured" and event["counts"]["captured"] == 2:
                    break
            end = await actions.crawl_cancel(crawl["id"])
            later = await actions.crawl(crawl["id"])

    assert end["state"] == "cancelled"
    assert 2 <= len(end["captures"]) < 13
    assert later["captures"] == end["captures"]


async def test_an_interrupted_crawl_goes_on_without_asking_again_for_what_it_has(tmp_path: Path) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path, crawl_concurrency=1, host_delay=0.1) as actions:
            crawl = await actions.crawl_start(CrawlRequest(url=site.url("/")), ME)
            async for event in actions.crawl_events(crawl["id"]):
                if event["type"] == "captured" and event["counts"]["captured"] == 4:
                    break
        async with opened(tmp_path) as actions:
            stopped = await actions.crawl(crawl["id"])
        async with opened(tmp_path, resume=True) as actions:
            async for event in actions.crawl_events(crawl["id"]):
                last = event
            end = await actions.crawl(crawl["id"])
        async with opened(tmp_path, resume=True) as actions:
            afterwards = await actions.crawl(crawl["id"])
        asked = [request.path for request in site.requests if request.path.startswith("/notice")]

    assert stopped["state"] == "interrupted"
    assert (last["type"], end["state"], end["counts"]["captured"]) == ("finished", "done", 13)
    assert len(asked) <= 13, "at most the page under way at the interruption is asked for twice"
    assert set(asked) == {f"/notice/{n}" for n in range(12)}
    assert afterwards["state"] == "done"


async def test_pages_that_are_young_enough_are_taken_from_the_store(tmp_path: Path) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/notice/5"))
            end = await crawled(actions, site.url("/"), max_age=3600)
        asked = [request.path for request in site.requests].count("/notice/5")

    assert end["counts"]["captured"] == 13
    assert asked == 1


async def test_a_site_of_dead_links_ends_the_crawl(tmp_path: Path) -> None:
    dead = tuple(f"/dead/{n}" for n in range(400))
    routes = [robots(), Route("/", body=page("Start", "Links to nowhere. " * 8, links=dead)), Route("/*", 404, (HTML,))]
    with Site(routes) as site:
        async with opened(tmp_path, host_concurrency=16, crawl_concurrency=16) as actions:
            end = await crawled(actions, site.url("/"), max_pages=2)

    assert end["state"] == "done"
    assert end["counts"]["captured"] == 1
    assert end["counts"]["failed"] <= 110
    assert end["counts"]["waiting"] > 0
    assert "gave no page" in end["detail"]


async def test_a_crawl_that_nobody_started_is_unknown(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/ferry"))
            with pytest.raises(UnknownCrawl):
                await actions.crawl(said["capture"])


async def test_several_listeners_hear_the_same_events(tmp_path: Path) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path) as actions:
            crawl = await actions.crawl_start(CrawlRequest(url=site.url("/")), ME)

            async def listen(after: int) -> list[int]:
                return [event["event"] async for event in actions.crawl_events(crawl["id"], after=after)]

            one, two, late = await asyncio.gather(listen(0), listen(0), listen(5))

    assert one == two == list(range(1, 15))
    assert late == list(range(6, 15))
