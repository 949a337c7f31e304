"""Searches over the real parts: states, drops, budgets, and what is kept of them."""

import json
from pathlib import Path

import pytest

from service.failures import BadRequest
from tests.service.opened import FERRY, HARBOUR, TOLL, captured, crawled, opened, page, searched
from tests.sites import Route, Site, robots


async def test_an_answer_names_pages_passages_and_the_state_of_the_index(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await crawled(actions, site.url("/"))
            said = await searched(actions, "toll swing bridge")
            context = (await actions.evidence(said["record"], view="context")).body.decode()

    first = said["results"][0]
    assert said["state"] == "ok"
    assert first["url"] == site.url("/bridge")
    assert any(TOLL in passage["text"] for passage in first["passages"])
    assert first["passages"][0]["cite"].startswith("Notice on the swing bridge, http://127.0.0.1")
    assert said["index"]["pages"] == 3
    assert TOLL in context


async def test_a_search_sees_what_was_captured_before_it(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/ferry"))
            said = await searched(actions, "bicycles lower deck")

    assert [result["url"] for result in said["results"]] == [site.url("/ferry")]
    assert said["index"]["behind"] == 0


async def test_an_empty_answer_says_why_and_what_to_do(tmp_path: Path) -> None:
    async with opened(tmp_path) as actions:
        nothing = await searched(actions, "anything at all")
        empty = await searched(actions, "   ")

    assert (nothing["state"], nothing["results"]) == ("no_provider", [])
    assert "no search provider is set up" in nothing["message"]
    assert empty["state"] == "no_match"


async def test_candidates_that_are_not_shown_are_listed_with_their_reason(tmp_path: Path) -> None:
    copy = [Route("/copy", body=FERRY), *HARBOUR]
    with Site(copy) as site:
        async with opened(tmp_path) as actions:
            for path in ("/ferry", "/copy", "/bridge", "/"):
                await captured(actions, site.url(path))
            said = await searched(actions, "ferry pier notice bridge harbour", max_results=2)
            listed = json.loads((await actions.evidence(said["record"], view="candidates")).body)

    reasons = {drop["url"]: drop["reason"] for drop in said["dropped"]}
    assert len(said["results"]) == 2
    assert "near_duplicate" in reasons.values()
    assert "below_max_results" in reasons.values()
    assert len(listed) == len(said["results"]) + said["dropped_total"]
    assert all(candidate["title"] for candidate in listed)


async def test_a_budget_without_room_leaves_results_without_passages(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/ferry"))
            tight = await searched(actions, "ferry", max_tokens=1)
            none = await searched(actions, "ferry", max_tokens=0)

    assert tight["state"] == "budget_cut"
    assert [result["passages"] for result in tight["results"]] == [[]]
    assert none["results"][0]["passages"] == []


async def test_domains_and_providers_are_honoured_or_refused(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/ferry"))
            within = await searched(actions, "ferry", include_domains=["127.0.0.1"])
            without = await searched(actions, "ferry", exclude_domains=["127.0.0.1"])
            with pytest.raises(BadRequest, match="no such provider"):
                await searched(actions, "ferry", providers=["elsewhere"])

    assert len(within["results"]) == 1
    assert without["results"] == []
    assert "within the domains, days or language that were asked for" in without["message"]
    assert "within the domains" not in within["message"]


async def test_an_answer_as_of_a_time_knows_nothing_later(tmp_path: Path) -> None:
    versions = [
        robots(),
        Route("/price", body=page("Price", "A single ticket costs twelve crowns for everybody. " * 3), hit=1),
        Route("/price", body=page("Price", "A single ticket costs fifteen crowns for everybody. " * 3)),
    ]
    with Site(versions) as site:
        async with opened(tmp_path) as actions:
            old = await captured(actions, site.url("/price"))
            between = (await actions.health())["sizes"]["log"]
            new = await captured(actions, site.url("/price"))
            now = await searched(actions, "ticket crowns")
            then = await searched(actions, "ticket crowns", as_of=between)

    assert [result["capture"] for result in now["results"]] == [new["capture"]]
    assert [result["capture"] for result in then["results"]] == [old["capture"]]


async def test_pages_older_than_asked_for_are_fetched_again_within_the_search(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/ferry"))
            said = await searched(actions, "ferry", fetch="always")
            kept = await searched(actions, "ferry", fetch="never", max_age=0)

    assert [(visit["url"], visit["outcome"]) for visit in said["fetched"]] == [(site.url("/ferry"), "ok")]
    assert kept["fetched"] == []


async def test_a_search_that_is_not_stored_leaves_no_entry(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/ferry"))
            before = (await actions.health())["sizes"]["log"]
            said = await searched(actions, "ferry", store=False)
            after = (await actions.health())["sizes"]["log"]

    assert (said["record"], said["stored"]) == (None, False)
    assert said["records"][-1]["kind"] == "search"
    assert said["results"]
    assert before == after
