"""Files with captures of others, through the whole of Citator: kept, found, marked as whose word they are."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from service.failures import BadRequest
from service.requests import ArchiveRequest, BundleRequest, RemovalRequest
from service.rereading import text_check
from snapshots import Capture, Import, Trust, digest, verify_path
from tests.archives import chunked, record, request, response, sha256, wacz, zipped
from tests.service.opened import BRIDGE, FERRY, ME, captured, opened, searched
from tests.service.running import Shell
from tests.sites import Route, Site

URL = "http://harbour.test/ferry"


def warc(path: Path, *records: bytes) -> Path:
    path.write_bytes(zipped(records))
    return path


async def added(actions: Any, path: Path) -> dict[str, Any]:
    seen: list[tuple[str, int, int | None]] = []
    found: dict[str, Any] = await actions.add_archive(path, ArchiveRequest(), ME, lambda *told: seen.append(told))
    assert seen
    return found


async def test_captures_of_others_are_kept_found_and_say_where_they_are_from(tmp_path: Path) -> None:
    path = warc(
        tmp_path / "harbour.warc.gz",
        record("warcinfo", {}, b"software: other"),
        response(URL, chunked(FERRY.encode()), headers=["Content-Type: text/html", "Transfer-Encoding: chunked"]),
        request(URL),
        response("http://harbour.test/bridge", BRIDGE.encode(), WARC_Date="2026-03-06T10:00:00Z"),
    )
    async with opened(tmp_path / "data") as actions:
        told = await added(actions, path)
        found = await searched(actions, "single ticket twelve crowns")
        capture = actions.parts.archive.capture(told["captures"][0]["capture"])
        proof = await actions.proof(capture.id)
        imported = actions.parts.archive.record(told["imports"][0])
        check = await actions.doctor(deep=True, progress=lambda *_: None)

    assert told["whole"]
    assert told["counts"] == {"captures": 2, "refused": 0}
    assert told["passed_over"] == {"warcinfo": 1, "request": 1}
    assert found["results"][0]["url"] == URL
    assert isinstance(capture, Capture)
    assert (capture.method, capture.retrieved_at) == ("import", "2026-03-05T10:00:00.000Z")
    assert capture.body == digest(FERRY.encode())
    assert capture.hops[0].request_headers[1] == ("User-Agent", "Other/1.0")
    assert capture.settings["archive"] == "harbour.warc.gz"
    assert capture.settings["archive_sha256"] == sha256(path.read_bytes()).removeprefix("sha256:")
    assert "block_digest held" in capture.warnings[0]
    assert proof["record"] == capture.id
    assert isinstance(imported, Import)
    assert imported.records == tuple(one["capture"] for one in told["captures"])
    assert check["holds"], check


async def test_what_does_not_hold_is_refused_by_name_and_nothing_of_it_is_kept(tmp_path: Path) -> None:
    path = warc(
        tmp_path / "mixed.warc.gz",
        response(URL, FERRY.encode(), WARC_Payload_Digest=sha256(b"other")),
        response("http://harbour.test/late", FERRY.encode(), WARC_Date="2199-01-01T00:00:00Z"),
        response("http://harbour.test/bridge", BRIDGE.encode()),
    )
    async with opened(tmp_path / "data") as actions:
        told = await added(actions, path)
        kept = await actions.captures(URL, limit=10, before=None, caller=ME)

    assert not told["whole"]
    assert [(one["url"], one["reason"]) for one in told["refused"]] == [
        (URL, "payload_digest"),
        ("http://harbour.test/late", "future_date"),
    ]
    assert told["counts"] == {"captures": 1, "refused": 2}
    assert kept["captures"] == []


async def test_of_a_file_that_is_cut_short_what_came_before_is_kept(tmp_path: Path) -> None:
    path = warc(tmp_path / "cut.warc.gz", response(URL, FERRY.encode()), response(f"{URL}2", BRIDGE.encode()))
    path.write_bytes(path.read_bytes()[:-30])
    async with opened(tmp_path / "data") as actions:
        told = await added(actions, path)

    assert told["counts"] == {"captures": 1, "refused": 0}
    assert "middle of a gzip member" in told["broken"]


async def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(FERRY)
    async with opened(tmp_path / "data") as actions:
        for path in (tmp_path / "page.html", tmp_path / "none"):
            with pytest.raises(BadRequest):
                await actions.add_archive(path, ArchiveRequest(), ME, lambda *_: None)


async def test_an_older_version_that_comes_later_does_not_hide_the_newer_one(tmp_path: Path) -> None:
    with Site([Route("/ferry", body=FERRY)]) as site:
        url = site.url("/ferry")
        old = FERRY.replace("twelve crowns", "seven crowns")
        async with opened(tmp_path / "data") as actions:
            await captured(actions, url)
            told = await added(actions, warc(tmp_path / "old.warc.gz", response(url, old.encode())))
            found = await searched(actions, "single ticket crowns")
            again = await captured(actions, url, max_age=3600)
            await actions.rebuild(lambda *_: None)
            rebuilt = await searched(actions, "single ticket crowns")

    for result in (found, rebuilt):
        texts = [passage["text"] for page in result["results"] for passage in page["passages"]]
        assert any("twelve crowns" in text for text in texts)
        assert not any("seven crowns" in text for text in texts)
    assert told["counts"]["captures"] == 1
    assert again["capture"] != told["captures"][0]["capture"]


async def test_what_was_added_from_a_file_can_be_removed(tmp_path: Path) -> None:

    path = warc(tmp_path / "harbour.warc.gz", response(URL, FERRY.encode()))
    async with opened(tmp_path / "data") as actions:
        told = await added(actions, path)
        await actions.remove(RemovalRequest(ids=(told["captures"][0]["capture"],)), ME)
        found = await searched(actions, "single ticket crowns")
        check = await actions.doctor(deep=True, progress=lambda *_: None)

    assert found["results"] == []
    assert check["holds"], check
    assert not [one for one in (tmp_path / "data").rglob("*") if one.is_file() and b"twelve crowns" in one.read_bytes()]


SAVED = FERRY.replace(
    '<html lang="en">',
    '<html lang="en"><!--\n Page saved with SingleFile \n url: http://harbour.test/ferry#boats \n'
    " saved date: Thu Mar 05 2026 11:00:00 GMT+0100 (Central European Standard Time)\n-->",
)


def test_a_page_saved_by_singlefile_brings_its_address_and_time(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data", {"CITATOR_READERS": "1"})
    (tmp_path / "saved.html").write_text(SAVED)

    told = shell("add", str(tmp_path / "saved.html"), "--json").json
    capture = shell("show", told["capture"]).json

    assert told["final"] == URL
    assert capture["method"] == "import"
    assert capture["retrieved_at"] == "2026-03-05T10:00:00.000Z"
    assert any(warning.startswith("imported: saved by SingleFile") for warning in capture["warnings"])


def test_the_command_adds_warc_and_wacz_files_like_others(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data", {"CITATOR_READERS": "1"})
    plain = tmp_path / "harbour.warc"
    plain.write_bytes(response(URL, FERRY.encode()))
    packed = wacz(tmp_path / "harbour.wacz", {"archive/a.warc.gz": zipped([response(URL, FERRY.encode())])})
    bad = warc(tmp_path / "bad.warc.gz", response(URL, FERRY.encode(), WARC_Block_Digest=sha256(b"")))
    page = tmp_path / "page.html"
    page.write_text(BRIDGE)

    one = shell("add", str(plain), "--json")
    many = shell("add", str(packed), str(bad), str(page), "--json")
    read = shell("add", str(plain))
    wrong = shell("add", str(plain), "--url", URL)

    assert (one.status, one.json["counts"]) == (0, {"captures": 1, "refused": 0})
    assert many.status == 3
    assert [found.get("whole") for found in many.json] == [True, False, None]
    assert "refused http://harbour.test/ferry (block_digest)" in many.stderr
    assert read.status == 0
    assert b"1 captures kept, 0 refused" in read.stdout
    assert wrong.status == 2


async def test_a_bundle_of_captures_of_others_verifies_and_its_texts_are_read_again(tmp_path: Path) -> None:
    plain = {"WARC-Target-URI": "http://harbour.test/notes", "Content-Type": "text/plain"}
    path = warc(
        tmp_path / "harbour.warc.gz",
        response(URL, chunked(FERRY.encode()), headers=["Content-Type: text/html", "Transfer-Encoding: chunked"]),
        request(URL),
        response("http://harbour.test/bridge", BRIDGE.encode(), headers=["Transfer-Encoding: chunked"]),
        record("resource", plain, b"The boat leaves at noon, and again in the evening when the tide allows it."),
    )
    async with opened(tmp_path / "data") as actions:
        told = await added(actions, path)
        ids = tuple(one["capture"] for one in told["captures"])
        made = await actions.bundle(BundleRequest(ids=ids), ME, lambda *_: None)
        with made.file:
            await asyncio.to_thread((tmp_path / "b.wacz").write_bytes, made.file.read())
        async with text_check(actions.parts.settings, actions.parts.readers) as check:
            found = await asyncio.to_thread(verify_path, tmp_path / "b.wacz", Trust(), check)

    assert len(ids) == 3
    assert found.holds, [claim for claim in found.claims if claim.result == "fails"]
    assert next(claim.result for claim in found.claims if claim.claim == "text") == "holds"
