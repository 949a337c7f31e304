"""The index alone: filling it beside bare Tantivy with the same schema, then searching 200,000 passages.

    python -m tests.eval.bench_index

Both are filled with the same passages of about 120 words, drawn as often as prose draws its words. The bare one has the
same fields, and Tantivy's own splitting, folding and English stemming; no ledger, no fingerprints, no versions.
"""

import os
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path

import tantivy

from index import Index, Page, Span
from index.schema import build_schema

PASSAGES = int(os.environ.get("BENCH_PASSAGES", "200000"))
PASSAGES_A_PAGE = 5
WORDS_A_PASSAGE = 120
PAGES_A_COMMIT = 1_000
VOCABULARY = 60_000
QUERIES = 1_000
SEEN = datetime(2026, 1, 1, tzinfo=UTC)


class Prose:
    """Made-up words with the frequencies of real ones (Zipf's law), the same for the same seed."""

    def __init__(self, seed: int = 11) -> None:
        self._random = random.Random(seed)
        letters = "eeeettaaooiinnsshhrrdlucmfwygpb"
        self.words = ["".join(self._random.choices(letters, k=self._random.randint(2, 10))) for _ in range(VOCABULARY)]
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))

    def text(self, words: int) -> str:
        return " ".join(self._random.choices(self.words, cum_weights=self._weights, k=words))

    def pages(self, count: int) -> Iterator[Page]:
        for position in range(1, count + 1):
            passages = [self.text(WORDS_A_PASSAGE).capitalize() + "." for _ in range(PASSAGES_A_PAGE)]
            text = "\n\n".join(passages)
            starts = [0, *accumulate(len(passage) + 2 for passage in passages[:-1])]
            spans = tuple(Span(n, start, start + len(passages[n])) for n, start in enumerate(starts))
            above = self.text(4)
            yield Page(
                capture=f"sha256:{position:064x}",
                document=f"sha256:{position:064x}",
                url=f"https://host{position % 97}.test/{position}",
                retrieved_at=SEEN,
                position=position,
                text=text,
                spans=spans,
                headings=((above,),) * len(spans),
                title=self.text(5),
                language="en",
            )

    def queries(self, count: int) -> list[str]:
        """Three words each, as often as prose has them, but none of the commonest: those are stop words."""
        weights = self._weights[40:]
        return [" ".join(self._random.choices(self.words[40:], cum_weights=weights, k=3)) for _ in range(count)]


def batches(pages: Iterator[Page]) -> Iterator[list[Page]]:
    batch: list[Page] = []
    for page in pages:
        batch.append(page)
        if len(batch) == PAGES_A_COMMIT:
            yield batch
            batch = []
    if batch:
        yield batch


def fill(index: Index, prose: Prose) -> tuple[float, float]:
    """Passages a second of wall time, and CPU seconds in all threads."""
    wall = cpu = 0.0
    for batch in batches(prose.pages(PASSAGES // PASSAGES_A_PAGE)):
        begun, used = time.perf_counter(), time.process_time()
        index.apply(batch, batch[-1].position)
        wall, cpu = wall + time.perf_counter() - begun, cpu + time.process_time() - used
    return PASSAGES / wall, cpu


def fill_bare(path: Path, prose: Prose) -> tuple[float, float]:
    bare = tantivy.Index(build_schema(), str(path))
    folding, stemming = (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase()).filter(last).build()
        for last in (tantivy.Filter.ascii_fold(), tantivy.Filter.stemmer("english"))
    )
    bare.register_tokenizer("folding", folding)
    bare.register_tokenizer("plain", stemming)
    writer = bare.writer(64_000_000, 1)
    wall = cpu = 0.0
    for batch in batches(prose.pages(PASSAGES // PASSAGES_A_PAGE)):
        begun, used = time.perf_counter(), time.process_time()
        for page in batch:
            for span, above in zip(page.spans, page.headings, strict=True):
                text = page.text[span.start : span.end]
                document = tantivy.Document()
                document.add_text("words", text)
                document.add_text("stems", text)
                document.add_text("fragments", text)
                document.add_text("title", page.title or "")
                document.add_text("heading", above[0])
                document.add_text("tags", page.url)
                document.add_unsigned("key", page.position << 20 | span.ordinal)
                document.add_unsigned("span", span.start << 32 | span.end)
                document.add_unsigned("sketch_low", span.start)
                document.add_unsigned("sketch_high", span.end)
                writer.add_document(document)
        writer.commit()
        wall, cpu = wall + time.perf_counter() - begun, cpu + time.process_time() - used
    writer.wait_merging_threads()
    return PASSAGES / wall, cpu


def searched(index: Index, queries: list[str], limit: int, *, language: str | None = None) -> list[float]:
    """CPU milliseconds of each search, sorted."""
    took = []
    for query in queries:
        begun = time.thread_time()
        index.search(query, limit=limit, language=language)
        took.append((time.thread_time() - begun) * 1000)
    return sorted(took)


def run() -> None:
    print(f"\nIndex of {PASSAGES} passages of {WORDS_A_PASSAGE} words")
    prose = Prose()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bare").mkdir()
        bare, bare_cpu = fill_bare(Path(folder) / "bare", Prose())
        with Index.open(Path(folder) / "own") as index:
            own, own_cpu = fill(index, prose)
        print(f"  passages a second            {own:9.0f}   bare Tantivy {bare:.0f}   ratio {own / bare:.2f}, aim 0.80")
        own_cpu, bare_cpu = own_cpu / PASSAGES * 1e6, bare_cpu / PASSAGES * 1e6
        print(f"  CPU per passage              {own_cpu:6.0f} us   bare Tantivy {bare_cpu:.0f} us")
        size = sum(file.stat().st_size for file in (Path(folder) / "own").rglob("*") if file.is_file())
        print(f"  bytes on disk per passage    {size / PASSAGES:9.0f}")
        begun = time.perf_counter()
        index = Index.open(Path(folder) / "own")
        print(f"  opening                      {(time.perf_counter() - begun) * 1000:6.1f} ms")
        queries = prose.queries(QUERIES)
        searched(index, queries[:100], 200)
        for limit in (10, 200):
            took = searched(index, queries[100:], limit)
            middle, high = took[len(took) // 2], took[len(took) * 99 // 100]
            print(f"  search, {limit:3} hits, CPU        p50 {middle:.2f} ms   p99 {high:.2f} ms")
    print(f"  most memory                  {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:6.0f} MB")


if __name__ == "__main__":
    run()
