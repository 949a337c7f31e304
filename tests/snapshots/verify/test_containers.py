"""The ZIP file a bundle is, and members read as streams."""

import io
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshots import LogKey, Trust, Unsound, Verification, digest, verify_path
from snapshots.log_key import signed_note
from snapshots.verify.checking import verify_file
from snapshots.verify.claims import FAILS, MAX_FAILURES, Claim, Faults, cut_short
from snapshots.verify.members import Members, ZipSource
from snapshots.verify.signers import MAX_HANDOVERS, handed_over
from snapshots.verify.telling import told_in_words
from snapshots.verify.zip_directory import needed_extra, read_directory, zip64_values
from snapshots.verify.zip_rules import check_directory
from tests.snapshots.verify.five_pages import Good, good_bundle
from tests.snapshots.verify.mutable import Bundle
from tests.snapshots.verify.zips import zipped


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Good:
    return good_bundle(tmp_path_factory.mktemp("good"))


def fails(data: bytes) -> dict[str, set[str]]:
    """The claims that fail, with their reasons."""
    claims = verify_file(io.BytesIO(data), "some.wacz", Trust())
    return {claim.claim: {each.reason for each in claim.failures} for claim in claims if claim.result == FAILS}


@pytest.mark.slow
@settings(max_examples=150)
@given(data=st.data())
def test_any_flipped_bit_of_any_member_fails(good: Good, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(good.members)))
    content = bytearray(good.members[name])
    place = data.draw(st.integers(0, len(content) * 8 - 1))
    content[place // 8] ^= 1 << place % 8

    found = fails(Bundle(good, {**good.members, name: bytes(content)}).data)

    assert found, (name, place)
    if name not in {"datapackage.json", "datapackage-digest.json"}:
        assert "member-hash" in found["members"]
    if name not in {"datapackage.json", "datapackage-digest.json", "evidence/statement.dsse.json"}:
        assert "statement" in found


@pytest.mark.slow
@settings(max_examples=150)
@given(data=st.data())
def test_any_flipped_bit_of_the_file_fails_or_changes_no_member(good: Good, data: st.DataObject) -> None:
    whole = bytearray(Bundle(good, dict(good.members)).data)
    place = data.draw(st.integers(0, len(whole) * 8 - 1))
    whole[place // 8] ^= 1 << place % 8

    if fails(bytes(whole)):
        return

    # Deflate has more than one way to write the same bytes; those bytes are what is signed.
    with zipfile.ZipFile(io.BytesIO(bytes(whole))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == dict(good.members)


@settings(max_examples=60)
@given(st.integers(0, 1 << 20), st.integers(0, 5000), st.binary(max_size=200))
def test_nothing_that_is_cut_or_put_in_breaks_the_verifier(good: Good, place: int, length: int, put_in: bytes) -> None:
    whole = Bundle(good, dict(good.members)).data
    start = place % len(whole)
    changed = whole[:start] + put_in + whole[start + length :]

    assert changed == whole or fails(changed)


@given(st.binary(max_size=200))
def test_no_bytes_break_it(data: bytes) -> None:
    assert fails(data)


def test_archives_of_more_members_than_two_bytes_count_are_read() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(66_000):
            archive.writestr(f"logs/{number}", b"")

    directory = read_directory(out)

    assert (len(directory.entries), directory.shift, directory.tail) == (66_000, 0, 0)
    faults = Faults("container")
    check_directory(out, directory, faults, strict=False)
    assert faults.count == 0


def test_sizes_beyond_four_bytes_stand_in_an_extra_field_and_only_those() -> None:
    large, small, full = 5_000_000_000, 17, 0xFFFFFFFF

    assert needed_extra(small, small, small) == b""
    assert zip64_values(needed_extra(large, small, large), [("size", full), ("packed", full), ("offset", full)]) == {
        "size": large,
        "packed": small,
        "offset": large,
    }
    assert zip64_values(needed_extra(small, small, large), [("size", small), ("offset", full)])["offset"] == large
    with pytest.raises(Unsound):
        zip64_values(b"", [("size", full)])


def test_members_are_read_once_and_hashed_whole_even_if_the_reader_stops() -> None:
    data = zipped({"README": b"x" * 1_000_000, "evidence/a.txt": b"short"}).data
    faults = Faults("container")
    directory = read_directory(io.BytesIO(data))
    entries = check_directory(io.BytesIO(data), directory, faults, strict=True)
    members = Members(ZipSource(io.BytesIO(data), entries, 0, faults))

    pieces = members.pieces("README")
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    members.read_the_rest()

    assert members.digests["README"] == (digest(b"x" * 1_000_000)[7:], 1_000_000)
    assert members.digests["evidence/a.txt"][1] == 5
    assert {failure.reason for failure in faults.failures} == {"zip-order"}


def test_failures_are_cut_at_a_hundred_and_counted() -> None:
    faults = Faults("blobs")
    for number in range(MAX_FAILURES + 7):
        faults.add("blob-hash", str(number), "x")

    claim = faults.verdict("", "")

    assert (len(claim.failures), claim.unlisted) == (MAX_FAILURES, 7)
    assert "and 106 more" in claim.detail


def test_what_is_told_cannot_move_a_terminal() -> None:
    nasty = "\x1b[2Jgone\r\nHOLDS\u202e" + "x" * 1000

    told = cut_short(nasty)

    assert "\x1b" not in told
    assert "\n" not in told
    assert len(told) < 310
    claim = Claim("blobs", FAILS, told, "", ())
    assert "\x1b" not in told_in_words(Verification("f", (claim,)))


class _Handovers:
    """Members that are only hand-overs."""

    def __init__(self, *notes: bytes) -> None:
        self.sizes = {f"evidence/handover-{number}.txt": len(note) for number, note in enumerate(notes, 1)}
        self._notes = dict(zip(self.sizes, notes, strict=True))

    def pieces(self, name: str) -> list[bytes]:
        return [self._notes[name]]


def handover(old: LogKey, new: LogKey) -> bytes:
    return signed_note(f"citator/log-key-handover@v1\n{old.origin}\n{old.vkey}\n{new.vkey}\n", [old, new])


def test_hand_overs_lead_from_the_first_key_to_the_present_one_or_are_named() -> None:
    first, second, third, stranger = (LogKey.generate("test.example/log") for _ in range(4))
    one, two = handover(first, second), handover(second, third)

    def line(key: LogKey, *notes: bytes) -> tuple[list[str], int]:
        faults = Faults("signer")
        found = handed_over(Members(_Handovers(*notes)), key.verifier, faults)  # type: ignore[arg-type]
        return [each.text for each in found], faults.count

    assert line(third, one, two) == ([first.vkey, second.vkey, third.vkey], 0)
    assert line(first) == ([first.vkey], 0)
    assert line(third, two, one)[1] == 1
    assert line(stranger, one, two)[1] == 1
    assert line(third, one, handover(stranger, third))[1] == 1
    assert line(second, one.replace(b"handover@v1", b"handover@v2"))[1] == 1


def test_a_directory_is_verified_as_the_file_is(good: Good, tmp_path: Path) -> None:
    for name, data in good.members.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)

    found = verify_path(tmp_path, Trust())
    (tmp_path / "evidence" / "proofs.jsonl").unlink()
    damaged = verify_path(tmp_path, Trust())

    assert found.holds
    assert not damaged.holds
    assert {claim.claim for claim in damaged.claims if claim.result == FAILS} >= {"members", "log", "statement"}


@pytest.mark.parametrize("offset", [2**64 - 1, 2**63 - 1, 2**50])
def test_a_member_beyond_any_end_is_named(offset: int, tmp_path: Path) -> None:
    file = tmp_path / "some.wacz"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", "x")
    data = bytearray(file.read_bytes())
    entry, end = data.rfind(b"PK\x01\x02"), data.rfind(b"PK\x05\x06")
    far = struct.pack("<2HQ", 1, 8, offset)
    struct.pack_into("<H", data, entry + 30, len(far))
    struct.pack_into("<L", data, entry + 42, 0xFFFFFFFF)
    struct.pack_into("<L", data, end + 12, end - entry + len(far))
    file.write_bytes(data[: entry + 47] + far + data[entry + 47 :])

    (container,) = [claim for claim in verify_path(file, Trust()).claims if claim.claim == "container"]

    assert "zip-malformed" in {failure.reason for failure in container.failures}


def test_more_hand_overs_than_any_log_has_are_not_followed() -> None:
    key = LogKey.generate("test.example/log")
    faults = Faults("signer")
    one = handover(key, key)

    found = handed_over(Members(_Handovers(*[one] * (MAX_HANDOVERS + 1))), key.verifier, faults)  # type: ignore[arg-type]

    assert found == [key.verifier]
    assert [failure.reason for failure in faults.failures] == ["handover-invalid"]
