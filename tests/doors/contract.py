"""Holds a server against its own OpenAPI document with schemathesis: `make contract` for all that it knows to ask."""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.doors.standing import standing
from tests.network import ScriptedResolver

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
SETTINGS = Path(__file__).with_name("schemathesis.toml")


def held_against_its_document(folder: Path, *options: str, **more: bool) -> subprocess.CompletedProcess[str]:
    """Ask a new server, with a key that may do everything; no name of the world can be resolved there."""
    with standing(folder / "data", resolver=ScriptedResolver({})) as server:
        command = [
            SCHEMATHESIS, "--config-file", SETTINGS, "run", server.url + "/openapi.json",
            "--header", f"Authorization: Bearer {server.key}", "--no-color", *options,
        ]  # fmt: skip
        return subprocess.run(command, cwd=folder, text=True, check=False, **more)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        phases = "examples,coverage,fuzzing,stateful"
        sys.exit(held_against_its_document(Path(folder), "--phases", phases, "--max-examples", "20").returncode)
