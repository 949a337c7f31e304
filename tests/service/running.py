"""Runs commands in this process, as a shell would run them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from service.cli import app


@dataclass(frozen=True)
class Ran:
    """What a command left."""

    status: int
    stdout: bytes
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.stdout.splitlines()]


@dataclass(frozen=True)
class Shell:
    """A shell with a data directory and settings."""

    data: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, given: bytes | None = None, **settings: str) -> Ran:
        environment = {"CITATOR_DATA": str(self.data), **self.settings, **settings}
        done = CliRunner().invoke(app, arguments, input=given, env=environment)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Ran(done.exit_code, done.stdout_bytes, done.stderr)
