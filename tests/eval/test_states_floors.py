"""Pages are told from walls as well as before."""

import pytest

from tests.eval.states import SETS, below_floor, figures, judged


@pytest.mark.parametrize("name", SETS)
def test_pages_are_told_from_walls_as_well_as_the_floors_say(name: str) -> None:
    assert below_floor(name, figures(list(judged(name)))) == []
