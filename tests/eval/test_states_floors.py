"""Pages are told from walls as well as before."""

from tests.eval.states import below_floor, figures, judged


def test_pages_are_told_from_walls_as_well_as_the_floors_say() -> None:
    assert below_floor(figures(list(judged()))) == []
