"""What is held is not removed, by whatever way, until the hold is released."""

from pathlib import Path

import pytest

from service.failures import HeldBack, UnknownHold
from service.requests import RemovalRequest
from service.watch_requests import HoldRequest
from snapshots import UnknownId
from tests.service.opened import HARBOUR, ME, captured, opened, searched
from tests.sites import Site


async def test_a_removal_that_would_touch_what_is_held_is_refused_and_removes_nothing(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            ferry = await captured(actions, site.url("/ferry"))
            bridge = await captured(actions, site.url("/bridge"))
            hold = await actions.holds.add(HoldRequest(ids=(ferry["capture"],), reason="a case"), ME)
            looked = await actions.remove(RemovalRequest(url=site.url("/ferry"), dry_run=True), ME)
            asked = (
                RemovalRequest(ids=(ferry["capture"],)),
                RemovalRequest(url=site.url("/ferry")),
                RemovalRequest(pattern=site.url("/*")),
                RemovalRequest(ids=(bridge["capture"], ferry["passages"][0]["id"])),
            )
            refused = []
            for one in asked:
                with pytest.raises(HeldBack) as caught:
                    await actions.remove(one, ME)
                refused.append(caught.value.held)
            there = [(await actions.evidence(one["capture"])).kind for one in (ferry, bridge)]
            other = await actions.remove(RemovalRequest(url=site.url("/bridge")), ME)

    assert looked["held"][0]["hold"] == hold["id"]
    assert all(one[0]["hold"] == hold["id"] and one[0]["reason"] == "a case" for one in refused)
    assert all(ferry["capture"] in one[0]["ids"] for one in refused)
    assert there == ["capture", "capture"]
    assert other["deletion"] is not None


@pytest.mark.parametrize("way", ["urls", "patterns"])
async def test_what_is_captured_later_is_held_too(tmp_path: Path, way: str) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            named = site.url("/ferry") if way == "urls" else site.url("/f*")
            await actions.holds.add(HoldRequest.model_validate({way: (named,)}), ME)
            ferry = await captured(actions, site.url("/ferry"))

            with pytest.raises(HeldBack):
                await actions.remove(RemovalRequest(ids=(ferry["capture"],)), ME)


async def test_a_reply_that_shows_what_is_held_is_held_with_it(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            for path in ("/ferry", "/bridge"):
                await captured(actions, site.url(path))
            found = await searched(actions, "hour OR bridge", fetch="never")
            await actions.holds.add(HoldRequest(ids=(found["record"],)), ME)

            with pytest.raises(HeldBack) as caught:
                await actions.remove(RemovalRequest(url=found["results"][0]["url"]), ME)

    assert caught.value.held[0]["total"] >= 1


async def test_a_hold_that_is_released_holds_nothing_and_a_rebuild_knows_it(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            ferry = await captured(actions, site.url("/ferry"))
            first = await actions.holds.add(HoldRequest(urls=(site.url("/ferry"),)), ME)
            second = await actions.holds.add(HoldRequest(ids=(ferry["capture"],)), ME)
            await actions.holds.release(first["id"], ME)
            await actions.rebuild(lambda *_: None)
            left = (await actions.holds.listed())["holds"]
            with pytest.raises(HeldBack):
                await actions.remove(RemovalRequest(url=site.url("/ferry")), ME)
            await actions.holds.release(second["id"][:30], ME)
            removed = await actions.remove(RemovalRequest(url=site.url("/ferry")), ME)
            with pytest.raises(UnknownHold):
                await actions.holds.release(first["id"], ME)
            with pytest.raises(UnknownId):
                await actions.holds.add(HoldRequest(ids=("0" * 64,)), ME)

    assert [one["id"] for one in left] == [second["id"]]
    assert removed["deletion"] is not None
