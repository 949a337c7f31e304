"""Files that commands write: whole or not at all, and never in the place of what is no file."""

import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from service.cli_files import written
from service.failures import BadRequest


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "there" / "file")

    with written(link) as file:
        file.write(b"whole")

    assert link.is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"whole"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "link", "there"]


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()

    with written(pipe) as file:
        file.write(b"whole" * 50_000)
    reader.join()

    assert read == [b"whole" * 50_000]
    assert pipe.is_fifo()


def test_what_breaks_off_gets_no_name_and_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"before")

    with suppress(RuntimeError), written(tmp_path / "file") as file:
        file.write(b"half")
        raise RuntimeError

    assert (tmp_path / "file").read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", [".", "no/such/folder/file", "a\0b"])
def test_where_no_file_can_be_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadRequest, match=r"cannot be written|is a directory"), written(tmp_path / name):
        pass

    assert list(tmp_path.iterdir()) == []
