"""Removal over the real parts: nothing of the text stays anywhere, and what is left says so."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from service.check_requests import RecheckRequest
from service.requests import CaptureRequest, RemovalRequest, SearchRequest
from service.watch_requests import WatchRequest
from snapshots import RemovedId
from tests.acceptance.traces import traces
from tests.service.opened import BRIDGE, FERRY, HARBOUR, ME, TOLL, captured, crawled, opened, searched, told
from tests.sites import Route, Site


async def test_no_byte_of_a_removed_page_stays_and_other_pages_are_untouched(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await crawled(actions, site.url("/"))
            shown = await searched(actions, "toll swing bridge")
            before = await searched(actions, "bicycles deck boatman")
            said = await captured(actions, site.url("/bridge"))
            checkpoint = await actions.checkpoint()
            done = await actions.remove(RemovalRequest(url=site.url("/bridge"), reason="asked to"), ME)
            after = await searched(actions, "bicycles deck boatman")
            gone = await searched(actions, "toll swing bridge")
            with pytest.raises(RemovedId) as removed:
                await actions.evidence(said["capture"])
            with pytest.raises(RemovedId):
                await actions.evidence(shown["results"][0]["passages"][0]["id"])
            deletion = json.loads((await actions.evidence(removed.value.deletion)).body)
            check = await actions.doctor(deep=True, progress=lambda *_: None)
            size = int(checkpoint.splitlines()[1])
            actions.parts.log.consistency(size)

    assert traces([TOLL.encode()], tmp_path) == {}
    assert deletion["kind"] == "deletion"
    assert deletion["reason"] == "asked to"
    assert done["counts"]["captures"] == 2
    assert [one["capture"] for one in after["results"]] == [one["capture"] for one in before["results"]]
    assert all(result["url"] != site.url("/bridge") for result in gone["results"])
    assert check["holds"], check


async def test_a_dry_run_lists_and_leaves_everything(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/bridge"))
            listed = await actions.remove(RemovalRequest(ids=(said["capture"],), dry_run=True), ME)
            still = await actions.evidence(said["capture"])

    kinds = {one["kind"] for one in listed["removed"]}
    assert listed["deletion"] is None
    assert {"capture", "document", "blob", "reply"} <= kinds
    assert still.kind == "capture"


async def test_after_a_rebuild_what_was_removed_stays_removed(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await crawled(actions, site.url("/"))
            said = await captured(actions, site.url("/bridge"))
            await actions.remove(RemovalRequest(ids=(said["capture"],)), ME)
            await actions.rebuild(lambda *_: None)
            with pytest.raises(RemovedId):
                await actions.evidence(said["capture"])
            check = await actions.doctor(deep=True, progress=lambda *_: None)

    assert check["holds"], check


async def test_pages_go_by_a_pattern_of_their_addresses(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await crawled(actions, site.url("/"))
            pattern = site.url("/b*")
            planned = await actions.remove(RemovalRequest(pattern=pattern, dry_run=True), ME)
            done = await actions.remove(RemovalRequest(pattern=pattern), ME)
            deletion = json.loads((await actions.evidence(done["deletion"])).body)
            left = await searched(actions, "bicycles deck boatman")

    assert planned["deletion"] is None
    assert planned["counts"] == done["counts"]
    assert done["counts"]["captures"] == 1
    assert deletion["selector"] == {"pattern": pattern}
    assert left["results"]
    assert traces([TOLL.encode()], tmp_path) == {}


async def test_a_pattern_means_its_letters_and_a_star_anything(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/bridge"))
            none = await actions.remove(RemovalRequest(pattern=site.url("/bri.ge")), ME)
            all_ = await actions.remove(RemovalRequest(pattern="*"), ME)

    assert (none["removed"], none["deletion"]) == ([], None)
    assert all_["counts"]["captures"] == 1


async def test_pages_go_by_the_time_they_were_captured_at(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            first = await captured(actions, site.url("/bridge"))
            second = await captured(actions, site.url("/ferry"))
            early = RemovalRequest(until=second["retrieved_at"], since="2020-01-01")
            done = await actions.remove(early, ME)
            narrowed = RemovalRequest(since=second["retrieved_at"], pattern=site.url("/bridge"), dry_run=True)
            nothing = await actions.remove(narrowed, ME)

            with pytest.raises(RemovedId):
                await actions.evidence(first["capture"])
            still = await actions.evidence(second["capture"])

    assert done["counts"]["captures"] == 1
    assert nothing["removed"] == []
    assert still.kind == "capture"


async def test_with_its_records_not_even_the_address_of_a_page_stays(tmp_path: Path) -> None:
    routes = [HARBOUR[0], Route("/quay/secret", body=BRIDGE), Route("/ferry", body=FERRY)]
    with Site(routes) as site:
        async with opened(tmp_path) as actions:
            url = site.url("/quay/secret")
            await captured(actions, url)
            ferry = await captured(actions, site.url("/ferry"), max_tokens=0)  # only the search shows its passage
            both = await searched(actions, "bridge OR ferry OR ticket", fetch="never")
            await actions.recheck(RecheckRequest(urls=(url,)), ME)
            over = await actions.watches.add(WatchRequest(urls=(url,)), ME)
            await actions.watches.change(over["id"], "ended", ME)
            watch = await actions.watches.add(WatchRequest(ids=(ferry["capture"],), name="goes on"), ME)
            planned = await actions.remove(RemovalRequest(url=url, records=True, dry_run=True), ME)
            done = await actions.remove(RemovalRequest(url=url, records=True), ME)
            left = await actions.watches.listed()
            with pytest.raises(RemovedId):
                await actions.evidence(both["record"])
            shown = next(one for one in both["results"] if one["capture"] == ferry["capture"])["passages"][0]["id"]
            proof = await actions.proof(shown)
            checks = [await actions.doctor(deep=True, progress=lambda *_: None)]
            await actions.rebuild(lambda *_: None)
            checks.append(await actions.doctor(deep=True, progress=lambda *_: None))
            again = await searched(actions, "ticket crowns", fetch="never")

    assert planned["counts"] == done["counts"]
    assert {one["kind"] for one in done["removed"]} >= {"capture", "fetch", "search", "recheck", "serving", "watch"}
    assert done["staying"] == {"counts": {}, "records": []}
    assert traces([TOLL.encode(), b"/quay/secret"], tmp_path) == {}
    assert [one["id"] for one in left["watches"]] == [watch["id"]]
    assert (proof["record"], proof["leads"][-1]) == (ferry["capture"], ferry["capture"])
    assert all(check["holds"] for check in checks), checks
    assert [one["capture"] for one in again["results"]] == [ferry["capture"]]


async def test_a_removal_tells_which_records_name_it_and_stay(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            seen = await captured(actions, site.url("/bridge"))
            watch = await actions.watches.add(WatchRequest(ids=(seen["capture"],)), ME)
            await actions.recheck(RecheckRequest(ids=(seen["capture"],)), ME)
            plain = await actions.remove(RemovalRequest(ids=(seen["capture"],), dry_run=True), ME)
            whole = await actions.remove(RemovalRequest(ids=(seen["capture"],), records=True), ME)

    assert plain["staying"]["counts"] == {"fetch": 1, "watch": 1, "recheck": 1, "serving": 2}
    assert whole["staying"] == {"counts": {"watch": 1}, "records": [{"id": watch["id"], "kind": "watch"}]}


async def test_a_session_goes_with_its_replies_and_the_pages_that_only_it_was_shown(tmp_path: Path) -> None:
    mine = replace(ME, session="case 7")
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            bridge = await actions.capture(CaptureRequest(url=site.url("/bridge")), mine)
            ferry = told(await actions.capture(CaptureRequest(url=site.url("/ferry")), mine))
            await actions.search(SearchRequest(query="ferry ticket twelve crowns"), ME)
            planned = await actions.remove(RemovalRequest(session="case 7", dry_run=True), ME)
            done = await actions.remove(RemovalRequest(session="case 7"), ME)
            with pytest.raises(RemovedId):
                await actions.evidence(told(bridge)["capture"])
            with pytest.raises(RemovedId):
                await actions.evidence(bridge.record or "", view="reply")
            still = await actions.evidence(ferry["capture"])

    assert planned["counts"] == done["counts"]
    assert done["shared"] == [ferry["capture"]]
    assert still.kind == "capture"
    assert traces([TOLL.encode()], tmp_path) == {}
