"""Copying a log while it grows: the copy is the log at one moment, whole, and can be continued."""

import pytest

from snapshots.errors import LogDamaged
from snapshots.ids import digest
from snapshots.log import Log
from snapshots.log_copy import copy_of_log
from snapshots.log_key import LogKey
from tests.memory_store import MemoryStore

KEY = LogKey("example.org/log", bytes(32))
NEXT_KEY = LogKey("example.org/log", bytes(range(32)))


def ids(start: int, end: int) -> list[str]:
    return [digest(str(number).encode()) for number in range(start, end)]


def new_log(size: int) -> tuple[MemoryStore, Log]:
    store = MemoryStore()
    log = Log.open(store, KEY, create=True)
    log.append(ids(0, size))
    return store, log


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 600])
def test_a_copy_is_the_whole_log_and_goes_on(size: int) -> None:
    store, _ = new_log(size)

    copy = Log.open(MemoryStore(dict(copy_of_log(store))), KEY, create=False)

    assert copy.entries(0, 1000) == ids(0, size)
    assert copy.check(deep=True).problems == ()
    assert copy.append(ids(size, size + 3)) == range(size, size + 3)


def test_a_copy_made_while_the_log_grows_is_of_one_moment() -> None:
    store, log = new_log(250)
    copied = {}
    position = 250

    for name, data in copy_of_log(store):
        copied[name] = data
        for _ in range(20):
            log.append(ids(position, position + 1))
            position += 1

    copy = Log.open(MemoryStore(copied), KEY, create=False)
    assert copy.entries(0, 1000) == ids(0, 250)
    assert copy.check(deep=True).problems == ()


def test_a_copy_made_in_a_rotation_belongs_to_the_new_key() -> None:
    store, log = new_log(5)
    shown = store.objects["log/checkpoint"]
    log.rotate(NEXT_KEY)
    store.objects["log/checkpoint"] = shown

    copy = Log.open(MemoryStore(dict(copy_of_log(store))), NEXT_KEY, create=False)

    assert copy.check(deep=True, seen=[shown]).problems == ()


def test_a_bucket_without_a_log_has_no_copy() -> None:
    assert list(copy_of_log(MemoryStore())) == []


def test_a_log_with_a_hole_is_not_copied_silently() -> None:
    store, log = new_log(300)
    log.close()
    del store.objects["log/tile/entries/000"]

    with pytest.raises(LogDamaged, match="log/tile/entries/000 is missing"):
        list(copy_of_log(store))
