"""The command line as a process: its streams, its signals, and what a shell may do to them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from service.requests import SearchRequest
from tests.service.serving import Served, served
from tests.service.small_citator import SmallCitator

UNKNOWN = "sha256:" + "0" * 64
MAIN = [sys.executable, "-c", "from service.cli import main; main()"]


@pytest.fixture
def server(citator: SmallCitator, tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "data").mkdir()
    with served(citator, tmp_path / "data") as running:
        yield running


def environment_of(data: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "CITATOR_DATA": str(data)}


def command(
    data: Path, *arguments: str, stdout: IO[bytes] | int = subprocess.PIPE, closing: str = "", **settings: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own, with the streams closed that `closing` closes in a shell."""
    environment = environment_of(data) | settings
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closing}', "sh", *MAIN, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments", [("search",), ("search", "q", "--nonsense"), ("nonsense",), ("search", "q", "--max-results", "many")]
)
def test_with_json_wrong_use_is_a_problem_on_stdout_too(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ran = command(tmp_path, *arguments, "--json")

    assert ran.returncode == 2
    assert json.loads(ran.stdout)["type"] == "urn:citator:problem:bad-request"
    assert json.loads(ran.stdout)["detail"] in ran.stderr.decode()


@pytest.mark.slow
def test_a_result_that_cannot_be_written_is_not_done(server: Served) -> None:
    for arguments in (("search", "bread"), ("search", "bread", "--json"), ("show", UNKNOWN), ("keys", "list")):
        with Path("/dev/full").open("wb") as full:
            ran = command(server.data, *arguments, stdout=full)

        assert ran.returncode == 3
        assert b"Traceback" not in ran.stderr
        assert b"internal" not in ran.stderr


@pytest.mark.slow
def test_streams_that_the_caller_closed_are_no_fault(server: Served) -> None:
    ran = command(server.data, "search", "bread", closing="<&- >&-")
    silent = command(server.data, "search", "bread", closing="<&- 2>&-")
    empty = command(server.data, "extract", "-", closing="<&-")

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert (silent.returncode, silent.stdout[:2]) == (0, b"1.")
    assert (empty.returncode, empty.stderr) == (0, b"citator: empty: there is nothing in it\n")


def test_what_a_terminal_has_no_letters_for_is_no_fault(server: Served, citator: SmallCitator) -> None:
    citator.web["http://site.test/mill"] = "\u6c34\u8eca"

    ran = command(server.data, "fetch", "http://site.test/mill", PYTHONIOENCODING="ascii")

    assert ran.returncode == 0
    assert ran.stdout.endswith(b"\n??\n")


def test_a_crawl_that_is_interrupted_is_told_as_it_stands(server: Served, citator: SmallCitator) -> None:
    citator.slow = 0.002

    with subprocess.Popen(
        [*MAIN, "crawl", "http://site.test/a", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment_of(server.data),
    ) as process:
        while not citator.events:
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(0.5)  # the events that there are have come
        citator.slow = 0.0
        process.send_signal(signal.SIGINT)
        told, said = process.communicate()

    assert process.returncode == 3
    assert json.loads(told)["state"] == "cancelled"
    assert said == f"citator: stopping the crawl {json.loads(told)['id']} after the pages under way\n".encode()


def test_an_interrupt_need_not_wait_for_the_servers_answer(server: Served, citator: SmallCitator) -> None:
    citator.slow = 300.0

    with subprocess.Popen(
        [*MAIN, "search", "bread"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment_of(server.data)
    ) as process:
        while not any(isinstance(one, SearchRequest) for one in citator.asked):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        told, said = process.communicate()

    assert (process.returncode, told, said) == (3, b"", b"citator: stopped\n")
