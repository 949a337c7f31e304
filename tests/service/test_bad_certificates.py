"""A page whose certificate does not hold: only an operator gets it, and nobody else is served with it."""

import json
import zipfile
from asyncio import to_thread
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from service.actions import Actions
from service.api import application
from service.errors import ScopeMissing
from service.failures import BadSetting
from service.gate import Rules
from service.requests import BundleImport, BundleRequest, CaptureRequest, KeyRequest, Scope
from snapshots import trust_of, verify_path
from tests.network import Authority
from tests.service.asking import Asker
from tests.service.opened import HARBOUR, ME, TOLL, captured, opened, searched
from tests.sites import Site

MODEL = replace(ME, scopes=frozenset({Scope.SEARCH, Scope.FETCH, Scope.READ}), surface="mcp")


def written(file: Path, data: bytes) -> Path:
    file.write_bytes(data)
    return file


def judged(file: Path, data: bytes) -> tuple[str, bool]:
    """The report in a bundle, and whether the bundle holds."""
    with zipfile.ZipFile(written(file, data)) as bundle:
        return bundle.read("evidence/index.html").decode(), verify_path(file, trust_of([], [], [])).holds


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Site]:
    authority = Authority(tmp_path)
    with Site(HARBOUR, tls=authority.server("127.0.0.1", alone=True)) as site:
        yield site


@pytest.fixture
async def actions(tmp_path: Path) -> AsyncIterator[Actions]:
    async with opened(tmp_path / "data") as behind:
        yield behind


async def test_it_is_answered_and_kept_as_what_it_is(actions: Actions, place: Site) -> None:
    said = await captured(actions, place.url("/bridge"), accept_bad_certificate=True)
    capture = json.loads((await actions.evidence(said["capture"])).body)
    listed = (await actions.captures(place.url("/bridge"), limit=5, before=None, caller=ME))["captures"]

    assert TOLL in said["text"]
    assert [one for one in said["warnings"] if one.startswith("bad_certificate: 127.0.0.1: self-signed")]
    tls = capture["hops"][-1]["tls"]
    assert (tls["verified"], tls["error"]) == (False, "self-signed certificate")
    assert (await actions.evidence(tls["chain"][0])).body.startswith(b"\x30\x82")
    assert capture["settings"]["accept_bad_certificate"] is True
    assert [one["outcome"] for one in listed] == ["unverified"]


async def test_it_is_fresh_for_nobody_and_no_search_finds_it(actions: Actions, place: Site) -> None:
    await captured(actions, place.url("/bridge"), accept_bad_certificate=True)

    later = await captured(actions, place.url("/bridge"), max_age=3600)
    again = await captured(actions, place.url("/bridge"), accept_bad_certificate=True, max_age=3600)
    found = await searched(actions, "toll at the swing bridge", fetch="never")
    await actions.rebuild(lambda *_: None)
    rebuilt = await searched(actions, "toll at the swing bridge", fetch="never")

    assert (later["outcome"], later["reason"], later["text"]) == ("error", "tls_certificate", "")
    assert (again["from_store"], again["outcome"]) == (False, "ok")
    assert found["results"] == rebuilt["results"] == []


async def test_a_bundle_of_it_verifies_and_its_report_says_so(actions: Actions, place: Site, tmp_path: Path) -> None:
    said = await captured(actions, place.url("/bridge"), accept_bad_certificate=True)
    found = await actions.bundle(BundleRequest(ids=(said["passages"][0]["id"],)), ME, lambda *_: None)
    data = found.file.read(-1)
    found.file.close()

    report, verified = await to_thread(judged, tmp_path / "bridge.wacz", data)

    assert verified
    assert "bad_certificate: 127.0.0.1: self-signed certificate" in report
    assert "not valid</span> (self-signed certificate)" in report


async def test_brought_elsewhere_it_is_found_by_nobody_either(actions: Actions, place: Site, tmp_path: Path) -> None:
    said = await captured(actions, place.url("/bridge"), accept_bad_certificate=True)
    found = await actions.bundle(BundleRequest(ids=(said["capture"],)), ME, lambda *_: None)

    data = found.file.read(-1)
    found.file.close()
    file = await to_thread(written, tmp_path / "bridge.wacz", data)
    async with opened(tmp_path / "elsewhere") as elsewhere:
        await elsewhere.import_bundle(file, BundleImport(), ME, lambda *_: None)
        listed = await elsewhere.captures(place.url("/bridge"), limit=5, before=None, caller=ME)
        searched_there = await searched(elsewhere, "toll at the swing bridge")

    assert [one["outcome"] for one in listed["captures"]] == ["unverified"]
    assert searched_there["results"] == []


async def test_only_an_operator_may_ask_for_it(actions: Actions, place: Site) -> None:
    asked = {"url": place.url("/bridge"), "accept_bad_certificate": True}
    app = application(actions, Rules(hosts=frozenset(), loopback_without_key=False, max_request=1024 * 1024))
    agent = await actions.keys_create(KeyRequest(name="agent", scopes=(Scope.SEARCH, Scope.FETCH, Scope.READ)))
    owner = await actions.keys_create(KeyRequest(name="owner", scopes=(Scope.ADMIN,)))

    refused = await Asker(app, agent["key"])("POST", "/api/v1/captures", asked)
    taken = await Asker(app, owner["key"])("POST", "/api/v1/captures", asked)
    with pytest.raises(ScopeMissing):
        await actions.capture(CaptureRequest(**asked), MODEL)

    assert (refused.status, json.loads(refused.body)["type"]) == (403, "urn:citator:problem:scope-missing")
    assert taken.status == 200


@pytest.mark.parametrize("scopes", [(Scope.FETCH,), (Scope.ADMIN,)])
async def test_no_model_can_ask_for_it_with_whatever_key(
    actions: Actions, place: Site, scopes: tuple[Scope, ...]
) -> None:
    app = application(actions, Rules(hosts=frozenset(), loopback_without_key=False, max_request=1024 * 1024))
    key = (await actions.keys_create(KeyRequest(name="agent", scopes=scopes)))["key"]
    asked = {"url": place.url("/bridge"), "accept_bad_certificate": True, "skipTlsVerification": True}

    by_tool = await Asker(app, key)("POST", "/api/v1/tools/fetch", asked)
    by_firecrawl = await Asker(app, key)(
        "POST", "/v2/scrape", {name: asked[name] for name in ("url", "skipTlsVerification")}
    )

    for answer in (by_tool, by_firecrawl):
        assert TOLL not in answer.body.decode()
    assert place.requests == []


async def test_what_an_authority_of_the_operator_s_own_signed_holds(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    trusted = {"certificate_authorities": (str(authority.file),)}
    with Site(HARBOUR, tls=authority.server("127.0.0.1")) as there:
        async with opened(tmp_path / "data", **trusted) as behind:
            said = await captured(behind, there.url("/bridge"))
            tls = json.loads((await behind.evidence(said["capture"])).body)["hops"][-1]["tls"]

    assert TOLL in said["text"]
    assert (tls["verified"], tls["error"]) == (True, None)


async def test_a_file_without_authorities_is_named_at_the_start(tmp_path: Path) -> None:
    for file in (written(tmp_path / "empty.pem", b"no certificate"), tmp_path / "missing.pem"):
        with pytest.raises(BadSetting, match=f"CITATOR_CERTIFICATE_AUTHORITIES: .*{file.name}"):
            async with opened(tmp_path / "data", certificate_authorities=(str(file),)):
                pass
