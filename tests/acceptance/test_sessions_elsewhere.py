"""Sessions over two servers that share a bucket and a database: one order, whoever writes, whoever dies."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.requests import Caller, Scope
from service.sessions.asked import MessageRequest, RunRequest, SessionRequest
from tests.postgres import Cluster, postgres_cluster
from tests.service.opened import opened

pytestmark = pytest.mark.slow

ME = Caller(key=None, name="test", scopes=frozenset({Scope.ADMIN}), surface="http")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with postgres_cluster() as running:
        yield running


@pytest.fixture
async def two(tmp_path: Path, cluster: Cluster) -> AsyncIterator[list[Actions]]:
    shared: dict[str, Any] = {"bucket": str(tmp_path / "bucket"), "database_url": cluster.create()}
    key = tmp_path / "log.key"
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(opened(tmp_path / "a", log_key_file=key, **shared))
        second = await stack.enter_async_context(opened(tmp_path / "b", log_key_file=key, **shared))
        yield [first, second]


async def test_only_one_of_two_servers_gets_the_lock(two: list[Actions]) -> None:
    session = (await two[0].sessions.begin(SessionRequest(), ME))["id"]

    taken = await asyncio.gather(
        *(actions.sessions.start(session, RunRequest(), ME) for actions in two), return_exceptions=True
    )

    assert sorted(type(one).__name__ for one in taken) == ["SessionLocked", "dict"]


async def test_what_one_server_wrote_goes_on_at_the_other_without_it(tmp_path: Path, cluster: Cluster) -> None:
    shared: dict[str, Any] = {"bucket": str(tmp_path / "bucket"), "database_url": cluster.create()}
    key = tmp_path / "log.key"
    async with opened(tmp_path / "a", log_key_file=key, **shared) as first:
        session = (await first.sessions.begin(SessionRequest(), ME))["id"]
        run = await first.sessions.start(session, RunRequest(lease_seconds=1), ME)
        await first.sessions.say(session, MessageRequest(content="half", role="assistant", run=run["id"]), ME)

    await asyncio.sleep(1.1)
    async with opened(tmp_path / "b", log_key_file=key, **shared) as second:
        await second.sessions.say(session, MessageRequest(content="on"), ME)
        ended = await second.sessions.run(session, run["id"])
        events = await second.sessions.events(session, after=None, limit=10, whole=False)

    assert ended["state"] == "failed"
    assert [event["type"] for event in events["events"]] == ["run_started", "message", "run_failed", "message"]
