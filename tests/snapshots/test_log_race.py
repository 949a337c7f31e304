"""Two writers on one log: whatever the order of their steps, and whoever is killed, no entry is lost or doubled."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from snapshots.errors import WrongLogKey
from snapshots.ids import digest
from snapshots.log import Log
from snapshots.log_key import LogKey
from snapshots.log_lock import CHECKPOINT
from snapshots.log_read import Tiles
from tests.interleaving import Program, Run, runs, state_of
from tests.memory_store import MemoryStore

KEY = LogKey("example.org/log", bytes(32))
NEXT_KEY = LogKey("example.org/log", bytes(range(32)))


def ids(name: str, count: int) -> list[str]:
    return [digest(f"{name} {number}".encode()) for number in range(count)]


def no_pause(_: float) -> None:
    """Waiting is no operation, and the order of operations is chosen by the test."""


@cache
def log_of(size: int) -> dict[str, bytes]:
    """A bucket with a log of `size` entries, finished and tidy."""
    store = MemoryStore()
    log = Log.open(store, KEY, create=True)
    if size:
        log.append(ids("before", size))
    log.close()
    return store.objects


def appends(*batches: Sequence[str], publish_now: bool = True) -> Program:
    """A writer that opens the log, appends and tidies up; its result is what it was told, as position to id."""

    def program(store: MemoryStore) -> dict[int, str]:
        log = Log.open(store, KEY, create=False, pause=no_pause)
        told: dict[int, str] = {}
        for batch in batches:
            told.update(zip(log.append(batch, publish_now=publish_now), batch, strict=True))
        log.close()
        return told

    return program


def appends_to_open_log(size: int, *batches: Sequence[str], publish_now: bool = True) -> Program:
    """The same for a log of `size` entries that had been opened before anybody did anything."""
    opened = Log.open(MemoryStore(dict(log_of(size))), KEY, create=False, pause=no_pause)

    def program(store: MemoryStore) -> dict[int, str]:
        log = Log(replace(opened._state, store=store, tiles=Tiles(store), rubbish=[], filled=[]))
        told: dict[int, str] = {}
        for batch in batches:
            told.update(zip(log.append(batch, publish_now=publish_now), batch, strict=True))
        log.close()
        return told

    return program


def rotates(store: MemoryStore) -> dict[int, str]:
    """A writer that hands the log over to the next key."""
    Log.open(store, KEY, create=False, pause=no_pause).rotate(NEXT_KEY)
    return {}


class Oracle:
    """Looks at the whole bucket after each step, and at the end as the next process would."""

    def __init__(self) -> None:
        self.states = 0
        self._sound: set[bytes] = set()

    def after_each(self, objects: dict[str, bytes]) -> None:
        """Whatever is published is whole at any moment, and anybody can read it."""
        self.states += 1
        state = state_of(objects)
        if state not in self._sound and CHECKPOINT in objects:
            report = Log.open(MemoryStore(objects), None, create=False).check(deep=True)
            assert report.problems == ()
            self._sound.add(state)

    def at_the_end(self, run: Run, before: Sequence[str], offered: Sequence[Sequence[str]]) -> None:
        """Opens the log as the next process would, and holds it against what the writers were told."""
        store = MemoryStore(run.objects)
        reader = Log.open(store, None, create=False)
        shown = reader.checkpoint

        log = open_with_either_key(store)

        report = log.check(deep=True, seen=[shown])
        assert (report.problems, report.unfinished) == ((), False)
        found = log.entries(0, log.size)
        assert len(set(found)) == len(found)
        assert found[: len(before)] == list(before)
        for writer, mine in zip(run.writers, offered, strict=True):
            assert writer.problem is None or isinstance(writer.problem, WrongLogKey)
            assert writer.killed or writer.problem or len(writer.result) == len(mine)
            assert all(found[position] == object_id for position, object_id in (writer.result or {}).items())
        assert set(found) <= {*before, *(object_id for mine in offered for object_id in mine)}
        assert reader.refresh() == log.size


def open_with_either_key(store: MemoryStore) -> Log:
    try:
        return Log.open(store, KEY, create=False)
    except WrongLogKey:
        return Log.open(store, NEXT_KEY, create=False)


A, B = ids("a", 2), ids("b", 3)


def walk(size: int, programs: list[Program], offered: list[list[str]], *, kills: int) -> int:
    """Goes through every run and returns how many states bucket and writers were in."""
    oracle = Oracle()
    for run in runs(log_of(size), programs, kills=kills, after_each=oracle.after_each):
        oracle.at_the_end(run, ids("before", size), offered)
    return oracle.states


SIZES = [3, pytest.param(254, marks=pytest.mark.slow), pytest.param(255, marks=pytest.mark.slow)]
"""Trees within one tile, and such that a writer or both together fill one: those take a minute."""


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_two_writers_one_killed_at_any_step(size: int) -> None:
    programs = [appends_to_open_log(size, A), appends_to_open_log(size, B)]

    states = walk(size, programs, [A, B], kills=1)

    assert states > 100


@pytest.mark.slow
def test_two_writers_both_killed_at_any_step() -> None:
    states = walk(3, [appends_to_open_log(3, A), appends_to_open_log(3, B)], [A, B], kills=2)

    assert states > 100


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 255])
def test_a_writer_opens_the_log_while_another_is_killed_in_it(size: int) -> None:
    states = walk(size, [appends_to_open_log(size, A), appends(B)], [A, B], kills=1)

    assert states > 100


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 255])
def test_commits_published_together_race_with_another_writer(size: int) -> None:
    programs = [appends_to_open_log(size, A[:1], A[1:], publish_now=False), appends_to_open_log(size, B[:1])]

    states = walk(size, programs, [A, B[:1]], kills=1)

    assert states > 100


def test_a_log_is_made_by_two_at_once() -> None:
    def makes(store: MemoryStore) -> dict[int, str]:
        Log.open(store, KEY, create=True, pause=no_pause)
        return {}

    oracle = Oracle()
    for run in runs({}, [makes, makes], kills=1, after_each=oracle.after_each):
        Log.open(MemoryStore(run.objects), KEY, create=True).append(A)
        oracle.at_the_end(run, A, [[], []])

    assert oracle.states > 100


def test_of_two_keys_that_make_a_log_at_once_one_has_it() -> None:
    def makes_with(key: LogKey) -> Program:
        def program(store: MemoryStore) -> dict[int, str]:
            log = Log.open(store, key, create=True, pause=no_pause)
            return dict(zip(log.append(A[:1]), A[:1], strict=True))

        return program

    oracle = Oracle()
    for run in runs({}, [makes_with(KEY), makes_with(NEXT_KEY)], kills=0, after_each=oracle.after_each):
        oracle.at_the_end(run, A[:1], [A[:1], A[:1]])
        assert [isinstance(writer.problem, WrongLogKey) for writer in run.writers].count(True) == 1

    assert oracle.states > 100


def test_a_long_writer_is_killed_at_any_step() -> None:
    batches = [[object_id] for object_id in ids("a", 20)]
    states = walk(250, [appends_to_open_log(250, *batches)], [ids("a", 20)], kills=1)

    assert states > 20 * 4


def test_a_rotation_is_killed_at_any_step() -> None:
    states = walk(3, [rotates], [[]], kills=1)

    assert states > 5


@pytest.mark.slow
def test_a_rotation_races_with_a_writer() -> None:
    states = walk(3, [rotates, appends_to_open_log(3, A)], [[], A], kills=1)

    assert states > 100


def test_a_beaten_writer_builds_on_what_others_committed_while_it_paused() -> None:
    store = MemoryStore(dict(log_of(3)))
    rival = Log.open(store, KEY, create=False, pause=no_pause)
    quicker = iter(range(1000))

    def rival_goes_on(_: float) -> None:
        rival.append(ids(f"rival {next(quicker)}", 2))

    beaten = Log.open(store, KEY, create=False, pause=rival_goes_on)
    rival.append(ids("rival", 2))

    positions = beaten.append(A)

    assert positions == range(7, 9)
    assert beaten.entries(7, 9) == A
    assert beaten.check(deep=True).problems == ()
