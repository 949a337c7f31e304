"""A damaged log is never built on, and what is damaged is named."""

import pytest

from snapshots.errors import LogDamaged
from snapshots.ids import digest
from snapshots.log import Log
from snapshots.log_key import LogKey
from snapshots.log_lock import CHECKPOINT, LOCK, STAGING
from tests.memory_store import MemoryStore

KEY = LogKey("example.org/log", bytes(32))


def ids(start: int, end: int) -> list[str]:
    return [digest(str(number).encode()) for number in range(start, end)]


def new_log(store: MemoryStore, size: int = 0) -> Log:
    log = Log.open(store, KEY, create=True)
    log.append(ids(0, size))
    return log


DAMAGE = {
    LOCK: "log/lock",
    CHECKPOINT: "log/checkpoint",
    "log/tile/0/001.p/44": "log/tile/0/001.p/44|log/tile/entries/001.p/44",
    "log/tile/1/000.p/1": "log/tile/1/000.p/1",
    "log/tile/entries/001.p/44": "log/tile/entries/001.p/44",
}


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("fault", ["missing", "flipped", "cut", "empty"])
def test_damage_where_the_log_grows_is_named_when_it_is_opened(name: str, fault: str) -> None:
    store = MemoryStore()
    new_log(store, 300).close()
    damage(store.objects, name, fault)

    if (name, fault) == (CHECKPOINT, "missing"):
        # The lock holds the same checkpoint: nothing is lost, and it is put back.
        assert Log.open(store, KEY, create=False).check(deep=True).ok
        return

    with pytest.raises(LogDamaged, match=DAMAGE[name]):
        Log.open(store, KEY, create=True)


@pytest.mark.parametrize("name", ["log/tile/0/000", "log/tile/entries/000"])
@pytest.mark.parametrize("fault", ["missing", "flipped", "cut", "empty"])
def test_damage_further_back_is_named_when_it_is_read(name: str, fault: str) -> None:
    store = MemoryStore()
    new_log(store, 300).close()
    damage(store.objects, name, fault)

    log = Log.open(store, KEY, create=False)

    with pytest.raises(LogDamaged, match=name):
        log.entries(0, 1)
    assert any(name in problem for problem in log.check(deep=True).problems)


def damage(objects: dict[str, bytes], name: str, fault: str) -> None:
    data = objects.pop(name)
    if fault == "flipped":
        objects[name] = data[:30] + bytes([data[30] ^ 1]) + data[31:]
    elif fault == "cut":
        objects[name] = data[: len(data) // 2]
    elif fault == "empty":
        objects[name] = b""


def test_a_missing_staging_object_of_an_unfinished_commit_is_named() -> None:
    store = MemoryStore()
    log = new_log(store, 5)
    log.append(ids(5, 7), publish_now=False)
    for name in [name for name in store.objects if name.startswith(STAGING)]:
        del store.objects[name]

    with pytest.raises(LogDamaged, match=r"log/staging/.* is missing"):
        Log.open(store, KEY, create=False)
