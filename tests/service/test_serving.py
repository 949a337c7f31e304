"""A server with everything real behind it: stopped, killed, and with a bucket that fails in the middle of a request."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from service.api import application
from service.build import build
from service.connect import answers
from service.gate import Rules
from service.settings import Settings
from snapshots import StoreFull, StoreUnreachable, open_store
from tests.postgres import free_port
from tests.service.asking import Asker
from tests.service.running import Shell
from tests.sites import Route, Site, robots

pytestmark = pytest.mark.slow

TEXT = "The heron stands in the creek from early in the morning and eats what comes by: frogs, fish, a mouse at times."
PAGE = f"<html lang=en><title>Heron</title><h1>Heron</h1><p>{TEXT}</p><p>{TEXT[::-1]}</p>"


RULES = Rules(hosts=frozenset(), loopback_without_key=False, max_request=1 << 20)


@dataclass
class FailingStore:
    """A store that does what the one behind it does until `error` is set, and then keeps nothing any more."""

    behind: Any
    error: Exception | None = None
    failing: frozenset[str] = field(default=frozenset({"put_new", "put", "swap"}))

    def __getattr__(self, name: str) -> Any:
        if name in self.failing and self.error is not None:
            raise self.error
        return getattr(self.behind, name)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site([robots(), Route("/slow", body=PAGE, before=1.5), Route("/*", body=PAGE)]) as playing:
        yield playing


def settings_for(data: Path) -> Settings:
    return Settings(data=data, readers=1, allow_addresses=("127.0.0.0/8",), host_delay=0.0)


@pytest.fixture
async def failing(tmp_path: Path) -> AsyncIterator[tuple[FailingStore, Asker]]:
    store = FailingStore(open_store(str(tmp_path / "bucket")))
    async with build(settings_for(tmp_path / "data"), store=store) as actions:  # type: ignore[arg-type]  # it is one by delegation
        yield store, Asker(application(actions, RULES), client=None)
        store.error = None


@pytest.mark.parametrize(
    ("error", "status", "slug"),
    [(StoreUnreachable("no answer"), 503, "bucket-unreachable"), (StoreFull("no room"), 507, "disk-full")],
)
async def test_what_could_not_be_kept_is_not_answered(
    failing: tuple[FailingStore, Asker], site: Site, error: Exception, status: int, slug: str
) -> None:
    store, ask = failing
    good = await ask("POST", "/api/v1/captures", {"url": site.url("/a")})

    store.error = error
    search = await ask("POST", "/api/v1/search", {"query": "heron"})
    capture = await ask("POST", "/api/v1/captures", {"url": site.url("/b")})
    unstored = await ask("POST", "/api/v1/search", {"query": "heron", "store": False})
    store.error = None
    later = await ask("POST", "/api/v1/search", {"query": "heron"})

    assert good.status == 200
    assert (search.status, search.problem) == (status, slug)
    assert (capture.status, capture.problem) == (status, slug)
    assert unstored.status == 200
    assert later.status == 200
    assert [one["capture"] for one in later.json["results"]] == [good.json["capture"]]


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen[bytes]
    url: str
    data: Path
    log: Path

    def ask(self, path: str, body: object = None) -> tuple[int, Mapping[str, Any], bytes]:
        request = urllib.request.Request(self.url + path, None if body is None else json.dumps(body).encode())
        request.add_header("Authorization", f"Bearer {(self.data / 'first-key').read_text().strip()}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, _lower(answer.headers), answer.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, _lower(refused.headers), refused.read()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


def _lower(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def environment_of(data: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "CITATOR_DATA": str(data),
        "CITATOR_READERS": "1",
        "CITATOR_ALLOW_ADDRESSES": "127.0.0.0/8",
        "CITATOR_HOST_DELAY": "0",
    }


@contextmanager
def serving(data: Path) -> Iterator[Running]:
    log = data.with_name("serve.log")
    port = free_port()
    environment = environment_of(data) | {"CITATOR_LISTEN": f"127.0.0.1:{port}"}
    command = [sys.executable, "-c", "from service.cli import main; main()", "serve"]
    with log.open("ab") as errors:
        process = subprocess.Popen(command, env=environment, stderr=errors, stdout=subprocess.PIPE)
    try:
        waiting = threading.Event()
        while process.poll() is None and not answers(data / "server.sock"):
            waiting.wait(0.02)
        assert process.poll() is None, log.read_text()
        yield Running(process, f"http://127.0.0.1:{port}", data, log)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout is not None
        with process.stdout:
            assert process.stdout.read() == b""


def test_a_stopped_server_finishes_what_it_took_and_keeps_it(tmp_path: Path, site: Site) -> None:
    told: list[tuple[int, Mapping[str, Any], bytes]] = []
    shell = Shell(tmp_path / "data", {"CITATOR_READERS": "1"})

    with serving(tmp_path / "data") as server:
        asking = threading.Thread(
            target=lambda: told.append(server.ask("/api/v1/captures", {"url": site.url("/slow")}))
        )
        asking.start()
        while not site.asked("/slow"):
            asking.join(0.02)
        status = server.stop()
        asking.join()
    shown = shell("show", json.loads(told[0][2])["capture"])
    body = shell("show", told[0][1]["x-evidence-serving"])

    assert (status, told[0][0]) == (0, 200)
    assert (shown.status, shown.json["asked"]) == (0, site.url("/slow"))
    assert shell("show", body.json["body"]).stdout == told[0][2]


def test_after_a_kill_commands_and_servers_start_again(tmp_path: Path, site: Site) -> None:
    shell = Shell(tmp_path / "data", {"CITATOR_READERS": "1"})

    with serving(tmp_path / "data") as server:
        crawled = shell("crawl", site.url("/a"), "--max-pages", "1", "--json")
        beside = shell("search", "heron creek", "--json")
        server.process.kill()
        server.process.wait()
        alone = shell("search", "heron creek", "--json")
    with serving(tmp_path / "data") as server:
        again = shell("search", "heron creek", "--json")
        status, headers, body = server.ask("/api/v1/search", {"query": "heron creek"})
        stopped = server.stop()

    capture = crawled.json["captures"][0]["capture"]
    for ran in (beside, alone, again):
        assert ran.json["results"][0]["capture"] == capture, ran.stderr
    assert (status, stopped) == (200, 0)
    assert headers["x-evidence-record"] == json.loads(body)["record"]


def test_a_second_server_says_who_holds_the_directory(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        command = [sys.executable, "-c", "from service.cli import main; main()", "serve"]
        environment = {"PATH": os.environ["PATH"], "CITATOR_DATA": str(tmp_path / "data")}
        second = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

        assert second.returncode == 3
        assert str(server.process.pid) in second.stderr


def test_an_address_that_is_taken_is_a_bad_setting(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        command = [sys.executable, "-c", "from service.cli import main; main()", "serve"]
        environment = {
            "PATH": os.environ["PATH"],
            "CITATOR_DATA": str(tmp_path / "other"),
            "CITATOR_LISTEN": server.url.removeprefix("http://"),
        }
        second = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

    assert second.returncode == 2
    assert "CITATOR_LISTEN" in second.stderr


@pytest.mark.parametrize("beside", [True, False], ids=["beside a server", "alone"])
def test_an_interrupted_crawl_is_cancelled_and_keeps_what_it_has(tmp_path: Path, beside: bool) -> None:  # noqa: FBT001
    linking = PAGE.replace("<h1>", "<a href=/second>on</a><h1>")
    routes = [robots(), Route("/first", body=linking), Route("/second", body=PAGE, before=3), Route("/*", 404)]
    data = tmp_path / "data"
    shell = Shell(data, {"CITATOR_READERS": "1"})

    with Site(routes) as site, ExitStack() as stack:
        if beside:
            stack.enter_context(serving(data))
        command = [sys.executable, "-c", "from service.cli import main; main()", "crawl", site.url("/first"), "--json"]
        process = subprocess.Popen(command, env=environment_of(data), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not site.asked("/second"):
            assert process.poll() is None
            threading.Event().wait(0.02)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        found = shell("search", "heron creek", "--json")

    told = json.loads(out)
    assert (process.returncode, told["state"]) == (3, "cancelled"), errors
    assert site.url("/first") in {page["url"] for page in told["captures"]}
    assert b"stopping" in errors
    # Both pages say the same; whether the second was still kept is a matter of moments.
    assert site.url("/first") in {page["url"] for page in found.json["results"] + found.json["dropped"]}


async def test_a_slow_body_does_not_hold_up_others(tmp_path: Path) -> None:
    async with build(settings_for(tmp_path / "data")) as actions:
        ask = Asker(application(actions, RULES), client=None)
        released = asyncio.Event()

        async def pieces() -> AsyncIterator[bytes]:
            await released.wait()
            yield b"{}"

        slow = asyncio.ensure_future(
            ask("POST", "/api/v1/search", headers={"transfer-encoding": "chunked"}, pieces=pieces())
        )
        quick = await ask("POST", "/api/v1/search", {"query": "heron"})
        slow.cancel()

    assert quick.status == 200
