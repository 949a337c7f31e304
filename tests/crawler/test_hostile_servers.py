import asyncio
import gc
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler import Fetcher, FetchSettings
from tests.crawler.fetching import fetcher
from tests.sites import Route, Site, redirect

Sites = Callable[..., Site]

WHOLE = (
    (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
        b"Set-Cookie: a=b; Path=/; Max-Age=5\r\nTransfer-Encoding: chunked\r\nRetry-After: 5\r\n\r\n"
        b"b\r\n<p>hello</p>\r\n4;x=y\r\nmore\r\n0\r\nTrailer: z\r\n\r\n"
    ),
    b"HTTP/1.1 302 Found\r\nLocation: /again?x=1#y\r\nContent-Length: 5\r\n\r\nmoved",
    b"HTTP/1.0 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789",
)
OUTCOMES = {"ok", "incomplete", "timeout", "too_large", "refused", "rate_limited", "error"}


def mangled(chance: random.Random) -> bytes:
    """Give an answer with some faults: bytes changed, cut out, doubled, or the rest cut off."""
    answer = bytearray(chance.choice(WHOLE))
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(max(1, len(answer) - 1))
        answer += b" " if not answer else b""
        match chance.randrange(10):
            case 0 | 1 | 2 | 3:
                answer[place] = chance.choice(b"\0\r\n :;,=/%\xff\x80A9-")
            case 4 | 5 | 6:
                del answer[place : place + chance.randint(1, 8)]
            case 7 | 8:
                answer[place:place] = answer[max(0, place - 8) : place]
            case _:
                answer = answer[: place + 1]
    return bytes(answer)


async def test_whatever_a_server_sends_ends_in_a_visit(site: Sites) -> None:
    chance = random.Random(20261129)
    place = site(*(Route(f"/{n}", raw=mangled(chance), then="close") for n in range(400)))

    async with fetcher(read_timeout=0.5, concurrency=20) as web:
        visits = await asyncio.gather(*(web.fetch(place.url(f"/{n}"), robots="ignore") for n in range(400)))

    assert {visit.outcome for visit in visits} <= OUTCOMES
    assert all((visit.reason is None) == (visit.outcome == "ok") for visit in visits)
    assert all((visit.detail is None) == (visit.reason is None) for visit in visits)
    assert all(visit.hops for visit in visits)


CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\na\r\n" * 20_000 + b"0\r\n\r\n"
ANNOUNCED = b"HTTP/1.1 103 Early Hints\r\n\r\n" * 20_000 + b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
LONG = b"HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n" + b"a" * 20_000_000


@pytest.mark.parametrize(("answer", "length"), [(CHUNKS, 20_000), (ANNOUNCED, 1), (LONG, 20_000_000)])
async def test_a_server_that_never_pauses_leaves_other_tasks_their_turns(
    site: Sites, answer: bytes, length: int
) -> None:
    place = site(Route("/", raw=answer))
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with fetcher(deadline=60.0) as web, asyncio.TaskGroup() as tasks:
        other = tasks.create_task(take_turns())
        visit = await web.fetch(place.url(), robots="ignore")
        other.cancel()

    assert visit.wire_length == length
    assert turns >= 200


async def test_what_a_server_said_is_not_repeated_in_the_reason(site: Sites) -> None:
    place = site(Route("/", raw=b"secret words of the inner service\r\n\r\n"))

    async with fetcher() as web:
        visit = await web.fetch(place.url(), robots="ignore")

    assert visit.reason == "bad_response"
    assert "secret" not in repr(visit)


async def test_a_fetch_that_is_given_up_leaves_no_connection_and_no_turn_behind(site: Sites) -> None:
    place = site(Route("/slow", body=b"x", framing="close", then="hold"), Route("/fine", body="fine"))

    async with fetcher(concurrency=1) as web:
        for times in range(3):
            given_up = asyncio.create_task(web.fetch(place.url("/slow"), robots="ignore"))
            while place.asked("/slow") <= times:  # noqa: ASYNC110 - the site counts in another thread
                await asyncio.sleep(0.01)
            given_up.cancel()
            with pytest.raises(asyncio.CancelledError):
                await given_up
        fine = await web.fetch(place.url("/fine"), robots="ignore")

    gc.collect()  # an unclosed socket would be told here, and fail the test
    assert fine.body == b"fine"


async def test_closing_closes_every_kept_connection(site: Sites) -> None:
    places = [site(Route("*", body="x")) for _ in range(5)]
    before = open_files()

    async with fetcher() as web:
        for place in places:
            await asyncio.gather(*(web.fetch(place.url(f"/{n}")) for n in range(4)))
        during = open_files()

    assert during > before
    gc.collect()
    for _ in range(200):  # the sites' threads close their ends, in their own time
        if open_files() <= before:
            break
        await asyncio.sleep(0.05)
    assert open_files() <= before


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_many_sites_at_once(site: Sites) -> None:
    places = [site(redirect("/", "/end"), Route("/end", body=f"site {n}")) for n in range(12)]

    async with fetcher() as web:
        visits = await asyncio.gather(*(web.fetch(place.url()) for place in places for _ in range(10)))

    assert [visit.body for visit in visits] == [f"site {n}".encode() for n in range(12) for _ in range(10)]


@pytest.mark.parametrize("value", ["Two\r\nX: y", "Żubr/1.0", "tab\there"])
def test_what_cannot_be_sent_is_told_at_the_start(value: str) -> None:
    with pytest.raises(ValueError, match="cannot be sent"):
        Fetcher(FetchSettings(user_agent=value))
