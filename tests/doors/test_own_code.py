"""The client for own code, as `citator connect python` writes it and as it is imported here."""

import asyncio
import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.citator_client import Altered, AsyncCitator, Citator, CitatorError, Refused, Unreachable
from tests.doors.standing import Standing
from tests.postgres import free_port
from tests.service.opened import TOLL
from tests.sites import Route, Site

COMMAND = Path(sys.executable).with_name("citator")


def test_code_that_waits_searches_fetches_and_checks_what_it_got(server: Standing, harbour: Site) -> None:
    with Citator(server.url, server.key) as citator:
        found = citator.search("toll swing bridge", max_results=1, session="study-4")
        page = citator.fetch(harbour.url("/ferry"))
        with pytest.raises(Refused, match=r"robots\.txt") as refused:
            citator.fetch(harbour.url("/private"))
        passage = found["results"][0]["passages"][0]

        assert TOLL in passage["text"]
        assert "twelve crowns" in page["text"]
        assert server.servings(found["record"])[0].session == "study-4"
        assert json.loads(citator.evidence(passage["id"]))["text"] == passage["text"]
        assert json.loads(citator.evidence(passage["id"].removeprefix("sha256:")[:12]))["text"] == passage["text"]
        assert json.loads(citator.view(found["record"], "reply")) == found
        assert citator.proof(passage["id"])["record"]
        assert citator.bundle([passage["id"]]).startswith(b"PK")
        assert citator.recheck([passage["id"]])["holds"] is True
        assert citator.check_citations(f'"{TOLL}" [{passage["id"]}]')["holds"] is True
    assert refused.value.status == 403
    assert json.loads(server.evidence(refused.value.capture or ""))["kind"] == "capture"


async def test_code_in_an_event_loop_gets_the_same(server: Standing, harbour: Site) -> None:
    async with AsyncCitator(server.url, server.key) as citator:
        many = await asyncio.gather(*(citator.search(f"toll bridge {number}") for number in range(40)))
        page = await citator.fetch(harbour.url("/ferry"))
        with pytest.raises(Refused, match="no text"):
            await citator.fetch(harbour.url("/void"))
        (definition, *_) = await citator.tools("anthropic")
        called = await citator.call("search", {"query": "toll swing bridge"}, session="study-5")
        added = await citator.add(b"Own notes on the toll of the swing bridge.", "text/plain", title="Notes")

        assert len({found["record"] for found in many}) == 40
        assert "twelve crowns" in page["text"]
        assert (definition["name"], TOLL in called["text"]) == ("search", True)
        assert server.served(called["record"]).session == "study-5"
        assert json.loads(await citator.evidence(added["capture"]))["method"] == "upload"


async def test_a_call_that_is_given_up_hangs_up(server: Standing, harbour: Site) -> None:
    citator = AsyncCitator(server.url, server.key)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await citator.fetch(harbour.url("/slow"), max_age=0)

    assert (await citator.search("toll swing bridge"))["results"]


def test_refusals_are_told_in_the_servers_words(server: Standing) -> None:
    limited = Citator(server.url, server.made_key("search", rate=1))
    limited.search("toll")

    with pytest.raises(Refused, match="unknown or has been revoked") as unknown:
        Citator(server.url, "wrong").search("toll")
    with pytest.raises(Refused, match="1 times a minute") as often:
        limited.search("toll")
    with pytest.raises(Refused, match="colour"):
        Citator(server.url, server.key).search("toll", colour="red")
    with pytest.raises(Refused) as nothing:
        Citator(server.url, server.key).evidence("0" * 64)

    assert (unknown.value.status, nothing.value.status) == (401, 404)
    assert often.value.retry_after is not None
    assert 1 <= often.value.retry_after <= 60


@contextmanager
def saying(answer: bytes) -> Iterator[str]:
    """Something that answers every request in the same way."""
    listener = socket.create_server(("127.0.0.1", 0))

    def talk() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(answer)

    thread = threading.Thread(target=talk)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    thread.join(timeout=60)
    listener.close()


def test_bytes_that_are_not_what_the_id_says_are_not_given() -> None:
    right = hashlib.sha256(b"as it was").hexdigest()

    with saying(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nas it is") as url, pytest.raises(Altered, match=right):
        Citator(url, "k").evidence(f"sha256:{right}")
    with saying(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nas it was") as url:
        assert Citator(url, "k").evidence(right[:16]) == b"as it was"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"no HTTP at all\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
        b"HTTP/1.1 200 OK\r\n\r\n<html>",
        b"HTTP/1.1 502 Bad\r\n\r\n<html>",
    ],
)
def test_whatever_else_answers_is_told_as_one_error(answer: bytes) -> None:
    with saying(answer) as url, pytest.raises(CitatorError):
        Citator(url, "k").search("toll")


async def test_nobody_there_is_told() -> None:
    url = f"http://127.0.0.1:{free_port()}"

    with pytest.raises(Unreachable):
        Citator(url).search("toll")
    with pytest.raises(Unreachable):
        await AsyncCitator(url).search("toll")
    with pytest.raises(CitatorError, match="no http or https address"):
        Citator("ftp://x.test/")


@pytest.mark.slow
async def test_an_answer_that_does_not_come_is_waited_for_as_long_as_said() -> None:
    with Site([Route("/*", before=5.0)]) as site:
        with pytest.raises(Unreachable):
            Citator(site.url("/"), timeout=0.2).search("toll")
        with pytest.raises(Unreachable, match="within"):
            await AsyncCitator(site.url("/"), timeout=0.2).search("toll")


@pytest.mark.slow
def test_the_file_that_is_written_needs_nothing_and_finds_the_server(server: Standing, tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "CITATOR_DATA": str(server.data)}
    subprocess.run([COMMAND, "connect", "python", "--write", "--yes"], cwd=tmp_path, env=env, check=True)
    del env["CITATOR_DATA"]
    script = (
        "import asyncio, sys; sys.path.insert(0, '.')\n"
        "from citator_client import AsyncCitator, Citator\n"
        "print([one['passages'] for one in Citator().search('toll swing bridge')['results']])\n"
        "print(asyncio.run(AsyncCitator().search('toll'))['state'])\n"
    )

    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )

    assert TOLL in ran.stdout, ran.stderr
    assert ran.stdout.splitlines()[-1] == "ok"
