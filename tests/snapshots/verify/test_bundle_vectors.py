"""The kept vectors of bundles are judged as their index says, by the library and by the program alone."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from snapshots import joined_script, told_as_json, trust_of, verify_path
from tests.vectors.make_bundles import make

VECTORS = Path(__file__).parents[2] / "vectors" / "bundles"
INDEX = json.loads((VECTORS / "index.json").read_text())
KEY, ROOT = VECTORS / "trusted.vkey", VECTORS / "root.pem"


def agrees(told: dict[str, Any], entry: dict[str, Any]) -> bool:
    found = {(claim["claim"], failure["reason"]) for claim in told["claims"] for failure in claim["failures"]}
    return told["holds"] == entry["holds"] and {tuple(pair) for pair in entry["fails"]} <= found


def trusted(entry: dict[str, Any], folder: Path = VECTORS) -> tuple[list[str], list[str]]:
    keys = [str(folder / KEY.name)] if entry["trust"] in {"both", "key"} else []
    return keys, [str(folder / ROOT.name)] if entry["trust"] == "both" else []


@pytest.mark.parametrize("entry", INDEX, ids=lambda entry: entry["file"])
def test_a_vector_is_judged_as_its_index_says(entry: dict[str, Any]) -> None:
    told = told_as_json(verify_path(VECTORS / entry["file"], trust_of(*trusted(entry), [])))

    assert agrees(told, entry), told


@pytest.mark.slow
def test_the_program_alone_judges_them_alike(tmp_path: Path) -> None:
    script = tmp_path / "verify.py"
    script.write_bytes(joined_script())

    for entry in INDEX:
        keys, roots = trusted(entry)
        options = [f"--trust-key={key}" for key in keys] + [f"--trust-tsa={root}" for root in roots]
        command = [sys.executable, "-I", script, "--json", *options, VECTORS / entry["file"]]
        told = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
        assert agrees(told, entry), told


def test_the_script_makes_vectors_that_are_judged_the_same(tmp_path: Path) -> None:
    make(tmp_path / "made")

    again = json.loads((tmp_path / "made" / "index.json").read_text())
    assert again == INDEX
    for entry in again:
        trust = trust_of(*trusted(entry, tmp_path / "made"), [])
        assert agrees(told_as_json(verify_path(tmp_path / "made" / entry["file"], trust)), entry)
