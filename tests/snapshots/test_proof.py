"""Proof texts: two verifiers that know nothing of each other agree on them, and on every change to them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from hypothesis import given, settings
from hypothesis import strategies as st

import snapshots
from snapshots.errors import BadProof
from snapshots.ids import digest, to_raw
from snapshots.log import Log
from snapshots.log_key import LogKey, ed25519_holds
from snapshots.note import parse_vkey
from snapshots.proof import Proof, parse_proof, verify_proof
from tests.check_proof import check
from tests.memory_store import MemoryStore

CHECKER = Path(__file__).parents[1] / "check_proof.py"
KEY = LogKey("example.org/log", bytes(32))
RECORDS = [f'{{"number":{number}}}'.encode() for number in range(300)]
LOG = Log.open(MemoryStore(), KEY, create=True)
LOG.append([digest(record) for record in RECORDS])


def ours(text: str, record: bytes) -> int:
    proof = parse_proof(text)
    verify_proof(proof, to_raw(digest(record)), [parse_vkey(KEY.vkey)], ed25519_holds)
    return proof.index


@pytest.mark.parametrize("index", [0, 1, 254, 255, 256, 299])
@pytest.mark.parametrize("extra", [None, b"", b"anything"])
def test_both_verifiers_take_a_proof(index: int, extra: bytes | None) -> None:
    text = LOG.proof(index, extra=extra).text

    assert ours(text, RECORDS[index]) == index
    assert check(text, KEY.vkey, RECORDS[index]) == (index, 300)


def test_both_verifiers_take_a_line_feed_alone_for_the_end_of_a_line() -> None:
    text = LOG.proof(10).text
    places = [place for place, character in enumerate(text) if character == "\n"]

    for place in places:
        for other in "\v\f\r\x1c\x85\u2028":
            changed = text[:place] + other + text[place + 1 :]
            with pytest.raises(BadProof):
                ours(changed, RECORDS[10])
            with pytest.raises((ValueError, InvalidSignature)):
                check(changed, KEY.vkey, RECORDS[10])


@settings(max_examples=300)
@given(st.data())
def test_both_verifiers_refuse_a_proof_with_any_bit_flipped(data: st.DataObject) -> None:
    index = data.draw(st.integers(0, 299))
    text = bytearray(LOG.proof(index).text.encode())
    bit = data.draw(st.integers(0, len(text) * 8 - 1))
    text[bit // 8] ^= 1 << bit % 8

    changed = text.decode(errors="replace")

    with pytest.raises(BadProof):
        ours(changed, RECORDS[index])
    with pytest.raises((ValueError, InvalidSignature)):
        check(changed, KEY.vkey, RECORDS[index])


@given(st.integers(0, 299), st.integers(0, 299))
def test_a_proof_is_of_one_record_only(index: int, other: int) -> None:
    text = LOG.proof(index).text
    record = RECORDS[other] + (b" " if other == index else b"")

    with pytest.raises(BadProof):
        ours(text, record)
    with pytest.raises(ValueError, match="not in the log"):
        check(text, KEY.vkey, record)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_by_name(text: str) -> None:
    for candidate in (text, "c2sp.org/tlog-proof@v1\n" + text, "c2sp.org/tlog-proof@v1\nindex 1\n" + text):
        try:
            proof = parse_proof(candidate)
        except BadProof:
            continue
        assert proof.text == candidate


def test_proofs_beyond_the_limits_are_refused() -> None:
    proof = LOG.proof(3)

    with pytest.raises(BadProof, match="too many hashes"):
        parse_proof(Proof(3, (bytes(32),) * 64, proof.checkpoint).text)
    with pytest.raises(BadProof, match="another length"):
        parse_proof(Proof(3, (bytes(31),), proof.checkpoint).text)
    with pytest.raises(BadProof, match="too long"):
        parse_proof(Proof(3, (), proof.checkpoint, bytes(400_000)).text)


def test_the_checker_runs_as_a_script(tmp_path: Path) -> None:
    (tmp_path / "proof").write_text(LOG.proof(7).text)
    (tmp_path / "record").write_bytes(RECORDS[7])
    (tmp_path / "other").write_bytes(RECORDS[8])
    command = [sys.executable, "-I", CHECKER, tmp_path / "proof", KEY.vkey]

    good = subprocess.run([*command, tmp_path / "record"], capture_output=True, text=True, check=False)
    bad = subprocess.run([*command, tmp_path / "other"], capture_output=True, text=True, check=False)

    assert (good.returncode, good.stdout) == (0, "entry 7 of 300\n")
    assert (bad.returncode, bad.stderr) == (1, "does not hold: the entry is not in the log\n")


def test_the_checker_is_short_and_independent() -> None:
    lines = CHECKER.read_text().splitlines()

    imports = {line.split()[1].split(".")[0] for line in lines if line.startswith(("import ", "from "))}

    assert len(lines) <= 60
    assert imports <= {*sys.stdlib_module_names, "cryptography"}


def test_verifying_needs_the_standard_library_only(tmp_path: Path) -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import snapshots.proof, snapshots.tiles"
    shutil.copytree(Path(snapshots.__file__).parent, tmp_path / "snapshots")

    # -S leaves out everything that is installed.
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, tmp_path], check=False)

    assert done.returncode == 0
