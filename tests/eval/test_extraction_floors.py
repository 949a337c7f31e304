"""The quality of reading pages does not fall: every figure of every set is at or above its floor."""

import tomllib
from pathlib import Path

import pytest

from tests.eval.extraction import EXTRACTION, HERE, METADATA, below_floor, measure, our_metadata, our_text

FLOORS = tomllib.loads((HERE / "floors.toml").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", EXTRACTION)
def test_main_text_is_as_good_as_its_floor(name: str, eval_data: Path, tmp_path: Path) -> None:
    figures = measure(eval_data, tmp_path, "extraction", name, our_text)

    assert below_floor(FLOORS, "extraction", name, figures) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", METADATA)
def test_dates_authors_and_titles_are_as_good_as_their_floors(name: str, eval_data: Path, tmp_path: Path) -> None:
    figures = measure(eval_data, tmp_path, "metadata", name, our_metadata)

    assert below_floor(FLOORS, "metadata", name, figures) == []
