"""Crawls as jobs: where they start, what bounds them, that they are paused, wait, are shared, and come back."""

import asyncio
import gzip
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.build import build
from service.crawl_requests import CrawlRequest
from service.failures import CrawlOver
from tests.service.opened import ME, ReadersHere, crawled, opened, page, settings_for
from tests.service.watched import TurnedForward
from tests.sites import Route, Site, robots

XML = (("Content-Type", "application/xml"),)


def notice(number: int) -> Route:
    return Route(f"/notice/{number}", body=page(f"Notice {number}", f"Notice number {number} is about a pier. " * 6))


def start(*links: str) -> Route:
    return Route("/", body=page("Index", "All notices of the year. " * 8, links=links))


NOTICES = tuple(f"/notice/{n}" for n in range(12))
MANY = [robots(), start(*(f"/notice/{n}" for n in range(12))), *(notice(n) for n in range(12))]


def names(told: dict[str, Any]) -> set[str]:
    return {line["url"].partition("//")[2].partition("/")[2] for line in told["captures"]}


async def until(actions: Actions, crawl: str, *states: str) -> dict[str, Any]:
    """How a crawl stands once it has come to one of these states."""
    while True:
        found = await actions.crawl(crawl)
        if found["state"] in states:
            return found
        await asyncio.sleep(0.05)


async def asked_for(site: Site, times: int) -> None:
    """Wait until the first notice was asked for so often."""
    while True:
        if site.asked("/notice/0") >= times:
            return
        await asyncio.sleep(0.02)


async def another_round(actions: Actions, crawl: str, known: int) -> str:
    """The crawl that follows, once it has begun."""
    while True:
        rounds = (await actions.crawl(crawl))["rounds"]
        if len(rounds) > known:
            return str(rounds[-1])
        await asyncio.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ({"include": ("/notice/1*",)}, {"", "notice/1", "notice/10", "notice/11"}),
        ({"include": ("*/notice/?",)}, {""}),
        ({"include": ("/notice/*",), "exclude": ("/*1*",)}, {"", *(f"notice/{n}" for n in (0, *range(2, 10)))}),
        ({"exclude": ("/notice/*",)}, {""}),
        ({"exclude": ("/*/?", "/notice/1?", "*/notice/1*")}, {"", *(f"notice/{n}" for n in (0, *range(2, 10)))}),
        ({"max_depth": 0}, {""}),
    ],
)
async def test_patterns_and_depth_bound_where_links_lead(
    tmp_path: Path, options: dict[str, Any], taken: set[str]
) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path) as actions:
            end = await crawled(actions, site.url("/"), **options)

    assert names(end) == taken


async def test_a_crawl_starts_from_sitemaps_whatever_their_form(tmp_path: Path) -> None:
    with Site([]) as site:
        packed = gzip.compress(f"<urlset><url><loc>{site.url('/notice/1')}</loc></url></urlset>".encode())
        index = "".join(
            f"<sitemap><loc>{site.url(path)}</loc></sitemap>" for path in ("/one.xml.gz", "/two.xml", "/no")
        )
        broken = f"<urlset><url><loc>{site.url('/notice/2')}</loc></url><url><loc>{site.url('/notice/3')}"
        site.routes = [
            robots(),
            Route("/index.xml", 200, XML, f"<?xml version='1.0'?><sitemapindex>{index}</sitemapindex>"),
            Route("/one.xml.gz", 200, (("Content-Type", "application/gzip"),), packed),
            Route("/two.xml", 200, XML, broken),
            *(notice(n) for n in range(5)),
        ]
        async with opened(tmp_path) as actions:
            end = await crawled(actions, site.url("/index.xml"), sitemap=False, max_pages=10)
            few = await crawled(actions, site.url("/index.xml"), sitemap=False, max_pages=1)

    assert names(end) == {"notice/1", "notice/2"}
    assert end["counts"]["from_sitemaps"] == 2
    assert len(few["captures"]) == 1
    assert (end["detail"], few["detail"]) == (None, "it ended as max_pages is 1; further addresses are known")


async def test_a_crawl_starts_from_a_feed_and_takes_its_entries_wherever_they_are(tmp_path: Path) -> None:
    away = [robots(), Route("/story", body=page("Story", "A story told elsewhere. " * 9, links=("/other",)))]
    with Site([robots(), notice(1), notice(2)]) as site, Site(away, address="127.0.0.3") as other:
        entries = "".join(f"<item><title>{n}</title><link>/notice/{n}</link></item>" for n in (1, 2))
        entries += f"<item><title>away</title><link>{other.url('/story')}</link></item>"
        feed = f"<rss version='2.0'><channel><title>Notices of the harbour</title>{entries}</channel></rss>"
        site.routes = [*site.routes, Route("/feed", 200, (("Content-Type", "application/rss+xml"),), feed)]
        async with opened(tmp_path) as actions:
            end = await crawled(actions, site.url("/feed"))
        asked_elsewhere = {request.path for request in other.requests} - {"/robots.txt", "/sitemap.xml"}

    assert names(end) == {"feed", "notice/1", "notice/2", "story"}
    assert end["counts"]["from_feeds"] == 3
    assert asked_elsewhere == {"/story"}


@pytest.mark.slow
async def test_a_list_of_addresses_is_captured_whole_and_a_slow_host_holds_up_no_other(tmp_path: Path) -> None:
    slow_pages = [robots(), *(Route(f"/{n}", body=page("Slow", "Slowly told. " * 20), before=0.4) for n in range(6))]
    with Site(slow_pages, address="127.0.0.4") as slow, Site(MANY) as quick:
        urls = [*(slow.url(f"/{n}") for n in range(6)), *(quick.url(f"/notice/{n}") for n in range(12))]
        async with opened(tmp_path, host_concurrency=1, crawl_concurrency=2) as actions:
            crawl = await actions.crawl_start(CrawlRequest(urls=urls, max_depth=0), ME)
            came = [event["url"] async for event in actions.crawl_events(crawl["id"]) if event["type"] == "captured"]

    assert sorted(came) == sorted(urls)
    assert came.index(quick.url("/notice/11")) < came.index(slow.url("/5"))


async def test_a_crawl_ends_after_its_time_with_what_it_has(tmp_path: Path) -> None:
    clock = TurnedForward()
    with Site(MANY) as site:
        async with _opened(tmp_path, clock, crawl_concurrency=1, host_delay=0.1) as actions:
            crawl = await actions.crawl_start(CrawlRequest(url=site.url("/"), max_seconds=60), ME)
            async for event in actions.crawl_events(crawl["id"]):
                if event["counts"].get("captured") == 3:
                    clock.turn(seconds=61)
                last = event
        async with opened(tmp_path) as actions:
            later = await actions.crawl(crawl["id"])
            listed = (await actions.crawls.listed(limit=1))["crawls"]

    assert last["state"] == "done"
    assert "60 seconds" in last["detail"]
    assert (later["detail"], listed[0]["detail"]) == (last["detail"], last["detail"])
    assert 3 <= len(last["captures"]) < 13


async def test_a_crawl_ends_after_its_time_also_while_a_site_asks_for_patience(tmp_path: Path) -> None:
    busy = Route("/notice/*", 429, (("Retry-After", "3000"),), "later")
    with Site([robots(), start(*NOTICES), busy]) as site:
        async with opened(tmp_path) as actions:
            crawl = await actions.crawl_start(CrawlRequest(url=site.url("/"), max_seconds=2), ME)
            end = await until(actions, crawl["id"], "done", "failed")

    assert end["state"] == "done"
    assert "2 seconds" in end["detail"]
    assert (len(end["captures"]), end["left"]) == (1, {"pages": 0, "seconds": 0})


async def test_a_paused_crawl_rests_also_over_a_restart_and_goes_on_where_it_was(tmp_path: Path) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path, resume=True, crawl_concurrency=1, host_delay=0.1) as actions:
            crawl = (await actions.crawl_start(CrawlRequest(url=site.url("/")), ME))["id"]
            async for event in actions.crawl_events(crawl):
                if event["counts"].get("captured") == 3:
                    break
            paused = await actions.crawls.change(crawl, "paused", ME)
            kinds = [event["type"] async for event in actions.crawl_events(crawl)]
        asked = len(site.requests)
        async with opened(tmp_path, resume=True) as actions:
            still = await actions.crawl(crawl)
            await actions.crawls.change(crawl[:20], "resumed", ME)
            end = await until(actions, crawl, "done")
            with pytest.raises(CrawlOver):
                await actions.crawls.change(crawl, "paused", ME)
        again = [request.path for request in site.requests].count("/notice/0")

    assert (paused["state"], still["state"], kinds) == ("paused", "paused", ["paused"])
    assert len(site.requests) > asked
    assert (end["counts"]["captured"], again) == (13, 1)
    assert len({line["capture"] for line in end["captures"]}) == 13


@pytest.mark.slow
async def test_a_crawl_that_is_asked_to_wait_for_an_hour_can_be_cancelled(tmp_path: Path) -> None:
    busy = Route("/*", 429, (("Retry-After", "3000"),), "later")
    with Site([robots(), start("/busy", "/more", "/most"), busy]) as site:
        async with opened(tmp_path, crawl_concurrency=2) as actions:
            crawl = await actions.crawl_start(CrawlRequest(url=site.url("/"), sitemap=False), ME)
            async for event in actions.crawl_events(crawl["id"]):
                if event["type"] == "failed":
                    break
            end = await actions.crawl_cancel(crawl["id"])
            listed = await actions.crawls.listed(limit=5)

    assert (end["state"], set(end["errors"])) == ("cancelled", {"status_429"})
    assert [(one["id"], one["state"]) for one in listed["crawls"]] == [(crawl["id"], "cancelled")]


async def test_crawls_wait_for_their_turn_and_are_told_with_what_is_left(tmp_path: Path) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path, resume=True, crawls_at_once=1, crawl_concurrency=1, host_delay=0.03) as actions:
            one, two, three = [await actions.crawl_start(CrawlRequest(url=site.url("/")), ME) for _ in range(3)]
            dropped = await actions.crawl_cancel(three["id"])
            kinds = [event["type"] async for event in actions.crawl_events(two["id"])]
            first = await actions.crawl(one["id"])
            page_of_list = await actions.crawls.listed(limit=2)
            rest = await actions.crawls.listed(limit=2, before=page_of_list["next"])

    assert (one["state"], two["state"], three["state"]) == ("running", "queued", "queued")
    assert one["left"]["seconds"] is None
    assert (dropped["state"], first["state"]) == ("cancelled", "done")
    assert (kinds[0], kinds[-1], kinds.count("captured")) == ("progress", "finished", 13)
    assert [one["id"] for one in page_of_list["crawls"] + rest["crawls"]] == [three["id"], two["id"], one["id"]]


@pytest.mark.slow
async def test_of_two_servers_one_drives_a_crawl_and_the_other_goes_on_when_it_ends(tmp_path: Path) -> None:
    shared = {"bucket": str(tmp_path / "bucket"), "database_url": f"sqlite:///{tmp_path}/views.db"}
    shared |= {"log_key_file": tmp_path / "log.key"}
    slowly = {"crawl_concurrency": 1, "host_delay": 0.15, **shared}
    with Site(MANY) as site:
        async with AsyncExitStack() as first, opened(tmp_path / "a", resume=True, **slowly) as there:
            here = await first.enter_async_context(opened(tmp_path / "b", resume=True, **slowly))
            crawl = (await here.crawl_start(CrawlRequest(url=site.url("/")), ME))["id"]
            async for event in here.crawl_events(crawl):
                if event["counts"].get("captured") == 2:
                    break
            seen_there = await there.crawl(crawl)
            await first.aclose()
            end = await until(there, crawl, "done")
        asked = [request.path for request in site.requests if request.path.startswith("/notice")]

    assert seen_there["state"] == "running"
    assert end["counts"]["captured"] == 13
    assert len(asked) <= 13, "the page under way when the first one ended may be asked for twice"
    assert len({line["url"] for line in end["captures"]}) == len(end["captures"]) == 13


@pytest.mark.slow
@pytest.mark.parametrize("ended", [False, True])
async def test_a_server_that_slept_while_another_took_its_crawl_keeps_nothing_more_of_it(
    tmp_path: Path,
    *,
    ended: bool,  # whether the other one has ended the crawl before this one wakes
) -> None:
    shared = {"bucket": str(tmp_path / "bucket"), "database_url": f"sqlite:///{tmp_path}/views.db"}
    shared |= {"log_key_file": tmp_path / "log.key", "crawl_concurrency": 1, "host_delay": 0 if ended else 0.3}
    released = threading.Event()
    slow = Route("/notice/0", body=page("Notice 0", "Notice number 0 is about a pier. " * 6), hit=1, released=released)
    here_is, there_is = TurnedForward(), TurnedForward()
    with Site([MANY[0], MANY[1], slow, *MANY[2:]]) as site:
        async with (
            _opened(tmp_path / "a", here_is, **shared) as here,
            _opened(tmp_path / "b", there_is, **shared) as there,
        ):
            crawl = (await here.crawl_start(CrawlRequest(url=site.url("/"), sitemap=False), ME))["id"]
            await asked_for(site, 1)
            there_is.turn(seconds=61)
            await asked_for(site, 2)
            if ended:
                await until(there, crawl, "done")
            here_is.turn(seconds=61)
            released.set()  # its page comes only now
            await until(here, crawl, "queued", "done")
            ends = [await until(one, crawl, "done") for one in (here, there)]

    for end in ends:
        assert sorted(line["url"] for line in end["captures"]) == sorted(site.url(path) for path in ("/", *NOTICES))
    assert max(site.asked(path) for path in NOTICES[1:]) == 1


@pytest.mark.slow
async def test_pages_are_visited_again_each_at_its_own_pace_and_conditionally(tmp_path: Path) -> None:
    clock = TurnedForward()
    tagged = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"one"'))
    calm = page("Calm", "What stands here stays as it is. " * 8)
    routes = [
        robots(),
        start("/calm", "/busy"),
        Route("/calm", 304, (("ETag", '"one"'),), header=("If-None-Match", '"one"')),
        Route("/calm", 200, tagged, calm),
        *(Route("/busy", body=page("Busy", f"Today is day {n}, and all is new. " * 8), hit=n) for n in range(1, 9)),
    ]
    every = {"min_interval": 3600, "max_interval": 30 * 86_400}
    with Site(routes) as site:
        async with _opened(tmp_path, clock) as actions:
            crawl = (await actions.crawl_start(CrawlRequest(url=site.url("/"), sitemap=False, **every), ME))["id"]
            first = await until(actions, crawl, "done")
            for number, hours in enumerate((25, 2, 2, 2)):
                clock.turn(hours=hours)
                latest = await another_round(actions, crawl, number)
                last = await until(actions, latest, "done")
            await actions.crawl_cancel(crawl)
            over = await actions.crawl(crawl)
        asked = [request.path for request in site.requests]
        conditional = [request for request in site.requests if request.get("if-none-match")]

    assert first["next_round"] is not None
    assert asked.count("/busy") == 5
    assert asked.count("/calm") == 2
    assert {request.path for request in conditional} == {"/calm"}
    assert last["follows"] == crawl
    assert (over["state"], over["next_round"]) == ("cancelled", None)


@asynccontextmanager
async def _opened(data: Path, clock: TurnedForward, **given: object) -> AsyncIterator[Actions]:
    async with build(settings_for(data, **given), readers=ReadersHere(), clock=clock, resume=True) as actions:
        yield actions
