import io
from pathlib import Path

import pytest
from rich.console import Console

from service.data_directory import hold
from service.demo.tour import MARK, tour
from service.failures import BadRequest, DataInUse


def told(buffer: io.StringIO) -> str:
    return " ".join(buffer.getvalue().split())


@pytest.mark.slow
async def test_the_demonstration_holds_from_beginning_to_end_and_may_be_repeated(tmp_path: Path) -> None:
    first, second = io.StringIO(), io.StringIO()

    held = await tour(tmp_path / "demo", Console(file=first, width=100))
    again = await tour(tmp_path / "demo", Console(file=second, width=100))

    assert held
    assert again
    for said in (
        "children from five to fifteen years costs 3.50 pounds",
        "children from five to fifteen years costs 4.20 pounds",
        "Their SHA-256 is the id itself",
        "The proof holds",
        "The same answer",
        "citator doctor --deep",
    ):
        assert said in told(first).replace("│ ", "")


async def test_what_no_demonstration_made_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")

    with pytest.raises(BadRequest, match="not made by the demonstration"):
        await tour(tmp_path, Console(file=io.StringIO()))

    assert (tmp_path / "precious").read_text() == "mine"
    assert not (tmp_path / MARK).exists()


async def test_an_earlier_demonstration_that_a_process_has_open_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text("made before")
    (tmp_path / "kept").write_text("still used")

    with hold(tmp_path), pytest.raises(DataInUse):
        await tour(tmp_path, Console(file=io.StringIO()))

    assert (tmp_path / "kept").read_text() == "still used"


async def test_a_file_is_no_place_for_a_demonstration(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    with pytest.raises(BadRequest, match="cannot be used"):
        await tour(tmp_path / "file", Console(file=io.StringIO()))

    assert (tmp_path / "file").read_text() == "mine"
