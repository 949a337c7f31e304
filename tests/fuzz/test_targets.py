"""Each target of `make fuzz` holds for its seeds and for some bytes."""

import pytest

from tests.fuzz.drawn import drawn
from tests.fuzz.targets import SEEDS, TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_what_reads_hostile_bytes_first_breaks_on_none(name: str) -> None:
    for seed in SEEDS.get(name, ()):
        TARGETS[name](seed)

    drawn(name, 20)()


def test_every_seed_belongs_to_a_target() -> None:
    assert set(SEEDS) <= set(TARGETS)
