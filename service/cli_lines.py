"""Files with one JSON object a line, as `--queries` and `--jsonl` read them, and their results, one a line."""

import json
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.cli_output import asked_wrongly, bad_use, give_json
from service.errors import DONE, problem_of
from service.failures import BadRequest


@dataclass(frozen=True)
class Line:
    """One line: its number from 1, its text."""

    number: int
    text: str

    def fields(self) -> dict[str, Any]:
        """Its JSON object.

        Raises:
            BadRequest: it is none.
        """
        try:
            found = json.loads(self.text)
        except ValueError as error:
            raise BadRequest(f"line {self.number} is no JSON: {error}") from error
        if not isinstance(found, dict):
            raise BadRequest(f"line {self.number} is no JSON object")
        return found


def lines(file: Path) -> Iterator[Line]:
    """The lines of `file` (`-`: stdin) that are not empty."""
    if str(file) == "-":
        yield from _numbered(sys.stdin)
        return
    try:
        opened = file.open(encoding="utf-8")
    except OSError as error:
        bad_use(f"{file} cannot be read: {error.strerror}")
    with opened:
        yield from _numbered(opened)


def _numbered(source: Iterable[str]) -> Iterator[Line]:
    for number, text in enumerate(source, 1):
        if text.strip():
            yield Line(number, text.strip())


async def each(source: Iterable[Line], work: Callable[[Line], Awaitable[dict[str, Any]]]) -> int:
    """Give the result of `work` for each line, on a line. A line that fails gives its problem, with its `id`.

    Returns the exit status: that of the last line that failed, else 0.
    """
    status = DONE
    for line in source:
        try:
            result = await work(line)
        except Exception as error:  # noqa: BLE001 - one line's failure is that line's result
            problem = asked_wrongly(error) or problem_of(error)
            status, result = problem.exit, problem.details() | {"line": line.number} | _id_in(line)
        give_json(result)
    return status


def _id_in(line: Line) -> dict[str, Any]:
    try:
        fields = line.fields()
    except BadRequest:
        return {}
    return {"id": fields["id"]} if "id" in fields else {}
