"""How re-checking fares on pages written for it: `python -m tests.eval.recheck_pairs_run [--wrong]`.

Prints what the page really did against what was said of it, and ends with 1 if a figure is above its ceiling.
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

from crawler import read_page
from snapshots import PRESENT, Judgement, PageText, judge, page_text, settle
from tests.eval.recheck import out_of_bounds

HERE = Path(__file__).parent
PAIRS = HERE / "recheck_pairs"


@dataclass(frozen=True)
class Outcome:
    """One quotation: its pair, what was expected, and what was said."""

    pair: dict[str, Any]
    number: int
    quote: str
    expect: str
    kinds: tuple[str, ...]
    found: Judgement

    @property
    def said(self) -> str:
        if self.found.verdict in PRESENT:
            return "same"
        return "unknown" if self.found.verdict == "inconclusive" else "changed"


def outcomes() -> Iterator[Outcome]:
    for line in (PAIRS / "pairs.jsonl").read_text("utf-8").splitlines():
        pair = json.loads(line)
        (old, _), (new, state) = _read(pair["old"], pair["url"]), _read(pair["new"], pair["url"])
        for number, one in enumerate(pair["quotes"]):
            found = settle(judge(one["quote"], new, old=old), state, visited=True)
            yield Outcome(pair, number, one["quote"], one["expect"], tuple(one.get("kinds", ())), found)


def _read(name: str, url: str) -> tuple[PageText, Any]:
    body = (PAIRS / name).read_bytes()
    reading = read_page(body, media_type="text/html", charset="utf-8", url=url, at=datetime.now(UTC), status=200)
    return page_text(reading.text, reading.visible), reading.page_state


def figures(all_of_them: list[Outcome]) -> dict[str, float]:
    """Counts: alarms about what is the same, in pairs of noise only and in all; changes that were missed."""
    return {
        "noise_alarms": float(
            sum(o.said == "changed" and o.expect == "same" and not o.pair["change"] for o in all_of_them)
        ),
        "false_alarms": float(sum(o.said == "changed" and o.expect == "same" for o in all_of_them)),
        "misses": float(sum(o.said == "same" and o.expect == "changed" for o in all_of_them)),
        "undecided": float(sum(o.said == "unknown" for o in all_of_them)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="name the pairs that were judged wrongly")
    arguments = parser.parse_args()
    found = list(outcomes())
    table = Counter((one.expect, one.said) for one in found)
    print(f"{'':>10}{'said same':>14}{'said changed':>14}{'undecided':>14}")
    for expect in ("same", "changed"):
        row = [table[expect, said] for said in ("same", "changed", "unknown")]
        print(f"{expect:>10}" + "".join(f"{count:>14}" for count in row))
    print("verdicts", dict(sorted(Counter(one.found.verdict for one in found).items())))
    kinds = Counter(kind for one in found if one.expect == "changed" for kind in one.kinds)
    caught = Counter(k for one in found if (one.expect, one.said) == ("changed", "changed") for k in one.kinds)
    print("caught  ", ", ".join(f"{kind} {caught[kind]}/{kinds[kind]}" for kind in sorted(kinds)))
    numbers = figures(found)
    print("figures ", {name: int(value) for name, value in numbers.items()})
    if arguments.wrong:
        for one in found:
            if one.said != one.expect:
                print(one.pair["id"], one.pair["language"], one.pair["noise"], one.kinds, one.pair["elsewhere"])
                print("  ", one.expect, "->", one.found.verdict, one.found.reason, one.found.flags)
                print("   quote  ", one.quote)
                print("   matched", one.found.matched)
    failed = out_of_bounds(tomllib.loads((HERE / "floors.toml").read_text("utf-8"))["recheck_pairs"], numbers)
    for line in failed:
        print(f"OUT OF BOUNDS: recheck_pairs: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
