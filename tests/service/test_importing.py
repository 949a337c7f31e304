"""Bundles of another installation come in: under their ids, with their proofs, and nothing that does not hold."""

import asyncio
import zipfile
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.failures import BadRequest, BundleRefused
from service.requests import BundleImport, BundleRequest, CaptureRequest, RemovalRequest, UploadRequest
from snapshots import (
    Batch,
    Crawl,
    Event,
    Import,
    RemovedId,
    Session,
    Trust,
    UnknownId,
    digest,
    ed25519_holds,
    parse_proof,
    parse_vkey,
    verify_path,
    verify_proof,
)
from tests.seaweed import seaweed
from tests.service.opened import FERRY, HARBOUR, ME, captured, opened, searched
from tests.service.running import Ran, Shell
from tests.sites import Route, Site

WORDS = "single ticket twelve crowns"


async def bundled(actions: Actions, path: Path, **asked: Any) -> Path:
    made = await actions.bundle(BundleRequest(**asked), ME, lambda *_: None)
    with made.file:
        await asyncio.to_thread(path.write_bytes, made.file.read())
    return path


async def exported(folder: Path) -> tuple[Path, dict[str, bytes], str]:
    """A bundle of a search at the harbour, what each id in it stands for, and the key of its log."""
    with Site(HARBOUR) as site:
        async with opened(folder / "there") as actions:
            await captured(actions, site.url("/ferry"))
            await captured(actions, site.url("/bridge"))
            found = await searched(actions, WORDS)
            path = await bundled(actions, folder / "harbour.wacz", search=found["record"])
            archive = actions.parts.archive
            record = archive.record(found["record"])
            capture = archive.capture(found["results"][0]["capture"])
            ids = [record.id, capture.id, str(capture.document), str(capture.body)]
            ids += [passage["id"] for page in found["results"] for passage in page["passages"]]
            return path, {name: archive.get(name) for name in ids}, actions.parts.log.vkey


async def imported(actions: Actions, path: Path, *keys: str) -> dict[str, Any]:
    return await actions.import_bundle(path, BundleImport(trust_key=keys), ME, lambda *_: None)


async def whole(actions: Actions) -> bool:
    report = await actions.doctor(deep=True, progress=lambda *_: None)
    assert report["holds"], report
    return bool(report["holds"])


def holds(proof: str, vkey: str, record: bytes) -> bool:
    verify_proof(parse_proof(proof), bytes.fromhex(digest(record)[7:]), [parse_vkey(vkey)], ed25519_holds)
    return True


@pytest.mark.slow
async def test_ids_bytes_and_proofs_stay_and_a_rebuild_keeps_them(tmp_path: Path) -> None:
    path, there, vkey = await exported(tmp_path)
    async with opened(tmp_path / "here") as actions:
        told = await imported(actions, path, vkey)
        found = await searched(actions, WORDS)
        await actions.rebuild(lambda *_: None)
        again = await searched(actions, WORDS)
        archive = actions.parts.archive
        here = {name: archive.get(name) for name in there}
        capture = found["results"][0]["capture"]
        proof = await actions.proof(capture)
        record = archive.record(told["imports"][0])
        assert await whole(actions)

    assert here == there
    assert told["trusted"]
    assert told["counts"]["records"] == told["counts"]["new"] == len(told["records"])
    assert [result["capture"] for result in found["results"]] == [result["capture"] for result in again["results"]]
    assert holds(proof["proof"], proof["vkey"], there[capture])
    assert holds(proof["foreign"][0]["proof"], vkey, there[capture])
    assert proof["foreign"][0]["import"] == told["imports"][0]
    assert isinstance(record, Import)
    assert (record.vkey, record.form, record.by) == (vkey, "bundle", None)
    assert digest(path.read_bytes()) == f"sha256:{record.sha256}"


async def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    path, _, _ = await exported(tmp_path)
    async with opened(tmp_path / "here") as actions:
        first = await imported(actions, path)
        size = actions.parts.log.size
        second = await imported(actions, path)

        assert actions.parts.log.size == size
    assert second["imports"] == first["imports"]
    assert second["counts"] == first["counts"] | {"new": 0}
    assert not first["trusted"]


async def test_a_bundle_taken_home_again_leaves_what_is_there_as_it_is(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path / "there") as actions:
            said = await captured(actions, site.url("/ferry"))
            path = await bundled(actions, tmp_path / "own.wacz", ids=(said["capture"],))
            told = await imported(actions, path)
            again = await captured(actions, site.url("/ferry"), max_age=3600)
            assert await whole(actions)

    assert told["counts"]["new"] == 0
    assert again["capture"] == said["capture"]


async def test_a_page_that_somebody_else_saw_is_not_taken_for_one_that_was_asked_for_here(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path / "there") as there:
            said = await captured(there, site.url("/ferry"))
            path = await bundled(there, tmp_path / "ferry.wacz", ids=(said["capture"],))
        async with opened(tmp_path / "here") as here:
            await imported(here, path)
            asked = await captured(here, site.url("/ferry"), max_age=3600)

    assert asked["capture"] != said["capture"]
    assert not asked["from_store"]


def altered(path: Path, member: str, old: bytes, new: bytes) -> Path:
    """A copy with bytes of one member exchanged, and the ZIP file made anew around it."""
    copy = path.with_name("altered.wacz")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w") as target:
        for info in source.infolist():
            data = source.read(info)
            target.writestr(info, data.replace(old, new) if info.filename == member else data)
    return copy


@pytest.mark.slow
@pytest.mark.parametrize(
    ("member", "old", "new"),
    [
        ("evidence/records.jsonl", b"twelve crowns", b"eleven crowns"),
        ("evidence/passages.jsonl", b"twelve crowns", b"eleven crowns"),
        ("evidence/proofs.jsonl", b"index 0", b"index 1"),
        ("pages/pages.jsonl", b"twelve crowns", b"eleven crowns"),
    ],
)
async def test_nothing_of_a_bundle_that_was_altered_gets_in(
    tmp_path: Path, member: str, old: bytes, new: bytes
) -> None:
    path, there, _ = await exported(tmp_path)
    bad = altered(path, member, old, new)
    async with opened(tmp_path / "here") as actions:
        before = {one.name for one in actions.parts.store.list("objects/")}
        with pytest.raises(BundleRefused) as caught:
            await imported(actions, bad)

        assert {one.name for one in actions.parts.store.list("objects/")} == before
        assert actions.parts.log.size == 0
        assert not list((tmp_path / "here" / "tmp").glob("*"))
    assert {"members", "statement"} <= {str(one["claim"]) for one in caught.value.claims}
    assert there


async def test_who_names_a_key_gets_nothing_that_another_one_signed(tmp_path: Path) -> None:
    path, _, _ = await exported(tmp_path)
    async with opened(tmp_path / "here") as actions:
        with pytest.raises(BundleRefused, match="signer"):
            await imported(actions, path, actions.parts.log.vkey)
        with pytest.raises(BadRequest, match="trust_key"):
            await imported(actions, path, "no key")

        assert actions.parts.log.size == 0


async def test_what_is_no_bundle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(FERRY)
    async with opened(tmp_path / "here") as actions:
        with pytest.raises(BundleRefused):
            await imported(actions, tmp_path / "page.html")
        with pytest.raises(BadRequest):
            await imported(actions, tmp_path / "none")


async def test_what_was_imported_can_be_removed_without_a_trace_and_does_not_come_back(tmp_path: Path) -> None:
    path, there, _ = await exported(tmp_path)
    async with opened(tmp_path / "here") as actions:
        told = await imported(actions, path)
        capture = next(name for name in told["records"] if b'"kind":"capture"' in there.get(name, b""))
        removal = await actions.remove(RemovalRequest(ids=(capture,)), ME)
        again = await imported(actions, path)
        found = await searched(actions, WORDS)
        with pytest.raises(RemovedId):
            await actions.evidence(capture)
        assert await whole(actions)

    assert {one["id"]: one["deletion"] for one in again["left_out"]}[capture] == removal["deletion"]
    assert again["counts"]["new"] == 0
    assert found["results"] == []
    for file in (tmp_path / "here").rglob("*"):
        assert not (file.is_file() and b"twelve crowns" in file.read_bytes()), file


async def test_a_page_that_was_removed_here_does_not_come_back_with_the_replies_that_showed_it(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path / "there") as there:
            said = await captured(there, site.url("/ferry"))
            first = await bundled(there, tmp_path / "first.wacz", ids=(said["capture"],))
            found = await searched(there, WORDS)
            second = await bundled(there, tmp_path / "second.wacz", search=found["record"])
    async with opened(tmp_path / "here") as here:
        await imported(here, first)
        await here.remove(RemovalRequest(ids=(said["capture"],)), ME)
        told = await imported(here, second)
        assert await whole(here)

    left_out = {one["id"] for one in told["left_out"]}
    assert {said["capture"], found["record"]} <= left_out
    assert told["counts"] == {"records": 0, "new": 0, "left_out": len(left_out)}


async def test_a_removal_elsewhere_removes_nothing_here(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path / "there") as there:
            said = await captured(there, site.url("/ferry"))
            await captured(there, site.url("/bridge"))
            await there.remove(RemovalRequest(ids=(said["capture"],)), ME)
            path = await bundled(there, tmp_path / "removed.wacz", ids=(said["record"],))
        async with opened(tmp_path / "here") as here:
            own = await captured(here, site.url("/ferry"))
            told = await imported(here, path)
            found = await searched(here, WORDS)
            assert await whole(here)

            await here.rebuild(lambda *_: None)
            assert await whole(here)
            with pytest.raises(UnknownId):
                await here.evidence(said["capture"])
            again = await bundled(here, tmp_path / "again.wacz", ids=(said["record"],))
    assert verify_path(again, Trust()).holds
    assert said["record"] in told["records"]
    assert [result["capture"] for result in found["results"]] == [own["capture"]]


async def test_a_crawl_that_somebody_else_began_is_not_gone_on_with(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path / "there") as there:
            begun = Crawl(phase="started", seeds=(site.url("/"),), at="2026-01-01T00:00:00.000Z", state="running")
            there.parts.archive.keep(Batch(records=(begun,))).result()
            path = await bundled(there, tmp_path / "crawl.wacz", ids=(begun.id,))
        async with opened(tmp_path / "here") as here:
            await imported(here, path)
        async with opened(tmp_path / "here", resume=True) as here:
            assert (await here.evidence(begun.id)).body == begun.encoded

    assert site.requests == []


async def test_a_record_from_the_future_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path / "there") as there:
        request = UploadRequest(
            body=FERRY.encode(), url="http://harbour.test/", at="2199-01-01", media_type="text/html"
        )
        await there.upload(request, ME)
        path = await bundled(there, tmp_path / "late.wacz", url="http://harbour.test/")
    async with opened(tmp_path / "here") as here:
        with pytest.raises(BundleRefused, match="has not come yet"):
            await imported(here, path)


@pytest.mark.slow
async def test_from_a_directory_to_a_bucket_on_a_server_and_back(tmp_path: Path) -> None:
    path, there, vkey = await exported(tmp_path)
    with seaweed(tmp_path / "seaweed") as server:
        options = {
            "bucket": f"s3://{server.bucket}/here",
            "s3_endpoint": server.endpoint,
            "s3_access_key": server.options["access_key"],
            "s3_secret_key": server.options["secret_key"],
        }
        async with opened(tmp_path / "here", **options) as here:
            await imported(here, path, vkey)
            await here.rebuild(lambda *_: None)
            assert {name: here.parts.archive.get(name) for name in there} == there
            assert await whole(here)
            search = next(name for name, data in there.items() if b'"kind":"search"' in data)
            back = await bundled(here, tmp_path / "back.wacz", search=search)
            key = here.parts.log.vkey
    async with opened(tmp_path / "third") as third:
        await imported(third, back, key)
        await third.rebuild(lambda *_: None)
        assert {name: third.parts.archive.get(name) for name in there} == there
        found = await searched(third, WORDS)
        proof = await third.proof(found["results"][0]["capture"])
        assert await whole(third)

    capture = there[found["results"][0]["capture"]]
    assert holds(proof["proof"], proof["vkey"], capture)
    assert holds(proof["foreign"][0]["proof"], key, capture)


async def test_an_older_version_out_of_a_bundle_does_not_hide_the_newer_one(tmp_path: Path) -> None:
    old, new = FERRY, FERRY.replace("twelve crowns", "thirteen crowns")
    with Site([Route("/ferry", body=old, hit=1), Route("/ferry", body=new, hit_from=2)]) as site:
        async with opened(tmp_path / "there") as there:
            await captured(there, site.url("/ferry"))
            path = await bundled(there, tmp_path / "old.wacz", url=site.url("/ferry"))
        async with opened(tmp_path / "here") as here:
            await here.capture(CaptureRequest(url=site.url("/ferry")), ME)
            await imported(here, path)
            found = await searched(here, "single ticket crowns")

    texts = [passage["text"] for page in found["results"] for passage in page["passages"]]
    assert any("thirteen crowns" in text for text in texts)
    assert not any("twelve crowns" in text for text in texts)


@pytest.mark.slow
async def test_the_command_takes_a_bundle_in_and_tells_what_is_wrong_with_another(tmp_path: Path) -> None:
    path, there, vkey = await exported(tmp_path)
    bad = altered(path, "pages/pages.jsonl", b"twelve crowns", b"eleven crowns")
    (tmp_path / "there.vkey").write_text(f"{vkey}\n")
    shell = Shell(tmp_path / "here", {"CITATOR_READERS": "1"})

    def commands() -> list[Ran]:
        capture = next(name for name, data in there.items() if b'"kind":"capture"' in data)
        return [
            shell("import", str(bad), "--json"),
            shell("import", str(path), "--trust-key", str(tmp_path / "there.vkey"), "--json"),
            shell("import", str(path)),
            shell("show", capture),
            shell("proof", capture),
        ]

    refused, taken, again, shown, proof = await asyncio.to_thread(commands)

    assert (refused.status, refused.json["type"]) == (1, "urn:citator:problem:bundle-refused")
    assert (taken.status, taken.json["trusted"], taken.json["counts"]["left_out"]) == (0, True, 0)
    assert b"0 records are new" in again.stdout
    assert shown.stdout in there.values()
    assert "imported: it was proven in the log" in proof.stderr


async def test_a_key_that_was_replaced_since_still_vouches_for_what_it_signed_and_hands_over(tmp_path: Path) -> None:
    path, _, vkey = await exported(tmp_path)
    async with opened(tmp_path / "there") as there:
        later = (await there.log_key_rotate())["vkey"]
        newer = await bundled(there, tmp_path / "newer.wacz", search=_search_in(path))
    async with opened(tmp_path / "here") as here:
        await imported(here, path, vkey)
        told = await imported(here, newer, vkey)
        kinds = {name: await here.evidence(name) for name in told["records"]}
        capture = next(name for name, evidence in kinds.items() if evidence.kind == "capture")
        proof = await here.proof(capture)
        record = kinds[capture].body
        assert await whole(here)

    assert told["vkey"] == later != vkey
    assert {one["vkey"] for one in proof["foreign"]} == {vkey, later}
    assert all(holds(one["proof"], one["vkey"], record) for one in proof["foreign"])


def _search_in(path: Path) -> str:
    with zipfile.ZipFile(path) as bundle:
        lines = bundle.read("evidence/records.jsonl").splitlines()
    return next(digest(line) for line in lines if b'"kind":"search"' in line)


async def test_nobody_elsewhere_ends_a_crawl_or_goes_on_with_a_session_that_was_begun_here(tmp_path: Path) -> None:
    at = "2026-01-01T00:00:00.000Z"
    crawl = Crawl(phase="started", seeds=("http://harbour.test/",), at=at, state="running")
    ended = Crawl(phase="finished", crawl=crawl.id, seeds=crawl.seeds, at=at, state="done", counts={})
    session = Session(at=at, title="harbour")
    step = Event(session=session.id, previous=None, at=at, type="message", state="idle", author="user")
    async with opened(tmp_path / "here") as here:
        here.parts.archive.keep(Batch(records=(crawl, session))).result()
    async with opened(tmp_path / "there") as there:
        there.parts.archive.keep(Batch(records=(session, crawl, ended, step))).result()
        path = await bundled(there, tmp_path / "forged.wacz", ids=(ended.id, step.id))
    async with opened(tmp_path / "here") as here:
        told = await imported(here, path)
        naming = here.parts.archive.catalogue.naming
        assert naming(session.id, kind="event") == []
        assert naming(crawl.id, kind="crawl") == []

    assert {ended.id, step.id} <= {one["id"] for one in told["left_out"]}
