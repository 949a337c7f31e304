"""Rebuilding, backing up, checking, and what happens when parts of an installation are broken or missing."""

import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest

from service.backup import restore_backup
from service.failures import BackupRefused, DataInUse
from service.requests import KeyRequest, Scope
from service.spool import KeptForRetry
from snapshots import (
    CatalogueDamaged,
    DamagedObject,
    LogDamaged,
    LogKey,
    LogReadOnly,
    StoreError,
    StoreFull,
    StoreRefused,
    StoreUnreachable,
    WrongLogKey,
    open_store,
)
from tests.service.opened import HARBOUR, ME, TOLL, captured, crawled, opened, searched, settings_for
from tests.sites import Site
from tests.snapshots.faulty import FaultyStore

QUERIES = ("toll bridge", "ferry ticket crowns", "harbour notices", "opens on demand")


async def answers(actions: object) -> list[list[str]]:
    return [
        [passage["id"] for result in (await searched(actions, query))["results"] for passage in result["passages"]]  # type: ignore[arg-type]  # actions of the test
        for query in QUERIES
    ]


async def test_rebuilt_views_give_the_same_passages_in_the_same_order(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await crawled(actions, site.url("/"))
            before = await answers(actions)
            rebuilt = await actions.rebuild(lambda *_: None)
            after = await answers(actions)

    assert before == after
    assert rebuilt["captures"] == 3


async def test_lost_views_are_made_anew_when_the_data_directory_is_opened(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await crawled(actions, site.url("/"))
            before = await answers(actions)
        shutil.rmtree(tmp_path / "index")
        for name in ("catalogue.db", "catalogue.db-wal", "catalogue.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)
        async with opened(tmp_path) as actions:
            after = await answers(actions)

    assert before == after


async def test_a_damaged_catalogue_is_made_anew_and_a_damaged_state_is_not(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await crawled(actions, site.url("/"))
            before = await answers(actions)
        (tmp_path / "catalogue.db").write_bytes(b"rubbish" * 1000)
        async with opened(tmp_path) as actions:
            after = await answers(actions)
        (tmp_path / "state.db").write_bytes(b"rubbish" * 1000)
        with pytest.raises(CatalogueDamaged):
            async with opened(tmp_path):
                pass

    assert before == after


async def test_a_damaged_index_is_made_anew(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await crawled(actions, site.url("/"))
            before = await answers(actions)
        (tmp_path / "index" / "current").write_text("rubbish")
        async with opened(tmp_path) as actions:
            after = await answers(actions)

    assert before == after


@pytest.mark.slow
async def test_a_backup_restored_elsewhere_answers_the_same_and_knows_the_keys(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path / "one") as actions:
            await crawled(actions, site.url("/"))
            before = await answers(actions)
            key = (await actions.keys_create(KeyRequest(name="agent", scopes=(Scope.READ,))))["key"]
            await actions.backup(tmp_path / "backup.tar", lambda *_: None)
        restore_backup(settings_for(tmp_path / "two"), tmp_path / "backup.tar", lambda *_: None)
        async with opened(tmp_path / "two") as actions:
            after = await answers(actions)
            holder = await actions.authenticate(key)
            check = await actions.doctor(deep=True, progress=lambda *_: None)

    assert before == after
    assert holder is not None
    assert holder.name == "agent"
    assert check["holds"], check


async def test_a_backup_overwrites_nothing_and_is_restored_over_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path / "one") as actions:
        await actions.backup(tmp_path / "backup.tar", lambda *_: None)
        with pytest.raises(BackupRefused, match="exists"):
            await actions.backup(tmp_path / "backup.tar", lambda *_: None)

    with pytest.raises(BackupRefused, match="not empty"):
        restore_backup(settings_for(tmp_path / "one"), tmp_path / "backup.tar", lambda *_: None)
    (tmp_path / "no.tar").write_bytes(b"no backup")
    with pytest.raises(BackupRefused):
        restore_backup(settings_for(tmp_path / "three"), tmp_path / "no.tar", lambda *_: None)


async def test_a_damaged_object_is_never_served_and_is_whole_again_when_seen_again(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/bridge"))
            await searched(actions, "toll swing bridge")
        path = tmp_path / "bucket" / "objects" / said["document"][7:9] / said["document"][7:]
        path.chmod(0o600)
        path.write_bytes(path.read_bytes()[:-3] + b"???")
        async with opened(tmp_path) as actions:
            with pytest.raises(DamagedObject):
                await actions.evidence(said["document"])
            found = await searched(actions, "toll swing bridge")
            check = await actions.doctor(deep=True, progress=lambda *_: None)
            again = await captured(actions, site.url("/bridge"))
            healed = await actions.evidence(said["document"])

    assert all(TOLL not in str(result["passages"]) for result in found["results"])
    assert found["dropped"][0]["reason"] == "damaged"
    assert not check["holds"]
    assert again["document"] == said["document"]
    assert TOLL.encode() in healed.body


async def test_a_log_without_its_key_is_read_and_not_written(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/bridge"))
        (tmp_path / "keys" / "log.key").rename(tmp_path / "away.key")
        async with opened(tmp_path) as actions:
            readable = await actions.evidence(said["capture"])
            state = await actions.ready()
            with pytest.raises(LogReadOnly):
                await captured(actions, site.url("/ferry"))

    assert readable.kind == "capture"
    assert state["ready"] is False


async def test_a_foreign_key_is_refused_by_name(tmp_path: Path) -> None:
    async with opened(tmp_path):
        pass
    (tmp_path / "keys" / "log.key").unlink()
    LogKey.generate("somebody/else").save(tmp_path / "keys" / "log.key")

    with pytest.raises(WrongLogKey):
        async with opened(tmp_path):
            pass


async def test_a_bucket_that_fails_in_the_middle_of_a_request_loses_the_reply_and_nothing_else(tmp_path: Path) -> None:
    failing: list[Exception] = []

    def gate(call: str, _: object) -> None:
        if failing and call in {"put_new", "put", "swap"}:
            raise failing[0]

    with Site(HARBOUR) as site:
        store = FaultyStore(open_store(tmp_path / "bucket"), gate)
        async with opened(tmp_path, store=store) as actions:
            said = await captured(actions, site.url("/bridge"))
            for error in (StoreUnreachable("the bucket does not answer"), StoreFull("no room")):
                failing[:] = [error]
                with pytest.raises(KeptForRetry) as raised:
                    await captured(actions, site.url("/ferry"))
                assert raised.value.means is error
            failing.clear()
            again = await captured(actions, site.url("/ferry"))
            check = await actions.doctor(deep=True, progress=lambda *_: None)
            still = await actions.evidence(said["capture"])

    assert again["outcome"] == "ok"
    assert still.kind == "capture"
    assert check["holds"], check


async def test_a_server_tries_its_bucket_out_before_it_answers_and_leaves_nothing_there(tmp_path: Path) -> None:
    calls: list[str] = []
    kept = open_store(tmp_path / "bucket")

    async with opened(tmp_path, store=FaultyStore(kept, lambda call, _: calls.append(call)), resume=True):
        left = [*kept.list("probe/")]

    assert {"put", "read", "delete"} <= set(calls)
    assert left == []


@pytest.mark.parametrize(
    ("error", "starts"), [(StoreRefused("not allowed", setting="CITATOR_BUCKET"), False), (StoreFull("no room"), True)]
)
async def test_a_server_whose_bucket_takes_nothing_says_so_at_the_start(
    tmp_path: Path, error: StoreError, *, starts: bool
) -> None:
    async with opened(tmp_path):
        pass

    def gate(call: str, _: object) -> None:
        if call == "put":
            raise error

    store = FaultyStore(open_store(tmp_path / "bucket"), gate)
    with nullcontext() if starts else pytest.raises(StoreRefused, match="not allowed"):
        async with opened(tmp_path, store=store, resume=True) as actions:
            assert (await actions.health())["status"]


@pytest.mark.slow
async def test_a_bucket_that_was_rolled_back_is_noticed(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/bridge"))
        shutil.copytree(tmp_path / "bucket", tmp_path / "earlier")
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/ferry"))
        shutil.rmtree(tmp_path / "bucket")
        (tmp_path / "earlier").rename(tmp_path / "bucket")
        with pytest.raises(LogDamaged, match="on purpose, remove"):
            async with opened(tmp_path):
                pass
        (tmp_path / "checkpoint").unlink()
        async with opened(tmp_path) as actions:
            check = await actions.doctor(deep=True, progress=lambda *_: None)

    assert check["holds"], check


async def test_two_openings_of_one_data_directory_are_told_apart(tmp_path: Path) -> None:
    async with opened(tmp_path):
        with pytest.raises(DataInUse):
            async with opened(tmp_path):
                pass


async def test_keys_are_made_shown_once_rotated_and_revoked(tmp_path: Path) -> None:
    async with opened(tmp_path) as actions:
        made = await actions.keys_create(KeyRequest(name="agent", scopes=(Scope.SEARCH, Scope.FETCH)))
        good = await actions.authenticate(made["key"])
        turned = await actions.keys_rotate(made["id"])
        old = await actions.authenticate(made["key"])
        await actions.keys_revoke(turned["id"])
        new = await actions.authenticate(turned["key"])
        listed = (await actions.keys_list())["keys"]

    assert good is not None
    assert (good.may("fetch"), good.may("read")) == (True, False)
    assert (old, new) == (None, None)
    assert made["key"] not in str(listed)
    assert [key["revoked_at"] is not None for key in listed] == [True, True]


async def test_the_log_key_is_copied_and_replaced_and_old_proofs_still_hold(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/bridge"))
            before = await actions.log_key_show()
            await actions.log_key_backup(tmp_path / "copy.key")
            after = await actions.log_key_rotate()
            proof = await actions.proof(said["capture"])
        async with opened(tmp_path) as actions:
            check = await actions.doctor(deep=True, progress=lambda *_: None)

    assert (tmp_path / "copy.key").stat().st_mode & 0o777 == 0o600
    assert before["vkey"] != after["vkey"]
    assert after["earlier"] == [before["vkey"]]
    assert proof["vkey"] == after["vkey"]
    assert check["holds"], check
    assert ME.may("admin")
