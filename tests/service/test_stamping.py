"""The service has its checkpoints stamped: in the background, renewed in time, and never in anybody's way."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.failures import BadRequest, BadSetting
from service.requests import BundleRequest
from service.stamping import renewal_due
from snapshots import moment, trust_of, verify_path
from snapshots.log_keys import parse_handover
from snapshots.merkle import verify_consistency
from snapshots.note import parse_checkpoint, parse_note
from tests.authority import Authority, served
from tests.service.opened import HARBOUR, ME, captured, opened
from tests.sites import Site


@pytest.fixture
def harbour(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority")


@asynccontextmanager
async def serving(data: Path, url: str, authority: Authority | None, **given: Any) -> AsyncIterator[Actions]:
    options = {"tsa_urls": (url,), "tsa_interval": 1.0} | given
    if authority is not None:
        options["tsa_ca_file"] = authority.roots
    async with opened(data, resume=True, **options) as actions:
        yield actions


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - what is waited for happens in files
        await asyncio.sleep(0.05)


async def stamps_check(actions: Actions) -> dict[str, str]:
    report = await actions.doctor(deep=False, progress=lambda *_: None)
    return next(check for check in report["checks"] if check["check"] == "time stamps")


@pytest.mark.slow
async def test_a_server_has_what_it_keeps_stamped_and_what_earlier_commands_kept_too(
    tmp_path: Path, harbour: Authority
) -> None:
    with Site(HARBOUR) as site, served(harbour) as url:
        async with opened(tmp_path / "data") as command:
            await captured(command, site.url("/ferry"))
        async with serving(tmp_path / "data", url, harbour) as actions:
            stamper, log = actions.parts.stamper, actions.parts.log
            await until(lambda: bool(stamper.tokens_for(log.size, within=log.size)))
            first = stamper.tokens_for(log.size)[0]
            await captured(actions, site.url("/bridge"))
            await until(lambda: stamper.tokens_for(log.size)[0].size >= log.size)

            check = await stamps_check(actions)

    assert first.checked == "verified"
    assert check["result"] == "ok"
    assert "(verified)" in check["detail"]


async def test_a_log_that_did_not_grow_is_not_stamped_again(tmp_path: Path, harbour: Authority) -> None:
    with Site(HARBOUR) as site, served(harbour) as url:
        async with serving(tmp_path / "data", url, harbour, tsa_interval=3600.0) as actions:
            await captured(actions, site.url("/ferry"))

            results = [(await actions.parts.stamper.stamp())[0].result for _ in range(3)]

    assert results[1:] == ["current", "current"]
    assert len(harbour.asked) == 1


async def test_a_token_is_renewed_before_its_certificate_ends(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        old = Authority(tmp_path / "old", days=3)
        with served(old) as url:
            async with serving(tmp_path / "data", url, old) as actions:
                await captured(actions, site.url("/ferry"))
                await actions.parts.stamper.stamp()
                stamps, size = actions.parts.stamper.stamps, actions.parts.log.size
                token = stamps.tokens_for(size)[0]

    ends, made = moment(str(token.ends)), moment(token.time)
    assert not renewal_due(token, made)
    assert renewal_due(token, ends)
    assert not renewal_due(token, made.replace(year=made.year - 1))


@pytest.mark.slow
async def test_a_failing_authority_is_named_is_left_alone_for_a_while_and_stops_nothing(
    tmp_path: Path, harbour: Authority
) -> None:
    harbour.status = 503
    with Site(HARBOUR) as site, served(harbour) as url:
        async with serving(tmp_path / "data", url, harbour) as actions:
            reply = await captured(actions, site.url("/ferry"))
            await until(lambda: len(harbour.asked) > 0)
            await asyncio.sleep(2.5)
            check, health = await stamps_check(actions), await actions.health()

    assert reply["outcome"] == "ok"
    assert len(harbour.asked) == 1
    assert check["result"] == "warning"
    assert "503" in check["detail"]
    assert health["time_stamps"]["authorities"][0]["failures"] == 1


async def test_a_rogue_authority_gets_nothing_kept(tmp_path: Path, harbour: Authority) -> None:
    rogue = Authority(tmp_path / "rogue")  # the same name, a root of its own
    with Site(HARBOUR) as site, served(rogue) as url:
        async with serving(tmp_path / "data", url, harbour) as actions:
            await captured(actions, site.url("/ferry"))

            results = await actions.parts.stamper.stamp()

            assert actions.parts.stamper.tokens_for(1) == ()
            assert not list(actions.parts.store.list("log/stamps/"))
    assert results[0].result == "failed"
    assert "does not hold" in results[0].detail


async def test_without_authorities_the_doctor_says_what_is_missing(tmp_path: Path) -> None:
    async with opened(tmp_path / "data") as actions:
        check = await stamps_check(actions)

        assert await actions.parts.stamper.stamp() == []
    assert check["result"] == "warning"
    assert "CITATOR_TSA_URLS" in check["detail"]


async def test_settings_that_cannot_be_used_are_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("no certificate\n")
    for wrong in (
        {"tsa_urls": ("not an address",)},
        {"tsa_ca_file": tmp_path / "none"},
        {"tsa_ca_file": tmp_path / "empty.pem"},
    ):
        with pytest.raises(BadSetting, match="CITATOR_TSA"):
            async with opened(tmp_path / "data", **wrong):
                pass


async def test_a_token_proves_records_of_a_later_tree(tmp_path: Path, harbour: Authority) -> None:
    with Site(HARBOUR) as site, served(harbour) as url:
        async with serving(tmp_path / "data", url, harbour) as actions:
            await captured(actions, site.url("/ferry"))
            await actions.parts.stamper.stamp()
            token = actions.parts.stamper.tokens_for(1)[0]
            await captured(actions, site.url("/bridge"))
            log = actions.parts.log
            old = parse_checkpoint(parse_note(token.checkpoint).text)

            verify_consistency(old.size, log.size, old.root, log.root, log.consistency(old.size))

    assert old.size == token.size


async def test_public_keys_hand_overs_and_time_stamps_can_be_had_from_the_log(
    tmp_path: Path, harbour: Authority
) -> None:
    with Site(HARBOUR) as site, served(harbour) as url:
        async with serving(tmp_path / "data", url, harbour) as actions:
            await captured(actions, site.url("/ferry"))
            await actions.parts.stamper.stamp()
            token = actions.parts.stamper.tokens_for(1)[0]
            earlier = (await actions.log_key_show())["vkey"]
            vkey = (await actions.log_key_rotate())["vkey"]

            names = [stat.name for stat in actions.parts.store.list("log/stamps/")]
            found = {name: await actions.log_file(name.removeprefix("log/")) for name in names}
            handover = await actions.log_file(f"keys/{vkey.split('+')[1]}.handover")
            nothing = await actions.log_file("lock")

            assert actions.parts.stamper.tokens_for(1) == (token,)
    assert token.response in found.values()
    assert {old.text for old in parse_handover(handover or b"")} == {earlier, vkey}
    assert nothing is None


async def bundled(actions: Actions, path: Path, capture: str, *, stamp: bool) -> dict[str, Any]:
    made = await actions.bundle(BundleRequest(ids=(capture,), stamp=stamp), ME, lambda *_: None)
    with made.file:
        await asyncio.to_thread(path.write_bytes, made.file.read())
    return made.told


def time_claim(path: Path, *roots: Path) -> tuple[str, str, list[str]]:
    found = verify_path(path, trust_of([], [str(root) for root in roots], []))
    claim = next(one for one in found.claims if one.claim == "time")
    return claim.result, claim.detail, [failure.reason for failure in claim.failures]


@pytest.mark.parametrize("unsorted", [False, True], ids=["sorted", "unsorted"])
async def test_a_bundle_carries_the_stamp_and_its_verifier_agrees(tmp_path: Path, unsorted: bool) -> None:  # noqa: FBT001 - a parameter
    authority = Authority(tmp_path / "authority", unsorted=unsorted)
    rogue = Authority(tmp_path / "rogue")
    with Site(HARBOUR) as site, served(authority) as url:
        options = {"tsa_urls": (url,), "tsa_ca_file": authority.roots}
        async with opened(tmp_path / "data", **options) as actions:
            said = await captured(actions, site.url("/ferry"))
            bare = await bundled(actions, tmp_path / "bare.wacz", said["capture"], stamp=False)
            told = await bundled(actions, tmp_path / "stamped.wacz", said["capture"], stamp=True)

    assert (told["stamps"][0]["authority"], told["stamps"][0]["result"]) == (url, "stamped")
    assert "stamps" not in bare
    assert time_claim(tmp_path / "bare.wacz", authority.roots)[0] == "not-checkable"
    assert time_claim(tmp_path / "stamped.wacz", authority.roots)[0] == "holds"
    result, _, reasons = time_claim(tmp_path / "stamped.wacz", rogue.roots)
    assert (result, reasons) == ("fails", ["token-untrusted"])


async def test_a_bundle_is_made_though_an_authority_fails(tmp_path: Path, harbour: Authority) -> None:
    harbour.status = 503
    with Site(HARBOUR) as site, served(harbour) as url:
        async with opened(tmp_path / "data", tsa_urls=(url,)) as actions:
            said = await captured(actions, site.url("/ferry"))
            told = await bundled(actions, tmp_path / "bare.wacz", said["capture"], stamp=True)
        async with opened(tmp_path / "data") as actions:
            with pytest.raises(BadRequest, match="CITATOR_TSA_URLS"):
                await bundled(actions, tmp_path / "none.wacz", said["capture"], stamp=True)

    assert told["stamps"][0]["result"] == "failed"
    assert (tmp_path / "bare.wacz").exists()
