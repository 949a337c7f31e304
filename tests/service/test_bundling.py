"""Bundles and quotations as callers get them: over HTTP, on the command line, and from a server elsewhere."""

import asyncio
import base64
import hashlib
import io
import json
import zipfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.api import application
from service.gate import Rules
from service.requests import BundleRequest, KeyRequest, Scope
from tests.service.asking import Asker
from tests.service.opened import HARBOUR, ME, captured, opened, searched
from tests.service.running import Shell
from tests.service.small_citator import SmallCitator
from tests.sites import Site

RULES = Rules(hosts=frozenset(), loopback_without_key=False, max_request=1024 * 1024)


@pytest.fixture
async def actions(tmp_path: Path) -> AsyncIterator[Actions]:
    async with opened(tmp_path / "data") as behind:
        yield behind


@pytest.fixture
async def ask(actions: Actions) -> Asker:
    key = await actions.keys_create(KeyRequest(name="reader", scopes=(Scope.READ,)))
    return Asker(application(actions, RULES), key["key"])


async def toll(actions: Actions, site: Callable[..., Site]) -> dict[str, Any]:
    """A search that showed one passage."""
    await captured(actions, site(*HARBOUR).url("/bridge"))
    for _ in range(100):
        found = await searched(actions, "toll bridge")
        if found["results"]:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError("the page was not found")


async def made(actions: Actions, **asked: Any) -> bytes:
    found = await actions.bundle(BundleRequest(**asked), ME, lambda *_: None)
    data = found.file.read(-1)
    found.file.close()
    assert len(data) == found.size
    assert hashlib.sha256(data).hexdigest() == found.digest
    return data


async def test_a_bundle_comes_over_http_with_its_hash_and_what_is_in_it(
    actions: Actions, ask: Asker, site: Callable[..., Site]
) -> None:
    found = await toll(actions, site)

    answer = await ask("POST", "/api/v1/bundles", {"search": found["record"]})

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/wacz"
    assert int(answer.headers["content-length"]) == len(answer.body)
    digest = base64.b64encode(hashlib.sha256(answer.body).digest()).decode()
    assert answer.headers["repr-digest"] == f"sha-256=:{digest}:"
    assert json.loads(answer.headers["x-evidence-bundle"])["counts"]["passages"] == 1
    with zipfile.ZipFile(io.BytesIO(answer.body)) as bundle:
        assert "evidence/index.html" in bundle.namelist()


async def test_prefixes_and_addresses_are_taken(actions: Actions, ask: Asker, site: Callable[..., Site]) -> None:
    found = await toll(actions, site)
    passage = found["results"][0]["passages"][0]["id"]

    by_prefix = await ask("POST", "/api/v1/bundles", {"ids": [passage[7:19]], "format": "jsonl"})
    by_address = await ask("POST", "/api/v1/bundles", {"url": found["results"][0]["url"], "format": "jsonl"})

    assert json.loads(by_prefix.body)["id"] == passage
    assert json.loads(by_address.body)["kind"] == "capture"
    assert by_prefix.headers["content-type"] == "application/jsonl"


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({}, "bad-request"),
        ({"ids": ["not an id at all"]}, "bad-id"),
        ({"ids": ["0" * 64]}, "unknown-id"),
        ({"url": "http://nobody.test/"}, "nothing-kept"),
        ({"url": "http://nobody.test/", "format": "docx"}, "bad-request"),
    ],
)
async def test_what_cannot_be_bundled_is_a_problem(ask: Asker, asked: dict[str, Any], problem: str) -> None:
    answer = await ask("POST", "/api/v1/bundles", asked)

    assert answer.problem == problem


async def test_reading_is_enough_to_take_evidence_along_and_searching_is_not(actions: Actions) -> None:
    key = await actions.keys_create(KeyRequest(name="searcher", scopes=(Scope.SEARCH,)))

    answer = await Asker(application(actions, RULES), key["key"])("POST", "/api/v1/bundles", {"url": "http://a.test/"})

    assert answer.problem == "scope-missing"


async def test_temporary_files_go_with_the_bundle(actions: Actions, site: Callable[..., Site], tmp_path: Path) -> None:
    found = await toll(actions, site)

    await made(actions, search=found["record"])

    assert list((tmp_path / "data" / "tmp").iterdir()) == []


async def test_what_a_killed_process_left_is_removed_at_the_next_start(tmp_path: Path) -> None:
    left = tmp_path / "data" / "tmp" / "left"
    left.mkdir(parents=True)
    (left / "half").write_bytes(b"half a bundle")

    async with opened(tmp_path / "data"):
        assert not left.exists()


@pytest.mark.slow
async def test_bundles_made_while_pages_come_in_are_whole(actions: Actions, site: Callable[..., Site]) -> None:
    pages = site(*HARBOUR)
    found = await toll(actions, site)
    running = True

    async def load() -> int:
        count = 0
        while running:
            await captured(actions, pages.url("/ferry"), max_age=0)
            count += 1
        return count

    loads = [asyncio.create_task(load()) for _ in range(2)]
    bundles = [await made(actions, search=found["record"], url=found["results"][0]["url"]) for _ in range(50)]
    running = False
    captures = sum(await asyncio.gather(*loads))

    assert captures > 0
    for data in bundles:
        assert mismatches(data) == []


def mismatches(data: bytes) -> list[str]:
    """Members whose bytes are not those that the package tells of."""
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        package = json.loads(bundle.read("datapackage.json"))
        digest = json.loads(bundle.read("datapackage-digest.json"))
        wrong = [] if digest["hash"] == named(bundle.read("datapackage.json")) else ["datapackage.json"]
        for one in package["resources"]:
            member = bundle.read(one["path"])
            if (named(member), len(member)) != (one["hash"], one["bytes"]):
                wrong.append(one["path"])
        listed = {one["path"] for one in package["resources"]}
        return wrong + sorted(set(bundle.namelist()) ^ listed ^ {"datapackage.json", "datapackage-digest.json"})


def named(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@pytest.fixture
def shell(tmp_path: Path, site: Callable[..., Site]) -> Shell:
    """A shell whose data directory holds one page."""
    prepared = Shell(tmp_path / "data", {"CITATOR_ALLOW_ADDRESSES": "127.0.0.0/8", "CITATOR_HOST_DELAY": "0"})
    page = tmp_path / "page.html"
    page.write_text("<title>Tide table</title><p>High water at the northern pier is at four in the afternoon.</p>")
    assert prepared("add", str(page), "--url", "https://tides.example/today", "--json").status == 0
    return prepared


@pytest.mark.slow
def test_the_command_writes_the_file_and_says_what_is_in_it(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "tides.wacz"

    ran = shell("bundle", "--url", "https://tides.example/today", "-o", str(path), "--json")

    assert ran.status == 0
    assert ran.json["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert ran.json["bytes"] == path.stat().st_size
    assert ran.json["counts"]["pages"] == 1
    assert mismatches(path.read_bytes()) == []
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_quotations_go_to_stdout_where_no_file_is_named(shell: Shell) -> None:
    ran = shell("bundle", "--url", "https://tides.example/today", "--format", "links")

    assert ran.stdout.decode() == "https://tides.example/today\n"


@pytest.mark.slow
def test_a_bundle_needs_a_file_and_something_to_be_of(shell: Shell, tmp_path: Path) -> None:
    assert shell("bundle", "--url", "https://tides.example/today").status == 2
    assert shell("bundle", "-o", str(tmp_path / "x.wacz")).status == 2
    assert shell("bundle", "--url", "https://tides.example/today", "-o", str(tmp_path / "no" / "x.wacz")).status == 2
    nothing = shell("bundle", "--url", "https://tides.example/never", "-o", str(tmp_path / "x.wacz"), "--json")
    assert (nothing.status, nothing.json["type"]) == (3, "urn:citator:problem:nothing-kept")
    assert not (tmp_path / "x.wacz").exists()


def test_a_file_that_did_not_come_whole_gets_no_name(tmp_path: Path) -> None:
    from service.cli_bundle import write_made
    from service.errors import ServerUnreachable
    from service.requests import Made

    short = Made(io.BytesIO(b"half"), 8, named(b"half and half")[7:], "application/wacz", "x.wacz", {})

    with pytest.raises(ServerUnreachable):
        write_made(short, tmp_path / "x.wacz")
    assert list(tmp_path.iterdir()) == []


async def test_a_door_sends_what_the_actions_made(ask_small: Asker, small: SmallCitator) -> None:
    kept = small.keep(b"some bytes")

    answer = await ask_small("POST", "/api/v1/bundles", {"ids": [kept]})

    assert answer.body == b"some bytes"
    assert answer.headers["content-disposition"] == 'attachment; filename="small.wacz"'


@pytest.fixture
def small() -> SmallCitator:
    return SmallCitator()


@pytest.fixture
def ask_small(small: SmallCitator) -> Asker:
    return Asker(application(small, RULES), small.key("admin"))
