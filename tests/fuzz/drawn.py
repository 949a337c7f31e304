"""Bytes that hypothesis draws: any, and pieces of what is understood, cut and put together anew."""

import sys
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import SEEDS, TARGETS


def inputs(name: str) -> st.SearchStrategy[bytes]:
    """For a target: any bytes, and pieces of its seeds among them."""
    seeds = SEEDS.get(name) or (b"",)
    pieces = st.sampled_from(seeds).flatmap(
        lambda seed: st.tuples(st.integers(0, len(seed)), st.integers(0, len(seed))).map(
            lambda ends: seed[min(ends) : max(ends)]
        )
    )
    mixed = st.lists(st.one_of(pieces, st.binary(max_size=20), st.text(max_size=20).map(str.encode)), max_size=12)
    return st.one_of(st.binary(max_size=2_000), mixed.map(b"".join))


def drawn(name: str, examples: int) -> Callable[[], None]:
    """A check of so many inputs."""

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(inputs(name))
    def check(data: bytes) -> None:
        TARGETS[name](data)

    return check


if __name__ == "__main__":
    drawn(sys.argv[1], int(sys.argv[2]))()
