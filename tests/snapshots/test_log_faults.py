"""A bucket that fails in the middle: answers lost, requests that land late, no room. Nothing is lost or doubled."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from snapshots.errors import EvidenceError, LogDamaged, StoreError, StoreFull, StoreUnreachable
from snapshots.ids import digest
from snapshots.log import Log
from snapshots.log_key import LogKey, ed25519_holds
from snapshots.log_lock import CHECKPOINT, LOCK
from snapshots.note import open_checkpoint
from tests.memory_store import MemoryStore

T = TypeVar("T")

KEY = LogKey("example.org/log", bytes(32))


def ids(name: str, count: int = 1) -> list[str]:
    return [digest(f"{name} {number}".encode()) for number in range(count)]


@dataclass
class Fault:
    """Breaks operations of one kind: the next `times` of them, in one of three ways.

    `before`: it fails and does nothing. `after`: it is done, and the answer is lost. `late`: the answer is an error,
    and it is done when the test calls `land`.
    """

    operation: str
    name: str
    way: str
    times: int = 1
    skip: int = 0
    error: Callable[[], Exception] = lambda: StoreUnreachable("the bucket does not answer")
    waiting: list[Callable[[], object]] = field(default_factory=list)

    def __call__(self, operation: str, name: str, effect: Callable[[], T]) -> T:
        if self.operation not in {operation, "*"} or not name.startswith(self.name) or not self.times:
            return effect()
        if self.skip:
            self.skip -= 1
            return effect()
        self.times -= 1
        if self.way == "after":
            effect()
        if self.way == "late":
            self.waiting.append(effect)
        raise self.error()

    def land(self) -> None:
        for effect in self.waiting:
            try:
                effect()
            except EvidenceError:
                continue  # nobody is there to be told


def new_log(size: int = 3) -> tuple[MemoryStore, Log]:
    store = MemoryStore()
    log = Log.open(store, KEY, create=True, pause=lambda _: None)
    log.append(ids("before", size))
    return store, log


def found(store: MemoryStore) -> list[str]:
    """What the next process finds, after the oracle has looked at everything."""
    store.gate = MemoryStore().gate
    log = Log.open(store, KEY, create=False)
    assert log.check(deep=True).problems == ()
    return log.entries(0, log.size)


def test_a_commit_whose_answer_got_lost_is_found_out_and_not_repeated() -> None:
    store, log = new_log()
    store.gate = Fault("swap", LOCK, "after")

    assert log.append(ids("a")) == range(3, 4)

    assert found(store) == [*ids("before", 3), *ids("a")]


def test_a_commit_that_failed_for_a_moment_is_tried_again() -> None:
    store, log = new_log()
    store.gate = Fault("swap", LOCK, "before", times=2)

    assert log.append(ids("a")) == range(3, 4)

    assert found(store) == [*ids("before", 3), *ids("a")]


def test_a_commit_that_keeps_failing_is_reported_and_the_log_goes_on() -> None:
    store, log = new_log()
    store.gate = Fault("swap", LOCK, "before", times=4)

    with pytest.raises(StoreUnreachable):
        log.append(ids("a"))
    assert log.append(ids("b")) == range(3, 4)

    assert found(store) == [*ids("before", 3), *ids("b")]


def test_a_commit_that_lands_late_is_in_the_log_once_and_what_follows_comes_after_it() -> None:
    store, log = new_log()
    fault = Fault("*", "log/l", "late", times=8)
    store.gate = fault

    with pytest.raises(StoreUnreachable):
        log.append(ids("a"))
    fault.land()
    assert log.append(ids("b")) == range(4, 5)

    assert found(store) == [*ids("before", 3), *ids("a"), *ids("b")]


def test_a_commit_that_lands_after_the_next_one_has_no_effect() -> None:
    store, log = new_log()
    fault = Fault("*", "log/l", "late", times=8)
    store.gate = fault

    with pytest.raises(StoreUnreachable):
        log.append(ids("a"))
    assert log.append(ids("b")) == range(3, 4)
    fault.land()

    assert found(store) == [*ids("before", 3), *ids("b")]


@pytest.mark.parametrize("more", [1, 300])
def test_a_lost_answer_is_found_out_even_if_others_have_built_on_the_commit(more: int) -> None:
    store, log = new_log()
    other = Log.open(store, KEY, create=False)

    def gate(operation: str, name: str, effect: Callable[[], T]) -> T:
        if (operation, name) != ("swap", LOCK):
            return effect()
        store.gate = MemoryStore().gate
        effect()
        other.append(ids("b", more))
        other.append(ids("c", 20))
        raise StoreUnreachable("the bucket does not answer")

    store.gate = gate

    assert log.append(ids("a")) == range(3, 4)

    assert found(store) == [*ids("before", 3), *ids("a"), *ids("b", more), *ids("c", 20)]


def test_what_cannot_be_published_is_in_the_log_and_published_later() -> None:
    store, log = new_log(254)
    store.gate = Fault("put_new", "log/tile", "before", times=3)

    positions = [log.append(ids(name)) for name in "abc"]

    assert positions == [range(254, 255), range(255, 256), range(256, 257)]
    assert log.entries(253, 257) == [ids("before", 254)[253], *ids("a"), *ids("b"), *ids("c")]
    assert log.inclusion(255)
    log.append(ids("d"))
    assert open_checkpoint(store.get(CHECKPOINT), [KEY.verifier], ed25519_holds).size == 258
    assert found(store)[254:] == [*ids("a"), *ids("b"), *ids("c"), *ids("d")]


def test_a_slow_publisher_does_not_put_back_a_newer_checkpoint() -> None:
    store, slow = new_log()
    quick = Log.open(store, KEY, create=False)
    slow.append(ids("a"), publish_now=False)
    quick.append(ids("b"))
    newest = store.objects[CHECKPOINT]

    slow.publish()

    assert store.objects[CHECKPOINT] == newest
    assert slow.append(ids("c")) == range(5, 6)
    assert found(store) == [*ids("before", 3), *ids("a"), *ids("b"), *ids("c")]


def test_a_published_checkpoint_that_was_never_committed_is_not_overwritten_but_named() -> None:
    store, log = new_log()
    rogue = Log.open(MemoryStore(dict(store.objects)), KEY, create=False)
    rogue.append(ids("rogue", 5))
    store.objects[CHECKPOINT] = rogue.checkpoint

    log.append(ids("a"))

    assert store.objects[CHECKPOINT] == rogue.checkpoint
    for call in (log.publish, log.refresh, lambda: Log.open(store, KEY, create=False)):
        with pytest.raises(LogDamaged, match="log/checkpoint has 8 entries, log/lock only 4"):
            call()


def test_a_second_tree_of_one_size_is_named() -> None:
    store, log = new_log()
    rogue = Log.open(MemoryStore(dict(store.objects)), KEY, create=False)
    rogue.append(ids("rogue"))
    store.objects[CHECKPOINT] = rogue.checkpoint

    log.append(ids("a"))

    with pytest.raises(LogDamaged, match="another tree of 4 entries"):
        log.publish()
    with pytest.raises(LogDamaged, match="does not begin with the 4 entries of log/checkpoint"):
        Log.open(store, KEY, create=False)


def test_an_owner_publishes_what_another_has_finished_and_cleaned_up() -> None:
    store, owner = new_log(255)
    owner.append(ids("a"), publish_now=False)
    other = Log.open(store, KEY, create=False)
    other.append(ids("b"))
    other.close()

    owner.publish()
    owner.close()

    assert owner.refresh() == 257
    assert found(store) == [*ids("before", 255), *ids("a"), *ids("b")]


def test_without_room_nothing_is_appended() -> None:
    store, log = new_log()
    store.gate = Fault("put_new", "log/staging", "before", error=lambda: StoreFull("no room"))

    with pytest.raises(StoreFull):
        log.append(ids("a"))

    assert log.size == 3
    assert found(store) == ids("before", 3)


def test_cleaning_that_fails_harms_nothing() -> None:
    store, log = new_log()
    store.gate = Fault("delete", "", "before", times=2)

    for number in range(60):
        log.append(ids(f"a{number}"))
    log.close()

    assert [name for name in store.objects if name.startswith("log/staging/")] == []
    assert len(found(store)) == 63


def test_a_tile_that_is_taken_by_something_else_is_named() -> None:
    store, log = new_log()
    store.objects["log/tile/0/000.p/4"] = bytes(4 * 32)

    log.append(ids("a"))

    with pytest.raises(LogDamaged, match=r"log/tile/0/000\.p/4 is taken"):
        log.publish()
    with pytest.raises(LogDamaged, match=r"log/tile/0/000\.p/4 is taken"):
        Log.open(store, KEY, create=False)


@pytest.mark.parametrize("way", ["before", "after", "late"])
@pytest.mark.parametrize("size", [3, 254, 255])
def test_whatever_operation_fails_in_whatever_way_nothing_is_lost_or_doubled(size: int, way: str) -> None:
    for skip in range(40):
        store, log = new_log(size)
        fault = Fault("*", "", way, times=1, skip=skip)
        store.gate = fault
        told: list[str] = []
        for number in range(4):
            try:
                positions = log.append(ids(f"a{number}"))
            except StoreError:
                continue
            told += [f"{positions.start} {ids(f'a{number}')[0]}"]
            if number == 2:
                fault.land()
        log.close()

        there = found(store)

        assert len(set(there)) == len(there)
        assert there[:size] == ids("before", size)
        assert set(told) <= {f"{position} {object_id}" for position, object_id in enumerate(there)}
        if fault.times:
            return
    raise AssertionError("the operations did not come to an end")
