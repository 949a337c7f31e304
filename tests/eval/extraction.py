"""How well pages are read: runs `read_page` over the sets of the evaluation data and lets its `score.py` judge.

    python -m tests.eval.extraction [--data DIR] [--out DIR] [--set NAME ...] [--baselines]

Exit status 0 if every figure reaches its floor, 1 if one does not, 2 if there is no data to measure with. A machine
that is known to have none says so with --without-data, which ends with 0 and prints that nothing was measured.
"""

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crawler import Reading, read_page
from tests.conftest import EVAL_DATA

HERE = Path(__file__).parent
EXTRACTION = ("aeb", "magic_article", "magic_forum", "trafilatura")
METADATA = ("htmldate_default", "htmldate_mediacloud_2020", "postlight", "trafilatura_authors")
NO_DATA = 2


@dataclass(frozen=True)
class Page:
    """One page of a set: its id, its bytes, and its address where that is known."""

    id: str
    body: bytes
    url: str


def unpacked(path: Path) -> bytes:
    packed = path.with_name(f"{path.name}.gz")
    return path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())


def extraction_pages(data: Path, name: str) -> Iterator[Page]:
    folder = data / "extraction" / name
    for page, entry in json.loads(unpacked(folder / "gold.json")).items():
        url = entry.get("url") or (entry["id"] if entry["id"].startswith("http") else "")
        yield Page(entry["id"], unpacked(folder / "html" / f"{page}.html"), url)


def metadata_pages(data: Path, name: str) -> Iterator[Page]:
    for line in unpacked(data / "metadata" / f"{name}.jsonl").decode().split("\n"):
        if line.strip():
            row = json.loads(line)
            yield Page(row["id"], gzip.decompress((data / "metadata" / row["file"]).read_bytes()), row.get("url") or "")


def read(page: Page) -> Reading:
    return read_page(page.body, media_type="text/html", charset=None, url=page.url, at=datetime.now(UTC))


def our_text(page: Page) -> dict[str, Any]:
    return {"id": page.id, "text": read(page).text}


def our_metadata(page: Page) -> dict[str, Any]:
    reading = read(page)
    return {
        "id": page.id,
        "date": reading.published.value[:10] if reading.published else None,
        "firm": reading.published is not None and reading.published.firm,
        "author": reading.author,
        "title": reading.title,
    }


def trafilatura_text(**options: bool) -> Callable[[Page], dict[str, Any]]:
    def run(page: Page) -> dict[str, Any]:
        from trafilatura import extract

        return {"id": page.id, "text": extract(page.body, include_comments=False, **options) or ""}

    return run


def score(data: Path, family: str, name: str, rows: Path) -> dict[str, Any]:
    command = [sys.executable, str(data / "score.py"), "--data", str(data), "--json", family, name, str(rows)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def measure(
    data: Path, out: Path, family: str, name: str, run: Callable[[Page], dict[str, Any]], who: str = "citator"
) -> dict[str, float]:
    """The figures of one set, flat: `mean_document_f1`, `date.exact`, `pages_per_cpu_second` and so on."""
    pages = extraction_pages(data, name) if family == "extraction" else metadata_pages(data, name)
    rows = out / f"{family}.{name}.{who}.jsonl"
    begin = time.process_time()
    kept = [run(page) for page in pages]
    spent = time.process_time() - begin
    rows.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    figures: dict[str, float] = {"pages_per_cpu_second": len(kept) / spent}
    for key, value in score(data, family, name, rows).items():
        if isinstance(value, dict):
            figures |= {f"{key}.{inner}": number for inner, number in value.items()}
        elif isinstance(value, int | float):
            figures[key] = value
    if any("firm" in row for row in kept):
        only_firm = [{**row, "date": row["date"] if row["firm"] else None} for row in kept]
        rows.with_suffix(".firm.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in only_firm), encoding="utf-8"
        )
        dates = score(data, family, name, rows.with_suffix(".firm.jsonl")).get("date")
        if dates:
            figures |= {"firm_date.found": dates["found"], "firm_date.precision": dates["precision"]}
    return figures


def below_floor(floors: dict[str, Any], family: str, name: str, figures: dict[str, float]) -> list[str]:
    wanted: dict[str, float] = floors.get(family, {}).get(name, {})
    return [
        f"{family} {name}: {key} is {figures.get(key, 0):.4f}, below its floor {floor}"
        for key, floor in wanted.items()
        if figures.get(key, 0) < floor
    ]


def show(family: str, name: str, who: str, figures: dict[str, float]) -> None:
    names = ["precision", "recall", "f1", "mean_document_f1", "empty"]
    if family == "metadata":
        fields = ("date", "firm_date", "author", "title")
        names = [f"{field}.{part}" for field in fields for part in ("exact", "found", "precision")]
    parts = [f"{n} {figures[n]:.3f}" for n in names if n in figures]
    sd = f" (sd {figures['f1_sd']:.3f})" if "f1_sd" in figures else ""
    speed = f"  {figures['pages_per_cpu_second']:.1f} pages/CPU-s" if "pages_per_cpu_second" in figures else ""
    print(f"  {name:<26} {who:<26} {'  '.join(parts)}{sd}{speed}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=EVAL_DATA)
    parser.add_argument("--out", type=Path, help="keep what was read here, a line a page")
    parser.add_argument("--set", action="append", dest="sets", help="only this set; may be repeated")
    parser.add_argument("--baselines", action="store_true", help="run trafilatura beside it, not only quote it")
    parser.add_argument("--without-data", action="store_true", help="this machine is known to have no data")
    arguments = parser.parse_args()
    if not (arguments.data / "score.py").is_file():
        print(
            f"NOTHING WAS MEASURED: there is no evaluation data at {arguments.data}; set CITATOR_EVAL_DATA",
            file=sys.stderr,
        )
        return 0 if arguments.without_data else NO_DATA
    floors = tomllib.loads((HERE / "floors.toml").read_text(encoding="utf-8"))
    quoted = tomllib.loads((HERE / "baselines.toml").read_text(encoding="utf-8"))
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        out: Path = arguments.out or Path(temporary)
        out.mkdir(parents=True, exist_ok=True)
        for family, names, run in (("extraction", EXTRACTION, our_text), ("metadata", METADATA, our_metadata)):
            print(family)
            for name in names:
                if arguments.sets and name not in arguments.sets:
                    continue
                figures = measure(arguments.data, out, family, name, run)
                show(family, name, "citator", figures)
                if arguments.baselines and family == "extraction":
                    for who, options in (("trafilatura", {}), ("trafilatura_precision", {"favor_precision": True})):
                        there = measure(arguments.data, out, family, name, trafilatura_text(**options), who)
                        show(family, name, f"{who} (now)", there)
                for who, numbers in quoted.get(family, {}).get(name, {}).items():
                    show(family, name, f"{who} (quoted)", numbers)
                failed += below_floor(floors, family, name, figures)
    for line in failed:
        print(f"BELOW ITS FLOOR: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
