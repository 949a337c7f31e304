import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.cli_lines import Line, each, lines
from service.failures import BadRequest


def numbered(count: int) -> Iterator[Line]:
    return (Line(number, json.dumps({"id": number})) for number in range(1, count + 1))


async def test_results_come_in_the_order_of_the_lines(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    most, now = 0, 0

    async def work(line: Line) -> dict[str, Any]:
        nonlocal most, now
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01 if line.number % 3 else 0.03)
        now -= 1
        return line.fields()

    status = await each(numbered(20), work, at_once=4)

    told = [json.loads(line)["id"] for line in capsysbinary.readouterr().out.splitlines()]
    assert (status, told) == (0, list(range(1, 21)))
    assert most == 4


async def test_a_line_that_fails_leaves_the_others_alone(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    async def work(line: Line) -> dict[str, Any]:
        if line.number == 2:
            raise BadRequest("no")
        return line.fields()

    status = await each(numbered(3), work, at_once=2)

    first, second, third = (json.loads(line) for line in capsysbinary.readouterr().out.splitlines())
    assert status == 2
    assert (first, third) == ({"id": 1}, {"id": 3})
    assert (second["id"], second["line"], second["detail"]) == (2, 2, "no")


async def test_a_line_too_deep_to_read_leaves_the_others_alone(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    async def work(line: Line) -> dict[str, Any]:
        return line.fields()

    given = ['{"id": 1}', '{"id": ' + "[" * 200_000, '{"id": 3}']
    status = await each((Line(number, text) for number, text in enumerate(given, 1)), work, at_once=2)

    first, second, third = (json.loads(line) for line in capsysbinary.readouterr().out.splitlines())
    assert status == 2
    assert (first, third) == ({"id": 1}, {"id": 3})
    assert (second["type"], second["line"]) == ("urn:citator:problem:bad-request", 2)


async def test_a_reply_that_is_a_problem_gives_its_exit_status(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    async def work(line: Line) -> dict[str, Any]:
        empty = {"type": "urn:citator:problem:empty-page", "title": "Empty.", "status": 422, "detail": "Nothing."}
        return line.fields() | (empty if line.number == 2 else {"status": "ok"})

    status = await each(numbered(3), work, at_once=2)

    assert status == 3
    assert len(capsysbinary.readouterr().out.splitlines()) == 3


async def test_an_answer_does_not_wait_for_the_next_line(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    reading, writing = os.pipe()
    given = os.fdopen(writing, "wb", buffering=0)

    async def work(line: Line) -> dict[str, Any]:
        return line.fields()

    with os.fdopen(reading, "rb") as source:
        listened = (Line(1, data.decode().strip()) for data in source)
        task = asyncio.ensure_future(each(listened, work, at_once=4))
        given.write(b'{"id": "first"}\n')
        while not (told := capsysbinary.readouterr().out):
            await asyncio.wait({task}, timeout=0.01)
        given.close()
        await task

    assert json.loads(told) == {"id": "first"}


def test_lines_are_read_as_utf8_with_or_without_a_mark(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"\xef\xbb\xbffirst\r\n\n  \nf\xc3\xbcr \xff\n")

    assert list(lines(file)) == [Line(1, "first"), Line(4, "für \ufffd")]
    with pytest.raises(BadRequest, match="cannot be read"):
        list(lines(tmp_path / "none"))


def test_whoever_has_read_enough_ends_the_command_quietly(tmp_path: Path) -> None:
    script = (
        "from service.cli_output import finish, give\nasync def work():\n  while True: give(b'x' * 65536)\nfinish(work)"
    )

    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        error = process.stderr.read()

    assert b"BrokenPipe" not in error
