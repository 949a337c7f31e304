"""Commands over a data directory of their own: no server, everything real."""

import asyncio
import fcntl
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from service.connect import connected
from service.failures import DataInUse
from service.settings import Settings
from tests.service.running import Shell

pytestmark = pytest.mark.slow

PAGE = (
    "<html lang=en><title>Bread</title><h1>Bread</h1><p>Bread is baked in ovens that are heated with wood, early in "
    "the morning, by people who have done so for most of their lives.</p><p>Most of it is eaten on the same day.</p>"
)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "data", {"CITATOR_READERS": "1"})


@pytest.fixture
def page(shell: Shell, tmp_path: Path) -> dict[str, Any]:
    """A page that was added."""
    file = tmp_path / "bread.html"
    file.write_text(PAGE)
    added = shell("add", str(file), "--url", "http://bakery.test/bread", "--at", "2026-01-02", "--json")
    assert added.status == 0, added.stderr
    found: dict[str, Any] = added.json
    return found


def test_what_was_added_is_found_shown_proven_and_removed(shell: Shell, page: dict[str, Any]) -> None:
    found = shell("search", "ovens heated with wood", "--json").json
    passage = found["results"][0]["passages"][0]

    shown = shell("show", passage["id"])
    proof = shell("proof", passage["id"], "--json").json
    removed = shell("delete", page["capture"], "--json", "--reason", "test").json
    gone = shell("show", passage["id"])

    assert found["results"][0]["capture"] == page["capture"]
    assert shown.json["text"] == passage["text"]
    assert passage["id"] == "sha256:" + hashlib.sha256(shown.stdout).hexdigest()
    assert proof["leads"][0] == passage["id"]
    assert proof["leads"][-1] == proof["record"]
    assert removed["deletion"] is not None
    assert page["capture"] in {one["id"] for one in removed["removed"]}
    assert gone.status == 3
    assert removed["deletion"] in gone.stderr


def test_nothing_stays_of_what_is_not_stored(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "bread.html"
    file.write_text(PAGE)

    told = shell("add", str(file), "--no-store", "--json").json
    found = shell("search", "ovens", "--no-store", "--json").json

    assert told["record"] is None
    assert found["results"] == []


def test_the_same_answer_after_everything_was_made_anew(shell: Shell, page: dict[str, Any]) -> None:
    before = shell("search", "bread ovens", "--json").json

    rebuilt = shell("rebuild", "--json")
    after = shell("search", "bread ovens", "--json").json

    assert rebuilt.status == 0
    assert [one["passages"] for one in after["results"]] == [one["passages"] for one in before["results"]]
    assert before["results"][0]["capture"] == page["capture"]


def test_a_backup_fills_an_empty_directory(shell: Shell, page: dict[str, Any], tmp_path: Path) -> None:
    other = Shell(tmp_path / "other", shell.settings)

    backed = shell("backup", str(tmp_path / "backup.tar"), "--json")
    again = shell("backup", str(tmp_path / "backup.tar"))
    restored = other("restore", str(tmp_path / "backup.tar"), "--json")
    shown = other("show", page["capture"])
    found = other("search", "ovens", "--json").json

    assert (backed.status, restored.status, again.status) == (0, 0, 3)
    assert shown.stdout == shell("show", page["capture"]).stdout
    assert found["results"][0]["capture"] == page["capture"]


def test_the_doctor_finds_a_damaged_object_and_nobody_is_given_it(shell: Shell, page: dict[str, Any]) -> None:
    digits = page["capture"].removeprefix("sha256:")
    (stored,) = (shell.data / "bucket" / "objects").rglob(digits)
    whole = shell("doctor", "--deep", "--json")
    stored.chmod(0o600)
    stored.write_bytes(b"something else")

    shown = shell("show", page["capture"])
    sick = shell("doctor", "--deep", "--json")

    assert (whole.status, whole.json["holds"]) == (0, True)
    assert (shown.status, shown.stdout) == (3, b"")
    assert "damaged" in shown.stderr
    assert (sick.status, sick.json["holds"]) == (1, False)


def test_without_its_key_the_log_is_read_and_not_written(shell: Shell, page: dict[str, Any]) -> None:
    (shell.data / "keys" / "log.key").unlink()

    shown = shell("show", page["capture"])
    searched = shell("search", "ovens", "--json")

    assert shown.status == 0
    assert (searched.status, searched.json["type"]) == (3, "urn:citator:problem:log-read-only")


def test_another_logs_key_is_named(shell: Shell, page: dict[str, Any], tmp_path: Path) -> None:
    other = Shell(tmp_path / "other", shell.settings)
    other("log-key", "show")
    key = shell.data / "keys" / "log.key"
    key.write_bytes((other.data / "keys" / "log.key").read_bytes())

    ran = shell("search", "ovens", "--json")

    assert page
    assert (ran.status, ran.json["type"]) == (3, "urn:citator:problem:wrong-log-key")


def test_a_data_directory_of_another_version_is_named(shell: Shell, page: dict[str, Any]) -> None:
    (shell.data / "version").write_text("999\n")

    ran = shell("show", page["capture"])
    told = shell("search", "ovens", "--json")

    assert ran.status == 3
    assert told.json["type"] == "urn:citator:problem:data-version"


async def test_a_data_directory_that_another_process_holds_is_named_in_the_end(
    shell: Shell,
) -> None:
    shell.data.mkdir()
    settings = Settings(data=shell.data)
    held = os.open(shell.data / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)

    with pytest.raises(DataInUse, match="in use"):
        async with connected(settings, wait=0.3):
            pass
    asyncio.get_running_loop().call_later(0.3, os.close, held)
    async with connected(settings, wait=30) as citator:
        health = await citator.health()

    assert health["status"] == "ok"


def test_keys_are_kept_as_hashes(shell: Shell) -> None:
    made = shell("keys", "create", "agent", "--scope", "search", "--json").json
    listed = shell("keys", "list", "--json").json
    revoked = shell("keys", "revoke", made["id"])

    secret = made["key"].encode()
    assert [key["id"] for key in listed["keys"]] == [made["id"]]
    assert revoked.status == 0
    assert not [path for path in shell.data.rglob("*") if path.is_file() and secret in path.read_bytes()]


def test_the_logs_key_is_copied_and_changed(shell: Shell, page: dict[str, Any], tmp_path: Path) -> None:
    before = shell("log-key", "show", "--json").json
    copied = shell("log-key", "backup", str(tmp_path / "copy"), "--json")
    rotated = shell("log-key", "rotate", "--json")
    after = shell("log-key", "show", "--json").json
    proof = shell("proof", page["capture"], "--json")

    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
    assert (copied.status, rotated.status, proof.status) == (0, 0, 0)
    assert before["vkey"] != after["vkey"]
    assert proof.json["vkey"] == after["vkey"]
