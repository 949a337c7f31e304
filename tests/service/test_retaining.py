"""Captures go when a rule says so: by age, by number, and never what is held or what a watch measures by."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from service.failures import UnknownRule
from service.requests import BundleImport, BundleRequest, UploadRequest
from service.retention_requests import RetentionRequest, RetentionRound
from service.watch_requests import HoldRequest
from snapshots import RemovedId
from tests.acceptance.traces import traces
from tests.service.opened import HARBOUR, ME, TOLL, captured
from tests.service.running import Shell
from tests.service.serving import served
from tests.service.small_citator import SmallCitator
from tests.service.watched import Watching, watching
from tests.sites import HTML, Route, Site, robots

DAY = 86_400
NOW = RetentionRound()


async def rule(here: Watching, *patterns: str, **limits: Any) -> dict[str, Any]:
    return await here.actions.retention.add(RetentionRequest(patterns=patterns, **limits), ME)


async def gone(here: Watching, capture: str) -> bool:
    try:
        await here.actions.evidence(capture)
    except RemovedId:
        return True
    return False


async def test_what_is_older_than_a_rule_keeps_goes_without_a_trace_and_the_deletion_names_the_rule(
    tmp_path: Path,
) -> None:
    with Site(HARBOUR) as site:
        async with watching(tmp_path) as here:
            bridge, ferry = [await captured(here.actions, site.url(path)) for path in ("/bridge", "/ferry")]
            set_ = await rule(here, site.url("/b*"), keep_seconds=30 * DAY, reason="no longer than needed")
            early = await here.actions.retention.apply(NOW)
            here.clock.turn(days=31)
            planned = await here.actions.retention.apply(RetentionRound(dry_run=True))
            there = not await gone(here, bridge["capture"])
            done = (await here.actions.retention.apply(NOW))["rules"][0]
            again = await here.actions.retention.apply(NOW)
            deletion = json.loads((await here.actions.evidence(done["deletions"][0])).body)
            left = [await gone(here, one["capture"]) for one in (bridge, ferry)]
            health = await here.actions.doctor(deep=True, progress=lambda *_: None)

    assert early["rules"][0]["captures"] == again["rules"][0]["captures"] == 0
    assert there
    assert planned["rules"][0]["counts"] == done["counts"]
    assert planned["rules"][0]["deletions"] == []
    assert left == [True, False]
    assert (deletion["selector"], deletion["reason"]) == ({"rule": set_["id"]}, "no longer than needed")
    assert traces([TOLL.encode()], tmp_path) == {}
    assert health["holds"], health


async def test_of_each_address_the_last_good_captures_stay_and_failures_push_none_out(tmp_path: Path) -> None:
    ferry = next(one.body for one in HARBOUR if one.path == "/ferry")
    down = Route("/ferry", 503, (HTML,), "<title>Down</title>", hit=4)
    with Site([robots("User-agent: *\nAllow: /\n"), down, Route("/ferry", body=ferry), *HARBOUR]) as site:
        async with watching(tmp_path) as here:
            seen = [await captured(here.actions, site.url("/ferry"), max_age=0) for _ in range(4)]
            other = await captured(here.actions, site.url("/bridge"))
            await rule(here, "*", keep_last=2)
            await here.actions.retention.apply(NOW)
            left = [await gone(here, one["capture"]) for one in (*seen, other)]

    assert left == [True, False, False, False, False]


async def test_what_is_held_and_what_a_watch_measures_by_stays_and_is_told(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with watching(tmp_path) as here:
            seen = {path: await captured(here.actions, site.url(path)) for path in ("/bridge", "/ferry", "/")}
            await here.actions.holds.add(HoldRequest(ids=(seen["/bridge"]["capture"],)), ME)
            watch = await here.add(urls=(site.url("/ferry"),))
            await rule(here, "*", keep_seconds=DAY)
            here.clock.turn(days=2)
            first = (await here.actions.retention.apply(NOW))["rules"][0]
            left = {path: await gone(here, one["capture"]) for path, one in seen.items()}
            await here.actions.watches.change(watch["id"], "ended", ME)
            second = (await here.actions.retention.apply(NOW))["rules"][0]

    assert left == {"/bridge": False, "/ferry": False, "/": True}
    assert (first["held"], first["watched"]) == ([seen["/bridge"]["capture"]], [seen["/ferry"]["capture"]])
    assert (second["captures"], second["watched_total"], second["held_total"]) == (1, 0, 1)


async def test_what_came_later_than_it_claims_is_kept_from_when_it_came(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with watching(tmp_path / "there") as there:
            seen = await captured(there.actions, site.url("/bridge"))
            made = await there.actions.bundle(BundleRequest(ids=(seen["record"],)), ME, lambda *_: None)
            (tmp_path / "bridge.wacz").write_bytes(made.file.read(made.size))
            made.file.close()
    async with watching(tmp_path / "here") as here:
        here.clock.turn(days=400)
        await _import(here, tmp_path / "bridge.wacz")
        added = await here.actions.upload(
            UploadRequest(
                body=b"The keeper counts ships. " * 9, media_type="text/plain", at=datetime(2020, 1, 1, tzinfo=UTC)
            ),
            ME,
        )
        await rule(here, "*", keep_seconds=30 * DAY)
        early = (await here.actions.retention.apply(NOW))["rules"][0]
        here.clock.turn(days=31)
        late = (await here.actions.retention.apply(NOW))["rules"][0]

    assert added.record is not None
    assert (early["captures"], late["captures"]) == (0, 2)


async def _import(here: Watching, path: Path) -> None:
    await here.actions.import_bundle(path, BundleImport(name="bridge.wacz"), ME, lambda *_: None)


async def test_a_rule_that_is_lifted_takes_nothing_and_a_rebuild_knows_it(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with watching(tmp_path) as here:
            await captured(here.actions, site.url("/ferry"))
            first, second = await rule(here, "*", keep_seconds=DAY), await rule(here, "*", keep_last=5)
            await here.actions.retention.lift(first["id"][:30], ME)
            await here.actions.rebuild(lambda *_: None)
            here.clock.turn(days=2)
            done = await here.actions.retention.apply(NOW)
            left = (await here.actions.retention.listed())["rules"]
            with pytest.raises(UnknownRule):
                await here.actions.retention.lift(first["id"], ME)
            with pytest.raises(UnknownRule):
                await here.actions.retention.lift("0" * 12, ME)

    assert [one["id"] for one in left] == [second["id"]]
    assert [one["captures"] for one in done["rules"]] == [0]


@pytest.mark.parametrize(
    "asked", [{"patterns": ["*"]}, {"patterns": [], "keep_last": 1}, {"patterns": ["*"], "keep_seconds": 1}]
)
def test_a_rule_says_what_goes_and_when(asked: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RetentionRequest.model_validate(asked)


@pytest.fixture
def run(citator: SmallCitator, tmp_path: Path) -> Iterator[Shell]:
    (tmp_path / "data").mkdir()
    with served(citator, tmp_path / "data") as running:
        yield Shell(running.data)


def test_rules_are_set_listed_applied_and_lifted_by_command(run: Shell) -> None:
    added = run("retention", "add", "--pattern", "*", "--days", "1.5", "--keep-last", "3", "--json").json
    listed, planned = run("retention", "list"), run("retention", "apply", "--dry-run")
    lifted, unknown = run("retention", "lift", added["id"]), run("retention", "lift", added["id"])
    endless = run("retention", "add", "--pattern", "*")

    assert added["keep_seconds"] == 129_600
    assert f"rule {added['id']}" in listed.stdout.decode()
    assert "keeps 1.5 days and the last 3 of *" in listed.stdout.decode()
    assert "would take 1 captures, 7 bytes" in planned.stdout.decode()
    assert (lifted.status, unknown.status, endless.status) == (0, 3, 2)
