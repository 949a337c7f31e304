"""Searching 200,000 passages: the whole HTTP call with record and serving durable, beside bare Tantivy."""

import json
import os
import tempfile
import time
from pathlib import Path

import tantivy

from tests.acceptance.installation import Installation, Server
from tests.eval.bench_crawl import sizes
from tests.eval.corpus import PASSAGES_A_PAGE, Corpus
from tests.eval.measure import cpu_of_group, line, percentile, steady_calls

PASSAGES = int(os.environ.get("BENCH_PASSAGES", "200000"))
PER_SECOND = 50
CALLS = 2000


def fill(installation: Installation, corpus: Corpus, work: Path) -> float:
    """Add the corpus as a person would; pages per second."""
    lines = work / "corpus.jsonl"
    with lines.open("w") as out:
        for url, title, paragraphs in corpus.pages(PASSAGES // PASSAGES_A_PAGE):
            page = {"url": url, "title": title, "text": "\n\n".join(paragraphs), "at": "2026-01-01T00:00:00Z"}
            out.write(json.dumps(page) + "\n")
    begin = time.perf_counter()
    installation.run("add", "--jsonl", str(lines), "--json", within=3600)
    return PASSAGES / PASSAGES_A_PAGE / (time.perf_counter() - begin)


def indexed(server: Server) -> int:
    """Wait until the index has caught up; how many passages it holds."""
    last = -1
    while True:
        _, body = server.post("/api/v1/search", {"query": "python", "fetch": "never", "store": False})
        reply = json.loads(body)
        passages: int = (reply.get("index") or {}).get("passages", 0)
        if passages == last:
            return passages
        last = passages
        time.sleep(3)


def bare(corpus_seed: int, queries: list[str], work: Path) -> list[float]:
    """CPU seconds of each query on Tantivy alone: parse, search, and the stored text of the best ten."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title", stored=True, tokenizer_name="en_stem")
    builder.add_text_field("text", stored=True, tokenizer_name="en_stem")
    index = tantivy.Index(builder.build(), path=str(work))
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for _, title, paragraphs in Corpus(corpus_seed).pages(PASSAGES // PASSAGES_A_PAGE):
        for paragraph in paragraphs:
            writer.add_document(tantivy.Document(title=title, text=paragraph))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    took = []
    for query in queries:
        begin = time.perf_counter()
        parsed = index.parse_query(query, ["title", "text"])
        texts = [searcher.doc(address)["text"] for _, address in searcher.search(parsed, 10).hits]
        took.append(time.perf_counter() - begin)
        assert texts
    return took


def run() -> None:
    corpus = Corpus()
    print(f"\nSearch over {PASSAGES} passages at {PER_SECOND} requests a second")
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        # Filling takes minutes: whoever measures again and again may name a folder to keep it in.
        installation = Installation(Path(os.environ.get("BENCH_DATA") or work / "data"))
        pages_per_second = 0.0 if installation.data.exists() else fill(installation, corpus, work)
        queries = corpus.queries(CALLS + 100)
        bodies: list[dict[str, object]] = [{"query": query, "fetch": "never"} for query in queries]
        with installation.serving() as server:
            begin = time.perf_counter()
            held = indexed(server)
            steady_calls(server, "/api/v1/search", bodies[:100], PER_SECOND)
            before, kept = cpu_of_group(server.process.pid), sizes(installation.data / "bucket")[1]
            calls = steady_calls(server, "/api/v1/search", bodies[100:], PER_SECOND)
            cpu = (cpu_of_group(server.process.pid) - before) / CALLS
            kept = sizes(installation.data / "bucket")[1] - kept
            catching_up = time.perf_counter() - begin
        (work / "bare").mkdir()
        alone = bare(7, queries[100:], work / "bare")

    def milliseconds(values: list[float] | tuple[float, ...], share: float) -> str:
        return f"{percentile(values, share) * 1000:.1f} ms"

    line("passages in the index", str(held), f"seen after {catching_up:.0f} s with the calls")
    line(
        "p50 of the whole call",
        milliseconds(calls.seconds, 0.5),
        f"bare Tantivy {milliseconds(alone, 0.5)}",
        "aim 15 ms",
    )
    line(
        "p99 of the whole call",
        milliseconds(calls.seconds, 0.99),
        f"bare Tantivy {milliseconds(alone, 0.99)}",
        "aim 60 ms",
    )
    line(
        "CPU of the server per call",
        f"{cpu * 1000:.1f} ms",
        f"bare Tantivy {sum(alone) / len(alone) * 1000:.1f} ms",
        "aim 8 ms",
    )
    line("calls a second, failed", f"{CALLS / calls.wall:.1f}, {calls.failed}")
    line("bytes kept per search", f"{kept / CALLS:.0f}", "record, reply, serving, log")
    line("pages added a second by `citator add --jsonl`", f"{pages_per_second:.0f}")
