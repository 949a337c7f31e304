"""`make soak`: a bundle of 10,000 pages, and the memory that it takes to write it.

The archive is filled in one process; another one writes the bundle, and says what it took at most.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from snapshots import BundleAsked, write_bundle
from tests.eval.bundle_pages import archive_at, fill

PAGES = 10_000
PASSAGES = 1_000
LIMIT = 300
"""Megabytes. Pages go through files; ids, the index and one page at a time are held in memory."""
WORDS = 3_000
"""Words of a page: 20 KB of text, which is a long article."""


def main() -> int:
    """Fill, write, tell; 1 if it took too much."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begin = time.perf_counter()
        with archive_at(folder) as maker:
            ids, search = fill(maker.archive, pages(), passages=PASSAGES)
        (folder / "ids").write_text("\n".join([search, *ids]))
        print(f"{PAGES} pages kept in {time.perf_counter() - begin:.0f} s")
        told = subprocess.run([sys.executable, "-m", "tests.eval.soak_bundle", str(folder)], check=False)
        return told.returncode


def write(folder: Path) -> int:
    """Write the bundle, in this process alone."""
    search, *ids = (folder / "ids").read_text().splitlines()
    begin = time.perf_counter()
    with archive_at(folder) as maker, (folder / "b.wacz").open("wb") as out:
        made = write_bundle(maker, BundleAsked(tuple(ids), search=search), out, folder=folder, progress=lambda *_: None)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = time.perf_counter() - begin
    print(f"{made.counts['pages']} pages, {made.size / 1e6:.0f} MB, written in {seconds:.0f} s")
    print(f"peak memory {peak:.0f} MB, {'under' if peak < LIMIT else 'NOT under'} {LIMIT} MB")
    return 0 if peak < LIMIT and made.counts["pages"] == PAGES else 1


def pages() -> Iterator[tuple[str, bytes]]:
    """Pages of words that are never the same."""
    draw = random.Random(7)
    words = ["".join(draw.choices("eeeettaaooiinnsshhrrdlucmfwygpb", k=draw.randint(2, 10))) for _ in range(20_000)]
    for number in range(PAGES):
        text = "\n".join(f"<p>{' '.join(draw.choices(words, k=100))}.</p>" for _ in range(WORDS // 100))
        yield f"https://bench.example/{number}", f"<html><title>{number}</title><body>{text}</body></html>".encode()


if __name__ == "__main__":
    sys.exit(write(Path(sys.argv[1])) if len(sys.argv) > 1 else main())
