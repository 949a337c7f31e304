"""Every mutation on the list is found, and called what the list says, by the library and by the program alike.

The list was written from the page of the format, before the verifier. What is done here is only what it says.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from snapshots import Trust, joined_script, told_as_json, trust_of, verify_path
from tests.snapshots.verify import archive_operations, member_operations, signed_operations, zip_operations
from tests.snapshots.verify.five_pages import Good, good_bundle
from tests.snapshots.verify.mutable import Bundle

LIST = tomllib.loads((Path(__file__).parents[2] / "vectors" / "bundle_mutations.toml").read_text(encoding="utf-8"))
MUTATIONS: dict[str, dict[str, Any]] = {each["name"]: each for each in LIST["mutation"]}
OPERATIONS = (
    member_operations.OPERATIONS
    | signed_operations.OPERATIONS
    | archive_operations.OPERATIONS
    | zip_operations.OPERATIONS
)
Told = dict[str, Any]


def mutated(good: Good, mutation: dict[str, Any], path: Path) -> None:
    """Writes the good bundle with one mutation."""
    bundle = Bundle(good, dict(good.members))
    for step in mutation.get("steps", [mutation]):
        OPERATIONS[step["op"]](bundle, step)
    bundle.reseal(mutation.get("reseal", "none"))
    if bundle.unpacked is not None:
        zip_operations.write_unpacked(bundle, path)
    else:
        path.write_bytes(bundle.data)


def options(mutation: dict[str, Any], folder: Path) -> tuple[str, ...]:
    """The options that a mutation is verified with."""
    trust = mutation.get("trust", "both")
    found: list[str] = []
    if trust in {"both", "key"}:
        found += ["--trust-key", str(folder / "trusted.vkey")]
    if trust == "both":
        found += ["--trust-tsa", str(folder / "root.pem")]
    for claim in mutation.get("require", ()):
        found += ["--require", claim]
    return tuple(found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every mutated bundle, and what is trusted."""
    made = tmp_path_factory.mktemp("mutations")
    (made / "data").mkdir()
    good = good_bundle(made / "data")
    (made / "trusted.vkey").write_text(good.keeper.vkey)
    (made / "root.pem").write_bytes(good.authority.roots_pem)
    for name, mutation in MUTATIONS.items():
        mutated(good, mutation, made / name)
    mutated(good, {"op": "keys", "do": "nothing but what reseal does"}, made / "good")
    return made


@pytest.fixture(scope="module")
def by_library(folder: Path) -> dict[str, Told]:
    """What the library says of each."""
    found = {}
    for name, mutation in MUTATIONS.items():
        given = options(mutation, folder)
        pairs = list(zip(given[::2], given[1::2], strict=True))
        chosen = [[value for option, value in pairs if option == wanted] for wanted in _OPTIONS]
        trust: Trust = trust_of(*chosen)
        found[name] = told_as_json(verify_path(folder / name, trust))
    return found


_OPTIONS = ("--trust-key", "--trust-tsa", "--require")


@pytest.fixture(scope="module")
def by_program(folder: Path) -> dict[str, Told]:
    """What the program that bundles carry says of each, run alone."""
    script = folder / "verify.py"
    script.write_bytes(joined_script())
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, mutation in MUTATIONS.items():
        groups.setdefault(options(mutation, folder), []).append(name)
    found: dict[str, Told] = {}
    for given, names in groups.items():
        command = [
            sys.executable,
            "-I",
            str(script),
            "--json",
            *given,
            *(str(folder / name) for name in names),
            str(folder / "good"),
        ]
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
        found |= dict(zip(names, map(json.loads, lines[:-1]), strict=True))
    return found


def failures(told: Told) -> set[tuple[str, str]]:
    return {(claim["claim"], failure["reason"]) for claim in told["claims"] for failure in claim["failures"]}


@pytest.mark.slow
def test_the_good_bundle_holds_in_every_claim_but_the_texts(folder: Path) -> None:
    trust = trust_of([str(folder / "trusted.vkey")], [str(folder / "root.pem")], [])

    told = told_as_json(verify_path(folder / "good", trust))

    assert {claim["claim"]: claim["result"] for claim in told["claims"] if claim["result"] != "holds"} == {
        "text": "not-checkable"
    }


def _check(told: Told, mutation: dict[str, Any]) -> None:
    found = failures(told)
    expected = {tuple(pair) for pair in mutation.get("fails", [])}
    any_of = {tuple(pair) for pair in mutation.get("any", [])}
    assert expected <= found
    assert not any_of or any_of & found
    assert told["holds"] is mutation.get("holds", False)
    results = {claim["claim"]: claim["result"] for claim in told["claims"]}
    assert {results[name] for name in mutation.get("not_checkable", ())} <= {"not-checkable"}
    if mutation.get("only"):
        assert {name for name, result in results.items() if result == "fails"} <= {
            each[0] for each in expected | any_of
        }


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_the_library_finds_it(by_library: dict[str, Told], name: str) -> None:
    _check(by_library[name], MUTATIONS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_the_program_finds_it(by_program: dict[str, Told], name: str) -> None:
    _check(by_program[name], MUTATIONS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_both_say_the_same(by_library: dict[str, Told], by_program: dict[str, Told], name: str) -> None:
    assert by_program[name]["claims"] == by_library[name]["claims"]


def test_every_failure_has_a_reason_that_the_format_knows(by_library: dict[str, Told]) -> None:
    known = {(claim, reason) for claim, reasons in LIST["reasons"].items() for reason in reasons}

    assert {pair for told in by_library.values() for pair in failures(told)} <= known
