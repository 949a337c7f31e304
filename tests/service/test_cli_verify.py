"""`citator verify`, run as people run it: without a data directory, with the programs that read pages."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from snapshots import Block, Capture, Document, Extractor, digest
from tests.snapshots.bench import Bench
from tests.snapshots.bundled import bundled

PAGE = (
    b"<!DOCTYPE html><html><head><title>Ferry</title></head><body><article><h1>Ferry</h1>"
    + b"<p>The ferry leaves at noon, and once more before the tide turns, if there is wind.</p>" * 3
    + b"</article></body></html>"
)
AT = "2026-11-29T19:28:36.123Z"


def run(*arguments: object, folder: Path, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "CITATOR_DATA": str(folder / "none")}
    command = [sys.executable, "-c", "from service.cli import main; main()", "verify", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, env=environment, input=data)


def bundle_of(folder: Path, text: str | None = None) -> Path:
    """A bundle of a page with the text that is read out of it, or another one."""
    page = folder / "page.html"
    page.write_bytes(PAGE)
    read = json.loads(
        subprocess.run(
            [sys.executable, "-c", "from service.cli import main; main()", "extract", page, "--json"],
            capture_output=True,
            check=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(folder)},
        ).stdout
    )
    document = Document(
        source=digest(PAGE),
        media_type="text/html",
        base="https://a.example/",
        text=text or read["text"],
        visible=text or read["text"],
        blocks=[Block(type="paragraph", start=0, end=5)],
        extractors=[Extractor(**each) for each in read["extractors"]],
    )
    capture = Capture(
        asked="https://a.example/",
        final="https://a.example/",
        body=digest(PAGE),
        body_length=len(PAGE),
        method="upload",
        settings={"declared_media_type": "text/html"},
        outcome="ok",
        page_state="ok",
        media_type="text/html",
        started_at=AT,
        retrieved_at=AT,
        document=document.id,
    )
    (folder / "data").mkdir()
    bench = Bench(folder / "data")
    bench.keep(document, capture, blobs=[PAGE])
    path = folder / "some.wacz"
    path.write_bytes(bundled(bench, capture.id).data)
    bench.close()
    return path


@pytest.mark.slow
def test_texts_are_read_again_where_the_programs_are_at_hand(tmp_path: Path) -> None:
    path = bundle_of(tmp_path)

    told = json.loads(run(path, "--json", "--require", "text", folder=tmp_path).stdout)

    text = next(claim for claim in told["claims"] if claim["claim"] == "text")
    assert (told["holds"], text["result"]) == (True, "holds")
    assert text["detail"].startswith("1 of 1 texts")
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_a_text_that_does_not_follow_from_the_page_is_named(tmp_path: Path) -> None:
    path = bundle_of(tmp_path, "The ferry leaves at midnight.")

    found = run(path, "--json", folder=tmp_path)

    assert found.returncode == 1
    failures = [failure for claim in json.loads(found.stdout)["claims"] for failure in claim["failures"]]
    assert [failure["reason"] for failure in failures] == ["text-differs"]


@pytest.mark.slow
def test_files_come_by_name_and_on_stdin_and_unreadable_ones_are_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    bench = Bench(tmp_path / "data")
    path = tmp_path / "some.wacz"
    path.write_bytes(bundled(bench, bench.keep_page("https://a.example/", "words").id).data)
    bench.close()

    words = run(path, "--no-reread", folder=tmp_path)
    piped = run("-", "--no-reread", "--json", folder=tmp_path, data=path.read_bytes())
    missing = run(tmp_path / "none.wacz", "--no-reread", folder=tmp_path)

    assert words.returncode == piped.returncode == 0
    assert b"HOLDS: no claim fails" in words.stdout
    assert json.loads(piped.stdout)["holds"] is True
    assert missing.returncode == 3
    assert b"none.wacz cannot be read" in missing.stderr
