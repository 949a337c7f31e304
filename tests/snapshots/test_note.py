"""Signed notes, checkpoints and keys: agree with other implementations, and take nothing that is not in the form."""

import base64
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots.errors import BadProof, LogError
from snapshots.log_key import LogKey, ed25519_holds, signed_note
from snapshots.note import (
    Checkpoint,
    Note,
    VerifierKey,
    check_signatures,
    open_checkpoint,
    parse_checkpoint,
    parse_note,
    parse_vkey,
)

# The example in the documentation of Go's golang.org/x/mod/sumdb/note.
GO_KEY = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
).encode()

KEY = LogKey("example.org/log", bytes(range(32)))
OTHER = LogKey("example.org/log", bytes(range(1, 33)))
ROOT = bytes(range(32))
CHECKPOINT = Checkpoint("example.org/log", 20852163, ROOT)
SIGNED = KEY.sign(CHECKPOINT.text)


def test_keys_and_notes_of_the_go_implementation_are_understood() -> None:
    key = LogKey.parse(GO_KEY)
    note = parse_note(GO_NOTE)

    assert key.vkey == GO_VKEY
    assert key.text == GO_KEY
    assert check_signatures(note, [parse_vkey(GO_VKEY)], ed25519_holds) == [key.verifier]
    assert key.sign(note.text) == GO_NOTE


def test_a_checkpoint_round_trips() -> None:
    assert open_checkpoint(SIGNED, [KEY.verifier], ed25519_holds) == CHECKPOINT
    assert parse_note(SIGNED).encoded == SIGNED


def test_extension_lines_are_kept() -> None:
    checkpoint = Checkpoint("example.org/log", 0, ROOT, ("one", "two words"))

    assert parse_checkpoint(checkpoint.text) == checkpoint


def test_signatures_of_unknown_keys_are_ignored() -> None:
    both = signed_note(CHECKPOINT.text, [OTHER, KEY])

    assert check_signatures(parse_note(both), [KEY.verifier], ed25519_holds) == [KEY.verifier]
    assert check_signatures(parse_note(both), [KEY.verifier, OTHER.verifier], ed25519_holds) == [
        OTHER.verifier,
        KEY.verifier,
    ]


def test_a_note_that_no_known_key_signed_is_refused() -> None:
    with pytest.raises(BadProof, match="no known key"):
        open_checkpoint(SIGNED, [OTHER.verifier], ed25519_holds)


def test_one_bad_signature_of_a_known_key_spoils_the_note() -> None:
    good, bad = KEY.signature(CHECKPOINT.text), OTHER.signature("another text\n")
    note = Note(CHECKPOINT.text, (good, bad))

    with pytest.raises(BadProof, match="does not hold"):
        check_signatures(note, [KEY.verifier, OTHER.verifier], ed25519_holds)


def test_a_checkpoint_signed_under_another_name_is_refused() -> None:
    stranger = LogKey("example.org/other", bytes(32))

    with pytest.raises(BadProof, match="another name"):
        open_checkpoint(stranger.sign(CHECKPOINT.text), [stranger.verifier], ed25519_holds)


@given(st.integers(0, len(SIGNED) * 8 - 1))
def test_a_signed_checkpoint_with_any_bit_flipped_fails(bit: int) -> None:
    changed = bytearray(SIGNED)
    changed[bit // 8] ^= 1 << bit % 8

    with pytest.raises(BadProof):
        open_checkpoint(bytes(changed), [KEY.verifier], ed25519_holds)


@given(st.binary(max_size=300))
def test_any_bytes_are_parsed_or_refused_by_name(data: bytes) -> None:
    try:
        note = parse_note(data)
    except BadProof:
        return
    assert note.encoded == data


@pytest.mark.parametrize(
    "text",
    [
        "",
        "origin\n1\n",
        f"origin\n1\n{base64.b64encode(ROOT).decode()}",
        f"\n1\n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n01\n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n-1\n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n+1\n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n1 \n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n9223372036854775808\n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n٣\n{base64.b64encode(ROOT).decode()}\n",
        f"origin\n1\n{base64.b64encode(ROOT[:31]).decode()}\n",
        f"origin\n1\n{base64.b64encode(ROOT).decode().rstrip('=')}\n",
        f"origin\n1\n{base64.b64encode(ROOT).decode()[:-2]}9=\n",
        f"origin\n1\n{base64.b64encode(ROOT).decode()}\n\nextension\n",
    ],
)
def test_checkpoint_texts_in_another_form_are_refused(text: str) -> None:
    with pytest.raises(BadProof):
        parse_checkpoint(text)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text\n",
        b"text\n\n",
        b"\n\n\xe2\x80\x94 name AAAAAAA=\n",
        b"text\n\n\xe2\x80\x94 name AAAAAAA=",
        b"text\n\n- name AAAAAAA=\n",
        b"text\n\n\xe2\x80\x94 name\n",
        b"text\n\n\xe2\x80\x94 name AAAAAA==\n",
        b"text\n\n\xe2\x80\x94 na+me AAAAAAA=\n",
        b"text\n\n\xe2\x80\x94  AAAAAAA=\n",
        b"text\r\n\n\xe2\x80\x94 name AAAAAAA=\n",
        b"te\xffxt\n\n\xe2\x80\x94 name AAAAAAA=\n",
        b"text\n\n" + b"\xe2\x80\x94 name AAAAAAA=\n" * 65,
        b"x" * 300_000 + b"\n\n\xe2\x80\x94 name AAAAAAA=\n",
    ],
)
def test_notes_in_another_form_are_refused(data: bytes) -> None:
    with pytest.raises(BadProof):
        parse_note(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "name+c74f20a3",
        GO_VKEY.replace("PeterNeumann", "PeterNeumanm"),
        GO_VKEY.replace("c74f20a3", "C74F20A3"),
        GO_VKEY[:-1],
        GO_VKEY + "\n",
        GO_KEY,
        "a b+" + GO_VKEY.split("+", 1)[1],
    ],
)
def test_vkeys_in_another_form_are_refused(text: str) -> None:
    with pytest.raises(BadProof):
        parse_vkey(text)


def test_a_key_file_is_for_its_owner_only_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "log.key"

    KEY.save(path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert LogKey.load(path).vkey == KEY.vkey
    with pytest.raises(LogError, match="left alone"):
        OTHER.save(path)
    assert LogKey.load(path).vkey == KEY.vkey
    assert [entry.name for entry in path.parent.iterdir()] == ["log.key"]


@pytest.mark.parametrize("content", [b"", b"\xff", b"PRIVATE+KEY+name", GO_KEY.replace("c74f", "c74e").encode()])
def test_a_damaged_key_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log.key"
    path.write_bytes(content)

    with pytest.raises(LogError, match=r"log\.key is damaged"):
        LogKey.load(path)


def test_a_missing_key_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="cannot be read"):
        LogKey.load(tmp_path / "log.key")


def test_a_key_does_not_show_its_secret() -> None:
    assert KEY.text not in repr(KEY)
    assert base64.b64encode(bytes(range(32))).decode() not in repr(KEY)


def test_new_logs_have_names_of_their_own() -> None:
    assert LogKey.generate().origin != LogKey.generate().origin
    assert isinstance(LogKey.generate("example.org/x").verifier, VerifierKey)
