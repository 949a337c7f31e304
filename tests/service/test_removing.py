"""Removal over the real parts: nothing of the text stays anywhere, and what is left says so."""

import json
from pathlib import Path

import pytest

from service.failures import BadRequest
from service.requests import RemovalRequest
from snapshots import RemovedId
from tests.acceptance.traces import traces
from tests.service.opened import HARBOUR, ME, TOLL, captured, crawled, opened, searched
from tests.sites import Site


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


async def test_conditions_that_are_not_known_yet_are_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as actions:
        with pytest.raises(BadRequest, match="pattern"):
            await actions.remove(RemovalRequest(pattern="http://*"), ME)
