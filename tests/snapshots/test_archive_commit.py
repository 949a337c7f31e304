import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from snapshots import Archive, ArchiveClosed, Batch, Kept, Log, LogReadOnly, StoreFull, StoreUnreachable, digest
from snapshots import committer as committer_module
from snapshots.committer import Committer
from tests.snapshots.bench import Bench
from tests.snapshots.evidence import body_of, capture_of, document_of
from tests.snapshots.faulty import open_gate

PAGE = "https://a.example/"


class HeldGate:
    """A gate that is shut until it is opened, and counts who comes."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.arrived = threading.Event()
        self.calls: list[tuple[str, int]] = []

    def __call__(self, call: str, names: Sequence[str]) -> None:
        self.calls.append((call, len(names)))
        self.arrived.set()
        self.opened.wait(30)


class RefusedNames:
    """A gate that refuses writes of some objects."""

    def __init__(self, error: Exception, *ids: str) -> None:
        self.error = error
        self.names = {name.removeprefix("sha256:") for name in ids}

    def __call__(self, call: str, names: Sequence[str]) -> None:
        if call == "put_new" and any(name.rpartition("/")[2] in self.names for name in names):
            raise self.error


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    opened = Bench(tmp_path)
    yield opened
    opened.store.gate = open_gate
    opened.archive.catch_up()
    report = opened.archive.check(deep=True)
    opened.close()
    assert report.findings == ()


def page(number: int) -> Batch:
    text = f"words of page {number}"
    return Batch((body_of(text),), (document_of(text), capture_of(f"{PAGE}{number}", text)))


def start_held(bench: Bench) -> tuple[HeldGate, Future[Kept]]:
    """A commit that hangs in the bucket."""
    gate = HeldGate()
    bench.store.gate = gate
    first = bench.archive.keep(page(0))
    assert gate.arrived.wait(30)
    return gate, first


def test_what_waits_is_committed_together(bench: Bench) -> None:
    gate, first = start_held(bench)

    waiting = [bench.archive.keep(page(number)) for number in range(1, 31)]
    gate.opened.set()
    kept = [future.result(timeout=60) for future in [first, *waiting]]

    assert sorted(position for one in kept for position in one.positions.values()) == list(range(31))
    writes = [count for call, count in gate.calls if call == "put_new"]
    assert {60, 31} <= set(writes), "bodies and documents of 30 pages; their captures and the log's staging"
    assert bench.log.size == bench.catalogue.position() == 31


def test_a_record_that_waits_twice_is_logged_once(bench: Bench) -> None:
    gate, first = start_held(bench)
    batch = page(1)

    twins = [bench.archive.keep(batch) for _ in range(2)]
    gate.opened.set()

    assert twins[0].result(timeout=60).positions == twins[1].result(timeout=60).positions
    assert first.result(timeout=60)
    assert bench.log.size == 2


def test_a_batch_that_cannot_be_stored_fails_alone(bench: Bench) -> None:
    gate, first = start_held(bench)
    bad = page(13)
    batches = [page(1), bad, page(2)]

    futures = [bench.archive.keep(batch) for batch in batches]
    bench.store.gate = RefusedNames(StoreFull("no room"), digest(bad.blobs[0]))
    gate.opened.set()

    assert first.result(timeout=60)
    assert futures[0].result(timeout=60)
    with pytest.raises(StoreFull):
        futures[1].result(timeout=60)
    assert futures[2].result(timeout=60)
    assert bench.log.size == 3
    assert bench.catalogue.captures(f"{PAGE}13") == []


def test_a_bucket_that_does_not_answer_fails_those_who_wait_and_nobody_after(bench: Bench) -> None:
    bench.store.gate = RefusedNames(StoreUnreachable("gone"), page(1).records[0].id)
    with pytest.raises(StoreUnreachable):
        bench.archive.keep(page(1)).result(timeout=60)

    bench.store.gate = open_gate

    assert bench.archive.keep(page(1)).result(timeout=60).positions
    assert bench.log.size == 1


def test_a_busy_catalogue_does_not_take_a_reply_back_and_is_fed_later(bench: Bench) -> None:
    bench.catalogue.busy = True
    kept = bench.archive.keep(page(1)).result(timeout=60)
    assert kept.positions
    assert bench.archive.trouble is not None
    assert bench.catalogue.position() == 0

    bench.catalogue.busy = False
    bench.archive.keep(page(2)).result(timeout=60)

    assert bench.archive.trouble is None
    assert bench.catalogue.position() == 2
    assert len(bench.catalogue.captures(f"{PAGE}1")) == 1


def test_a_caller_that_gave_up_before_its_turn_is_passed_over(bench: Bench) -> None:
    gate, first = start_held(bench)

    given_up = bench.archive.keep(page(1))
    assert given_up.cancel()
    gate.opened.set()

    assert first.result(timeout=60)
    assert bench.keep().ids == ()
    assert bench.log.size == 1


def test_without_the_key_nothing_is_kept_and_everything_read(bench: Bench) -> None:
    kept = bench.archive.keep(page(1)).result(timeout=60)
    bench.log.publish()
    log = Log.open(bench.store, None, create=False)
    reader = Archive(bench.store, log, bench.catalogue)

    with pytest.raises(LogReadOnly):
        reader.keep(page(2)).result(timeout=60)

    assert reader.get(kept.ids[0])
    assert reader.proof(kept.ids[0]).leads == kept.ids
    assert reader.catch_up() == 1
    reader.close()


def test_what_was_committed_is_published_soon(bench: Bench) -> None:
    kept = bench.archive.keep(page(1)).result(timeout=60)

    deadline = time.monotonic() + 30
    while f"\n{len(kept.positions)}\n".encode() not in bench.store.get("log/checkpoint"):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def make_committer(done: list[int], gate: threading.Event) -> Committer:
    def commit(batches: Sequence[Batch]) -> Sequence[Kept | BaseException]:
        gate.wait(30)
        done.append(len(batches))
        return [Kept(tuple(map(digest, batch.blobs)), (), {}) for batch in batches]

    def publish() -> None:
        done.append(0)

    return Committer(commit, publish)


def test_who_brings_too_much_waits_until_there_is_room() -> None:
    done: list[int] = []
    gate = threading.Event()
    committer = make_committer(done, gate)
    large = Batch((bytes(committer_module.MAX_WAITING // 2 + 1),))
    for _ in range(2):  # one is being committed, one fills the room
        committer.submit(large)
        time.sleep(0.2)
    third: list[Future[Kept]] = []
    bringing = threading.Thread(target=lambda: third.append(committer.submit(large)))

    bringing.start()
    bringing.join(0.3)
    assert bringing.is_alive()
    gate.set()
    bringing.join(30)

    assert third[0].result(timeout=30).blobs
    committer.close()


def test_a_batch_larger_than_the_room_is_taken_when_nothing_else_waits() -> None:
    gate = threading.Event()
    gate.set()
    committer = make_committer([], gate)

    assert committer.submit(Batch((bytes(committer_module.MAX_WAITING + 1),))).result(timeout=60)

    committer.close()


def test_a_task_runs_alone_and_its_error_is_its_callers() -> None:
    done: list[int] = []
    gate = threading.Event()
    gate.set()
    committer = make_committer(done, gate)

    def fail() -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        committer.run(fail)
    assert committer.run(lambda: 42) == 42
    assert committer.submit(Batch((b"x",))).result(timeout=30)
    committer.close()
    assert done == [1, 0]
    with pytest.raises(ArchiveClosed):
        committer.run(lambda: 1)


def test_a_waiting_caller_is_told_when_the_archive_closes() -> None:
    gate = threading.Event()
    committer = make_committer([], gate)
    large = Batch((bytes(committer_module.MAX_WAITING),))
    committer.submit(large)
    time.sleep(0.2)
    committer.submit(large)
    told: list[type[BaseException]] = []

    def bring() -> None:
        try:
            committer.submit(large)
        except ArchiveClosed as error:
            told.append(type(error))

    bringing = threading.Thread(target=bring)
    bringing.start()
    time.sleep(0.2)
    closing: Callable[[], None] = committer.close
    closer = threading.Thread(target=closing)
    closer.start()
    bringing.join(30)
    gate.set()
    closer.join(30)

    assert told == [ArchiveClosed]
