"""The contract of `Store`, run over each implementation."""

import secrets
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshots.directory import Directory
from snapshots.errors import Conflict, Missing
from snapshots.files import Disk
from snapshots.opening import open_store
from snapshots.store import Stat, Store, well_named
from tests.lossy import LossyFiles
from tests.memory_store import MemoryStore

if TYPE_CHECKING:
    from tests.seaweed import Seaweed

Open = Callable[[], Store]

SEGMENT = st.from_regex(r"\A[A-Za-z0-9_-][A-Za-z0-9._-]{0,10}\Z")
DEEP_NAME = st.lists(SEGMENT, min_size=1, max_size=3).map(lambda parts: "/".join(["d", *parts, "leaf"]))


SHARED = ("directory", "directory-without-syncfs", "forgetful-disk", "s3")
"""Stores for several threads at once. That in memory is for tests which order its operations themselves."""
several_at_once = pytest.mark.parametrize("open_again", SHARED, indirect=True)


@pytest.fixture(params=[*SHARED, "memory"])
def open_again(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the same bucket anew, as another process would."""
    opened: list[Store] = []
    server: Seaweed | None = request.getfixturevalue("s3_server") if request.param == "s3" else None
    prefix = secrets.token_hex(8)
    shared: dict[str, bytes] = {}

    def again() -> Store:
        store: Store
        match request.param:
            case "s3" if server is not None:
                store = open_store(f"s3://{server.bucket}/{prefix}", **server.options)
            case "memory":
                store = MemoryStore(shared)
            case "directory":
                store = Directory(tmp_path / "bucket")
            case "directory-without-syncfs":
                store = Directory(tmp_path / "bucket", files=Disk(syncfs=False))
            case _:
                store = Directory(tmp_path / "bucket", files=LossyFiles(tmp_path / "scratch"))
        opened.append(store)
        return store

    yield again
    for store in opened:
        store.close()


@pytest.fixture
def store(open_again: Open) -> Store:
    return open_again()


@pytest.mark.slow
def test_what_was_put_is_read_back_by_this_and_any_other_opening(store: Store, open_again: Open) -> None:
    objects = {"objects/ab/one": b"1", "objects/cd/two": b"", "log/tile/0/x001/067.p/8": bytes(range(256)) * 5000}

    taken = store.put_new(objects)

    assert taken == frozenset()
    for reader in (store, open_again()):
        assert {name: reader.get(name) for name in objects} == objects


def test_a_taken_name_is_left_alone_and_reported(store: Store) -> None:
    store.put_new({"a/1": b"first"})

    taken = store.put_new({"a/1": b"second", "a/2": b"new"})

    assert taken == {"a/1"}
    assert (store.get("a/1"), store.get("a/2")) == (b"first", b"new")


@pytest.mark.slow
def test_put_writes_over_what_was_there(store: Store, open_again: Open) -> None:
    store.put_new({"a/1": b"damaged"})

    store.put("a/1", b"whole")
    store.put("a/2", b"fresh")

    assert [open_again().get(name) for name in ("a/1", "a/2")] == [b"whole", b"fresh"]


def test_what_was_put_without_haste_is_there_after_sync(store: Store, open_again: Open) -> None:
    store.put("log/tile/0/000", b"tile", durable=False)
    store.put("log/tile/0/001", b"tile too", durable=False)
    seen_at_once = store.get("log/tile/0/001")

    store.sync()

    assert seen_at_once == b"tile too"
    assert [open_again().get(f"log/tile/0/00{n}") for n in (0, 1)] == [b"tile", b"tile too"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["nowhere", "a", "a/1/b", "", "/a/1", "../a", "a//1", "a/./1", "a\n", "ä", ".tmp/lock"]
)
def test_a_name_that_is_not_there_is_missing(store: Store, name: str) -> None:
    store.put_new({"a/1": b"x"})

    for ask in (store.get, store.read):
        with pytest.raises(Missing):
            ask(name)
    store.delete([name])

    assert store.exists([name, "a/1"]) == {"a/1"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "/a", "a/", "../a", "a//b", ".hidden", "a/..", "a b", "ä", "a\n", "x" * 600])
def test_nothing_is_written_under_a_bad_name(store: Store, name: str) -> None:
    assert not well_named(name)

    for write in (
        lambda: store.put_new({name: b""}),
        lambda: store.put(name, b""),
        lambda: store.swap(name, b"", None),
    ):
        with pytest.raises(ValueError, match="no name"):
            write()

    assert list(store.list("")) == []


def test_sizes_are_those_of_what_is_there(store: Store) -> None:
    store.put_new({"a/1": b"123", "a/2": b""})

    assert store.sizes(["a/1", "a/2", "a/3"]) == {"a/1": 3, "a/2": 0}


@pytest.mark.slow
def test_deleted_names_are_gone_for_everyone_and_can_be_taken_again(store: Store, open_again: Open) -> None:
    store.put_new({"a/1": b"x", "a/2": b"y", "b/1": b"z"})

    store.delete(["a/1", "b/1", "never/was"])

    assert [stat.name for stat in open_again().list("")] == ["a/2"]
    assert store.put_new({"a/1": b"again"}) == frozenset()
    assert store.get("a/1") == b"again"


def test_a_listing_is_sorted_by_name_and_takes_any_prefix(store: Store) -> None:
    names = ["a-b/x", "a/b", "a/b.c", "a/bc/d", "a/bd", "a0", "b/1", "aa/1"]
    store.put_new({name: name.encode() for name in names})

    for prefix in ("", "a", "a/", "a/b", "a/bc", "a/bc/", "a-", "b/1", "zz", "a/b/c"):
        expected = sorted(name for name in names if name.startswith(prefix))
        assert list(store.list(prefix)) == [Stat(name, len(name)) for name in expected]


def test_swap_makes_and_changes_only_the_version_it_was_told(store: Store, open_again: Open) -> None:
    first = store.swap("log/lock", b"1", None)
    second = store.swap("log/lock", b"2", first)

    for expected in (None, first, "nonsense"):
        with pytest.raises(Conflict):
            store.swap("log/lock", b"3", expected)

    assert open_again().read("log/lock") == (b"2", second)


@pytest.mark.slow
def test_what_is_written_before_a_swap_is_there_with_it_and_is_no_part_of_a_lost_one(
    store: Store, open_again: Open
) -> None:
    store.put_new({"a/taken": b"first"})
    token = store.swap("log/lock", b"1", None, after={"a/new": b"new", "a/taken": b"second"})

    with pytest.raises(Conflict):
        store.swap("log/lock", b"2", None, after={"a/newer": b"newer"})

    again = open_again()
    assert again.read("log/lock") == (b"1", token)
    assert (again.get("a/new"), again.get("a/taken")) == (b"new", b"first")


def test_swap_does_not_make_a_name_that_was_expected_to_be_there(store: Store) -> None:
    token = store.swap("log/lock", b"1", None)
    store.delete(["log/lock"])

    with pytest.raises(Conflict):
        store.swap("log/lock", b"2", token)

    assert store.exists(["log/lock"]) == frozenset()


@pytest.mark.slow
@several_at_once
@pytest.mark.parametrize("held", [False, True])
def test_of_32_threads_that_swap_one_wins(store: Store, *, held: bool) -> None:
    expected = store.swap("log/lock", b"start", None) if held else None
    barrier = threading.Barrier(32)

    def attempt(number: int) -> bytes | None:
        value = f"writer {number}".encode()
        barrier.wait()
        try:
            store.swap("log/lock", value, expected)
        except Conflict:
            return None
        return value

    with ThreadPoolExecutor(32) as pool:
        winners = [value for value in pool.map(attempt, range(32)) if value]

    assert winners == [store.read("log/lock")[0]]


@pytest.mark.slow
@several_at_once
def test_threads_that_put_the_same_names_agree(store: Store, open_again: Open) -> None:
    names = [f"objects/{n:02x}/same" for n in range(8)]

    def write(number: int) -> frozenset[str]:
        return store.put_new({name: f"{number} {name}".encode() * 100 for name in names})

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(write, range(8)))

    for name in names:
        winner = [number for number in range(8) if name not in taken[number]]
        assert [f"{number} {name}".encode() * 100 for number in winner] == [open_again().get(name)]


@pytest.mark.slow
@settings(max_examples=25)
@given(objects=st.dictionaries(DEEP_NAME, st.binary(max_size=300), max_size=6), data=st.data())
def test_a_store_is_a_mapping(store: Store, objects: dict[str, bytes], data: st.DataObject) -> None:
    store.delete([stat.name for stat in store.list("")])

    store.put_new(objects)
    gone = data.draw(st.sets(st.sampled_from(sorted(objects)))) if objects else set()
    store.delete(gone)

    left = {name: value for name, value in objects.items() if name not in gone}
    assert {stat.name: store.get(stat.name) for stat in store.list("")} == left
    assert [stat.name for stat in store.list("")] == sorted(left)
