"""A crawl survives `kill -9`: no page is missing, none has two captures, and few are asked for twice.

And many small crawls at once on two servers that share one database: each is done exactly once, and nothing is locked.
"""

import json
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.installation import Installation, Server
from tests.service.opened import page
from tests.sites import Route, Site, robots

pytestmark = pytest.mark.slow

PAGES = 42
KILLS = 3
AT_ONCE = 4
JOBS = 40


def notices(count: int) -> list[Route]:
    """A start page that leads to some, each of which leads to further ones."""
    first = tuple(f"/notice/{n}" for n in range(0, count, 3))
    routes = [robots(), Route("/", body=page("Index", "All notices of the year. " * 8, links=first))]
    for n in range(count):
        links = (f"/notice/{n + 1}", f"/notice/{n + 2}") if n % 3 == 0 else ()
        text = f"Notice number {n} is about pier {n}. " * 8
        routes.append(Route(f"/notice/{n}", body=page(f"Notice {n}", text, links=links), before=0.05))
    return routes


def standing(server: Server, crawl: str) -> dict[str, Any]:
    status, body = server.get(f"/api/v1/crawls/{crawl}")
    assert status == 200, body
    return dict(json.loads(body))


def ended(server: Server, crawl: str) -> dict[str, Any]:
    while (told := standing(server, crawl))["state"] in {"queued", "running"}:
        time.sleep(0.1)
    return told


def test_after_kills_no_page_is_missing_or_captured_twice(tmp_path: Path) -> None:
    moments = random.Random(7)
    settings = {"CITATOR_CRAWL_CONCURRENCY": str(AT_ONCE), "CITATOR_HOST_CONCURRENCY": str(AT_ONCE)}
    installation = Installation(tmp_path / "data", settings)
    crawl, kills = "", 0
    with Site(notices(PAGES)) as site:
        for _ in range(KILLS):
            with installation.serving() as server:
                if not crawl:
                    status, body = server.post("/api/v1/crawls", {"url": site.url("/"), "max_pages": 2 * PAGES})
                    assert status == 202, body
                    crawl = json.loads(body)["id"]
                time.sleep(moments.uniform(0.2, 1.2))
                kills += standing(server, crawl)["state"] == "running"
                server.kill()
                assert server.survivors() == []
        with installation.serving() as server:
            told = ended(server, crawl)
            listed = Counter()
            for line in told["captures"]:
                _, body = server.get(f"/api/v1/captures?url={line['url']}&limit=100")
                listed[line["url"]] = len(json.loads(body)["captures"])
        asked = Counter(request.path for request in site.requests if request.path.startswith(("/notice", "/?")))

    assert kills >= 2, "it was over before it could be killed"
    assert told["state"] == "done"
    assert len(told["captures"]) == PAGES + 1
    assert set(listed.values()) == {1}
    assert set(asked) == {f"/notice/{n}" for n in range(PAGES)}
    assert asked.total() - PAGES <= kills * AT_ONCE


def test_many_crawls_on_two_servers_are_each_done_once_and_nothing_is_locked(tmp_path: Path) -> None:
    settings = {
        "CITATOR_BUCKET": str(tmp_path / "bucket"),
        "CITATOR_DATABASE_URL": f"sqlite:///{tmp_path}/views.db",
        "CITATOR_LOG_KEY_FILE": str(tmp_path / "log.key"),
        "CITATOR_CRAWLS_AT_ONCE": "2",
    }
    fine = page("Fine", "The toll at the swing bridge ends on Friday. " * 6)
    with Site([robots(), Route("/fine*", body=fine)]) as site:
        with Installation(tmp_path / "a", settings).serving() as one:
            (tmp_path / "b").mkdir()
            (tmp_path / "b" / "first-key").write_text(one.key)  # keys lie in the shared database
            with Installation(tmp_path / "b", settings).serving() as other:
                servers = (one, other)
                answers: list[tuple[int, float]] = []
                done = threading.Event()

                def begin(number: int) -> str:
                    asked = {"url": site.url(f"/fine?{number}"), "max_depth": 0, "sitemap": False}
                    status, body = servers[number % 2].post("/api/v1/crawls", asked)
                    assert status == 202, body
                    return str(json.loads(body)["id"])

                def poll() -> None:
                    while not done.wait(0.05):
                        at = time.perf_counter()
                        status, _ = servers[len(answers) % 2].get("/api/v1/crawls?limit=20")
                        answers.append((status, time.perf_counter() - at))

                polling = threading.Thread(target=poll)
                polling.start()
                with ThreadPoolExecutor(10) as many:
                    crawls = list(many.map(begin, range(JOBS)))
                    told = list(
                        many.map(lambda numbered: ended(servers[numbered[0] % 2], numbered[1]), enumerate(crawls))
                    )
                done.set()
                polling.join()
                logs = one.log.read_text() + other.log.read_text()
        asked = Counter(request.path for request in site.requests if request.path.startswith("/fine"))

    assert {one["state"] for one in told} == {"done"}
    assert [len(one["captures"]) for one in told] == [1] * JOBS
    assert asked == Counter({f"/fine?{n}": 1 for n in range(JOBS)})
    assert {status for status, _ in answers} == {200}
    assert "database is locked" not in logs
