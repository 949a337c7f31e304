"""What a bundle says of its session is read before it is verified: within limits, and whatever the file is."""

import zipfile
from pathlib import Path

import pytest

from service.failures import BadRequest
from service.sessions import bundled
from service.sessions.bundled import CONTEXT, session_in


def packed(path: Path, name: str, data: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("data", "session"),
    [(b'{"session":"a1"}', "a1"), (b'{"session":null}', None), (b"[]", None), (b"{", None), (b"[" * 9000, None)],
)
def test_the_session_is_what_the_bundle_says(tmp_path: Path, data: bytes, session: str | None) -> None:
    assert session_in(packed(tmp_path / "b.wacz", CONTEXT, data)) == session


def test_a_bundle_of_something_else_is_of_no_session(tmp_path: Path) -> None:
    assert session_in(packed(tmp_path / "b.wacz", "datapackage.json", b"{}")) is None


def test_a_member_that_unpacks_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    bomb = packed(tmp_path / "b.wacz", CONTEXT, bytes(bundled.MAX_CONTEXT + 1))

    with pytest.raises(BadRequest, match="larger than is looked through"):
        session_in(bomb)


@pytest.mark.parametrize("place", ["method", "data", "locked"])
def test_a_damaged_file_is_told_in_words(tmp_path: Path, place: str) -> None:
    path = packed(tmp_path / "b.wacz", CONTEXT, b'{"session":"a1"}' * 50)
    data = bytearray(path.read_bytes())
    central = data.index(b"PK\x01\x02")
    if place == "method":
        data[central + 10] = data[8] = 99
    elif place == "locked":
        data[central + 8] |= 1
        data[6] |= 1
    else:
        begin = 30 + len(CONTEXT)
        data[begin : begin + 8] = b"\xff" * 8
    path.write_bytes(data)

    with pytest.raises(BadRequest, match="cannot be read as a bundle"):
        session_in(path)
