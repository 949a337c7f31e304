"""The log under real processes on real stores: killed at every change of a file, and racing with each other."""

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshots.directory import Directory
from snapshots.errors import StoreError
from snapshots.log import ENTRIES_AT_ONCE, Log
from snapshots.opening import open_store
from tests.lossy import LossyFiles
from tests.snapshots.log_writer import KEY, ids

if TYPE_CHECKING:
    from tests.seaweed import Seaweed

PROGRAM = Path(__file__).with_name("log_writer.py")
ROOT = PROGRAM.parents[2]
LIVES = 6


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "forgetful"])
def test_a_kill_before_any_change_of_a_file_loses_nothing_promised_and_leaves_nothing_wrong(
    tmp_path: Path, kind: str
) -> None:
    template = Directory(tmp_path / "template")
    before = ids("before", 0, 253)
    log = Log.open(template, KEY, create=True)
    log.append(before)
    log.close()
    template.close()

    process = start("every-step", tmp_path / "template", tmp_path / "buckets", tmp_path / "scratch", kind)
    output, _ = process.communicate(timeout=280)
    steps = [json.loads(line) for line in output.splitlines()]

    whole = [*before, *ids("a", 0, 8)]
    assert process.returncode == 0
    assert [step["killed"] for step in steps] == [True] * (len(steps) - 1) + [False]
    assert len(steps) > 40
    for step in steps:
        assert (step["problems"], step["unfinished"]) == ([], False)
        assert step["found"] == whole[: len(step["found"])]
        assert step["promised"] == [253, 255, 257, 259][: len(step["promised"])]
        assert len(step["found"]) >= 253 + 2 * len(step["promised"])


@settings(max_examples=40)
@given(seed=st.integers(0, 10**9))
def test_a_loss_of_power_that_lets_some_of_the_unsynced_through_loses_nothing_promised(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    where = tmp_path_factory.mktemp("power")
    chance = random.Random(seed)
    disk = LossyFiles(where / "scratch")
    store = Directory(where / "bucket", files=disk)
    log = Log.open(store, KEY, create=True, pause=lambda _: None)
    log.append(ids("before", 0, 253))
    disk.lose_power_at(chance.randrange(60), chance)
    promised = 253

    try:
        for number in range(5):
            promised = log.append(ids("a", number, 1), publish_now=chance.random() < 0.5).stop
    except StoreError:
        pass

    again = Log.open(Directory(where / "bucket"), KEY, create=False)
    assert again.check(deep=True).problems == ()
    assert again.entries(0, 300) == [*ids("before", 0, 253), *ids("a", 0, 5)][: again.size]
    assert again.size >= promised


@dataclass
class Place:
    """A bucket for several processes."""

    where: str
    options: dict[str, object]


@pytest.fixture(params=["directory", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "directory":
        return Place(str(tmp_path / "bucket"), {})
    server: Seaweed = request.getfixturevalue("s3_server")
    return Place(f"s3://{server.bucket}/log-{tmp_path.name}", server.options)


@pytest.mark.slow
def test_writers_race_and_one_is_killed_again_and_again(place: Place, tmp_path: Path) -> None:
    chance = random.Random(7)
    stop, never = tmp_path / "stop", tmp_path / "never"
    Log.open(open_store(place.where, **place.options), KEY, create=True)
    steady = [start("race", place.where, json.dumps(place.options), f"steady {n}", stop) for n in range(2)]
    victims: list[str] = []
    for life in range(LIVES):
        victim = start("race", place.where, json.dumps(place.options), f"victim {life}", never)
        time.sleep(0.6 + chance.random())
        victim.kill()
        victims.append(victim.communicate()[0])
    firsts = [process.stdout.readline() for process in steady if process.stdout is not None]  # each got its turn
    stop.touch()
    promises = [first + process.communicate()[0] for first, process in zip(firsts, steady, strict=True)]

    log = Log.open(open_store(place.where, **place.options), KEY, create=False)

    assert [process.returncode for process in steady] == [0, 0]
    assert min(len(text.splitlines()) for text in promises) > 0
    found = [object_id for begin in range(0, log.size, ENTRIES_AT_ONCE) for object_id in log.entries(begin, log.size)]
    assert len(set(found)) == len(found)
    # Line by line of each: what a victim was writing when it was killed has no end.
    for line in (line for text in (*promises, *victims) for line in text.splitlines(keepends=True)):
        if line.endswith("\n"):
            promise = json.loads(line)
            assert found[promise["first"] : promise["first"] + 3] == promise["ids"]
    assert log.check(deep=True).problems == ()
