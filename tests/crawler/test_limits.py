import gc
import gzip
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest
import zstandard

from tests.crawler.fetching import fetcher
from tests.sites import HTML, Route, Site

Sites = Callable[..., Site]
MEBIBYTE = 1024 * 1024
LIMIT = 10 * MEBIBYTE
BOMB = 64 * MEBIBYTE

BOMBS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=5),
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
    "gzip, gzip": lambda data: gzip.compress(gzip.compress(data)),
    "zstd, br": lambda data: brotli.compress(zstandard.ZstdCompressor().compress(data)),
}

MEASURE = """
import asyncio, resource, sys
from tests.crawler.fetching import fetcher

async def main():
    async with fetcher(max_body=int(sys.argv[3])) as web:
        await web.fetch(sys.argv[2])  # everything that is loaded on first use is loaded
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        bomb = await web.fetch(sys.argv[1])
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        fine = await web.fetch(sys.argv[2])
        print(bomb.outcome, bomb.reason, bomb.body, fine.outcome, grown)

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("label", BOMBS)
def test_a_bomb_is_too_large_costs_little_memory_and_the_next_page_is_fine(site: Sites, label: str) -> None:
    place = site(
        Route("/bomb", headers=(HTML, ("Content-Encoding", label)), body=BOMBS[label](b"\0" * BOMB)),
        Route("/fine", headers=(HTML, ("Content-Encoding", "gzip")), body=gzip.compress(b"fine" * 10_000)),
    )

    told = subprocess.run(
        [sys.executable, "-c", MEASURE, place.url("/bomb"), place.url("/fine"), str(LIMIT)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    ).stdout.split()

    assert told[:4] == ["too_large", "body_limit", "None", "ok"]
    assert int(told[4]) < 40 * 1024  # KiB


async def test_the_bytes_of_a_body_that_was_too_large_are_let_go_with_its_visit(site: Sites) -> None:
    place = site(Route("/bomb", headers=(HTML, ("Content-Encoding", "gzip")), body=gzip.compress(b"\0" * BOMB)))

    async with fetcher(max_body=LIMIT) as web:
        gc.disable()  # they must not wait for it
        tracemalloc.start()
        try:
            visit = await web.fetch(place.url("/bomb"))
            held, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
            gc.enable()

    assert visit.outcome == "too_large"
    assert most > LIMIT > 4 * held


async def test_a_stage_between_that_explodes_is_stopped_though_nothing_reaches_the_end(site: Sites) -> None:
    endless = gzip.compress(gzip.compress(b"")[:10] + b"\0" * 5 * MEBIBYTE)
    place = site(Route("/", headers=(HTML, ("Content-Encoding", "gzip, gzip")), body=endless))

    async with fetcher(max_body=MEBIBYTE) as web:
        visit = await web.fetch(place.url())

    assert visit.outcome in {"too_large", "incomplete"}
    assert len(visit.body or b"") <= MEBIBYTE


async def test_endless_empty_members_end(site: Sites) -> None:
    place = site(Route("/", headers=(HTML, ("Content-Encoding", "gzip")), body=gzip.compress(b"") * 20_000))

    async with fetcher() as web:
        visit = await web.fetch(place.url())

    assert (visit.outcome, visit.reason) == ("incomplete", "content_encoding_damaged")


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
async def test_the_limit_on_the_wire_holds_in_every_framing(site: Sites, framing: str) -> None:
    place = site(
        Route("/over", body=b"x" * 1000, times=101, framing=framing), Route("/under", body=b"x" * 1000, times=100)
    )

    async with fetcher(max_wire=100_000) as web:
        over = await web.fetch(place.url("/over"))
        under = await web.fetch(place.url("/under"))

    assert (over.outcome, over.reason, over.body) == ("too_large", "wire_limit", None)
    assert (under.outcome, under.wire_length) == ("ok", 100_000)


async def test_a_body_announced_as_too_large_is_not_read(site: Sites) -> None:
    place = site(Route("/", declared=10**15, framing="as-is", then="hold"))

    async with fetcher() as web:
        visit = await web.fetch(place.url())

    assert (visit.outcome, visit.reason, visit.wire_length) == ("too_large", "wire_limit", 0)


async def test_an_endless_body_ends_at_the_limit(site: Sites) -> None:
    place = site(Route("/", body=b"x" * 65_536, times=10_000, framing="close"))

    async with fetcher(max_body=MEBIBYTE) as web:
        visit = await web.fetch(place.url())

    assert (visit.outcome, visit.reason) == ("too_large", "body_limit")
    assert (visit.wire_length or 0) < 2 * MEBIBYTE


async def test_endless_headers_are_no_answer(site: Sites) -> None:
    place = site(Route("/", raw=b"HTTP/1.1 200 OK\r\n" + b"X-More: and more\r\n" * 20_000, then="hold"))

    async with fetcher() as web:
        visit = await web.fetch(place.url())

    assert (visit.outcome, visit.reason) == ("error", "bad_response")
