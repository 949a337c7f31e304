"""The commands on the pages about connecting clients, run as they stand, as far as the clients are installed here."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.agents import PROGRAMS
from tests.doors.standing import Standing
from tests.doors.test_clients_apart import CLIENTS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "connect").glob("*.md"))
SERVED = "citator serve &"
"""The server of these tests takes its place: it has the data directory, and listens on its socket."""

INSTALLING = ("pip", "docker", "npm")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_the_page_run_as_they_stand(server: Standing, tmp_path: Path, page: Path) -> None:
    path = f"{PROGRAMS[0]}:{PROGRAMS[1]}:/usr/local/bin:/usr/bin:/bin"
    if page.stem == "langchain":  # its example wants the adapters, which are installed apart
        path = f"{CLIENTS.parent}:{path}"
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line != SERVED]
    programs = {line: line.split()[0] for line in lines}
    can = [one for one in lines if programs[one] == "export" or shutil.which(programs[one], path=path)]
    runs = [line for line in can if programs[line] not in INSTALLING]
    script = "set -euo pipefail\n" + "\n".join(runs)
    env = {"PATH": path, "HOME": str(tmp_path), "CITATOR_DATA": str(server.data), "LANG": "C.UTF-8"}
    if "RECORD" in script:  # the reader's own: here it is that of a search
        found = subprocess.run(
            [Path(sys.executable).with_name("citator"), "search", "toll", "--json"],
            env=env, check=True, capture_output=True, text=True,
        )  # fmt: skip
        script = script.replace("RECORD", json.loads(found.stdout)["record"])

    ran = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr
    assert any(program == "citator" for program in map(programs.get, runs))
    for written in re.findall(r"It writes `([^`~]+)`", page.read_text()):
        assert (tmp_path / written).is_file()
