"""A bundle of a real site verifies where there is neither network nor Citator."""

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.installation import COMMAND, Installation

pytestmark = pytest.mark.slow

PAGES = 300
PASSAGES = 30
QUESTIONS = (
    "context manager protocol",
    "how to sort a list by key",
    "parse command line arguments",
    "json encoder",
    "raise an exception from another",
    "regular expression groups",
    "open a file for writing",
    "threads and locks",
)


def alone() -> list[str]:
    """The command that takes the network away from another one."""
    for command in (["unshare", "-n"], ["unshare", "-rn"]):
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    pytest.skip("this machine lets nobody take the network away")


def verified(*command: str | Path) -> dict[str, Any]:
    done = subprocess.run([*alone(), *command, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[:4000] + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def bundle(
    crawled: Installation, crawl_report: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    """All pages of the crawl, and thirty passages of them; what the command said."""
    path = tmp_path_factory.mktemp("taken") / "python.wacz"
    passages: dict[str, None] = {}
    with crawled.serving():  # the commands go through its socket
        for question in QUESTIONS:
            found = crawled.run("search", question, "--json").json
            passages |= {one["id"]: None for result in found["results"] for one in result["passages"]}
        wanted = list(passages)[:PASSAGES]
        told = crawled.run("bundle", crawl_report["id"], *wanted, "-o", str(path), "--json").json
    assert len(wanted) == PASSAGES
    return path, told


def test_it_holds_what_was_asked_for(bundle: tuple[Path, dict[str, Any]]) -> None:
    path, told = bundle

    assert told["counts"]["pages"] >= PAGES
    assert told["counts"]["passages"] == PASSAGES
    assert told["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_both_verifiers_hold_it_without_a_network(bundle: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    path, _ = bundle
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)

    by_command = verified(COMMAND, "verify", path)
    by_program = verified(sys.executable, "-I", tmp_path / "evidence" / "verify.py", path)
    unpacked = verified(sys.executable, "-I", tmp_path / "evidence" / "verify.py")

    for told in (by_command, by_program, unpacked):
        assert told["holds"]
    results = {one["claim"]: one["result"] for one in by_program["claims"]}
    assert {one["claim"]: one["result"] for one in by_command["claims"]} == results | {"text": "holds"}
    assert {claim for claim, result in results.items() if result != "holds"} == {"time", "text"}


def test_the_key_that_signed_can_be_asked_for(
    bundle: tuple[Path, dict[str, Any]], crawled: Installation, tmp_path: Path
) -> None:
    path, _ = bundle
    key = crawled.run("log-key", "show", "--json").json["vkey"]
    with zipfile.ZipFile(path) as archive:
        program = archive.extract("evidence/verify.py", tmp_path)

    told = verified(sys.executable, "-I", program, path, "--trust-key", key)

    assert next(one for one in told["claims"] if one["claim"] == "signer")["result"] == "holds"
