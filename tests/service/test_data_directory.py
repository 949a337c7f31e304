"""Who holds the data directory, and which layout it has."""

import subprocess
import sys
from pathlib import Path

import pytest

from service.data_directory import hold
from service.failures import BadSetting, DataInUse, DataVersion


def test_a_new_directory_is_private_and_says_its_layout(tmp_path: Path) -> None:
    with hold(tmp_path / "data") as data:
        mode = data.stat().st_mode & 0o777

    assert mode == 0o700
    assert (data / "version").read_text() == "1\n"


def test_a_second_process_is_told_who_holds_it(tmp_path: Path) -> None:
    program = (
        "import sys; from service.data_directory import hold; hold(__import__('pathlib').Path(sys.argv[1])).__enter__()"
    )

    with hold(tmp_path / "data"):
        second = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "data")], capture_output=True, text=True, check=False
        )

    assert second.returncode != 0
    assert "in use by process" in second.stderr


def test_it_can_be_held_again_afterwards(tmp_path: Path) -> None:
    with hold(tmp_path / "data"), pytest.raises(DataInUse), hold(tmp_path / "data"):
        pass

    with hold(tmp_path / "data") as data:
        assert data.is_dir()


def test_another_layout_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "version").write_text("7\n")

    with pytest.raises(DataVersion, match="layout '7'"), hold(tmp_path):
        pass

    assert (tmp_path / "version").read_text() == "7\n"


def test_a_file_in_its_place_is_a_bad_setting(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no directory")

    with pytest.raises(BadSetting, match="CITATOR_DATA"), hold(tmp_path / "data"):
        pass
