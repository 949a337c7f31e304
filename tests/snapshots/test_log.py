"""The log as its users see it: what is appended is there, proven, and found again; what is wrong is named."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshots.errors import BadId, BadProof, LogDamaged, LogError, LogReadOnly, NoLog, WrongLogKey
from snapshots.ids import digest, to_raw
from snapshots.log import Log
from snapshots.log_append import MAX_GROWTH
from snapshots.log_key import LogKey, ed25519_holds
from snapshots.log_lock import CHECKPOINT, STAGING
from snapshots.merkle import leaf_hash, verify_consistency, verify_inclusion
from snapshots.note import open_checkpoint, parse_vkey
from snapshots.opening import open_store
from snapshots.proof import parse_proof, verify_proof
from snapshots.store import Store
from tests.memory_store import MemoryStore

T = TypeVar("T")

KEY = LogKey("example.org/log", bytes(32))
OTHER_KEY = LogKey("example.org/log", bytes(range(32)))


def ids(start: int, end: int) -> list[str]:
    return [digest(str(number).encode()) for number in range(start, end)]


def new_log(store: Store, size: int = 0) -> Log:
    log = Log.open(store, KEY, create=True)
    log.append(ids(0, size))
    return log


@pytest.fixture(params=["memory", "directory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else open_store(tmp_path / "bucket")


def test_what_is_appended_is_found_again(store: Store) -> None:
    log = new_log(store)

    first = log.append(ids(0, 3))
    second = log.append(ids(3, 300))

    assert (first, second, log.size) == (range(3), range(3, 300), 300)
    assert log.entries(0, 300) == ids(0, 300)
    assert log.entries(254, 258) == ids(254, 258)
    assert log.entries(298, 1000) == ids(298, 300)
    assert log.entries(300, 400) == []
    assert log.check(deep=True).problems == ()


def test_another_process_finds_the_same(store: Store) -> None:
    log = new_log(store, 300)

    again = Log.open(store, KEY, create=False)

    assert (again.size, again.root, again.checkpoint) == (log.size, log.root, log.checkpoint)
    assert again.entries(0, 300) == ids(0, 300)
    assert again.append(ids(300, 301)) == range(300, 301)


def test_a_writer_sees_what_another_appended(store: Store) -> None:
    one = new_log(store, 250)
    other = Log.open(store, KEY, create=False)

    one.append(ids(250, 260))

    assert other.size == 250
    assert other.refresh() == 260
    assert other.entries(245, 260) == ids(245, 260)


def test_writers_take_turns_without_refreshing(store: Store) -> None:
    logs = [new_log(store), *(Log.open(store, KEY, create=False) for _ in range(2))]

    for turn in range(40):
        positions = logs[turn % 3].append(ids(turn * 7, turn * 7 + 7))
        assert positions == range(turn * 7, turn * 7 + 7)

    assert [log.refresh() for log in logs] == [280] * 3
    assert logs[0].entries(0, 280) == ids(0, 280)
    assert logs[0].check(deep=True).problems == ()


def test_nothing_appended_is_no_commit() -> None:
    store = MemoryStore()
    log = new_log(store, 5)
    before = dict(store.objects)

    assert log.append([]) == range(5, 5)

    assert store.objects == before


def test_wrong_appends_are_refused_and_leave_nothing() -> None:
    store = MemoryStore()
    log = new_log(store, 5)
    before = dict(store.objects)

    with pytest.raises(BadId):
        log.append(["sha256:abc"])
    with pytest.raises(BadId):
        log.append([ids(0, 1)[0].upper()])
    with pytest.raises(LogError, match="twice in one append"):
        log.append([*ids(6, 8), *ids(6, 7)])
    with pytest.raises(LogError, match="more than"):
        log.append(ids(0, MAX_GROWTH + 1))

    assert store.objects == before


def test_a_large_append_is_one_commit() -> None:
    store = MemoryStore()
    log = new_log(store, 10)

    log.append(ids(10, 3000))

    assert log.entries(0, 3000) == ids(0, 3000)
    assert log.check(deep=True).problems == ()


def test_commits_can_be_published_together() -> None:
    store = MemoryStore()
    log = new_log(store, 250)
    shown = store.objects[CHECKPOINT]

    for number in range(250, 262):
        log.append(ids(number, number + 1), publish_now=False)
    proof = log.proof(255)

    assert store.objects[CHECKPOINT] == shown
    assert log.entries(0, 262) == ids(0, 262)
    assert verify_proof(proof, to_raw(ids(255, 256)[0]), [KEY.verifier], ed25519_holds).size == 262
    log.publish()
    assert store.objects[CHECKPOINT] == log.checkpoint
    assert log.check(deep=True).problems == ()


def test_commits_do_not_wait_for_publication_for_ever() -> None:
    store = MemoryStore()
    log = new_log(store)

    for number in range(17):
        log.append(ids(number, number + 1), publish_now=False)

    assert open_checkpoint(store.objects[CHECKPOINT], [KEY.verifier], ed25519_holds).size == 16


def test_unpublished_commits_are_finished_by_the_next_process() -> None:
    store = MemoryStore()
    log = new_log(store, 250)
    for number in range(250, 262):
        log.append(ids(number, number + 1), publish_now=False)

    again = Log.open(store, KEY, create=False)

    assert again.entries(0, 262) == ids(0, 262)
    assert again.check(deep=True).problems == ()
    log.publish()
    assert log.append(ids(262, 263)) == range(262, 263)


def test_a_commit_is_four_operations_and_reads_nothing() -> None:
    operations: list[tuple[str, str]] = []

    def counting(operation: str, name: str, effect: Callable[[], T]) -> T:
        operations.append((operation, name.partition("-")[0][:12]))
        return effect()

    store = MemoryStore()
    log = new_log(store, 300)
    store.gate = counting

    log.append(ids(300, 302))

    assert operations == [
        ("put_new", "log/staging/"),
        ("swap", "log/lock"),
        ("put_new", "log/tile/0/0"),
        ("swap", "log/checkpoi"),
    ]


def test_staging_and_superfluous_partial_tiles_do_not_pile_up() -> None:
    store = MemoryStore()
    log = new_log(store)

    for number in range(0, 600, 2):
        log.append(ids(number, number + 2))
    log.close()

    assert [name for name in store.objects if name.startswith(STAGING)] == []
    assert [name for name in store.objects if name.startswith(("log/tile/0/000.p", "log/tile/entries/001.p"))] == []
    assert log.check(deep=True) == Log.open(store, KEY, create=False).check(deep=True)
    assert log.check(deep=True).leftovers == 0


@settings(max_examples=30)
@given(st.data())
def test_every_entry_is_proven_under_every_later_tree(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 700))
    log = new_log(MemoryStore(), size)
    old = data.draw(st.integers(1, size))
    index = data.draw(st.integers(0, old - 1))

    root = log.root_at(old)

    verify_inclusion(index, old, leaf_hash(to_raw(ids(index, index + 1)[0])), log.inclusion(index, old), root)
    verify_consistency(old, size, root, log.root, log.consistency(old))


def test_proofs_of_what_is_not_there_are_refused() -> None:
    log = new_log(MemoryStore(), 5)

    for index, size in ((5, None), (-1, None), (2, 2), (0, 6), (0, -1)):
        with pytest.raises(BadProof):
            log.inclusion(index, size)
    with pytest.raises(BadProof):
        log.consistency(6)
    with pytest.raises(BadProof):
        log.root_at(6)


def test_a_proof_text_verifies_with_the_vkey_alone() -> None:
    log = new_log(MemoryStore(), 300)

    text = log.proof(77, extra=b"anything").text

    proof = parse_proof(text)
    checkpoint = verify_proof(proof, to_raw(ids(77, 78)[0]), [parse_vkey(log.vkey)], ed25519_holds)
    assert (checkpoint.origin, checkpoint.size, proof.extra) == (log.origin, 300, b"anything")
    assert proof.text == text


def test_a_bucket_without_a_log_is_said_to_have_none(store: Store) -> None:
    with pytest.raises(NoLog):
        Log.open(store, KEY, create=False)
    with pytest.raises(NoLog):
        Log.open(store, None, create=True)


def test_without_its_key_a_log_is_read_only(store: Store) -> None:
    log = new_log(store, 300)

    reader = Log.open(store, None, create=False)

    assert (reader.read_only, reader.size, reader.vkey) == (True, 300, log.vkey)
    assert reader.entries(0, 300) == ids(0, 300)
    assert reader.proof(3).text == log.proof(3).text
    with pytest.raises(LogReadOnly):
        reader.append(ids(300, 301))
    with pytest.raises(LogReadOnly):
        reader.rotate(OTHER_KEY)
    log.append(ids(300, 600))
    assert reader.refresh() == 600


def test_another_key_is_refused_and_changes_nothing() -> None:
    store = MemoryStore()
    new_log(store, 5)
    before = dict(store.objects)

    with pytest.raises(WrongLogKey):
        Log.open(store, OTHER_KEY, create=True)

    assert store.objects == before


def test_a_log_that_went_back_behind_a_checkpoint_seen_is_refused() -> None:
    store = MemoryStore()
    log = new_log(store, 5)
    restored = MemoryStore(dict(store.objects))
    log.append(ids(5, 7))
    forked = Log.open(MemoryStore(dict(restored.objects)), KEY, create=False)
    forked.append(ids(8, 11))

    with pytest.raises(LogDamaged, match="gone back"):
        Log.open(restored, KEY, create=False, seen=[log.checkpoint])
    with pytest.raises(LogDamaged, match="does not begin with"):
        Log.open(forked._state.store, KEY, create=False, seen=[log.checkpoint])
    assert not forked.check(seen=[log.checkpoint]).ok
    assert log.check(seen=[log.checkpoint]).ok


def test_a_running_writer_does_not_build_on_a_log_that_went_back() -> None:
    store = MemoryStore()
    log = new_log(store, 5)
    old = dict(store.objects)
    log.append(ids(5, 7))

    store.objects.clear()
    store.objects.update(old)

    with pytest.raises(LogDamaged, match="gone back"):
        log.append(ids(7, 8))
    with pytest.raises(LogDamaged, match="gone back"):
        log.refresh()
