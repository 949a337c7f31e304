"""Pages of a PDF are told with each passage, and evidence with pages verifies and is rebuilt like any other."""

import json
import subprocess
import sys
import zipfile
from asyncio import to_thread
from pathlib import Path
from typing import Any

from service.actions import Actions
from service.api import application
from service.gate import Rules
from service.mcp_tools.structures import page as told_to_models
from service.mcp_tools.texts import page_text
from service.requests import BundleRequest, KeyRequest, Scope
from snapshots import told_as_json, trust_of, verify_path
from tests.crawler.reading_pages import PROSE
from tests.service.asking import Asker
from tests.service.opened import HARBOUR, ME, captured, opened, searched
from tests.sites import Route, Site
from tests.small_pdf import paged_pdf

BOATS = "Rowing boats are hired out at the third pontoon of the basin."
LONG = [f"{line} {word}." for word in ("north", "south", "east", "west") for line in PROSE]
REPORT = Route("/report", 200, (("Content-Type", "application/pdf"),), paged_pdf([LONG[:8], LONG[8:], [BOATS] * 6]))
SITE = [REPORT, *HARBOUR]


async def bundled(actions: Actions, ids: list[str]) -> bytes:
    found = await actions.bundle(BundleRequest(ids=tuple(ids)), ME, lambda *_: None)
    data = found.file.read(-1)
    found.file.close()
    return data


def judged(folder: Path, data: bytes) -> list[dict[str, Any]]:
    """What the library says of a bundle, and what the program in it does."""
    file, unpacked = folder / "both.wacz", folder / "unpacked"
    file.write_bytes(data)
    with zipfile.ZipFile(file) as bundle:
        bundle.extractall(unpacked)
    command = [sys.executable, "-I", unpacked / "evidence" / "verify.py", "--json", file]
    alone = subprocess.run(command, capture_output=True, check=True)
    return [told_as_json(verify_path(file, trust_of([], [], []))), json.loads(alone.stdout)]


async def test_a_passage_says_which_page_it_begins_on(tmp_path: Path) -> None:
    with Site(SITE) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/report"))
            plain = await captured(actions, site.url("/ferry"))
            document = json.loads((await actions.evidence(said["document"])).body)
            found = await searched(actions, "rowing boats pontoon")

    pages = [one["page"] for one in said["passages"]]
    assert pages == sorted(pages)
    assert (pages[0], said["passages"][-1]["page_end"]) == (1, 3)
    assert f"{site.url('/report')}, p. 1, retrieved" in said["passages"][0]["cite"]
    assert f"{site.url('/report')}, pp. 2-3, retrieved" in said["passages"][-1]["cite"]
    assert document["version"] == 2
    assert found["results"][0]["passages"][0]["page_end"] == 3
    assert all("page" not in one for one in plain["passages"])


async def test_a_model_is_told_the_page_in_both_forms(tmp_path: Path) -> None:
    with Site(SITE) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/report"))

    told = told_to_models(said, [])

    assert [one["page"] for one in told["passages"]] == [one["page"] for one in said["passages"]]
    assert f"-{told['passages'][0]['end']}, page 1\n" in page_text(told)
    assert f"-{told['passages'][-1]['end']}, pages 2-3\n" in page_text(told)


async def test_a_passage_shown_to_a_person_names_the_page(tmp_path: Path) -> None:
    with Site(SITE) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/report"))
            key = (await actions.keys_create(KeyRequest(name="me", scopes=(Scope.READ,))))["key"]
            ask = Asker(application(actions, Rules(frozenset(), loopback_without_key=False, max_request=9999)), key)

            answer = await ask("GET", f"/e/{said['passages'][-1]['id']}", headers={"accept": "text/html"})

    assert "page 2 to 3, characters" in answer.body.decode()
    assert "/report, pp. 2-3, retrieved" in answer.body.decode()


async def test_both_versions_of_documents_verify_in_one_bundle_and_by_its_own_program(tmp_path: Path) -> None:
    with Site(SITE) as site:
        async with opened(tmp_path / "data") as actions:
            both = [await captured(actions, site.url(path)) for path in ("/report", "/ferry")]
            ids = [passage["id"] for said in both for passage in said["passages"]]
            data = await bundled(actions, ids)

    by_library, by_program = await to_thread(judged, tmp_path, data)

    assert by_library["holds"]
    assert by_program["holds"]
    assert [claim["result"] for claim in by_program["claims"]] == [claim["result"] for claim in by_library["claims"]]
    assert "fails" not in [claim["result"] for claim in by_library["claims"]]


async def test_a_rebuild_gives_the_same_passages_with_the_same_pages(tmp_path: Path) -> None:
    def shown(found: dict[str, Any]) -> list[tuple[str, int]]:
        return [(one["id"], one["page"]) for one in found["results"][0]["passages"]]

    with Site(SITE) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/report"))
            before = await searched(actions, "rowing boats pontoon")
            await actions.rebuild(lambda *_: None)
            after = await searched(actions, "rowing boats pontoon")

    assert shown(before)
    assert shown(after) == shown(before)
