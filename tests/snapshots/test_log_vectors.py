"""The published log vectors: the script makes them anew, good ones hold, and each bad twin is refused."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature

from snapshots.errors import BadProof, LogError
from snapshots.ids import digest, from_raw, to_raw
from snapshots.log import Log
from snapshots.log_check import check_log
from snapshots.log_key import ed25519_holds
from snapshots.log_lock import parse_lock, parse_staging
from snapshots.merkle import verify_consistency
from snapshots.note import decode64, open_checkpoint, parse_vkey
from snapshots.proof import parse_proof, verify_proof
from tests.check_proof import check
from tests.memory_store import MemoryStore
from tests.vectors.make_logs import KEY, entries

VECTORS = Path(__file__).parents[1] / "vectors"
LOGS = VECTORS / "logs"
INDEX: dict[str, Any] = json.loads((LOGS / "index.json").read_text())
KEYS = [parse_vkey(text) for text in (INDEX["vkey"], *INDEX["earlier_vkeys"])]


def read(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def verdicts(text: str, record: bytes) -> tuple[str, str]:
    """What our verifier and the independent one say: empty, or what is wrong."""

    def verdict(verify: Callable[[], object]) -> str:
        try:
            verify()
        except (BadProof, ValueError, InvalidSignature) as problem:
            return repr(problem)
        return ""

    return (
        verdict(lambda: verify_proof(parse_proof(text), to_raw(digest(record)), KEYS[:1], ed25519_holds)),
        verdict(lambda: check(text, INDEX["vkey"], record)),
    )


def test_the_vectors_are_what_the_script_makes(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(VECTORS.parents[1])}
    command = [sys.executable, str(VECTORS / "make_logs.py"), str(tmp_path / "logs")]

    subprocess.run(command, check=True, env=environment)

    assert read(tmp_path / "logs") == read(LOGS)


def test_the_good_log_holds_with_every_checkpoint_it_has_shown() -> None:
    store = MemoryStore(read(LOGS / "good"))

    log = Log.open(store, None, create=False)

    report = log.check(deep=True, seen=[text.encode() for text in INDEX["seen"]])
    assert (report.problems, report.size, report.root) == ((), INDEX["size"], decode64(INDEX["root"]))
    assert [key.text for key in log.keys] == [INDEX["vkey"], *INDEX["earlier_vkeys"]]
    assert log.entries(0, 300) == [from_raw(entry) for entry in entries(0, 300)]


def test_the_good_proofs_hold_for_both_verifiers() -> None:
    for proof in INDEX["proofs"]:
        text = (LOGS / proof["file"]).read_bytes().decode()

        assert verdicts(text, proof["record"].encode()) == ("", "")
        assert parse_proof(text).text == text


@pytest.mark.parametrize("proof", INDEX["bad_proofs"], ids=lambda proof: str(proof["file"]))
def test_each_bad_proof_is_refused_by_both_verifiers(proof: dict[str, str]) -> None:
    text = (LOGS / proof["file"]).read_bytes().decode()

    ours, theirs = verdicts(text, proof["record"].encode())

    assert ours
    # The short checker looks at one signature of the key; that all of them must hold is left to ours.
    assert theirs or "signed-twice" in proof["file"]


def test_the_consistency_proofs_hold() -> None:
    log = Log.open(MemoryStore(read(LOGS / "good")), None, create=False)

    for proof in INDEX["consistency"]:
        hashes = [decode64(text) for text in proof["hashes"]]
        roots = log.root_at(proof["old"]), log.root_at(proof["new"])
        verify_consistency(proof["old"], proof["new"], *roots, hashes)
        assert log.consistency(proof["old"], proof["new"]) == hashes


@pytest.mark.parametrize("bad", INDEX["bad_logs"], ids=lambda bad: str(bad["fault"]))
def test_each_bad_log_is_found_out_and_what_is_wrong_is_named(bad: dict[str, Any]) -> None:
    objects = read(LOGS / "good")
    objects.pop(bad["object"], None)
    objects |= read(LOGS / "bad-logs" / bad["fault"])

    report = check_log(MemoryStore(objects), KEYS, deep=True)

    assert not report.ok
    assert any(bad["object"] in problem for problem in report.problems), report.problems


def test_a_reader_of_the_unfinished_log_sees_what_is_published_and_a_writer_finishes_it() -> None:
    objects = read(LOGS / "good") | read(LOGS / "unfinished")
    expected = INDEX["unfinished"]

    reader = Log.open(MemoryStore(dict(objects)), None, create=False)
    writer = Log.open(MemoryStore(objects), KEY, create=False)

    assert (reader.size, reader.check(deep=True).unfinished) == (expected["published"], True)
    assert reader.check(deep=True).problems == ()
    assert (writer.size, writer.root) == (expected["committed"], decode64(expected["root"]))
    assert writer.check(deep=True).problems == ()
    assert open_checkpoint(objects["log/checkpoint"], KEYS, ed25519_holds).size == expected["committed"]


def test_lock_and_staging_are_written_as_they_were_read_and_nothing_else_is_taken() -> None:
    lock = (LOGS / "unfinished/log/lock").read_bytes()
    staging = (LOGS / "unfinished" / str(parse_lock(lock).staging)).read_bytes()

    assert parse_lock(lock).encoded == lock
    assert parse_staging(staging).encoded == staging
    for cut in range(0, len(staging), 7):
        with pytest.raises(BadProof):
            parse_staging(staging[:cut])
        with pytest.raises(BadProof):
            parse_staging(staging[:cut] + bytes([staging[cut] ^ 1]) + staging[cut + 1 :])
    for wrong in (b"", lock[:30], lock.replace(b"staging ", b"staged "), lock.replace(b"@v1", b"@v2"), b"\xff" + lock):
        with pytest.raises(BadProof):
            parse_lock(wrong)


def test_a_reader_without_keys_in_the_bucket_refuses_the_log() -> None:
    objects = {name: data for name, data in read(LOGS / "good").items() if not name.startswith("log/keys/")}

    with pytest.raises(LogError, match="cannot be verified"):
        Log.open(MemoryStore(objects), None, create=False)
