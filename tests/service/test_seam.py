"""The seam between commands and a Citator: the same calls, in this process and behind a server on either socket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from service.connect import ME, answers
from service.crawl_requests import CrawlRequest
from service.doors import Citator
from service.errors import problem_of
from service.exchange import Exchange
from service.remote import Remote
from service.requests import (
    CaptureRequest,
    KeyRequest,
    RemovalRequest,
    Scope,
    SearchRequest,
    UploadRequest,
)
from service.server import FIRST_KEY, serve
from service.settings import Settings
from tests.postgres import free_port
from tests.service.small_citator import TILE, SmallCitator, id_of

WAYS = ["here", "socket", "tcp"]


@asynccontextmanager
async def serving(citator: SmallCitator, data: Path) -> AsyncIterator[str]:
    """A real server over `citator`; yields its address."""
    stop = asyncio.Event()
    settings = Settings(data=data, listen=f"127.0.0.1:{free_port()}")
    task = asyncio.ensure_future(serve(citator, settings, stop))
    try:
        while not answers(settings.socket_path):
            await asyncio.wait({task}, timeout=0.01)
            if task.done():
                await task
        yield f"http://{settings.listen}"
    finally:
        stop.set()
        await task
    assert not settings.socket_path.exists()


@pytest.fixture(params=WAYS)
async def asked(request: pytest.FixtureRequest, citator: SmallCitator, tmp_path: Path) -> AsyncIterator[Citator]:
    if request.param == "here":
        yield citator
        return
    async with serving(citator, tmp_path) as url:
        key = (tmp_path / FIRST_KEY).read_text().strip()
        yield Remote(Exchange(tmp_path / "server.sock") if request.param == "socket" else Exchange(url, key))


async def test_a_search_gives_the_exact_bytes_and_the_ids_of_its_records(asked: Citator, citator: SmallCitator) -> None:
    reply = await asked.search(SearchRequest(query="bread", max_results=3, session="s"), ME)
    unstored = await asked.search(SearchRequest(query="bread", store=False), ME)

    assert reply.serving is not None
    assert citator.kept[reply.serving][0] == reply.body + b" served"
    assert reply.record in citator.kept
    assert (unstored.record, unstored.serving) == (None, None)
    assert citator.asked[-2] == SearchRequest(query="bread", max_results=3, session="s")


async def test_a_page_that_gave_nothing_is_a_reply_with_a_status(asked: Citator) -> None:
    good = await asked.capture(CaptureRequest(url="http://site.test/a"), ME)
    gone = await asked.capture(CaptureRequest(url="http://gone.test/"), ME)

    assert (good.status, good.media_type) == (200, "application/json")
    assert (gone.status, gone.media_type) == (502, "application/problem+json")
    assert gone.record is not None


async def test_an_upload_arrives_whole_with_its_options(asked: Citator, citator: SmallCitator) -> None:
    request = UploadRequest(
        body=bytes(range(256)) * 100, url="http://mine.test/ü?a=b&c", at="2024-05-06", title="Ein Brötchen",
        name="a b.bin", media_type="text/plain; charset=latin-1", max_tokens=7, store=False, session="s",
    )  # fmt: skip
    bare = UploadRequest(body=b"x")

    await asked.upload(request, ME)
    await asked.upload(bare, ME)

    assert citator.asked[-2:] == [request, bare]


async def test_captures_are_listed(asked: Citator, citator: SmallCitator) -> None:
    found = await asked.captures("http://site.test/a?b=c&d", limit=3, before="x", caller=ME)

    assert found["captures"][0]["capture"] == id_of(b"http://site.test/a?b=c&d")
    assert citator.asked[-1] == ("http://site.test/a?b=c&d", 3, "x")


async def test_a_crawl_is_followed_to_its_end(asked: Citator) -> None:
    started = await asked.crawl_start(CrawlRequest(urls=("http://site.test/a", "http://gone.test/")), ME)

    events = [event async for event in asked.crawl_events(started["id"])]
    later = [event async for event in asked.crawl_events(started["id"], after=2)]
    found = await asked.crawl(started["id"])
    stopped = await asked.crawl_cancel(started["id"])

    assert [event["type"] for event in events] == ["page", "failed", "finished"]
    assert later == events[2:]
    assert found["counts"] == {"captured": 1, "failed": 1}
    assert stopped["state"] == "cancelled"


async def test_events_may_be_left_before_their_end(asked: Citator, citator: SmallCitator) -> None:
    started = await asked.crawl_start(CrawlRequest(url="http://site.test/a"), ME)
    citator.slow = 0.01

    seen = []
    async with aclosing(asked.crawl_events(started["id"])) as events:  # type: ignore[type-var]  # they are generators
        async for event in events:
            seen.append(event)
            if len(seen) == 2:
                break

    assert [event["event"] for event in seen] == [1, 2]


async def test_evidence_proof_and_dependents_are_given(asked: Citator, citator: SmallCitator) -> None:
    found = citator.keep(b"<html>\xff\x00", "text/html; charset=x")

    whole = await asked.evidence(found[:20])
    view = await asked.evidence(found, view="text")
    proof = await asked.proof(found)
    dependents = await asked.dependents(found)

    assert (whole.body, whole.media_type, whole.id, whole.kind) == (
        b"<html>\xff\x00",
        "text/html; charset=x",
        found,
        "blob",
    )
    assert view.body == b"<"
    assert proof["record"] == found
    assert dependents == {"id": found, "dependents": []}


async def test_a_removal_is_planned_and_done(asked: Citator, citator: SmallCitator) -> None:
    found = citator.keep(b"secret")

    planned = await asked.remove(RemovalRequest(ids=(found,), dry_run=True), ME)
    done = await asked.remove(RemovalRequest(ids=(found,), reason="asked"), ME)

    assert planned["deletion"] is None
    assert done["removed"] == planned["removed"]
    assert found not in citator.kept


async def test_the_log_is_read(asked: Citator) -> None:
    assert (await asked.checkpoint()).startswith(b"citator\n")
    assert await asked.log_file("tile/entries/000.p/1") == TILE
    assert await asked.log_file("tile/0/000") is None


async def test_keys_are_made_rotated_and_revoked(asked: Citator) -> None:
    made = await asked.keys_create(KeyRequest(name="agent", scopes=(Scope.SEARCH, Scope.READ)))
    rotated = await asked.keys_rotate(made["id"])
    await asked.keys_revoke(rotated["id"])

    assert made["scopes"] == rotated["scopes"] == ["search", "read"]
    assert made["id"] not in {key["id"] for key in (await asked.keys_list())["keys"]}


async def test_long_work_tells_its_progress(asked: Citator) -> None:
    told: list[tuple[str, int, int | None]] = []

    rebuilt = await asked.rebuild(lambda *step: told.append(step))
    checked = await asked.doctor(deep=True, progress=lambda *step: told.append(step))

    assert rebuilt == {"entries": 2}
    assert told[-1] == ("objects", 1, None)
    assert checked["holds"] is False


@pytest.mark.slow
@pytest.mark.parametrize("call", ["evidence", "proof", "dependents"])
@pytest.mark.parametrize(
    ("text", "slug"),
    [("sha256:" + "0" * 64, "unknown-id"), ("hello/../x?", "bad-id"), ("abababababab", "ambiguous-id")],
)
async def test_problems_are_the_same_on_both_sides(
    asked: Citator, citator: SmallCitator, call: str, text: str, slug: str
) -> None:
    citator.kept["sha256:" + "ab" * 31 + "01"] = citator.kept["sha256:" + "ab" * 31 + "02"] = (b"", "", "")

    with pytest.raises(Exception) as raised:  # noqa: PT011 - which error it is, is what the next lines look at
        await getattr(asked, call)(text)

    problem = problem_of(raised.value)
    assert problem.slug == slug
    assert text in problem.detail


async def test_a_problem_in_the_middle_of_long_work_is_told(asked: Citator, citator: SmallCitator) -> None:
    citator.broken = OSError("the disk is on fire")

    with pytest.raises(Exception) as raised:  # noqa: PT011 - as above
        await asked.rebuild(lambda *_: None)

    assert problem_of(raised.value).slug == "internal"


async def test_paths_are_given_only_through_the_socket(citator: SmallCitator, tmp_path: Path) -> None:
    async with serving(citator, tmp_path) as url:
        key = (tmp_path / FIRST_KEY).read_text().strip()
        near, far = Remote(Exchange(tmp_path / "server.sock")), Remote(Exchange(url, key))

        backed = await near.backup(tmp_path / "backup", lambda *_: None)
        copied = await near.log_key_backup(tmp_path / "key")
        with pytest.raises(Exception) as raised:  # noqa: PT011 - as above
            await far.backup(tmp_path / "backup", lambda *_: None)

    assert backed["path"] == str(tmp_path / "backup")
    assert copied["path"] == str(tmp_path / "key")
    assert problem_of(raised.value).slug == "local-only"


async def test_the_socket_is_its_owners_alone_even_at_a_long_path(citator: SmallCitator, tmp_path: Path) -> None:
    data = tmp_path / ("long" * 30)
    data.mkdir()

    async with serving(citator, data):
        mode = (data / "server.sock").stat().st_mode & 0o777
        health = await Remote(Exchange(data / "server.sock")).health()

    assert mode == 0o600
    assert health["status"] == "ok"


async def test_a_stop_lets_running_requests_finish_and_ends_event_streams(
    citator: SmallCitator, tmp_path: Path
) -> None:
    async with serving(citator, tmp_path):
        near = Remote(Exchange(tmp_path / "server.sock"))
        started = await near.crawl_start(CrawlRequest(url="http://site.test/a"), ME)
        citator.slow = 0.5
        following = asyncio.ensure_future(_all(near, started["id"]))
        searching = asyncio.ensure_future(near.search(SearchRequest(query="bread"), ME))
        await asyncio.sleep(0.2)

    assert (await searching).status == 200
    assert (await following)[-1]["type"] == "finished"


async def _all(asked: Citator, crawl: str) -> list[dict[str, object]]:
    return [event async for event in asked.crawl_events(crawl)]


async def test_the_first_key_is_made_once(citator: SmallCitator, tmp_path: Path) -> None:
    async with serving(citator, tmp_path):
        first = (tmp_path / FIRST_KEY).read_text()
    async with serving(citator, tmp_path):
        second = (tmp_path / FIRST_KEY).read_text()

    assert first == second
    assert len(citator.keys) == 1
    assert (tmp_path / FIRST_KEY).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("where", ["http://127.0.0.1:1", "ftp://x", "http://"])
async def test_a_server_that_is_not_there_is_named(where: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011 - as above
        await Remote(Exchange(where)).checkpoint()

    assert problem_of(raised.value).slug == "server-unreachable"
