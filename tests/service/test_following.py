"""The index follows the log: it is told what is new, and nothing of visits that found a page as it was."""

import threading
from pathlib import Path
from typing import Any, cast

import pytest

from service.following import Follower
from snapshots import StoreUnreachable
from tests.service.opened import BRIDGE, FERRY, captured, opened, searched
from tests.sites import Route, Site, robots

OPEN = robots("User-agent: *\nAllow: /\n")


class Faltering:
    """As much of archive, log and index as following one entry takes. The first try fails, when it is let go."""

    size = 1
    position = 0
    newest = None

    def __init__(self) -> None:
        self.trying = threading.Event()
        self.go = threading.Event()

    def catch_up(self) -> None:
        if not self.trying.is_set():
            self.trying.set()
            assert self.go.wait(30)
            raise StoreUnreachable("no answer")
        threading.Event().wait(0.3)  # so that whoever waits is awake before the second try is over

    def follow(self, at: int, _most: int, *, kinds: frozenset[str]) -> list[tuple[int, str, object]]:
        assert kinds
        return [(0, "sha256:00", object())] if at == 0 else []

    def apply(self, _pages: object, position: int) -> None:
        self.position = position


@pytest.mark.parametrize("rebuilt", [False, True], ids=["followed", "rebuilt"])
async def test_a_page_that_is_as_it_once_was_is_found_again(tmp_path: Path, *, rebuilt: bool) -> None:
    routes = [OPEN, Route("/", body=FERRY, hit=1), Route("/", body=BRIDGE, hit=2), Route("/", body=FERRY)]
    with Site(routes) as site:
        async with opened(tmp_path) as actions:
            seen = [await captured(actions, site.url("/"), max_age=0) for _ in range(4)]
            if rebuilt:
                await actions.rebuild(lambda *_: None)
            ferry = await searched(actions, "ferry northern pier", fetch="never")
            toll = await searched(actions, "toll swing bridge", fetch="never")
            versions = actions.parts.follower.index.passages

    assert [one["capture"] for one in ferry["results"]] == [seen[2]["capture"]]
    assert toll["results"] == []
    assert versions == sum(len(one["passages"]) for one in seen[:3])


def test_who_asks_while_a_try_fails_is_given_the_next_one() -> None:
    behind = Faltering()
    follower = Follower(*cast("Any", (behind, behind, behind)))
    follower.start()
    assert behind.trying.wait(30)
    threading.Timer(0.3, behind.go.set).start()

    missing = follower.wait(30)

    follower.close()
    assert missing == 0
