"""`make soak`: the own index at 1,000,000 passages, and how it has grown on the way there.

    python -m tests.eval.soak_index [PASSAGES]

Searches are measured at a twentieth, a fifth and all of them, on the same queries of three words; and a language whose
words are indexed by their pieces beside one whose words are not.
"""

import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from index import Index
from tests.eval.bench_index import PASSAGES_A_PAGE, QUERIES, Prose, batches, searched
from tests.eval.measure import percentile

PASSAGES = 1_000_000
STOPS = (0.05, 0.2, 1.0)
OTHER = 5
"""One page in so many is in German."""
LIMIT = 100
"""Hits asked for: what a search of eight results looks at."""


def main() -> int:
    passages = int(sys.argv[1]) if len(sys.argv) > 1 else PASSAGES
    print(f"Own index up to {passages} passages, one page in {OTHER} in German")
    heads = ("a second", "bytes each", "en p50", "en p99", "de p50", "de p99", "memory")
    print(f"{'passages':>10} {' '.join(f'{head:>10}' for head in heads)}")
    stops = [round(passages * share / PASSAGES_A_PAGE) for share in STOPS]
    prose = Prose()
    queries = Prose(23).queries(QUERIES)
    with tempfile.TemporaryDirectory() as folder, Index.open(Path(folder) / "own") as index:
        done, spent = 0, 0.0
        for batch in batches(prose.pages(stops[-1])):
            mixed = [replace(page, language="de") if page.position % OTHER == 0 else page for page in batch]
            begun = time.perf_counter()
            index.apply(mixed, mixed[-1].position)
            spent += time.perf_counter() - begun
            done += len(mixed)
            if done >= stops[0]:
                stops.pop(0)
                size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
                held = done * PASSAGES_A_PAGE
                took = [searched(index, queries, LIMIT, language=language) for language in ("en", "de")]
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                figures = [f"{held / spent:.0f}", f"{size / held:.0f}"]
                figures += [f"{percentile(one, share):.2f} ms" for one in took for share in (0.5, 0.99)]
                figures += [f"{memory:.0f} MB"]
                print(f"{held:>10} {' '.join(f'{figure:>10}' for figure in figures)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
