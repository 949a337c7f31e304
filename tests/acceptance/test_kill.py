"""A server that is killed at any moment has kept everything that it answered."""

import hashlib
import http.client
import json
import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.history import continues, files_of
from tests.acceptance.installation import Installation, Server

pytestmark = pytest.mark.slow

KILLS = 20
LOSSY = (sys.executable, str(Path(__file__).with_name("lossy_server.py")))
PAGES = ("library/contextlib.html", "library/re.html", "tutorial/index.html", "glossary.html", "bugs.html")
QUESTIONS = ("context manager protocol", "sort a list", "regular expression syntax", "open a file")

Ask = Callable[[Server, str, random.Random], bytes]


@dataclass
class Promises:
    """What was answered: ids that must be there from now on, the exact replies, checkpoints."""

    ids: set[str] = field(default_factory=set)
    bodies: set[bytes] = field(default_factory=set)
    checkpoints: set[bytes] = field(default_factory=set)
    more: threading.Event = field(default_factory=threading.Event)

    def note(self, body: bytes) -> None:
        reply = json.loads(body)
        self.bodies.add(body)
        self.more.set()
        self.ids.add(reply["record"])
        self.ids |= {reply["capture"]} if "capture" in reply else set()
        for result in reply.get("results", []):
            self.ids.add(result["capture"])
            self.ids |= {passage["id"] for passage in result["passages"]}

    def broken(self, server: Server) -> list[str]:
        """What is not there any longer."""
        replies = {f"sha256:{hashlib.sha256(body).hexdigest()}" for body in self.bodies}
        missing = []
        for identity in sorted(self.ids | replies):
            status, body = server.get(f"/api/v1/evidence/{identity}")
            if status != 200 or f"sha256:{hashlib.sha256(body).hexdigest()}" != identity:
                missing.append(f"{identity}: {status}")
        return missing


def searching(server: Server, site: str, turn: random.Random) -> bytes:
    status, body = server.post("/api/v1/search", {"query": turn.choice(QUESTIONS), "fetch": "never"})
    return body if status == 200 else b""


def fetching(server: Server, site: str, turn: random.Random) -> bytes:
    status, body = server.post("/api/v1/captures", {"url": site + turn.choice(PAGES), "max_age": 0})
    return body if status == 200 else b""


def ask_until_gone(server: Server, site: str, promises: Promises, ask: Ask, number: int) -> None:
    """Ask, and look at the log, until the server does not answer any more."""
    turn = random.Random(number)
    try:
        while True:
            body = ask(server, site, turn)
            if body:
                promises.note(body)
            status, checkpoint = server.get("/api/v1/log/checkpoint")
            if status == 200:
                promises.checkpoints.add(checkpoint)
    except (OSError, http.client.HTTPException):
        return  # killed, perhaps in the middle of an answer


def crawl(server: Server, site: str, crawls: set[str]) -> None:
    """Go on with the crawl: the server may have taken it up itself, otherwise it is asked for again."""
    for known in crawls:
        status, body = server.get(f"/api/v1/crawls/{known}")
        if status == 200 and json.loads(body)["state"] == "running":
            return
    status, body = server.post("/api/v1/crawls", {"url": site, "max_pages": 300})
    assert status < 300, body
    crawls.add(json.loads(body)["id"])


@pytest.mark.parametrize("serve", [None, LOSSY], ids=["on a disk", "on a disk that forgets what was not synced"])
def test_killed_at_random_moments_nothing_that_was_answered_is_lost(
    serve: Sequence[str] | None, documentation: str, installation: Installation
) -> None:
    promises = Promises()
    crawls: set[str] = set()
    moments = random.Random(KILLS)

    for number in range(KILLS):
        with installation.serving(command=serve) as server:
            crawl(server, documentation, crawls)
            asking = [
                threading.Thread(target=ask_until_gone, args=(server, documentation, promises, ask, number))
                for ask in (searching, fetching)
            ]
            promises.more.clear()
            for thread in asking:
                thread.start()
            if number % 2:  # the other lives end wherever they are
                promises.more.wait(60)
            time.sleep(moments.uniform(0.05, 3.0))
            server.kill()
            for thread in asking:
                thread.join()
            assert server.survivors() == []

    with installation.serving() as server:
        assert promises.broken(server) == []
        assert len(promises.bodies) >= KILLS
        assert len(promises.checkpoints) >= KILLS // 2
        # The crawl has gone on by itself, however little of it there was between the kills.
        while not all(_ids(installation, question) for question in QUESTIONS):
            time.sleep(1)
    checked = installation.run("doctor", "--deep", "--json").json
    assert checked["holds"] is True, checked
    assert continues(files_of(installation.data / "bucket"), sorted(promises.checkpoints))
    before = [_ids(installation, question) for question in QUESTIONS]
    installation.run("rebuild", "--json")
    assert [_ids(installation, question) for question in QUESTIONS] == before
    assert all(before)


def _ids(installation: Installation, question: str) -> list[str]:
    found: dict[str, Any] = installation.run("search", question, "--json").json
    return [passage["id"] for result in found["results"] for passage in result["passages"]]
