"""Removal by page, session and pattern, wherever things are kept: no byte stays, and earlier bundles still hold."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.check_requests import RecheckRequest
from service.requests import BundleRequest, CaptureRequest, RemovalRequest, SearchRequest
from snapshots import Trust, verify_path
from tests.acceptance.test_elsewhere import stored
from tests.acceptance.traces import traces
from tests.postgres import postgres_cluster
from tests.seaweed import ACCESS_KEY, SECRET_KEY, seaweed
from tests.service.opened import ME, captured, opened, page, told
from tests.sites import Route, Site, robots

pytestmark = pytest.mark.slow

SAID = {
    "/weir": "The weir below the mill was repaired with oak from the northern forest.",
    "/locks": "Skippers pay eleven crowns at the upper locks after the thaw.",
    "/old/chart": "The chart of the shallows was drawn by the widow of the pilot.",
    "/stays": "The lighthouse keeper counts the ships that pass before dawn.",
}
SITE = [
    robots("User-agent: *\nAllow: /\n"),
    *(
        Route(path, body=page(f"Notes on {path[1:]}", text, f"It was read out at the meeting on {path[1:]}. " * 8))
        for path, text in SAID.items()
    ),
]


@dataclass
class Place:
    """Where an installation keeps things. `bytes_elsewhere` writes what lies in no directory into one."""

    settings: dict[str, Any] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    bytes_elsewhere: Callable[[Path], None] = lambda _folder: None


@pytest.fixture(params=["a directory and SQLite", "SeaweedFS and PostgreSQL"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    if request.param == "a directory and SQLite":
        yield Place()
        return
    with seaweed(tmp_path_factory.mktemp("seaweed")) as s3, postgres_cluster() as cluster:

        def bytes_elsewhere(folder: Path) -> None:
            for name, data in stored(s3).items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)

        settings = {
            "bucket": f"s3://{s3.bucket}/citator",
            "s3_endpoint": s3.endpoint,
            "s3_access_key": ACCESS_KEY,
            "s3_secret_key": SECRET_KEY,
            "database_url": cluster.create(),
        }
        yield Place(settings, (cluster.folder,), bytes_elsewhere)


async def bundled(actions: Actions, record: str, path: Path) -> dict[str, tuple[str, str]]:
    """Writes a bundle of a record; gives what its check says of each claim."""
    made = await actions.bundle(BundleRequest(ids=(record,)), ME, lambda *_: None)
    with made.file:
        await asyncio.to_thread(path.write_bytes, made.file.read(made.size))
    return checked(path)


def checked(path: Path) -> dict[str, tuple[str, str]]:
    return {one.claim: (one.result, one.detail) for one in verify_path(path, Trust()).claims}


async def test_of_what_is_removed_no_byte_stays_and_earlier_bundles_hold(place: Place, tmp_path: Path) -> None:
    data, mine = tmp_path / "data", replace(ME, session="case 12")
    ways = {
        "/weir": lambda site: RemovalRequest(url=site.url("/weir")),
        "/locks": lambda _site: RemovalRequest(session="case 12"),
        "/old/chart": lambda site: RemovalRequest(pattern=site.url("/old/*")),
    }
    needles = [SAID[path].encode() for path in ways]
    with Site(SITE) as site:
        async with opened(data, **place.settings) as actions:
            seen = {path: await captured(actions, site.url(path)) for path in ("/weir", "/old/chart", "/stays")}
            seen["/locks"] = told(await actions.capture(CaptureRequest(url=site.url("/locks")), mine))
            await actions.search(SearchRequest(query="crowns upper locks skippers", fetch="never"), mine)
            for path in ways:
                words = " ".join(SAID[path].split()[:4])
                caller = mine if path == "/locks" else ME
                await actions.search(SearchRequest(query=words, fetch="never", max_results=1), caller)
            urls = tuple(site.url(path) for path in ("/weir", "/old/chart", "/stays"))
            await actions.recheck(RecheckRequest(urls=urls), ME)
            before = {
                path: await bundled(actions, seen[path]["record"], tmp_path / f"{path[-4:]}.wacz") for path in ways
            }
            place.bytes_elsewhere(tmp_path / "before")
            lain = traces(needles, data, tmp_path / "before", *place.folders)
            size = int((await actions.checkpoint()).splitlines()[1])

            removed = {path: await actions.remove(way(site), ME) for path, way in ways.items()}
            later = {path: await bundled(actions, seen[path]["record"], tmp_path / "later.wacz") for path in ways}
            kept = await actions.evidence(seen["/stays"]["capture"])
            health = await actions.doctor(deep=True, progress=lambda *_: None)
            actions.parts.log.consistency(size)
            place.bytes_elsewhere(tmp_path / "elsewhere")
            found = traces(needles, data, tmp_path / "elsewhere", *place.folders)
        left = traces(needles, data)

    results = [result for claims in (*before.values(), *later.values()) for result, _ in claims.values()]
    assert {needle for hits in lain.values() for needle in hits} == set(needles)
    assert all(one["deletion"] for one in removed.values())
    assert (found, left) == ({}, {})
    assert "fails" not in results
    assert {path: checked(tmp_path / f"{path[-4:]}.wacz") for path in ways} == before
    assert not any("named as missing" in claims["closure"][1] for claims in before.values())
    assert all("named as missing" in claims["closure"][1] for claims in later.values())
    assert kept.kind == "capture"
    assert health["holds"], health
