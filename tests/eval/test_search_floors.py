"""The quality of ranking does not fall: every collection is at or above its floor."""

import tomllib
from pathlib import Path

import pytest

from tests.eval.search import HERE, below_floor, measure

FLOORS = tomllib.loads((HERE / "floors.toml").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOORS["search"])
def test_a_collection_is_ranked_as_well_as_its_floor(name: str, eval_data: Path) -> None:
    figures = measure(eval_data, name)

    assert below_floor(FLOORS, name, figures) == []
