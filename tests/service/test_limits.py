import pytest

from service.errors import RateLimited
from service.limits import Limits
from service.requests import Caller


class Ticking:
    """A clock that stands until it is moved."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def holder(key: str | None = "k1", **limits: int) -> Caller:
    return Caller(key=key, name="test", scopes=frozenset(), surface="http", **limits)  # type: ignore[arg-type]


def test_a_key_asks_as_often_as_it_may_and_again_when_a_place_is_free() -> None:
    clock = Ticking()
    limits = Limits(clock=clock)
    caller = holder(rate=6)

    for _ in range(6):
        limits.enter(caller)
    with pytest.raises(RateLimited, match="6 times a minute") as raised:
        limits.enter(caller)
    clock.now += raised.value.retry_after
    limits.enter(caller)

    assert raised.value.retry_after == 10
    with pytest.raises(RateLimited):
        limits.enter(caller)


def test_requests_that_run_take_places_until_they_end() -> None:
    limits = Limits(concurrency=2, clock=Ticking())
    caller = holder()

    limits.enter(caller)
    limits.enter(caller)
    with pytest.raises(RateLimited, match="2 at a time") as raised:
        limits.enter(caller)
    limits.leave(caller)
    limits.enter(caller)

    assert raised.value.retry_after == 1


def test_each_key_has_places_of_its_own_and_no_key_has_no_limit() -> None:
    limits = Limits(rate=1, concurrency=1, clock=Ticking())

    limits.enter(holder("a"))
    limits.enter(holder("b"))
    for _ in range(5):
        limits.enter(holder(None))
    with pytest.raises(RateLimited):
        limits.enter(holder("a"))


def test_a_keys_own_limit_wins_over_that_of_the_settings() -> None:
    limits = Limits(rate=1, clock=Ticking())

    for _ in range(3):
        limits.enter(holder(rate=3))
    with pytest.raises(RateLimited, match="3 times"):
        limits.enter(holder(rate=3))


def test_keys_that_are_not_used_are_forgotten_and_running_ones_are_not() -> None:
    clock = Ticking()
    limits = Limits(rate=100_000, clock=clock)
    busy = holder("busy")
    limits.enter(busy)
    for number in range(10_000):
        idle = holder(f"k{number}")
        limits.enter(idle)
        limits.leave(idle)
    clock.now += 61
    limits.enter(holder("one more"))

    assert len(limits._uses) == 2
    limits.leave(busy)
