"""How well the own index ranks: searches the collections of the evaluation data and lets its `score.py` judge.

    python -m tests.eval.search [--data DIR] [--set NAME ...]

Each document goes through splitting and the real index; it ranks as its best passage does. Exit status 0 if every
figure reaches its floor, 1 if one does not, 2 if there is no data to measure with (0 with --without-data).
"""

import argparse
import gzip
import importlib.util
import json
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

from crawler.language import detect_language
from index import Index, Page, split
from tests.conftest import EVAL_DATA

HERE = Path(__file__).parent
NO_DATA = 2
# Passages asked for: documents are the union of their passages, and 100 of them are scored.
PASSAGES = 300
SCORED = 100
ADDRESS = "https://collection.test/"
FIGURES = ("ndcg@10", "mrr@10", "recall@100")


@dataclass(frozen=True)
class Collection:
    name: str
    documents: tuple[Mapping[str, str], ...]
    queries: tuple[Mapping[str, str], ...]


def names(data: Path) -> list[str]:
    return sorted(folder.parent.name for folder in (data / "search").glob("*/qrels.tsv.gz"))


def collection(data: Path, name: str) -> Collection:
    folder = data / "search" / name
    return Collection(name, *(tuple(_lines(folder / f"{part}.jsonl.gz")) for part in ("corpus", "queries")))


def _lines(path: Path) -> Iterator[dict[str, str]]:
    for line in gzip.decompress(path.read_bytes()).decode().split("\n"):
        if line.strip():
            yield json.loads(line)


def as_page(document: Mapping[str, str], position: int) -> Page:
    text = document["text"]
    language = detect_language(text)
    spans = tuple(split(text, (), language.tag if language else None))
    return Page(
        capture=f"sha256:{position:064x}",
        document=f"sha256:{position:064x}",
        url=ADDRESS + document["_id"],
        retrieved_at=datetime(2026, 1, 1, tzinfo=UTC),
        position=position,
        text=text,
        spans=spans,
        headings=((),) * len(spans),
        title=(document.get("title") or "").replace("_", " "),
        language=language.tag if language else None,
    )


def ranked(wanted: Collection) -> dict[str, list[str]]:
    """For each query the documents, best first."""
    with tempfile.TemporaryDirectory() as folder, Index.open(Path(folder) / "index") as index:
        pages = [as_page(document, position) for position, document in enumerate(wanted.documents, 1)]
        index.apply(pages, len(pages))
        answers = {}
        for query in wanted.queries:
            hits = index.search(query["text"], limit=PASSAGES, fold=False).hits
            answers[query["_id"]] = list(dict.fromkeys(hit.url.removeprefix(ADDRESS) for hit in hits))[:SCORED]
        return answers


def measure(data: Path, name: str) -> dict[str, float]:
    """The figures of a collection as the data's own `score.py` counts them, and CPU milliseconds a query."""
    wanted = collection(data, name)
    begun = time.process_time()
    answers = ranked(wanted)
    spent = (time.process_time() - begun) / len(wanted.queries) * 1000
    spec = importlib.util.spec_from_file_location("score", data / "score.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(data / "score.py")
    score: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    predictions = {query: {"id": query, "docs": documents} for query, documents in answers.items()}
    figures = score.score_search(data, name, predictions)
    return {**{figure: figures[figure] for figure in FIGURES}, "ms": spent}


def below_floor(floors: Mapping[str, Any], name: str, figures: Mapping[str, float]) -> list[str]:
    held = floors.get("search", {}).get(name, {})
    return [
        f"search {name}: {figure} is {figures[figure]:.3f}, its floor {floor:.3f}"
        for figure, floor in held.items()
        if figures[figure] < floor
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=EVAL_DATA)
    parser.add_argument("--set", action="append", dest="sets")
    parser.add_argument("--without-data", action="store_true")
    arguments = parser.parse_args()
    if not (arguments.data / "search").is_dir():
        print(f"NOTHING WAS MEASURED: no evaluation data at {arguments.data}; set CITATOR_EVAL_DATA", file=sys.stderr)
        return 0 if arguments.without_data else NO_DATA
    floors = tomllib.loads((HERE / "floors.toml").read_text(encoding="utf-8"))
    quoted = tomllib.loads((HERE / "baselines.toml").read_text(encoding="utf-8"))["search"]
    heads = f"{'nDCG@10':>8} {'MRR@10':>8} {'recall@100':>11} {'best word-based':>16} {'floor':>7} {'ms/query':>9}"
    print(f"{'search':<14} {heads}")
    failed: list[str] = []
    reached: list[tuple[float, float]] = []
    for name in names(arguments.data):
        if arguments.sets and name not in arguments.sets:
            continue
        figures = measure(arguments.data, name)
        other = max((there["ndcg@10"] for there in quoted.get(name, {}).values()), default=0.0)
        floor = floors.get("search", {}).get(name, {}).get("ndcg@10", 0.0)
        ndcg, mrr, recall = (figures[figure] for figure in FIGURES)
        print(f"{name:<14} {ndcg:8.3f} {mrr:8.3f} {recall:11.3f} {other:16.3f} {floor:7.3f} {figures['ms']:9.2f}")
        reached.append((ndcg, other))
        failed += below_floor(floors, name, figures)
    if reached:
        print(f"{'mean':<14} {fmean(own for own, _ in reached):8.3f} {'':20} {fmean(o for _, o in reached):16.3f}")
    for line in failed:
        print(f"BELOW ITS FLOOR: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
