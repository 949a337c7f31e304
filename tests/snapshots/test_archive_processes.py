"""Real processes on one bucket, one log and one catalogue, killed without warning."""

import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from snapshots import Capture, Selection
from tests.snapshots.bench import Bench
from tests.snapshots.evidence import body_of

SPAWN = multiprocessing.get_context("spawn")
SHARED = "words that every process keeps and one removes"
PAGE = "https://a.example/"


def _write(folder: Path, name: str, told: Connection) -> None:
    """Keeps pages for ever, and says of each that it is kept once it is."""
    bench = Bench(folder)
    bench.archive.catch_up()
    number = 0
    while True:
        number += 1
        text = SHARED if number % 3 == 0 else f"words {number} of {name}"
        capture = bench.keep_page(f"{PAGE}{name}/{number}", text)
        told.send(capture.encoded)


@pytest.mark.slow
def test_what_a_killed_process_called_kept_is_kept(tmp_path: Path) -> None:
    kept: list[bytes] = []
    for killed_after in (1, 5, 12):
        pipes = [SPAWN.Pipe(duplex=False) for _ in range(2)]
        writers = [
            SPAWN.Process(target=_write, args=(tmp_path, f"{killed_after}-{number}", told), daemon=True)
            for number, (_, told) in enumerate(pipes)
        ]
        Bench(tmp_path).close()  # the key and the log are made once
        for writer in writers:
            writer.start()
        for heard, _ in pipes:
            kept += [heard.recv() for _ in range(killed_after)]
        for writer in writers:
            writer.kill()
            writer.join()

    bench = Bench(tmp_path)
    bench.archive.catch_up()
    report = bench.archive.check(deep=True)
    captures = [Capture.model_validate_json(data) for data in kept]

    assert report.findings == ()
    assert report.behind == 0
    assert len(captures) == 36
    for capture in captures:
        assert bench.archive.get(capture.id) == capture.encoded
        assert bench.archive.proof(capture.body or "").record
    before = bench.contents()
    bench.archive.rebuild()
    assert bench.contents() == before
    bench.close()


@pytest.mark.slow
def test_removing_while_others_keep_the_same_words_leaves_everything_whole(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    pipes = [SPAWN.Pipe(duplex=False) for _ in range(2)]
    writers = [
        SPAWN.Process(target=_write, args=(tmp_path, f"w{number}", told), daemon=True)
        for number, (_, told) in enumerate(pipes)
    ]
    for writer in writers:
        writer.start()

    removed: list[str] = []
    for turn in range(1, 6):
        for heard, _ in pipes:
            for _ in range(3):
                heard.recv()
        bench.archive.catch_up()
        pages = tuple(f"{PAGE}w{number}/{turn * 3}" for number in range(2))
        removed += [one.id for one in bench.archive.remove(Selection(pages=pages)).removed if one.kind == "capture"]
    for writer in writers:
        writer.kill()
        writer.join()
    bench.archive.catch_up()

    report = bench.archive.check(deep=True)
    assert report.findings == ()
    assert len(removed) == 10
    assert [row for turn in range(1, 6) for row in bench.catalogue.captures(f"{PAGE}w0/{turn * 3}")] == []
    last = bench.keep_page(f"{PAGE}last", SHARED)
    assert bench.archive.get(last.body or "") == body_of(SHARED)
    bench.close()
