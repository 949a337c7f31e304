"""A crawl outlives an outage of its database or bucket: it goes on by itself, and it is told why it does not yet."""

import json
import socket
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from tests.acceptance.installation import Installation, Server
from tests.acceptance.test_crawl_killed import ended, notices, standing
from tests.postgres import postgres_cluster
from tests.seaweed import seaweed
from tests.sites import Route, Site

pytestmark = pytest.mark.slow

PAGES = 30


class Door:
    """A way to a port of this machine that can be shut: then nobody gets in, and those who are in are put out."""

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self.port = 0
        self._held: list[socket.socket] = []
        self._shut = threading.Lock()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shut()

    def open(self) -> None:
        """Let everybody in, from now on."""
        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        self._held.append(listener)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def shut(self) -> None:
        """Refuse everybody, and break off what is under way."""
        with self._shut:
            for one in self._held:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
            self._held.clear()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                outer, _ = listener.accept()
                inner = socket.create_connection(("127.0.0.1", self._behind))
                with self._shut:
                    if listener not in self._held:  # who came in at the last moment is out as well
                        outer.close()
                        inner.close()
                        return
                    self._held += [outer, inner]
                for here, there in ((outer, inner), (inner, outer)):
                    threading.Thread(target=_hand_on, args=(here, there), daemon=True).start()


def _hand_on(here: socket.socket, there: socket.socket) -> None:
    with suppress(OSError):
        while data := here.recv(65_536):
            there.sendall(data)
    with suppress(OSError):
        there.shutdown(socket.SHUT_RDWR)


def problem(server: Server, path: str) -> str:
    status, body = server.get(path)
    told: dict[str, Any] = json.loads(body)
    return f"{status} {str(told.get('type')).rpartition(':')[2]}"


def slow_notices() -> list[Route]:
    return [replace(route, before=0.2) if route.path.startswith("/notice") else route for route in notices(PAGES)]


def begun(server: Server, site: Site) -> str:
    """A crawl that has captured something."""
    _, body = server.post("/api/v1/crawls", {"url": site.url("/"), "max_pages": 2 * PAGES})
    crawl: str = json.loads(body)["id"]
    while standing(server, crawl)["counts"].get("captured", 0) < 3:
        time.sleep(0.05)
    return crawl


def captured_twice(server: Server, site: Site) -> list[str]:
    found = {}
    for number in range(PAGES):
        status, body = server.get(f"/api/v1/captures?url={site.url(f'/notice/{number}')}")
        assert status == 200, body
        found[f"/notice/{number}"] = len(json.loads(body)["captures"])
    return [path for path, captures in found.items() if captures != 1]


def is_whole(end: dict[str, Any], site: Site, log: str) -> None:
    asked = Counter(request.path for request in site.requests if request.path.startswith("/notice"))
    assert (end["state"], len(end["captures"])) == ("done", PAGES + 1)
    assert len({line["url"] for line in end["captures"]}) == PAGES + 1
    assert set(asked) == {f"/notice/{n}" for n in range(PAGES)}
    assert "fault of ours" not in log
    assert "never retrieved" not in log
    assert '"unexpected"' not in log


def test_a_crawl_goes_on_when_its_database_is_back(tmp_path: Path) -> None:
    with postgres_cluster() as cluster, Door(cluster.port) as door, Site(slow_notices()) as site:
        settings = {
            "CITATOR_DATABASE_URL": cluster.create().replace(f":{cluster.port}/", f":{door.port}/"),
            "CITATOR_CRAWL_CONCURRENCY": "2",
        }
        with Installation(tmp_path / "data", settings).serving() as server:
            crawl = begun(server, site)
            door.shut()
            told = set()
            for _ in range(20):
                told.add(problem(server, f"/api/v1/crawls/{crawl}"))
                time.sleep(0.2)
            door.open()
            end = ended(server, crawl)
            twice = captured_twice(server, site)
            log = server.log.read_text()

    assert told == {"503 catalogue-busy"}
    assert twice == []
    is_whole(end, site, log)


def test_a_crawl_goes_on_when_its_bucket_is_back(tmp_path: Path) -> None:
    with seaweed(tmp_path / "seaweed") as s3, Door(s3.port) as door, Site(slow_notices()) as site:
        settings = s3.environment | {
            "CITATOR_S3_ENDPOINT": f"http://127.0.0.1:{door.port}",
            "CITATOR_CRAWL_CONCURRENCY": "2",
        }
        with Installation(tmp_path / "data", settings).serving() as server:
            crawl = begun(server, site)
            door.shut()
            while '"outcome": "interrupted"' not in server.log.read_text():
                time.sleep(0.2)
            while (told := json.loads(server.get(f"/api/v1/crawls/{crawl}")[1])).get("state") == "running":
                time.sleep(0.2)
            door.open()
            end = ended(server, crawl)
            twice = captured_twice(server, site)
            log = server.log.read_text()

    assert told.get("state") == "queued" or told["type"].endswith(":bucket-unreachable")  # by what is in memory
    assert "bucket" in told["detail"]
    assert twice == []
    is_whole(end, site, log)
