"""Three services behind one query, over two hundred pages: whatever one of them does, the others' answer comes."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.requests import SearchRequest
from tests.service.opened import ME, opened, page, searched
from tests.service.provider_shapes import JSON_TYPE, SHAPES, finding, reply_of, settings_of
from tests.sites import HTML, Route, Site

PAGES = 200
EACH = 100


def text(number: int) -> str:
    said = f"Berth {number} lies at pier {number % 17}, and this line tells what moors there in week"
    lines = (f"{said} {n}." for n in range(8))
    return page(f"Berth {number}", f"The swing bridge tolls {number} times at berth {number}.", *lines)


@pytest.fixture(scope="module")
def pages() -> Iterator[Site]:
    slow = Route("/berth/3", body=text(3), before=30.0)
    with Site([slow, *(Route(f"/berth/{n}", body=text(n)) for n in range(PAGES)), Route("/*", 404)]) as site:
        yield site


def urls(pages: Site) -> dict[str, list[str]]:
    """What each service finds: half of it another one finds too, in another order and with counting parameters."""
    return {
        name: [pages.url(f"/berth/{(start + n) % PAGES}") + end for n in range(EACH)]
        for name, start, end in (("searxng", 0, ""), ("brave", 50, "?utm_source=b"), ("tavily", 100, "#top"))
    }


async def record_of(actions: Actions, reply: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads((await actions.evidence(reply["record"])).body))


def berth(url: str) -> int:
    return int(url.partition("?")[0].partition("#")[0].rpartition("/")[2])


async def test_every_candidate_stands_in_the_record_with_its_fate(tmp_path: Path, pages: Site) -> None:
    proposed = urls(pages)
    with Site([finding(name, found) for name, found in proposed.items()]) as services:
        async with opened(tmp_path, search_deadline=4.0, **settings_of(services)) as actions:
            reply = await searched(actions, "swing bridge tolls", max_results=5)
            record = await record_of(actions, reply)

    listed = {berth(one["url"]): one for one in record["candidates"]}
    ranks = {
        number: {name: 1 + n for name, found in proposed.items() for n, url in enumerate(found) if berth(url) == number}
        for number in range(PAGES)
    }
    assert len(record["candidates"]) == record["candidates_total"] == PAGES
    assert {n: {one["provider"]: one["rank"] for one in listed[n]["ranks"]} for n in listed} == ranks
    assert all(one["decision"] for one in record["candidates"])
    assert sum(one["decision"] == "kept" for one in record["candidates"]) == len(reply["results"]) == 5
    assert reply["dropped_total"] == PAGES - 5
    assert [one["name"] for one in record["providers"] if one["reply"]] == ["searxng", "brave", "tavily"]


WAYS: list[tuple[dict[str, Any], str]] = [
    ({"then": "reset", "declared": 1_000_000}, "unreachable"),
    ({"framing": "close", "body": '{"results": [{"url": "http'}, "bad_reply"),
    ({"raw": b""}, "unreachable"),
    ({"drip": (10, 0.2)}, "timeout"),
    ({"before": 30.0, "then": "hold"}, "timeout"),
    ({"headers": (HTML,), "body": "<!DOCTYPE html><title>Just a moment</title>"}, "bad_reply"),
    ({"body": reply_of("searxng", []).encode("utf-16")}, "bad_reply"),
    ({"body": b'{"results": "\xff\xfe\xfa"}'}, "bad_reply"),
    ({"headers": (JSON_TYPE, ("Content-Encoding", "br")), "body": b"\x00\x01"}, "bad_reply"),
    ({"status": 429, "headers": (JSON_TYPE, ("Retry-After", "1")), "body": "{}"}, "quota"),
]
"""What can become of a service in the middle of a search, and what it is then said to be."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
async def test_killing_one_still_gives_a_result_that_names_it(tmp_path: Path, pages: Site, name: str) -> None:
    proposed = {one: found[10:14] for one, found in urls(pages).items()}
    others = [finding(one, found) for one, found in proposed.items() if one != name]
    right: dict[str, Any] = {"path": SHAPES[name], "headers": (JSON_TYPE,), "body": reply_of(name, proposed[name])}
    with Site([]) as services:
        async with opened(tmp_path, provider_seconds=1.0, **settings_of(services)) as actions:
            for how, state in WAYS:
                services.routes = [Route(**(right | how)), *others]
                reply = await searched(actions, "swing bridge tolls", max_results=2)
                record = await record_of(actions, reply)

                states = {one["name"]: one["state"] for one in record["providers"]}
                assert states == dict.fromkeys(SHAPES, "ok") | {"index": "ok", name: state}, how
                assert (reply["state"], len(reply["results"])) == ("ok", 2), how
                assert f"Not answered: {name} (" in reply["message"], how


@pytest.mark.slow
async def test_a_page_that_hangs_costs_its_place_and_holds_nobody_up(tmp_path: Path, pages: Site) -> None:
    with Site([finding("searxng", [pages.url(f"/berth/{n}") for n in (3, 400, 401, 5, 6, 7)])]) as services:
        async with opened(tmp_path, search_deadline=3.0, searxng_url=services.url("/sx")) as actions:
            clock = asyncio.get_running_loop().time
            begun = clock()
            reply = await searched(actions, "swing bridge tolls", max_results=3)
            over = clock() - begun - 3.0
            record = await record_of(actions, reply)

    fates = {berth(one["url"]): one["decision"] for one in record["candidates"]}
    assert fates[3] == "deadline"
    assert {number for number, fate in fates.items() if fate == "kept"} == {5, 6}
    assert over < 20.0, "it waited for the page"


async def test_whoever_listens_hears_how_the_search_goes_on(tmp_path: Path, pages: Site) -> None:
    heard: list[dict[str, Any]] = []
    with Site([finding("searxng", [pages.url("/berth/5"), pages.url("/berth/400")])]) as services:
        async with opened(tmp_path, searxng_url=services.url("/sx")) as actions:
            await actions.search(SearchRequest(query="swing bridge"), replace(ME, told=heard.append))

    assert [one["type"] for one in heard] == ["asked", "provider", "candidates", "page", "page"]
    assert (heard[1]["name"], heard[1]["state"], heard[1]["candidates"]) == ("searxng", "ok", 2)
    assert {(berth(one["url"]), one["state"]) for one in heard[3:]} == {(5, "opened"), (400, "not_found")}
