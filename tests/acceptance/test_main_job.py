"""The main job on a real site: crawled, found, shown by hash, proven, removed, rebuilt."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.history import continues, files_of, objects
from tests.acceptance.installation import Installation
from tests.acceptance.traces import traces, windows

pytestmark = pytest.mark.slow

CHECKER = Path(__file__).parents[1] / "check_proof.py"
QUESTIONS = ("context manager protocol", "how to sort a list by key", "parse command line arguments", "json encoder")


def ids(found: dict[str, Any]) -> list[str]:
    return [passage["id"] for result in found["results"] for passage in result["passages"]]


def search(installation: Installation, question: str) -> dict[str, Any]:
    found: dict[str, Any] = installation.run("search", question, "--json").json
    return found


def checked(proof: Path, key: str, record: Path) -> int:
    """The exit status of a checker that knows nothing of Citator."""
    command = [sys.executable, str(CHECKER), str(proof), key, str(record)]
    return subprocess.run(command, capture_output=True, check=False).returncode


@pytest.fixture
def own(crawled: Installation, tmp_path: Path) -> Installation:
    """The crawled installation, for a test that changes it."""
    shutil.copytree(crawled.data, tmp_path / "data", symlinks=True)
    return Installation(tmp_path / "data", crawled.settings)


def test_a_crawl_keeps_as_many_pages_as_asked_and_names_what_failed(crawl_report: dict[str, Any]) -> None:
    assert crawl_report["state"] == "done"
    assert len(crawl_report["captures"]) == 300
    assert all(failure["url"] and failure["reason"] for failure in crawl_report["failures"])


def test_the_pages_on_the_question_are_among_the_first_three(crawled: Installation) -> None:
    found = search(crawled, "context manager protocol")

    first = " ".join(result["url"] for result in found["results"][:3])
    assert found["state"] == "ok"
    assert any(page in first for page in ("contextlib", "datamodel", "compound_stmts", "with"))


def test_each_passage_is_shown_by_its_hash_and_is_a_slice_of_its_document(crawled: Installation) -> None:
    with crawled.serving():  # the commands go through its socket
        found = [search(crawled, question) for question in QUESTIONS]
        passages = [passage for reply in found for result in reply["results"] for passage in result["passages"][:1]]

        assert len(passages) > len(QUESTIONS)
        for passage in passages[:12]:
            shown = crawled.run("show", passage["id"]).stdout
            kept = json.loads(shown)
            document = json.loads(crawled.run("show", kept["document"]).stdout)
            assert f"sha256:{hashlib.sha256(shown).hexdigest()}" == passage["id"]
            assert kept["text"] == passage["text"] == document["text"][passage["start"] : passage["end"]]


def test_a_passage_is_proven_by_a_checker_that_knows_nothing_of_citator(crawled: Installation, tmp_path: Path) -> None:
    passage = ids(search(crawled, QUESTIONS[0]))[0]

    told = crawled.run("proof", passage, "--json").json
    (tmp_path / "proof").write_text(told["proof"])
    (tmp_path / "forged").write_text(told["proof"].replace("index ", "index 1", 1))
    (tmp_path / "record").write_bytes(crawled.run("show", told["record"]).stdout)
    (tmp_path / "other").write_bytes(crawled.run("show", passage).stdout)

    assert checked(tmp_path / "proof", told["vkey"], tmp_path / "record") == 0
    assert checked(tmp_path / "forged", told["vkey"], tmp_path / "record") != 0
    assert checked(tmp_path / "proof", told["vkey"], tmp_path / "other") != 0
    assert passage.encode() in (tmp_path / "record").read_bytes()
    assert len(CHECKER.read_text().splitlines()) <= 60


def test_views_made_again_from_the_bucket_give_the_same_ids_in_the_same_order(own: Installation) -> None:
    before = [ids(search(own, question)) for question in QUESTIONS]

    for path in own.data.glob("catalogue.db*"):
        path.unlink()
    shutil.rmtree(own.data / "index")
    own.run("rebuild", "--json")

    assert [ids(search(own, question)) for question in QUESTIONS] == before
    assert all(before)


def test_the_doctor_finds_every_object_whole_and_a_damaged_one(own: Installation) -> None:
    whole = own.run("doctor", "--deep", "--json").json
    victim = max((own.data / "bucket" / "objects").rglob("*"), key=lambda path: path.is_file() and path.stat().st_size)
    victim.chmod(0o600)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(data)

    damaged = own.run("doctor", "--deep", "--json", status=None)
    refused = own.run("show", f"sha256:{victim.name}", status=3)

    assert whole["holds"] is True
    assert damaged.status != 0
    assert victim.name in damaged.stdout.decode()
    assert refused.stdout == b""
    assert "damaged" in refused.stderr.lower()


def test_a_removed_page_leaves_no_byte_of_its_text(own: Installation) -> None:
    found = search(own, "context manager protocol")
    page = found["results"][0]
    other = [ids(search(own, question)) for question in QUESTIONS[1:]]
    document = json.loads(own.run("show", json.loads(own.run("show", page["capture"]).stdout)["document"]).stdout)
    bucket = own.data / "bucket"
    seen = (bucket / "log" / "checkpoint").read_bytes()
    needles = only_there(bucket, document, page["capture"])
    assert len(needles) > 20
    assert traces(needles, own.data)

    removal = own.run("delete", page["url"], "--yes", "--json").json

    asked = own.run("show", page["passages"][0]["id"], status=3)
    assert traces(needles, own.data) == {}
    assert document["source"].removeprefix("sha256:") not in dict(objects(bucket))
    assert removal["deletion"] in asked.stderr
    assert page["url"] not in [result["url"] for result in search(own, "context manager protocol")["results"]]
    assert [ids(search(own, question)) for question in QUESTIONS[1:]] == other
    assert own.run("doctor", "--deep", "--json").json["holds"] is True
    assert continues(files_of(bucket), [seen])


def only_there(bucket: Path, document: dict[str, Any], capture: str) -> list[bytes]:
    """Pieces of the document's text that stand in no object but the page itself and the replies that showed it."""
    page = document["source"].removeprefix("sha256:").encode()
    elsewhere = b"\0".join(
        plain
        for name, plain in objects(bucket)
        if name.encode() != page and page not in plain and capture.encode() not in plain
    )
    return [piece for piece in windows(document["text"]) if piece not in elsewhere]
