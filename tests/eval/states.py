"""How well pages are told from walls: reads the labelled pages beside this file and compares.

    python -m tests.eval.states [--wrong]

Prints a confusion table of each set. Exit status 0 if every figure reaches its floor, 1 if one does not.
"""

import argparse
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crawler import Reading, read_page

HERE = Path(__file__).parent
PAGES = HERE / "page_states"

# Name of the file and of the table of floors.
SETS = {"pages": "page_states", "later": "page_states_later"}


@dataclass(frozen=True)
class Judged:
    """One page: its label, and what it was taken for."""

    id: str
    language: str
    label: str
    found: str
    evidence: tuple[str, ...]


def judged(name: str) -> Iterator[Judged]:
    """Read every page of a set as the product does."""
    for line in (PAGES / f"{name}.jsonl").read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            reading = read(row)
            yield Judged(row["id"], row["language"], row["state"], reading.page_state, reading.page_state_evidence)


def read(row: dict[str, Any]) -> Reading:
    headers = row["headers"]
    pairs = tuple(headers.items()) if isinstance(headers, dict) else tuple((name, value) for name, value in headers)
    said = next((value for name, value in pairs if name.lower() == "content-type"), "text/html")
    return read_page(
        row["html"].encode(),
        media_type=said.partition(";")[0].strip().lower(),
        charset="utf-8",
        url=row["final"],
        at=datetime(2026, 11, 29, tzinfo=UTC),
        status=row["status"],
        asked=row["asked"],
        headers=pairs,
    )


def figures(pages: list[Judged]) -> dict[str, float]:
    """Share of right answers, of true pages that are called so, and of walls that are called none."""
    walls = [page for page in pages if page.label != "ok"]
    real = [page for page in pages if page.label == "ok"]
    return {
        "accuracy": sum(page.label == page.found for page in pages) / len(pages),
        "real_pages_kept": sum(page.found == "ok" for page in real) / len(real),
        "walls_seen": sum(page.found != "ok" for page in walls) / len(walls),
        "walls_named": sum(page.label == page.found for page in walls) / len(walls),
    }


def below_floor(name: str, found: dict[str, float]) -> list[str]:
    floors: dict[str, float] = tomllib.loads((HERE / "floors.toml").read_text(encoding="utf-8"))[SETS[name]]
    return [
        f"{figure} of {name} is {found[figure]:.3f}, below its floor {floor}"
        for figure, floor in floors.items()
        if found[figure] < floor
    ]


def show(pages: list[Judged]) -> None:
    """Labels down, answers across."""
    counts = Counter((page.label, page.found) for page in pages)
    labels = sorted({page.label for page in pages} | {page.found for page in pages})
    print(f"{'labelled':<10} " + " ".join(f"{name[:9]:>9}" for name in labels))
    for label in labels:
        print(f"{label:<10} " + " ".join(f"{counts[label, found] or '.':>9}" for found in labels))
    for language in sorted({page.language for page in pages}):
        there = [page for page in pages if page.language == language]
        print(f"  {language}: {sum(page.label == page.found for page in there)} of {len(there)}")
    print("  ".join(f"{name} {value:.3f}" for name, value in figures(pages).items()))


def wrong(pages: list[Judged]) -> None:
    for page in pages:
        if page.label != page.found:
            print(f"  {page.id} ({page.language}): {page.label}, taken for {page.found}: {'; '.join(page.evidence)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="list the pages that were taken for something else")
    arguments = parser.parse_args()
    failed = []
    for name in SETS:
        pages = list(judged(name))
        print(f"{name}: {len(pages)}")
        show(pages)
        if arguments.wrong:
            wrong(pages)
        failed += below_floor(name, figures(pages))
    for line in failed:
        print(f"BELOW ITS FLOOR: page states: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
