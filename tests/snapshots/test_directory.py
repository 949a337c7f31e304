"""What is particular to a bucket in a directory: kills, power loss, several processes, full and forbidden disks."""

import errno
import json
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshots.directory import Directory
from snapshots.errors import Conflict, StoreError, StoreFull, StoreRefused
from snapshots.files import Disk
from snapshots.opening import open_store
from tests.lossy import LossyFiles
from tests.seaweed import Seaweed

PROGRAM = Path(__file__).with_name("killed_writer.py")
ROOT = PROGRAM.parents[2]

FIRST_OBJECTS = {f"objects/aa/first-{n}": f"first {n}\n" * 1000 for n in range(2)}
SECOND_OBJECTS = {f"objects/{n:02x}/second-{n}": f"second {n}\n" * 1000 for n in range(4)}
VALUES = {
    "log/lock": {"first value\n" * 100, "second value\n" * 100},
    "objects/bb/before": {"before\n" * 1000},
    "log/other": {"new value\n" * 100},
    "checkpoint": {"first checkpoint\n" * 100, "second checkpoint\n" * 100},
    "tile": {"tile\n" * 100},
}


def run(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "forgetful"])
def test_after_a_kill_at_any_step_all_that_is_visible_is_whole_and_all_that_was_promised_is_there(
    tmp_path: Path, kind: str
) -> None:
    process = run(tmp_path / "buckets", tmp_path / "scratch", kind)
    output, _ = process.communicate(timeout=120)
    steps = [json.loads(line) for line in output.splitlines()]

    assert process.returncode == 0
    assert len(steps) > 20
    assert [step["killed"] for step in steps] == [True] * (len(steps) - 1) + [False]
    for step in steps:
        check(step["held"], step["promised"], whole_tile=kind == "plain")
        assert step["rubbish"] == []


def check(held: dict[str, str], promised: int, *, whole_tile: bool) -> None:
    """Every visible value is one that was written; each call that returned has done its work."""
    for name, value in held.items():
        known = FIRST_OBJECTS | SECOND_OBJECTS
        if name == "tile" and not whole_tile and promised < 7:
            continue  # written without haste: it may be anything until the sync
        assert value in ({known[name]} if name in known else VALUES[name]), name
    if promised >= 1:
        assert held.keys() >= SECOND_OBJECTS.keys()
    if promised >= 2:
        assert held["log/lock"] == "second value\n" * 100
    if promised >= 3:
        assert "log/other" in held
    if "log/other" in held:
        assert "objects/bb/before" in held
    if promised >= 4:
        assert held["checkpoint"] == "second checkpoint\n" * 100
    if promised >= 5:
        assert "objects/aa/first-1" not in held
    if promised >= 7:
        assert "tile" in held
    assert "objects/aa/first-0" in held
    assert held.keys() >= {"log/lock", "checkpoint"}


def test_processes_that_swap_on_a_directory_lose_no_step(tmp_path: Path) -> None:
    processes = [run("race", tmp_path / "bucket", "log/lock", 25, "{}") for _ in range(4)]

    won = [process.communicate(timeout=120)[0].strip() for process in processes]

    assert won == ["25"] * 4
    assert Directory(tmp_path / "bucket").get("log/lock") == b"100"


def test_processes_that_swap_on_s3_lose_no_step(s3_server: Seaweed) -> None:
    where, options = f"s3://{s3_server.bucket}/processes", s3_server.options
    processes = [run("race", where, "log/lock", 10, json.dumps(options)) for _ in range(3)]

    won = [process.communicate(timeout=120)[0].strip() for process in processes]

    assert won == ["10"] * 3
    assert open_store(where, **options).get("log/lock") == b"30"


@settings(max_examples=40)
@given(seed=st.integers(0, 10**9))
def test_whatever_part_of_the_unsynced_a_loss_of_power_lets_through_nothing_half_is_visible(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    where = tmp_path_factory.mktemp("power")
    chance = random.Random(seed)
    disk = LossyFiles(where / "scratch")
    disk.lose_power_at(chance.randrange(25), chance)
    store = Directory(where / "bucket", files=disk)
    values = {f"objects/{name}": b"bytes" * 99 for name in ("ab/1", "cd/2", "ef/3")} | {"log/lock": b"value" * 99}

    try:
        store.put_new({name: values[name] for name in ("objects/ab/1", "objects/cd/2")})
        store.put_new({name: values[name] for name in ("objects/ab/1", "objects/cd/2")})
        store.swap("log/lock", values["log/lock"], None, after={"objects/ef/3": values["objects/ef/3"]})
    except StoreError:
        pass

    after = Directory(where / "bucket")
    assert all(after.get(stat.name) == values[stat.name] for stat in after.list(""))
    assert "log/lock" not in after.exists(values) or "objects/ef/3" in after.exists(values)


def test_another_store_on_the_same_directory_does_not_touch_what_the_living_are_writing(tmp_path: Path) -> None:
    living = Directory(tmp_path)
    living.put_new({"a/1": b"makes its folder"})
    (folder,) = [path for path in (tmp_path / ".tmp").iterdir() if path.is_dir()]
    (folder / "half").write_bytes(b"being written")
    dead = tmp_path / ".tmp" / "0123456789abcdef"
    dead.mkdir()
    (dead / "half").write_bytes(b"left behind")

    Directory(tmp_path)

    assert (folder / "half").exists()
    assert not dead.exists()
    living.close()
    assert not folder.exists()


class Fails(Disk):
    """A disk on which the operations named in `failing` end with an error of the system."""

    def __init__(self, number: int, failing: Iterable[str]) -> None:
        super().__init__()
        self._number = number
        self._failing = set(failing)

    def _perhaps(self, operation: str) -> None:
        if operation in self._failing:
            raise OSError(self._number, os.strerror(self._number))

    def create(self, path: str, data: bytes) -> None:
        super().create(path, data[: len(data) // 2] if "create" in self._failing else data)
        self._perhaps("create")

    def rename(self, old: str, new: str) -> None:
        self._perhaps("rename")
        super().rename(old, new)

    def sync(self, root: str, paths: Any) -> None:
        self._perhaps("sync")
        super().sync(root, paths)


@pytest.mark.parametrize("operation", ["create", "sync", "rename"])
@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, StoreFull),
        (errno.EDQUOT, StoreFull),
        (errno.EROFS, StoreRefused),
        (errno.EACCES, StoreRefused),
        (errno.EIO, StoreError),
    ],
)
def test_a_disk_that_fails_is_named_and_nothing_half_is_left(
    tmp_path: Path, operation: str, number: int, kind: type[StoreError]
) -> None:
    store = Directory(tmp_path, files=Fails(number, [operation]))

    for write in (
        lambda: store.put_new({"a/1": b"12", "a/2": b"34"}),
        lambda: store.put("a/3", b"56"),
        lambda: store.swap("a/4", b"78", None),
    ):
        with pytest.raises(StoreError) as problem:
            write()
        assert type(problem.value) is kind

    assert list(store.list("")) == []
    assert not list(tmp_path.glob(".tmp/*/*-*"))


def test_a_sync_that_failed_is_made_up_for_by_the_next(tmp_path: Path) -> None:
    failing = Fails(errno.EIO, [])
    store = Directory(tmp_path / "bucket", files=failing)
    store.put("tile", b"tile", durable=False)
    failing._failing.add("sync")
    with pytest.raises(StoreError):
        store.sync()

    failing._failing.clear()
    store.sync()

    assert store._unsynced == set()


def test_a_place_that_can_be_no_directory_names_the_setting(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"not a directory")

    for where in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreRefused, match="CITATOR_BUCKET"):
            open_store(where)


def test_a_name_below_an_object_is_refused(tmp_path: Path) -> None:
    store = Directory(tmp_path)
    store.put_new({"a": b"an object"})

    with pytest.raises(StoreError):
        store.put_new({"a/b": b"below it"})

    assert store.get("a") == b"an object"


def test_a_directory_that_may_only_be_read_is_read(tmp_path: Path) -> None:
    writer = Directory(tmp_path)
    token = writer.swap("log/lock", b"value", None)
    writer.close()

    reader = Directory(tmp_path)

    assert reader.read("log/lock") == (b"value", token)
    assert [path.name for path in (tmp_path / ".tmp").iterdir() if path.is_dir()] == []


def test_the_directory_is_made_with_those_above_it(tmp_path: Path) -> None:
    store = open_store(tmp_path / "a" / "b")

    store.put_new({"x": b"1"})
    with pytest.raises(Conflict):
        store.swap("x", b"2", None)

    assert (tmp_path / "a" / "b" / "x").read_bytes() == b"1"


class WaitsBeforeSync(Disk):
    """A disk that waits for `go` before each sync; `reached` counts the syncs that were begun."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Semaphore(0)
        self.reached: SimpleQueue[None] = SimpleQueue()

    def sync(self, root: str, paths: Any) -> None:
        self.reached.put(None)
        self.go.acquire()
        super().sync(root, paths)


def test_a_value_that_is_not_durable_yet_is_not_read(tmp_path: Path) -> None:
    disk = WaitsBeforeSync()
    writer, reader = Directory(tmp_path, files=disk), Directory(tmp_path)
    reader.swap("log/lock", b"old", None)

    with ThreadPoolExecutor(2) as pool:
        swap = pool.submit(writer.swap, "log/lock", b"new", reader.read("log/lock")[1])
        disk.reached.get(timeout=10)
        disk.go.release()
        disk.reached.get(timeout=10)  # the new name is visible, and not yet durable
        read = pool.submit(reader.read, "log/lock")
        waited = not wait([read], timeout=0.2).done
        disk.go.release()

    assert waited
    assert read.result() == (b"new", swap.result())


def test_what_others_put_there_is_passed_over(tmp_path: Path) -> None:
    store = Directory(tmp_path)
    store.put_new({"a/1": b"ours"})

    for name in ("lost+found", "a/.hidden", "a/with space", "a/nä"):
        (tmp_path / name).mkdir()
    (tmp_path / ".DS_Store").write_bytes(b"not ours")
    os.mkfifo(tmp_path / "a" / "pipe")
    (tmp_path / "a" / "nowhere").symlink_to(tmp_path / "gone")

    assert [stat.name for stat in store.list("")] == ["a/1"]
    assert store.exists(["a/pipe", "a/nowhere", "a/1", "a"]) == {"a/1"}


def test_a_store_goes_on_after_its_temporary_folder_was_cleared_away(tmp_path: Path) -> None:
    store = Directory(tmp_path)
    store.put_new({"a/1": b"before"})

    shutil.rmtree(tmp_path / ".tmp")
    store.put_new({"a/2": b"after"})

    assert store.exists(["a/1", "a/2"]) == {"a/1", "a/2"}
    store.close()
