"""Six processes with many threads on one catalogue and one state, while copies are made: nobody is locked out."""

import multiprocessing
import random
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from snapshots import State, digest
from tests.snapshots.bench import Bench

SPAWN = multiprocessing.get_context("spawn")
ASKERS, WORKERS, JOBS, AT_ONCE = 2, 4, 400, 20
SECONDS = 30
NOW, UNTIL = "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"


def _failing(work: Callable[[], None], failed: list[str]) -> None:
    try:
        work()
    except Exception as error:  # noqa: BLE001 - whatever it is, the test is told
        failed.append(f"{type(error).__name__}: {error}")


def _ask(folder: Path, number: int, over: Event, told: Connection) -> None:
    """What a server does: many threads write down jobs, one asks every 50 ms how things stand."""
    state, bench = State.open(f"sqlite:///{folder / 'state.db'}"), Bench(folder)
    failed: list[str] = []
    waits: list[float] = []
    mine = list(range(number, JOBS, ASKERS))
    threads = AT_ONCE // ASKERS

    def enqueue(first: int) -> None:
        for job in mine[first::threads]:
            state.claim("asked", str(job), digest(b"job"), now=NOW, until=UNTIL)

    def poll() -> None:
        while not over.is_set():
            begun = time.monotonic()
            bench.catalogue.counts()
            state.lease("job 0", now=NOW)
            waits.append(time.monotonic() - begun)
            time.sleep(0.05)

    running = [threading.Thread(target=_failing, args=(poll, failed))]
    running += [threading.Thread(target=_failing, args=(lambda n=n: enqueue(n), failed)) for n in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    told.send((failed, len(waits), max(waits, default=0.0)))
    bench.close()
    state.close()


def _work(folder: Path, number: int, over: Event, told: Connection) -> None:
    """What a worker does: takes jobs that nobody has, keeps their page, and says so."""
    state, bench = State.open(f"sqlite:///{folder / 'state.db'}"), Bench(folder)
    failed: list[str] = []
    done: list[int] = []

    def one(job: int) -> bool:
        """Whether the job needs nobody any more."""
        lease = state.take_lease(f"job {job}", f"worker {number}", now=NOW, until=UNTIL)
        if lease is None:
            return False
        claim = state.claim("done", str(job), digest(b"job"), now=NOW, until=UNTIL)
        if claim.state == "new":
            capture = bench.keep_page(f"https://a.example/{job}", f"words of page {job}")
            state.settle("done", str(job), capture.id)
            done.append(job)
        state.release_lease(lease)
        return True

    def work() -> None:
        left = list(range(JOBS))
        random.Random(number).shuffle(left)
        while left and not over.is_set():
            left = [job for job in left if not one(job)]

    _failing(work, failed)
    told.send((failed, done))
    bench.close()
    state.close()


@pytest.mark.slow
def test_processes_that_read_and_write_at_once_never_find_a_database_locked(tmp_path: Path) -> None:
    Bench(tmp_path).close()
    State.open(f"sqlite:///{tmp_path / 'state.db'}").close()
    over = SPAWN.Event()
    pipes = [SPAWN.Pipe(duplex=False) for _ in range(ASKERS + WORKERS)]
    roles = [(_ask, number) for number in range(ASKERS)] + [(_work, number) for number in range(WORKERS)]
    processes = [
        SPAWN.Process(target=role, args=(tmp_path, number, over, told), daemon=True)
        for (role, number), (_, told) in zip(roles, pipes, strict=True)
    ]

    begun = time.monotonic()
    for process in processes:
        process.start()
    heard = [pipe for pipe, _ in pipes]
    bench, state = Bench(tmp_path), State.open(f"sqlite:///{tmp_path / 'state.db'}")
    copies = 0
    while time.monotonic() - begun < SECONDS or not all(pipe.poll() for pipe in heard[ASKERS:]):
        bench.catalogue.backup_to(tmp_path / f"catalogue-{copies}.copy")
        state.backup_to(tmp_path / f"state-{copies}.copy")
        copies += 1
        time.sleep(1)
        assert all(process.is_alive() or process.exitcode == 0 for process in processes)
    over.set()
    asked, worked = [pipe.recv() for pipe in heard[:ASKERS]], [pipe.recv() for pipe in heard[ASKERS:]]
    for process in processes:
        process.join()

    assert [said[0] for said in (*asked, *worked)] == [[]] * (ASKERS + WORKERS)
    assert sorted(job for _, done in worked for job in done) == list(range(JOBS))
    bench.archive.catch_up()
    assert bench.catalogue.counts()["captures"] == JOBS
    assert bench.archive.check().findings == ()
    assert copies > 1
    print(f"\n{[(count, f'{most * 1000:.0f} ms at most') for _, count, most in asked]} looks, {copies} copies")
    bench.close()
    state.close()
