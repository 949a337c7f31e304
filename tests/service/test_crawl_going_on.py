"""A crawl that is gone on with has what it had, in every number, and one that ends counts all that it keeps."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.answering import keep
from service.build import build
from service.crawl_requests import CrawlRequest
from snapshots import Batch, Crawl, StoreFull, StoreRefused, StoreUnreachable, open_store, stamp
from tests.service.opened import ME, ReadersHere, crawled, opened, page, settings_for
from tests.service.watched import TurnedForward
from tests.sites import HTML, Route, Site, robots
from tests.snapshots.faulty import FaultyStore

XML = (("Content-Type", "application/xml"),)
NOTICES = tuple(f"/notice/{n}" for n in range(12))
MANY = [
    robots(),
    Route("/", body=page("Index", "All notices of the year. " * 8, links=("/gone", *NOTICES))),
    Route("/gone", 404, (HTML,), page("Not found", "There is no such page here.")),
    *(Route(path, body=page(f"Notice {path}", f"The notice at {path} is about a pier. " * 6)) for path in NOTICES),
]
ONE_AT_A_TIME = {"resume": True, "crawl_concurrency": 1, "host_delay": 0.02}


async def begun(actions: Actions, url: str, *, pages: int, **options: Any) -> str:
    """A crawl that has captured so many pages."""
    crawl = str((await actions.crawl_start(CrawlRequest(url=url, **options), ME))["id"])
    async for event in actions.crawl_events(crawl):
        if event["counts"].get("captured") == pages:
            break
    return crawl


async def left_with(actions: Actions, crawl: str, *, pages: int) -> dict[str, Any]:
    """How a crawl stands once so many pages are left, all of them under way."""
    while True:
        found = await actions.crawl(crawl)
        left = found["left"]["pages"] if found["state"] == "running" and found["left"] else None
        if left == pages and found["counts"]["waiting"] == 0:
            return found
        await asyncio.sleep(0.01)


async def asked(site: Site, path: str) -> None:
    """Wait until something was asked for."""
    while True:
        if site.asked(path):
            return
        await asyncio.sleep(0.01)


async def to_the_end(actions: Actions, crawl: str) -> dict[str, Any]:
    async for _ in actions.crawl_events(crawl):
        pass
    return await actions.crawl(crawl)


async def paused_now(actions: Actions, crawl: str) -> dict[str, Any]:
    """How a crawl stands that was paused without the page under way."""
    return (await asyncio.gather(*(actions.crawls.change(crawl, "paused", ME) for _ in range(2))))[0]


def held(number: int, released: threading.Event) -> Route:
    """A notice that is not answered before: so long its crawl has not ended."""
    return replace(MANY[3 + number], released=released)


async def test_a_crawl_that_is_gone_on_with_has_at_once_what_it_had(tmp_path: Path) -> None:
    released = threading.Event()
    with Site([held(11, released), *MANY]) as site:
        async with opened(tmp_path, **ONE_AT_A_TIME) as actions:  # type: ignore[arg-type]  # a table of settings
            crawl = await begun(actions, site.url("/"), pages=5)
            paused = await paused_now(actions, crawl)
            resumed = await actions.crawls.change(crawl, "resumed", ME)
        async with opened(tmp_path, **ONE_AT_A_TIME) as actions:  # type: ignore[arg-type]  # as above
            listed = (await actions.crawls.listed(limit=1))["crawls"][0]
            first = await anext(aiter(actions.crawl_events(crawl)))
            restarted = await actions.crawl(crawl)
            released.set()
            end = await to_the_end(actions, crawl)

    had = paused["counts"]["captured"]
    assert had >= 5
    for one in (resumed, listed, restarted):
        assert one["state"] == "running"
        assert one["counts"]["captured"] >= had
        assert one["counts"]["failed"] == 1
    assert resumed["errors"] == restarted["errors"] == {"http_404": 1}
    assert restarted["captures"][:had] == paused["captures"]
    assert first["url"] == paused["captures"][0]["url"]
    assert (end["counts"]["captured"], end["counts"]["failed"], len(end["captures"])) == (13, 1, 13)


async def test_what_is_left_is_not_told_by_pages_that_were_there(tmp_path: Path) -> None:
    silent = Route("/notice/11", raw=b"", then="hold")
    with Site([silent, *MANY]) as site:
        async with opened(tmp_path, **ONE_AT_A_TIME) as actions:  # type: ignore[arg-type]  # a table of settings
            crawl = await begun(actions, site.url("/"), pages=12)
            await paused_now(actions, crawl)
            await actions.crawls.change(crawl, "resumed", ME)
            now = await left_with(actions, crawl, pages=1)
            await asyncio.gather(*(actions.crawl_cancel(crawl) for _ in range(2)))

    assert now["left"] == {"pages": 1, "seconds": None}
    assert now["counts"] == {"captured": 12, "failed": 1, "waiting": 0}


async def test_pages_to_which_nothing_leads_any_more_count_and_no_limit_is_passed(tmp_path: Path) -> None:
    entries = "".join(f"<url><loc>{path}</loc></url>" for path in NOTICES[:8])
    bare = Route("/", body=page("Index", "All notices of the year. " * 8))
    sitemap, released = Route("/sitemap.xml", 200, XML, f"<urlset>{entries}</urlset>"), threading.Event()
    with Site([sitemap, robots(), bare, held(7, released), *MANY[3:]]) as site:
        async with opened(tmp_path, **ONE_AT_A_TIME) as actions:  # type: ignore[arg-type]  # a table of settings
            crawl = await begun(actions, site.url("/"), pages=5, max_pages=10)
            paused = await paused_now(actions, crawl)
            site.routes = [Route("/sitemap.xml", 404, (HTML,), "no"), *MANY, bare]
            site.routes = [route if route.path != "/" else _leading_on() for route in site.routes]
        async with opened(tmp_path) as actions:
            stopped = await actions.crawl(crawl)
        async with opened(tmp_path, **ONE_AT_A_TIME) as actions:  # type: ignore[arg-type]  # as above
            await actions.crawls.change(crawl, "resumed", ME)
            end = await to_the_end(actions, crawl)
        async with opened(tmp_path) as actions:
            later = await actions.crawl(crawl)

    assert stopped["captures"] == paused["captures"]
    assert end["captures"][: len(paused["captures"])] == paused["captures"]
    assert end["counts"]["captured"] == len(end["captures"]) <= 10
    assert later["captures"] == end["captures"]
    assert later["counts"] == end["counts"]


def _leading_on() -> Route:
    return Route("/", body=page("Index", "All notices of the year. " * 8, links=NOTICES))


async def test_pages_taken_from_the_store_are_counted_beside_those_captured(tmp_path: Path) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path) as actions:
            await crawled(actions, site.url("/notice/3"), max_depth=0)
            end = await crawled(actions, site.url("/"), max_age=3600)
        async with opened(tmp_path) as actions:
            later = await actions.crawl(end["id"])

    assert (end["counts"]["captured"], end["counts"]["from_store"]) == (13, 1)
    assert later["counts"] == end["counts"]
    assert len(later["captures"]) == 13 - 1


class Valve:
    """Lets a store's writes through, but while it is shut."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.open.set()
        self.waiting = threading.Event()
        self.error: Exception | None = None

    def __call__(self, call: str, names: Sequence[str]) -> None:
        if call == "put_new" and any(name.startswith("objects/") for name in names):
            if not self.open.is_set():
                self.waiting.set()
            self.open.wait()
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize("how", ["cancelled", "paused"])
async def test_a_page_that_is_being_kept_when_a_crawl_is_stopped_counts(tmp_path: Path, how: str) -> None:
    valve = Valve()
    store = FaultyStore(open_store(tmp_path / "bucket"), valve)
    with Site(MANY) as site:
        async with opened(tmp_path / "data", store=store, crawl_concurrency=1, host_delay=0.02) as actions:
            crawl = await begun(actions, site.url("/"), pages=3)
            valve.open.clear()
            await asyncio.to_thread(valve.waiting.wait)
            run = actions.crawls._running[crawl]
            for _ in range(2):  # the second time without those under way
                run.stop(how)  # type: ignore[arg-type]  # one of two
            task = actions.crawls._tasks[crawl]
            done, _ = await asyncio.wait({task}, timeout=0.5)
            valve.open.set()
            await task
            kept = [row.asked for row in actions.crawls._book.captures(crawl)]

    assert not done, "it waits for what is being kept"
    counted = [line["url"] for line in (*run.account.captures, *run.account.failures)]
    assert sorted(counted) == sorted(kept)


@pytest.mark.parametrize(
    "error", [StoreUnreachable("no answer"), StoreFull("no room"), StoreRefused("no", setting="CITATOR_S3_CHECKSUMS")]
)
async def test_who_listens_hears_of_an_outage_and_of_what_comes_after_it(tmp_path: Path, error: Exception) -> None:
    valve, clock = Valve(), TurnedForward()
    store = FaultyStore(open_store(tmp_path / "bucket"), valve)
    settings = settings_for(tmp_path / "data", crawl_concurrency=1, host_delay=0.02)
    kinds: list[str] = []
    reasons: list[str] = []
    with Site(MANY) as site:
        async with build(settings, store=store, readers=ReadersHere(), clock=clock, resume=True) as actions:
            crawl = str((await actions.crawl_start(CrawlRequest(url=site.url("/")), ME))["id"])
            async for event in actions.crawl_events(crawl):
                kinds.append(event["type"])
                if event["type"] == "captured" and kinds.count("captured") == 3:
                    valve.error = error
                if event["type"] == "interrupted":
                    reasons.append(event["detail"])
                    valve.error = None
                    clock.turn(seconds=11)
            end = await actions.crawl(crawl)

    assert kinds[-1] == "finished"
    assert kinds.count("finished") == 1
    assert len(reasons) == 1
    assert str(error) in reasons[0]
    assert (end["state"], len({line["url"] for line in end["captures"]})) == ("done", 13)


async def test_a_crawl_that_was_given_up_stays_so_whatever_another_process_says_of_its_end(tmp_path: Path) -> None:
    with Site(MANY) as site:
        async with opened(tmp_path, **ONE_AT_A_TIME) as actions:  # type: ignore[arg-type]  # a table of settings
            every = {"min_interval": 60, "max_interval": 600}
            crawl = await begun(actions, site.url("/"), pages=2, **every)
            cancelled = await actions.crawl_cancel(crawl)
            at = stamp(actions.parts.clock())
            late = Crawl(phase="finished", crawl=crawl, seeds=(site.url("/"),), at=at, counts={}, state="done")
            await keep(actions.parts, Batch(blobs=(), records=(late,)))
            now = await actions.crawl(crawl)

    assert (cancelled["state"], now["state"], now["next_round"]) == ("cancelled", "cancelled", None)


async def test_a_guessed_sitemap_is_no_fault_of_a_site_that_is_away(tmp_path: Path) -> None:
    with Site([]) as away:
        nowhere = away.url("/")
    broken = Route("/sitemap.xml", raw=b"", then="reset")
    with Site(MANY) as site, Site([broken, *MANY], address="127.0.0.3") as odd:
        async with opened(tmp_path) as actions:
            fine = await crawled(actions, site.url("/"), urls=(nowhere,))
            told = await crawled(actions, odd.url("/"))

    assert "bad_sitemaps" not in fine["counts"]
    assert [line["url"] for line in fine["failures"] if line["reason"] != "http_404"] == [nowhere]
    assert told["counts"]["bad_sitemaps"] == 1


async def test_sites_that_are_slow_to_name_their_sitemaps_are_asked_together_and_hold_up_no_end(tmp_path: Path) -> None:
    silent = [Route("/*", raw=b"", then="hold")]
    with Site(silent) as one, Site(silent, address="127.0.0.3") as other:
        async with opened(tmp_path) as actions:
            starts = (one.url("/"), other.url("/"))
            crawl = (await actions.crawl_start(CrawlRequest(urls=starts), ME))["id"]
            for site in (one, other):
                await asked(site, "/robots.txt")
            ends = await asyncio.gather(*(actions.crawl_cancel(crawl) for _ in range(2)))

    assert {end["state"] for end in ends} == {"cancelled"}
    assert {end["counts"]["failed"] for end in ends} == {0}
