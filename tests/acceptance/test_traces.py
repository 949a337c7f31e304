"""The search for traces finds what it should: a test that finds nothing proves nothing otherwise."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import zstandard

from tests.acceptance.traces import traces, windows

SECRET = b"the heron stands in the creek"


def test_plain_bytes_are_found_and_other_files_are_not_accused(tmp_path: Path) -> None:
    (tmp_path / "guilty").write_bytes(b"\x00\x01" + SECRET + b"\x02")
    (tmp_path / "innocent").write_bytes(b"nothing here")

    assert traces([SECRET, b"absent"], tmp_path) == {"guilty": [SECRET]}


def test_compressed_frames_are_opened_wherever_they_begin(tmp_path: Path) -> None:
    (tmp_path / "zstd").write_bytes(b"head" + zstandard.compress(SECRET * 3) + b"tail")
    (tmp_path / "two").write_bytes(zstandard.compress(b"other") + zstandard.compress(SECRET))
    (tmp_path / "gzip").write_bytes(b"head" + gzip.compress(SECRET) + b"tail")
    (tmp_path / "cut").write_bytes(zstandard.compress(b"harmless " * 1000)[:-4])

    assert sorted(traces([SECRET], tmp_path)) == ["gzip", "two", "zstd"]


def test_long_values_scattered_over_database_pages_are_found(tmp_path: Path) -> None:
    needle = b"0123456789" * 2000
    with closing(sqlite3.connect(tmp_path / "rows.db")) as database, database:
        database.execute("CREATE TABLE t (a TEXT, b BLOB)")
        database.execute("INSERT INTO t VALUES (?, ?)", (needle.decode(), None))
    database.close()

    assert list(traces([needle], tmp_path)) == ["rows.db"]


def test_windows_lie_within_the_text() -> None:
    text = "A first line that is long enough to count.\nshort\nA last line that is also long enough."

    pieces = windows(text)

    assert len(pieces) == 4
    assert all(piece in text.encode() for piece in pieces)
