"""How well quotations are found again: real pages that changed, and quotations with their surroundings.

    python -m tests.eval.recheck [--data DIR] [--out DIR] [--without-old]

Exit status 0 if every figure keeps to its bound, 1 if one does not, 2 if there is no data to measure with. A machine
that is known to have none says so with --without-data, which ends with 0 and prints that nothing was measured.
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crawler import Reading, read_page
from snapshots import PRESENT, Judgement, PageText, judge, page_text, settle
from tests.conftest import EVAL_DATA

HERE = Path(__file__).parent
NO_DATA = 2
SHOWN = ("accuracy", "lenient_accuracy", "f1_present", "f1_edited", "f1_removed")
ANCHORED = "html-baselines"


def rows(path: Path) -> Iterator[dict[str, Any]]:
    packed = path.with_name(f"{path.name}.gz")
    text = gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()
    yield from (json.loads(line) for line in text.splitlines() if line.strip())


def read(path: Path) -> Reading:
    packed = path.with_name(f"{path.name}.gz")
    body = gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()
    return read_page(body, media_type="text/html", charset=None, url="http://unknown.invalid/", at=datetime.now(UTC))


def verdicts(data: Path, *, with_old: bool = True) -> Iterator[tuple[str, Judgement]]:
    """The verdict on each passage of the set; only its quotation and surroundings are looked at."""
    pages: dict[str, tuple[PageText, PageText | None, Reading]] = {}
    for row in rows(data / "recheck" / "passages.jsonl"):
        if row["pair"] not in pages:
            folder = data / "recheck" / "pairs" / row["pair"]
            new, old = read(folder / "new.html"), read(folder / "old.html") if with_old else None
            before = page_text(old.text, old.visible) if old else None
            pages = {row["pair"]: (page_text(new.text, new.visible), before, new)}
        page, before, reading = pages[row["pair"]]
        found = judge(row["quote"], page, prefix=row["prefix"], suffix=row["suffix"], old=before)
        yield row["id"], settle(found, reading.page_state, visited=False)


def measure(data: Path, out: Path, *, with_old: bool = True) -> dict[str, float]:
    """The figures of the set as its `score.py` gives them; shares where it gives counts."""
    file = out / f"recheck{'' if with_old else '.without-old'}.jsonl"
    begin = time.process_time()
    found = list(verdicts(data, with_old=with_old))
    spent = time.process_time() - begin
    file.write_text("".join(json.dumps({"id": id_, "verdict": one.verdict}) + "\n" for id_, one in found), "utf-8")
    command = [sys.executable, str(data / "score.py"), "--data", str(data), "--json", "recheck", str(file)]
    scored = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    figures = {name: float(scored[name]) for name in SHOWN}
    for name in ("false_assurance", "false_alarm", "number_edits_caught"):
        count, total = scored[name]
        figures[name] = count / max(1, total)
    for tag in ("number", "modal_or_negation"):
        right, total = scored["per_tag"][tag]
        figures[f"missed.{tag}"] = (total - right) / max(1, total)
    figures["undecided"] = float(scored["undecided"]["all"])
    figures["passages_per_cpu_second"] = len(found) / spent
    return figures


def anchored(data: Path) -> tuple[int, int]:
    """How many of the annotations' quotations are found on their pages, of how many."""
    found = total = 0
    folder = data / "anchoring" / ANCHORED
    for file in sorted(folder.glob("*.json")):
        reading = read(file.with_suffix(".html"))
        page = page_text(reading.text, reading.visible)
        for row in json.loads(file.read_text("utf-8"))["rows"]:
            for selector in row["target"][0]["selector"]:
                if selector["type"] == "TextQuoteSelector":
                    total += 1
                    one = judge(selector["exact"], page, prefix=selector["prefix"], suffix=selector["suffix"])
                    found += one.verdict in PRESENT
    return found, total


_CASE = re.compile(r"quote: '([^']+)',\s+(prefix|suffix): '([^']+)',\s+expected: '([^']+)'")
_TEXT = re.compile(r"(\w+): `([^`]+)`")


def chosen(data: Path) -> tuple[int, int]:
    """How often the right one of several equal quotations is chosen by its surroundings, of how many."""
    source = (data / "anchoring" / "match-quote-test.js").read_text("utf-8")
    text = next(" ".join(words.split()) for name, words in _TEXT.findall(source) if name == "twoCities")
    page = page_text(text, text)
    cases = _CASE.findall(source)
    right = 0
    for quote, side, around, expected in cases:
        one = judge(quote, page, **{side: around})
        right += one.verdict in PRESENT and one.start == text.index(expected)
    return right, len(cases)


def out_of_bounds(bounds: dict[str, Any], figures: dict[str, float]) -> list[str]:
    """What is below its floor or above its ceiling."""
    failed = [
        f"{name} is {figures[name]:.4f}, below {floor}"
        for name, floor in bounds.get("floor", {}).items()
        if figures[name] < floor
    ]
    return failed + [
        f"{name} is {figures[name]:.4f}, above {ceiling}"
        for name, ceiling in bounds.get("ceiling", {}).items()
        if figures[name] > ceiling
    ]


def all_figures(data: Path, out: Path, *, with_old: bool = True) -> dict[str, float]:
    figures = measure(data, out, with_old=with_old)
    (found, of), (right, cases) = anchored(data), chosen(data)
    return figures | {"anchored": found / of, "chosen": right / cases}


def show(who: str, figures: dict[str, Any]) -> None:
    names = (*SHOWN, "false_assurance", "false_alarm", "number_edits_caught")
    print(f"  {who:<36}" + "  ".join(f"{name} {figures[name]:.3f}" for name in names if name in figures), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=EVAL_DATA)
    parser.add_argument("--out", type=Path, help="keep the verdicts here, a line a passage")
    parser.add_argument("--without-old", action="store_true", help="also without the page that was cited")
    parser.add_argument("--without-data", action="store_true", help="this machine is known to have no data")
    arguments = parser.parse_args()
    if not (arguments.data / "score.py").is_file():
        print(f"NOTHING WAS MEASURED: there is no evaluation data at {arguments.data}", file=sys.stderr)
        return 0 if arguments.without_data else NO_DATA
    bounds = tomllib.loads((HERE / "floors.toml").read_text("utf-8"))["recheck"]
    quoted = tomllib.loads((HERE / "baselines.toml").read_text("utf-8"))["recheck"]
    print("recheck")
    with tempfile.TemporaryDirectory() as temporary:
        out: Path = arguments.out or Path(temporary)
        out.mkdir(parents=True, exist_ok=True)
        figures = all_figures(arguments.data, out)
        show("citator", figures)
        if arguments.without_old:
            show("citator, old page not given", measure(arguments.data, out, with_old=False))
    for who, numbers in quoted.items():
        show(f"{who} (quoted)", numbers)
    print(
        f"  anchored {figures['anchored']:.3f}  chosen {figures['chosen']:.3f}  "
        f"{figures['passages_per_cpu_second']:.1f} passages/CPU-s, reading the pages included"
    )
    failed = out_of_bounds(bounds, figures)
    for line in failed:
        print(f"OUT OF BOUNDS: recheck: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
