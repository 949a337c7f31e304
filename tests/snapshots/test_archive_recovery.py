"""What a kill, another writer or a lost catalogue leave behind, and that the next to come puts it right."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from snapshots import Archive, Batch, Capture, RemovedId, Selection
from snapshots.reading import LOOK_AFTER
from tests.snapshots.bench import Bench
from tests.snapshots.evidence import body_of, capture_of, document_of
from tests.snapshots.faulty import DiesAtWrite, Killed, open_gate

SECRET = "the harbourmaster's private remark"
PAGE = "https://a.example/secret"
OTHER = "https://a.example/other"

STEPS = 40
"""More writes than any of these operations makes; each test stops where the operation is through."""


def fill(bench: Bench) -> Capture:
    """One page to remove, shown together with one that stays."""
    secret, public = bench.keep_page(PAGE, SECRET), bench.keep_page(OTHER, "public words")
    bench.keep_search([(secret, SECRET), (public, "public words")], f"reply: {SECRET}".encode())
    bench.keep_search([(public, "public words")], b"reply: public words")
    return secret


def assert_whole(bench: Bench) -> None:
    """Everything is there or answers with its deletion, and the catalogue is what bucket and log say."""
    report = bench.archive.check(deep=True)
    before = bench.contents()
    bench.archive.rebuild()
    assert report.findings == ()
    assert bench.contents() == before


def assert_removed(bench: Bench, secret: Capture) -> None:
    assert bench.traces(SECRET) == []
    with pytest.raises(RemovedId):
        bench.archive.get(secret.id)
    assert bench.catalogue.unscrubbed() == 0


def killed(operation: Callable[[], object]) -> bool:
    """Whether the process died while it was at it."""
    try:
        operation()
    except Killed:
        return True
    return False


@pytest.mark.slow
def test_a_removal_killed_at_any_write_is_finished_by_the_next(tmp_path: Path) -> None:
    for step in range(STEPS):
        folder = tmp_path / str(step)
        folder.mkdir()
        bench = Bench(folder)
        secret = fill(bench)
        bench.store.gate = DiesAtWrite(step)
        through = not killed(lambda: bench.archive.remove(Selection(pages=(PAGE,))))  # noqa: B023 - called at once
        bench.store.gate = DiesAtWrite(-1)
        bench.die()

        again = Bench(folder)
        again.archive.catch_up()

        if again.log.size == 6:  # it died before the deletion was in the log: nothing was removed
            assert again.archive.get(secret.id) == secret.encoded
            again.archive.remove(Selection(pages=(PAGE,)))
        assert_removed(again, secret)
        assert_whole(again)
        again.close()
        if through:
            return
    pytest.fail("it never came through")


@pytest.mark.parametrize("step", ["apply", "scrub", "scrubbed"])
def test_a_removal_killed_at_the_catalogue_is_finished_by_the_next(tmp_path: Path, step: str) -> None:
    bench = Bench(tmp_path)
    secret = fill(bench)
    bench.catalogue.killed_at = step
    assert killed(lambda: bench.archive.remove(Selection(ids=(secret.id,))))
    bench.die()

    again = Bench(tmp_path)
    again.archive.catch_up()

    assert again.log.size == 7
    assert_removed(again, secret)
    assert_whole(again)
    again.close()


def test_a_removal_cut_short_is_finished_though_the_catalogue_was_lost(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    secret = fill(bench)
    bench.catalogue.killed_at = "apply"
    assert killed(lambda: bench.archive.remove(Selection(ids=(secret.id,))))
    bench.die()
    for path in tmp_path.glob("first.db*"):
        path.unlink()

    again = Bench(tmp_path)
    again.archive.catch_up()

    assert_removed(again, secret)
    assert_whole(again)
    again.close()


def test_a_commit_killed_at_any_write_leaves_all_of_it_or_nothing_that_counts(tmp_path: Path) -> None:
    batch = Batch((body_of("new words"),), (document_of("new words"), capture_of(OTHER, "new words")))
    for step in range(STEPS):
        folder = tmp_path / str(step)
        folder.mkdir()
        bench = Bench(folder)
        bench.keep_page(PAGE, "old words")
        bench.log.publish()
        bench.store.gate = DiesAtWrite(step)
        died = killed(lambda: bench.archive.keep(batch).result(timeout=60))  # noqa: B023 - called at once
        bench.store.gate = DiesAtWrite(-1)
        bench.die()

        again = Bench(folder)
        again.archive.catch_up()

        kept = again.log.size == 2
        assert died or kept  # who was told that it is kept finds it
        if kept:
            assert again.archive.get(batch.records[1].id) == batch.records[1].encoded
            assert len(again.catalogue.captures(OTHER)) == 1
        again.archive.keep(batch).result(timeout=60)
        assert_whole(again)
        again.close()
        if not died:
            return
    pytest.fail("it never came through")


def test_two_processes_with_catalogues_of_their_own_see_the_same(tmp_path: Path) -> None:
    first, second = Bench(tmp_path), Bench(tmp_path, node="second")
    for number in range(5):
        first.keep_page(f"{PAGE}{number}", f"words {number}")
        second.keep_page(f"{OTHER}{number}", f"words {number}")

    first.archive.catch_up()
    second.archive.catch_up()

    assert first.log.size == second.log.size == 10
    assert first.contents() == second.contents()
    assert_whole(first)
    first.close()
    second.close()


@pytest.mark.slow
def test_two_processes_may_share_a_catalogue(tmp_path: Path, database_url: str) -> None:
    first, second = (Bench(tmp_path, catalogue_url=database_url) for _ in range(2))
    for number in range(5):
        first.keep_page(f"{PAGE}{number}", f"words {number}")
        second.keep_page(f"{OTHER}{number}", f"words {number}")

    assert first.catalogue.position() == first.log.refresh() == 10
    capture = first.archive.record(first.catalogue.captures(f"{PAGE}1")[0].id)
    second.archive.remove(Selection(pages=(f"{PAGE}1",)))
    with pytest.raises(RemovedId):
        first.archive.get(capture.id)
    time.sleep(LOOK_AFTER)
    with pytest.raises(RemovedId):
        first.archive.record(capture.id)
    assert_whole(first)
    first.close()
    second.close()


class JustBefore:
    """A gate that does something once, just before the first call of one kind, as another process might."""

    def __init__(self, call: str, what: Callable[[], object]) -> None:
        self.call = call
        self.what: Callable[[], object] | None = what

    def __call__(self, call: str, names: Sequence[str]) -> None:
        what = self.what
        if call == self.call and what is not None and (call != "delete" or "objects/" in names[0]):
            self.what = None
            what()


def test_content_kept_by_another_process_while_it_is_being_removed_is_not_lost(tmp_path: Path) -> None:
    first, second = Bench(tmp_path), Bench(tmp_path, node="second")
    fill(first)
    again: list[Capture] = []
    # The other process finds the body there, writes nothing, and logs a capture that names it.
    first.store.gate = JustBefore("delete", lambda: again.append(second.keep_page(PAGE, SECRET)))

    first.archive.remove(Selection(pages=(PAGE,)))

    first.store.gate = open_gate
    assert again
    assert first.archive.get(document_of(SECRET).id) == document_of(SECRET).encoded
    assert second.archive.get(again[0].body or "") == body_of(SECRET)
    second.archive.catch_up()
    assert_whole(first)
    assert_whole(second)
    first.close()
    second.close()


def test_content_removed_by_another_process_while_it_is_being_kept_is_written_again(tmp_path: Path) -> None:
    first, second = Bench(tmp_path), Bench(tmp_path, node="second")
    fill(first)
    second.archive.catch_up()
    # Between finding the body there and logging the capture, the other process removes it.
    removing = JustBefore("swap", lambda: first.archive.remove(Selection(pages=(PAGE,))))
    second.store.gate = removing

    capture = second.keep_page(PAGE, SECRET)

    assert removing.what is None
    second.store.gate = open_gate
    assert second.archive.get(document_of(SECRET).id) == document_of(SECRET).encoded
    assert second.archive.get(capture.body or "") == body_of(SECRET)
    first.archive.catch_up()
    second.archive.catch_up()
    assert_whole(first)
    assert_whole(second)
    first.close()
    second.close()


def test_a_catalogue_of_another_log_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    bench, other = Bench(tmp_path), Bench(tmp_path / "other")
    for number in range(3):
        other.keep_page(f"{OTHER}{number}", "other words")
    for number in range(4):
        bench.keep_page(f"{PAGE}{number}", "words")
    mixed = [Archive(bench.store, bench.log, other.catalogue), Archive(other.store, other.log, bench.catalogue)]

    positions = [archive.catch_up() for archive in mixed]

    assert positions == [4, 3]
    assert other.catalogue.captures(f"{OTHER}0") == []
    assert len(other.catalogue.captures(f"{PAGE}3")) == 1
    assert [archive.check(deep=True).findings for archive in mixed] == [(), ()]
    for opened in (*mixed, bench, other):
        opened.close()


def test_a_lost_record_does_not_stop_the_catalogue_and_is_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    lost, other = bench.keep_page(PAGE, "words"), bench.keep_page(OTHER, "more words")
    bench.archive.objects.delete([lost.id])

    bench.archive.rebuild()

    assert [row.id for row in bench.catalogue.captures(OTHER)] == [other.id]
    assert bench.archive.follow(0)[0] == (0, lost.id, None)
    report = bench.archive.check()
    assert [(one.problem, one.id) for one in report.findings] == [("missing", lost.id)]
    assert not report.holds
    bench.close()


def test_a_catalogue_that_says_something_else_than_the_log_is_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.keep_page(PAGE, "words")
    (tmp_path / "foreign").mkdir()
    foreign = Bench(tmp_path / "foreign")
    foreign.keep_page(OTHER, "other words")
    mixed = Archive(bench.store, bench.log, foreign.catalogue)

    report = mixed.check()

    assert {one.problem for one in report.findings} >= {"not_in_catalogue"}
    mixed.close()
    foreign.close()
    bench.close()
