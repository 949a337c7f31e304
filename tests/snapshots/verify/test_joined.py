"""The verifier as one file: what every bundle carries."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import snapshots.verify
from snapshots import joined_script
from snapshots.verify.joining import MODULES
from tests.snapshots.bench import Bench
from tests.snapshots.bundled import bundled

ROOT = Path(__file__).parents[3]
NETWORK_AND_OTHERS = re.compile(r"^(?:import|from) (\w+(?:\.\w+)*)", re.MULTILINE)


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("script") / "verify.py"
    path.write_bytes(joined_script())
    return path


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    bench = Bench(tmp_path / "data")
    capture = bench.keep_page("https://a.example/", "words")
    path = tmp_path / "some.wacz"
    path.write_bytes(bundled(bench, capture.id).data)
    bench.close()
    return path


def run(script: Path, *arguments: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_it_is_made_of_every_module_of_the_verifier_that_can_be_in_it() -> None:
    there = {f"verify.{path.stem}" for path in Path(snapshots.verify.__file__).parent.glob("*.py")}

    assert there - set(MODULES) == {"verify.__init__", "verify.joining", "verify.texts"}


def test_it_needs_nothing_but_the_standard_library_and_no_network() -> None:
    imported = set(NETWORK_AND_OTHERS.findall(joined_script().decode()))

    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names
    assert imported & {"http.client", "urllib.request", "ssl", "asyncio", "subprocess", "ctypes", "zipfile"} == set()
    assert "socket" not in imported or "socket.socket" not in joined_script().decode()


def test_it_is_the_same_each_time_and_says_what_it_is() -> None:
    code = "import sys; from snapshots import joined_script; sys.stdout.buffer.write(joined_script())"
    again = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True).stdout

    assert again == joined_script()
    assert joined_script().startswith(b"#!/usr/bin/env python3\n# SPDX-License-Identifier: Apache-2.0\n")
    assert joined_script().count(b"SPDX") == 1


def test_it_says_which_python_it_needs() -> None:
    script = joined_script().decode()
    check = script[script.index("if sys.version_info") : script.index("\n\n", script.index("if sys.version_info"))]

    code = f"import sys\nsys.version_info = (3, 9, 1)\n{check}"

    refused = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "needs Python 3.11" in refused.stderr
    assert refused.returncode == 1


def test_a_bundle_holds_in_words_and_as_json(script: Path, bundle: Path) -> None:
    words, data = run(script, bundle), run(script, bundle, "--json")

    assert (words.returncode, data.returncode) == (0, 0)
    assert "HOLDS: no claim fails" in words.stdout
    assert "signed by an unknown key" in words.stdout
    assert "What this cannot show: that the web server sent these bytes." in words.stdout
    told = json.loads(data.stdout)
    assert told["holds"] is True
    assert {"claim", "result", "detail", "trust", "failures"} <= set(told["claims"][0])


def test_exit_statuses_tell_what_happened(script: Path, bundle: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.wacz"
    bad.write_bytes(bundle.read_bytes() + b"!")

    assert run(script, bad).returncode == 1
    assert run(script, bundle, "--require", "time").returncode == 1
    assert run(script, bundle, "--require", "weather").returncode == 2
    assert run(script, bundle, "--trust-key", "no key").returncode == 2
    assert run(script, bundle, "--trust-tsa", bundle).returncode == 2
    assert run(script).returncode == 2
    assert run(script, tmp_path / "none.wacz").returncode == 3


def test_several_files_are_told_a_line_each(script: Path, bundle: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.wacz"
    bad.write_bytes(b"nothing")

    found = run(script, "--json", bundle, bad)

    assert [json.loads(line)["holds"] for line in found.stdout.splitlines()] == [True, False]
    assert found.returncode == 1


def test_without_a_file_it_checks_the_bundle_it_lies_in(script: Path, bundle: Path, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "unpacked")
    inside = tmp_path / "unpacked" / "evidence" / "verify.py"
    inside.write_bytes(script.read_bytes())

    found = run(inside, "--json", folder=tmp_path)

    told = {claim["claim"]: claim for claim in json.loads(found.stdout)["claims"]}
    assert told["container"]["result"] == "not-checkable"
    # The bundle was made with a stand-in for the program; nothing else differs.
    assert {failure["where"] for claim in told.values() for failure in claim["failures"]} == {"evidence/verify.py"}


def test_the_key_that_is_trusted_decides(script: Path, bundle: Path, tmp_path: Path) -> None:
    from snapshots import LogKey

    own = LogKey.load(tmp_path / "data" / "log.key").vkey
    file = tmp_path / "own.vkey"
    file.write_text(f"{own}\n")
    stranger = LogKey.generate("test.example/log").vkey

    assert run(script, bundle, "--trust-key", own).returncode == 0
    assert run(script, bundle, "--trust-key", file).returncode == 0
    assert run(script, bundle, "--trust-key", stranger, "--trust-key", own).returncode == 0
    refused = run(script, bundle, "--trust-key", stranger, "--json")
    assert refused.returncode == 1
    assert '"untrusted-key"' in refused.stdout
