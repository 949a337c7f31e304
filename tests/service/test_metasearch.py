"""Searches that ask around: everybody's candidates with their fate, whoever fails named, pages fetched and cited."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.failures import BadRequest
from tests.service.opened import HARBOUR, TOLL, captured, opened, page, searched
from tests.sites import HTML, Route, Site

JSON_TYPE = ("Content-Type", "application/json")
KEY = "brave-secret-key-0123456789"


def searxng(urls: Sequence[str], **more: Any) -> Route:
    results = [
        {"url": url, "title": f"Title {n}", "content": f"Snippet {n}", "engines": ["e"]} for n, url in enumerate(urls)
    ]
    return Route("/sx/search*", 200, (JSON_TYPE,), json.dumps({"query": "q", "results": results, **more}))


def brave(urls: Sequence[str]) -> Route:
    results = [{"type": "search_result", "url": url, "title": "B", "description": "d"} for url in urls]
    return Route("/res/v1/web/search*", 200, (JSON_TYPE,), json.dumps({"type": "search", "web": {"results": results}}))


@asynccontextmanager
async def around(data: Path, site: Site, *, with_brave: bool = False, **settings: Any) -> AsyncIterator[Actions]:
    given: dict[str, Any] = {"searxng_url": site.url("/sx")} | settings
    if with_brave:
        given |= {"brave_url": site.url(""), "brave_key": KEY}
    async with opened(data, **given) as actions:
        yield actions


async def record_of(actions: Actions, reply: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads((await actions.evidence(reply["record"])).body))


async def test_what_a_provider_finds_is_fetched_read_and_cited(tmp_path: Path) -> None:
    with Site(HARBOUR) as pages, Site([]) as providers:
        providers.routes = [searxng([pages.url("/bridge"), pages.url("/ferry")])]
        async with around(tmp_path, providers) as actions:
            reply = await searched(actions, "swing bridge toll")
            shown = (await actions.evidence(reply["results"][0]["passages"][0]["id"])).body
            record = await record_of(actions, reply)
            proof = await actions.proof(reply["results"][0]["capture"])

    assert reply["state"] == "ok"
    assert [one["url"] for one in reply["results"]] == [pages.url("/bridge"), pages.url("/ferry")]
    assert TOLL in reply["results"][0]["passages"][0]["text"]
    assert TOLL.encode() in shown
    assert record["providers"][0]["name"] == "searxng"
    assert record["providers"][0]["reply"] is not None
    assert proof["index"] >= 0


async def test_every_candidate_stands_in_the_record_with_its_fate(tmp_path: Path) -> None:
    with Site(HARBOUR) as pages, Site([]) as providers:
        urls = ["/bridge", "/missing", "/private", "/void", "/picture", "/ferry"]
        providers.routes = [searxng([*(pages.url(url) for url in urls), "javascript:alert(1)", "https://other.test/x"])]
        async with around(tmp_path, providers) as actions:
            reply = await searched(actions, "ferry", exclude_domains=("other.test",))
            record = await record_of(actions, reply)

    fates = {one["url"].removeprefix(pages.url("")): one["decision"] for one in record["candidates"]}
    assert fates["/bridge"] == fates["/ferry"] == "kept"
    assert fates["/missing"] in {"not_found", "fetch_failed"}
    assert fates["/private"] == "fetch_failed"
    assert fates["/void"] in {"empty", "no_text"}
    assert fates["javascript:alert(1)"] == "not_an_address"
    assert fates["https://other.test/x"] == "domain_excluded"
    assert len(reply["dropped"]) == reply["dropped_total"] == 6
    assert all(one["reason"] for one in reply["dropped"])


async def test_pages_that_several_propose_are_joined_with_all_their_ranks(tmp_path: Path) -> None:
    with Site(HARBOUR) as pages, Site([]) as providers:
        both = pages.url("/bridge")
        providers.routes = [searxng([pages.url("/ferry"), f"{both}?utm_source=x"]), brave([both])]
        async with around(tmp_path, providers, with_brave=True) as actions:
            reply = await searched(actions, "harbour")

    assert {one["name"]: one["rank"] for one in reply["results"][0]["providers"]} == {"searxng": 2, "brave": 1}
    assert reply["results"][0]["url"].startswith(both)
    assert len(reply["results"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("route", "state"),
    [
        (Route("/res/*", 429, (JSON_TYPE,), '{"error":{"code":"RATE_LIMITED","detail":"too fast"}}'), "quota"),
        (Route("/res/*", 500, (JSON_TYPE,), "oops"), "unreachable"),
        (Route("/res/*", 200, (HTML,), "<html>captcha</html>"), "bad_reply"),
        (Route("/res/*", 200, (JSON_TYPE,), '{"web": {"results": 7}}'), "bad_reply"),
        (Route("/res/*", 200, (JSON_TYPE,), "[" * 100_000), "bad_reply"),
        (Route("/res/*", 401, (JSON_TYPE,), f'{{"key": "{KEY}"}}'), "refused"),
        (Route("/res/*", then="hold", before=30), "timeout"),
        (Route("/res/*", 302, (("Location", "http://169.254.169.254/"),), ""), "unreachable"),
    ],
)
async def test_a_provider_that_fails_is_named_and_the_others_answer(tmp_path: Path, route: Route, state: str) -> None:
    with Site(HARBOUR) as pages, Site([]) as providers:
        providers.routes = [searxng([pages.url("/bridge")]), route]
        async with around(tmp_path, providers, with_brave=True, provider_seconds=1.0) as actions:
            reply = await searched(actions, "toll")
            record = await record_of(actions, reply)
            kept = [actions.parts.archive.get(one["reply"]) for one in record["providers"] if one["reply"]]

    states = {one["name"]: one["state"] for one in reply["providers"]}
    assert states == {"searxng": "ok", "brave": state, "index": "ok"}
    assert reply["state"] == "ok"
    assert "brave" in reply["message"]
    assert KEY not in json.dumps([reply, record])
    assert all(KEY.encode() not in body for body in kept)


async def test_when_all_fail_the_state_says_so(tmp_path: Path) -> None:
    with Site([Route("/*", 500)]) as providers:
        async with around(tmp_path, providers) as actions:
            reply = await searched(actions, "toll")

    assert reply["state"] == "provider_failed"
    assert reply["results"] == []
    assert "searxng" in reply["message"]


async def test_engines_that_did_not_answer_are_told(tmp_path: Path) -> None:
    with Site(HARBOUR) as pages, Site([]) as providers:
        providers.routes = [searxng([pages.url("/bridge")], unresponsive_engines=[["google", "CAPTCHA"]])]
        async with around(tmp_path, providers) as actions:
            reply = await searched(actions, "toll")

    assert reply["providers"][0]["detail"] == "google: CAPTCHA"


async def test_a_page_seen_lately_comes_from_the_store_with_its_age(tmp_path: Path) -> None:
    with Site(HARBOUR) as pages, Site([]) as providers:
        providers.routes = [searxng([pages.url("/bridge")])]
        async with around(tmp_path, providers) as actions:
            await captured(actions, pages.url("/bridge"))
            asked = pages.asked("/bridge")
            kept = await searched(actions, "toll")
            again = await searched(actions, "toll", fetch="always")
            late = await searched(actions, "toll", max_age=0)

    assert kept["results"][0]["from_store"] is True
    assert kept["results"][0]["age_seconds"] >= 0
    assert again["results"][0]["from_store"] is False
    assert late["results"][0]["from_store"] is False
    assert pages.asked("/bridge") == asked + 2


async def test_without_fetching_the_answer_is_what_providers_say_and_says_so(tmp_path: Path) -> None:
    with Site(HARBOUR) as pages, Site([]) as providers:
        providers.routes = [searxng([pages.url("/bridge")])]
        async with around(tmp_path, providers) as actions:
            reply = await searched(actions, "toll", fetch="never")
            record = await record_of(actions, reply)

    assert pages.requests == []
    assert reply["results"][0]["capture"] is None
    assert reply["results"][0]["snippet"] == "Snippet 0"
    assert "No page was fetched" in reply["message"]
    assert record["candidates"][0]["decision"] == "snippet_only"


async def test_the_deadline_holds_and_what_came_by_then_is_shown(tmp_path: Path) -> None:
    slow = [Route("/slow", before=30, then="hold"), *HARBOUR]
    with Site(slow) as pages, Site([]) as providers:
        providers.routes = [searxng([pages.url("/slow"), pages.url("/bridge")])]
        async with around(tmp_path, providers, search_deadline=2.0) as actions:
            clock = asyncio.get_running_loop().time()
            reply = await searched(actions, "toll", max_results=2)
            took = asyncio.get_running_loop().time() - clock

    assert [one["url"] for one in reply["results"]] == [pages.url("/bridge")]
    assert reply["dropped"][0]["reason"] == "deadline"
    assert took < 30


async def test_pages_that_say_the_same_are_shown_once_unless_asked(tmp_path: Path) -> None:
    text = [f"Sentence number {n} tells of the weather on the coast and of the tides there." for n in range(30)]
    routes = [Route("/a", body=page("One", *text)), Route("/b", body=page("One", *text, "One more."))]
    with Site(routes) as pages, Site([]) as providers:
        providers.routes = [searxng([pages.url("/a"), pages.url("/b")])]
        async with around(tmp_path, providers) as actions:
            folded = await searched(actions, "tides")
            whole = await searched(actions, "tides", fold=False)

    assert len(folded["results"]) == 1
    assert folded["dropped"][0]["reason"] == "near_duplicate"
    assert len(whole["results"]) == 2


async def test_the_own_index_proposes_too(tmp_path: Path) -> None:
    with Site(HARBOUR) as pages, Site([]) as providers:
        providers.routes = [searxng([pages.url("/ferry")])]
        async with around(tmp_path, providers) as actions:
            await captured(actions, pages.url("/bridge"))
            reply = await searched(actions, "toll at the swing bridge")
            own = await searched(actions, "toll at the swing bridge", providers=("index",))

    assert {one["url"] for one in reply["results"]} == {pages.url("/ferry"), pages.url("/bridge")}
    assert [one["url"] for one in own["results"]] == [pages.url("/bridge")]


async def test_a_provider_that_is_not_set_up_is_refused_by_name(tmp_path: Path) -> None:
    with Site([]) as providers:
        async with around(tmp_path, providers) as actions:
            with pytest.raises(BadRequest, match=r"nobody.*searxng"):
                await searched(actions, "toll", providers=("nobody",))


async def test_what_cannot_be_fetched_is_kept_as_having_been_tried(tmp_path: Path) -> None:
    with (
        Site([Route("/*", 503, (HTML,), page("Down", "We are down for maintenance. " * 8))]) as pages,
        Site([]) as providers,
    ):
        providers.routes = [searxng([pages.url("/x")])]
        async with around(tmp_path, providers) as actions:
            reply = await searched(actions, "toll")
            listed = await actions.recent(("capture",), limit=10, before=None)

    assert reply["state"] == "fetch_failed"
    assert [one["about"] for one in listed["records"]] == [pages.url("/x")]
