"""The list of mutations is whole and speaks the words of the format."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

LIST = tomllib.loads((Path(__file__).parent / "bundle_mutations.toml").read_text(encoding="utf-8"))
MUTATIONS: list[dict[str, Any]] = LIST["mutation"]
RESEALS = {"none", "listed", "digest", "wacz", "wacz-bound", "sealed", "sealed-predicate", "stranger"}
OPERATIONS = {
    *("flip", "replace", "set", "truncate", "drop", "add", "swap-members", "order"),
    *("line-drop", "line-twice", "line-swap", "line-set", "line-add", "line-raw"),
    *("statement", "proof", "checkpoint", "token", "keys", "warc", "cdx", "zip", "unpack"),
}
UNREACHED = {("text", "text-differs")}
"""It needs the programs that read pages."""


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each["name"])
def test_a_mutation_says_what_is_done_and_what_must_be_found(mutation: dict[str, Any]) -> None:
    steps = mutation.get("steps", [mutation])

    assert mutation["does"].endswith(".")
    assert {step["op"] for step in steps} <= OPERATIONS
    assert mutation.get("reseal", "none") in RESEALS
    assert mutation.get("trust", "both") in {"both", "none", "key"}
    expected = mutation.get("fails", []) + mutation.get("any", [])
    assert bool(expected) != (mutation.get("holds", False) or "require" in mutation)
    for claim, reason in expected:
        assert reason in LIST["reasons"][claim]


def test_names_are_unique_and_nearly_every_reason_is_asked_for() -> None:
    names = [each["name"] for each in MUTATIONS]
    asked = {tuple(pair) for each in MUTATIONS for pair in each.get("fails", []) + each.get("any", [])}
    known = {(claim, reason) for claim, reasons in LIST["reasons"].items() for reason in reasons}

    assert len(names) == len(set(names)) >= 70
    assert known - asked == UNREACHED


def test_the_page_of_the_format_lists_the_same_reasons() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats" / "bundle.md").read_text(encoding="utf-8")

    rows = [
        f"| `{claim}` | {', '.join(f'`{each}`' for each in reasons)} |" for claim, reasons in LIST["reasons"].items()
    ]
    assert [row for row in rows if row not in page] == []
