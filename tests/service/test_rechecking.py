"""Pages that change, or seem to, and what is said of what was cited of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.check_requests import RecheckRequest
from service.failures import BadRequest
from service.requests import CaptureRequest, RemovalRequest, SearchRequest
from snapshots import BadId, RemovedId
from tests.service.opened import BRIDGE, FERRY, HARBOUR, ME, TOLL, captured, opened, page, told
from tests.sites import HTML, Header, Route, Site, robots

SHORTER = BRIDGE.replace("ends on Friday", "ends on Monday")
OPEN = robots("User-agent: *\nAllow: /\n")


def answers(*pages: Route) -> list[Route]:
    """A site that gives `/bridge` first as it was, then each of PAGES in turn, the last one for ever."""
    first = Route("/bridge", body=BRIDGE, hit=1)
    later = [Route("/bridge", one.status, one.headers, one.body, hit=hit) for hit, one in enumerate(pages, 2)]
    last = pages[-1]
    return [OPEN, first, *later, Route("/bridge", last.status, last.headers, last.body)]


async def cited(actions: Actions, url: str) -> dict[str, Any]:
    """A captured page, and the passage of it that tells of the toll."""
    seen = await captured(actions, url)
    texts = [json.loads((await actions.evidence(one["id"])).body) for one in seen["passages"]]
    (passage,) = [one["id"] for one, text in zip(seen["passages"], texts, strict=True) if TOLL in text["text"]]
    return seen | {"passage": passage}


async def checked(actions: Actions, *ids: str, **more: Any) -> dict[str, Any]:
    return told(await actions.recheck(RecheckRequest(ids=ids, **more), ME))


async def test_a_page_that_is_as_it_was_holds_and_is_visited_once(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            found = await checked(actions, seen["passage"])
            kept = json.loads((await actions.evidence(found["record"])).body)
            history = await actions.dependents(seen["passage"])
            visits = [one.path for one in site.requests].count("/bridge")
            served = (await actions.evidence(found["record"], view="reply")).body

    (one,) = found["pages"]
    assert (found["holds"], found["conclusive"], found["counts"]) == (True, True, {"exact": 1})
    assert (one["verdict"], one["passages"][0]["verdict"], visits) == ("unchanged", "exact", 2)
    assert one["old"]["capture"] == seen["capture"] != one["new"]["capture"]
    assert (kept["kind"], kept["version"], kept["passages"][0]["passage"]["id"]) == ("recheck", 1, seen["passage"])
    assert found["record"] in [record["id"] for record in history["dependents"]]
    assert json.loads(served) == found


async def test_a_site_that_can_say_so_is_asked_only_for_what_changed(tmp_path: Path) -> None:
    tagged: tuple[Header, ...] = (HTML, ("ETag", '"a1"'))
    routes = [
        OPEN, Route("/bridge", 304, (("ETag", '"a1"'),), header=("If-None-Match", '"a1"')),
        Route("/bridge", 200, tagged, BRIDGE),
    ]  # fmt: skip
    with Site(routes) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            found = await checked(actions, seen["passage"])
            again = await checked(actions, found["pages"][0]["new"]["capture"])
            capture = json.loads((await actions.evidence(found["pages"][0]["new"]["capture"])).body)

    assert found["pages"][0]["verdict"] == "unchanged"
    assert capture["hops"][-1]["status"] == 304
    assert capture["body"] is not None
    assert capture["document"] == seen["document"]
    assert again["holds"]


async def test_an_answer_that_nothing_changed_is_as_good_a_beginning_as_the_page(tmp_path: Path) -> None:
    unmarked = Route("/bridge", 304, header=("If-None-Match", '"a1"'))  # a site need not repeat the mark
    with Site([OPEN, unmarked, Route("/bridge", 200, (HTML, ("ETag", '"a1"')), BRIDGE)]) as site:
        async with opened(tmp_path) as actions:
            await cited(actions, site.url("/bridge"))
            rounds = [told(await actions.recheck(RecheckRequest(urls=(site.url("/bridge"),)), ME)) for _ in range(3)]
            visits = [visit for found in rounds for visit in found["pages"][0]["visits"]]

    assert [found["pages"][0]["verdict"] for found in rounds] == ["unchanged"] * 3
    assert [visit["http_status"] for visit in visits] == [304] * 3


async def test_an_edit_is_told_with_its_words_after_a_second_visit(tmp_path: Path) -> None:
    with Site(answers(Route(body=SHORTER))) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            found = await checked(actions, seen["passage"])
            kept = json.loads((await actions.evidence(found["record"])).body)
            visits = [json.loads((await actions.evidence(name)).body)["kind"] for name in kept["visits"]]

    (one,) = found["pages"]
    passage = one["passages"][0]
    assert (found["holds"], one["verdict"], passage["verdict"], passage["alarm"]) == (False, "changed", "edited", True)
    assert [(edit["quote"], edit["page"]) for edit in passage["differences"]] == [("Friday", "Monday")]
    assert "date" in passage["flags"]
    assert visits == ["capture", "capture"]
    assert "Monday" not in json.dumps(kept)


async def test_what_became_of_a_passage_is_told_over_time(tmp_path: Path) -> None:
    same, changed = Route("/bridge", body=BRIDGE), Route("/bridge", body=SHORTER)
    with Site(answers(same, changed, changed, same)) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            rounds = [await checked(actions, seen["passage"]) for _ in range(3)]
            told_ = json.loads((await actions.evidence(seen["passage"], view="rechecks")).body)
            page = json.loads((await actions.evidence(seen["capture"], view="rechecks")).body)

    assert [one["verdict"] for one in told_] == ["exact", "edited", "exact"]
    assert [one["record"] for one in told_] == [found["record"] for found in rounds] == [one["record"] for one in page]
    assert told_[1]["flags"] == rounds[1]["pages"][0]["passages"][0]["flags"]
    assert [one["counts"] for one in page] == [{"exact": 1}, {"edited": 1}, {"exact": 1}]


async def test_what_is_back_on_the_second_visit_alarms_nobody(tmp_path: Path) -> None:
    with Site(answers(Route(body=SHORTER), Route(body=BRIDGE))) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            found = await checked(actions, seen["passage"])

    assert (found["holds"], found["counts"]) == (True, {"exact": 1})


PASSING = {
    "too many requests": Route(status=429, body="slow down"),
    "an error": Route(status=503, body=page("Error", "The service is unavailable. Please try again later.")),
    "a challenge": Route(
        status=403,
        headers=(HTML, ("cf-mitigated", "challenge")),
        body="<html><title>Just a moment...</title><body>Checking your browser.</body></html>",
    ),
    "a login": Route(
        body="<html><title>Log in</title><h1>Log in</h1><form><input name=user><input type=password></form></html>"
    ),
    "a paywall": Route(
        body=f"<html><title>Notice</title><main><p>{TOLL}</p><p>{'It is told to everybody here. ' * 8}</p>"
        "<p>Subscribe to continue reading</p></main></html>"
    ),
    "an empty shell": Route(
        body="<html><title>Harbour</title><body><div id=root></div><script src=/a.js></script></body>"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("wall", PASSING.values(), ids=PASSING.keys())
async def test_a_wall_is_no_change_and_no_baseline(tmp_path: Path, wall: Route) -> None:
    with Site(answers(wall, Route(body=BRIDGE))) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            between = await checked(actions, seen["passage"])
            after = told(await actions.recheck(RecheckRequest(urls=(site.url("/bridge"),)), ME))

    (one,) = between["pages"]
    assert (between["holds"], between["conclusive"], between["counts"]) == (True, False, {"inconclusive": 1})
    assert one["verdict"] == "inconclusive"
    assert one["reason"]
    assert (after["holds"], after["pages"][0]["old"]["capture"]) == (True, seen["capture"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "gone",
    [
        Route(status=404, body=page("Not found", "There is no such page.")),
        Route(body="<html><title>Town</title><body><main><h1>Sorry</h1><p>The page you are looking for could not be "
              "found. It may have been moved or deleted.</p></main></body></html>"),
        Route(status=302, headers=(("Location", "/"),)),
    ],
)  # fmt: skip
async def test_a_missing_page_is_gone_whatever_its_status(tmp_path: Path, gone: Route) -> None:
    home = Route("/", body=page("Harbour", "The harbour office keeps all notices to skippers. " * 4))
    with Site([home, *answers(gone)]) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            found = await checked(actions, seen["passage"])
            baseline = told(await actions.capture(CaptureRequest(url=site.url("/bridge"), max_age=3600), ME))

    (one,) = found["pages"]
    assert (found["holds"], one["page_state"], one["verdict"]) == (False, "not_found", "gone")
    assert one["passages"][0]["verdict"] == "page_gone"
    assert one["old"]["capture"] == seen["capture"]
    assert not baseline["from_store"]


async def test_an_address_that_leads_elsewhere_says_where(tmp_path: Path) -> None:
    other = Route("/ferry", body=FERRY)
    with Site([other, *answers(Route(status=301, headers=(("Location", "/ferry"),)))]) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            found = await checked(actions, seen["passage"])

    (one,) = found["pages"]
    assert (one["verdict"], one["redirected"]) == ("redirected", site.url("/ferry"))
    assert one["passages"][0]["verdict"] == "redirected"


async def test_one_visit_serves_all_passages_and_all_captures_of_a_page(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            first, second = await cited(actions, site.url("/bridge")), await captured(actions, site.url("/bridge"))
            await captured(actions, site.url("/ferry"))
            search = told(await actions.search(SearchRequest(query="toll bridge ferry"), ME))
            before = len([one for one in site.requests if one.path == "/bridge"])
            found = await checked(actions, first["capture"], second["capture"], search["record"])
            after = len([one for one in site.requests if one.path == "/bridge"])

    assert after - before == 1
    assert found["holds"]
    assert {one["url"] for one in found["pages"]} == {site.url("/bridge"), site.url("/ferry")}
    assert len({one["record"] for one in found["pages"]}) == len(found["pages"]) == 3


async def test_a_quotation_is_looked_for_where_it_is_said_to_stand(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            asked = [
                {"url": site.url("/bridge"), "quote": TOLL},
                {"url": site.url("/bridge"), "quote": "Tolls double."},
            ]
            found = told(await actions.recheck(RecheckRequest.model_validate({"quotations": asked}), ME))

    assert [one["verdict"] for one in found["pages"][0]["passages"]] == ["exact", "absent"]
    assert not found["holds"]


async def test_a_page_that_has_nothing_to_be_compared_with_says_why(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await cited(actions, site.url("/bridge"))
            asked = {"quotations": [{"url": site.url("/bridge"), "quote": TOLL}], "urls": [site.url("/ferry")]}
            found = told(await actions.recheck(RecheckRequest.model_validate(asked), ME))

    why = {one["url"]: one["reason"] for one in found["pages"]}
    assert "was taken from no kept page" in why[site.url("/bridge")]
    assert "no good capture of this page was kept before" in why[site.url("/ferry")]


async def test_an_installation_is_whole_after_rechecks_and_after_the_page_is_removed(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            await checked(actions, seen["passage"])
            await checked(actions, seen["capture"])
            whole = [await actions.doctor(deep=deep, progress=lambda *_: None) for deep in (True, False)]
            await actions.remove(RemovalRequest(url=site.url("/bridge")), ME)
            after = [await actions.doctor(deep=deep, progress=lambda *_: None) for deep in (True, False)]

    told_wrong = [one for found in (*whole, *after) for one in found["checks"] if one["check"] == "objects"]
    assert [one["result"] for one in told_wrong] == ["ok"] * 4


async def test_without_store_nothing_is_kept_and_the_records_are_in_the_reply(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            size = actions.parts.log.size
            reply = await actions.recheck(RecheckRequest(ids=(seen["passage"],), store=False), ME)
            after = actions.parts.log.size

    assert (reply.record, after) == (None, size)
    assert [one["kind"] for one in told(reply)["records"]] == ["capture", "recheck"]


async def test_what_cannot_be_checked_is_refused(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            capture = json.loads((await actions.evidence(seen["capture"])).body)

            with pytest.raises(BadRequest):
                await checked(actions, capture["body"])
            with pytest.raises(BadRequest):
                await actions.recheck(RecheckRequest(of_session="nobody"), ME)
            with pytest.raises(BadId):
                await checked(actions, "not an id at all")


async def test_a_removed_page_cannot_be_checked_and_its_verdicts_hold_nothing_of_it(tmp_path: Path) -> None:

    with Site(answers(Route(body=SHORTER))) as site:
        async with opened(tmp_path) as actions:
            seen = await cited(actions, site.url("/bridge"))
            found = await checked(actions, seen["passage"])
            await actions.remove(RemovalRequest(url=site.url("/bridge")), ME)

            with pytest.raises(RemovedId):
                await checked(actions, seen["capture"])
            record = (await actions.evidence(found["record"])).body
            with pytest.raises(RemovedId):
                await actions.evidence(found["record"], view="reply")

    assert b"Friday" not in record
