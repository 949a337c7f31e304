import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import Block, Charset, Dated, Language, Link, ReaderPool, Reading, RobotsMeta, read_page
from crawler.reader_wire import pack_reading, unpack_reading
from tests.crawler.reading_pages import AT, PROSE, URL, page, paragraphs

ARTICLE = page(f"<article><h1>Lock gates</h1>{paragraphs()}</article>").encode()


def data(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


# Pages made to break readers, small enough for tests; each with what may become of it.
HOSTILE = {
    "many links": (page("".join(f'<a href="/{n}">link {n}</a> ' for n in range(60_000)) + paragraphs()), {"ok"}),
    "deep nesting": (page("<div>" * 50_000 + paragraphs()), {"too_large"}),
    "deep inline nesting": (page("<b>" * 30_000 + paragraphs()), {"too_large", "ok"}),
    "deep lists": (page("<ul><li>x" * 5_000 + paragraphs()), {"too_large", "ok"}),
    "a large table": (page("<table>" + "<tr><td>1<td>depth" * 30_000 + "</table>" + paragraphs()), {"ok"}),
    "a large text": (page(f"<p>{PROSE[0] * 12_000}</p>" + paragraphs()), {"ok"}),
    "nothing but openings": ("<" * 400_000 + PROSE[0], {"ok", "too_large"}),
    "unclosed comments": (page("<!-- x " * 50_000), {"ok", "empty"}),
    "unclosed attributes": (page('<a href="' + "x " * 200_000), {"ok", "empty", "too_large"}),
    "nested lists of data": (page(paragraphs(), data("[" * 100_000)), {"ok"}),
    "deep data": (
        page(paragraphs(), data('{"@graph":' * 20_000 + "1" + "}" * 20_000)),
        {"ok"},
    ),
    "many metas": (page(paragraphs(), '<meta name="author" content="A B">' * 20_000), {"ok"}),
    "many headings": (page("<h1>Lock gates</h1>" * 10_000 + paragraphs()), {"ok"}),
    "entities": (page("<p>" + "&amp;&#x10FFFF;&#55296;&nosuch;" * 20_000 + "</p>" + paragraphs()), {"ok"}),
}  # fmt: skip

# One tag with this many attributes keeps the parser busy for many seconds.
SLOW = page(f"<div {' '.join(f'a{n}=x' for n in range(100_000))}>{paragraphs()}</div>").encode()


async def read(pool: ReaderPool, body: bytes, media_type: str = "text/html") -> Reading:
    return await pool.read(body, media_type=media_type, charset=None, url=URL, at=AT, status=200)


def workers() -> list[int]:
    """The worker processes of this process."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in children if b"reader_worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]


async def until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110 - processes come and go without an event
        await asyncio.sleep(0.02)


async def until_read_in(worker: int) -> None:
    """Return when WORKER reads a page: nothing else that it does takes a tenth of a second of a processor."""
    before = worked(worker)
    await until(lambda: worked(worker) >= before + os.sysconf("SC_CLK_TCK") / 10)


def worked(process: int) -> int:
    """What a processor has given PROCESS, in ticks."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11])


@pytest.mark.slow
async def test_a_glance_tells_what_a_body_is_and_reads_nothing_of_it() -> None:
    greek = "<!doctype html><meta charset=iso-8859-7><p>καλημέρα</p>".encode("iso-8859-7")
    async with ReaderPool(1) as pool:
        page = await pool.read(greek, media_type=None, charset=None, url=URL, at=AT, glance=True)
        print_ = await pool.read(b"%PDF-1.7", media_type="text/html", charset=None, url=URL, at=AT, glance=True)

    assert (page.media_type, page.charset, page.text) == ("text/html", Charset("iso-8859-7", "meta"), "")
    assert (print_.media_type, print_.charset) == ("application/pdf", None)


async def test_a_worker_reads_what_the_function_reads() -> None:
    async with ReaderPool(1) as pool:
        assert workers() == []

        reading = await read(pool, ARTICLE)

        assert len(workers()) == 1
    assert reading == read_page(ARTICLE, media_type="text/html", charset=None, url=URL, at=AT, status=200)
    assert workers() == []


@pytest.mark.slow
async def test_several_pages_are_read_at_once_and_no_more_than_allowed() -> None:
    async with ReaderPool(2) as pool:
        readings = await asyncio.gather(*(read(pool, ARTICLE) for _ in range(12)))

        assert {r.outcome for r in readings} == {"ok"}
        assert len(workers()) == 2


@pytest.mark.slow
async def test_hostile_pages_cost_nobody_else_anything() -> None:
    async with ReaderPool(1) as pool:
        for name, (html, outcomes) in HOSTILE.items():
            reading = await read(pool, html.encode())

            assert reading.outcome in outcomes, name
            assert (reading.detail is not None) or reading.outcome == "ok", name
        assert (await read(pool, ARTICLE)).outcome == "ok"


@pytest.mark.slow
async def test_a_page_that_takes_too_long_is_stopped_and_read_as_plain_text() -> None:
    async with ReaderPool(1, time_limit=1.0) as pool:
        await read(pool, ARTICLE)
        before = workers()

        reading = await read(pool, SLOW)

        assert reading.outcome == "timeout"
        assert "1 seconds" in (reading.detail or "")
        assert PROSE[0] in reading.text
        assert ("main-text", "tags-stripped") in reading.extractors
        assert (await read(pool, ARTICLE)).outcome == "ok"
        assert set(workers()).isdisjoint(before)


@pytest.mark.slow
async def test_a_worker_that_stands_still_is_given_up_and_the_page_read_as_plain_text_by_another() -> None:
    async with ReaderPool(1, time_limit=0.2) as pool:
        await read(pool, ARTICLE)
        for worker in (before := workers()):
            os.kill(worker, signal.SIGSTOP)

        reading = await read(pool, ARTICLE)

        assert reading.outcome == "timeout"
        assert "2 seconds" in (reading.detail or "")
        assert PROSE[0] in reading.text
        assert set(workers()).isdisjoint(before)


@pytest.mark.slow
async def test_a_page_that_needs_too_much_memory_is_told_so_and_read_as_plain_text() -> None:
    html = page("".join(f"<p>{text} {n}</p>" for n in range(12_000) for text in PROSE)).encode()
    async with ReaderPool(1, memory_limit=64 * 1024 * 1024) as pool:
        reading = await read(pool, html)

        assert reading.outcome == "too_large"
        assert "64 MB" in (reading.detail or "")
        assert PROSE[0] in reading.text
        assert (await read(pool, ARTICLE)).outcome == "ok"


@pytest.mark.slow
async def test_a_worker_that_is_killed_is_replaced() -> None:
    async with ReaderPool(1) as pool:
        await read(pool, ARTICLE)
        (worker,) = workers()

        slow = asyncio.create_task(read(pool, SLOW))
        await until_read_in(worker)
        os.kill(worker, signal.SIGKILL)
        reading = await slow

        assert reading.outcome == "failed"
        assert "SIGKILL" in (reading.detail or "")
        assert PROSE[0] in reading.text
        assert (await read(pool, ARTICLE)).outcome == "ok"


@pytest.mark.slow
async def test_an_idle_worker_that_was_killed_meanwhile_costs_no_page_its_text() -> None:
    async with ReaderPool(1) as pool:
        await read(pool, ARTICLE)
        os.kill(workers()[0], signal.SIGKILL)
        await until(lambda: not workers())

        reading = await read(pool, ARTICLE)

        assert reading.outcome == "ok"


@pytest.mark.slow
async def test_workers_are_replaced_after_enough_pages() -> None:
    async with ReaderPool(1, pages_per_worker=2) as pool:
        seen = set()
        for _ in range(5):
            await read(pool, ARTICLE)
            seen.update(workers())

        assert len(seen) >= 2
        await until(lambda: len(workers()) <= 1)


@pytest.mark.slow
async def test_idle_workers_end_and_start_again_when_needed() -> None:
    async with ReaderPool(1, idle_seconds=0.2) as pool:
        await read(pool, ARTICLE)
        await until(lambda: not workers())

        assert (await read(pool, ARTICLE)).outcome == "ok"


async def test_a_cancelled_read_frees_its_place_and_its_worker() -> None:
    async with ReaderPool(1) as pool:
        await read(pool, ARTICLE)
        slow = asyncio.create_task(read(pool, SLOW))
        await until_read_in(workers()[0])

        slow.cancel()

        with pytest.raises(asyncio.CancelledError):
            await slow
        assert (await read(pool, ARTICLE)).outcome == "ok"
        await until(lambda: len(workers()) == 1)


async def test_closing_ends_reads_and_leaves_no_process() -> None:
    pool = ReaderPool(1)
    await read(pool, ARTICLE)
    slow = asyncio.create_task(read(pool, SLOW))
    waiting = asyncio.create_task(read(pool, ARTICLE))
    await until_read_in(workers()[0])

    await pool.close()

    assert all(
        isinstance(r, asyncio.CancelledError) for r in await asyncio.gather(slow, waiting, return_exceptions=True)
    )
    assert workers() == []
    with pytest.raises(RuntimeError):
        await read(pool, ARTICLE)


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        timeout=120,
    ).stdout


def test_the_process_that_owns_the_pool_loads_no_parser_and_its_children_print_nothing() -> None:
    code = f"""
import asyncio, sys
from datetime import UTC, datetime
from crawler import ReaderPool

async def main():
    async with ReaderPool(1) as pool:
        for body in ({ARTICLE!r}, b"<p>", b"%PDF-1.4 broken"):
            await pool.read(body, media_type=None, charset=None, url="", at=datetime.now(UTC))

asyncio.run(main())
heavy = ("lxml", "trafilatura", "resiliparse", "htmldate", "pypdfium2", "py3langid", "babel")
print([module for module in heavy if module in sys.modules])
"""

    assert run(code) == "[]\n"


@pytest.mark.slow
def test_a_worker_ends_when_the_process_that_owns_it_is_killed() -> None:
    code = f"""
import asyncio, os, signal
from datetime import UTC, datetime
from pathlib import Path
from crawler import ReaderPool

async def main():
    pool = ReaderPool(1)
    await pool.read({ARTICLE!r}, media_type=None, charset=None, url="", at=datetime.now(UTC))
    print(Path(f"/proc/{{os.getpid()}}/task/{{os.getpid()}}/children").read_text().split()[0], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""

    told = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        timeout=120,
    )

    assert told.returncode == -signal.SIGKILL
    asyncio.run(until(lambda: not Path(f"/proc/{told.stdout.strip()}/cmdline").exists()))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
READINGS = st.builds(
    Reading,
    outcome=st.sampled_from(["ok", "empty", "timeout"]),
    media_type=st.none() | TEXT,
    detail=st.none() | TEXT,
    charset=st.none() | st.builds(Charset, TEXT, st.just("meta")),
    text=TEXT,
    visible=TEXT,
    title=st.none() | TEXT,
    published=st.none() | st.builds(Dated, TEXT, TEXT, st.booleans()),
    language=st.none() | st.builds(Language, TEXT, TEXT),
    blocks=st.lists(
        st.builds(Block, st.just("list"), st.integers(0, 9), st.integers(0, 9), st.none() | st.integers(1, 6))
    ).map(tuple),
    links=st.lists(st.builds(Link, TEXT, TEXT)).map(tuple),
    links_total=st.integers(0, 2**50),
    flags=st.lists(TEXT).map(tuple),
    page_state_evidence=st.lists(TEXT).map(tuple),
    extractors=st.lists(st.tuples(TEXT, TEXT)).map(tuple),
    robots_meta=st.builds(RobotsMeta, st.booleans(), st.booleans(), st.booleans()),
    replaced=st.integers(0, 99),
)


@given(READINGS)
def test_a_reading_comes_out_of_the_pipe_as_it_went_in(reading: Reading) -> None:
    assert unpack_reading(pack_reading(reading)) == reading


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"null", b"\x80\x04.", b'{"text": 1}'])
def test_anything_else_out_of_the_pipe_is_refused(data: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        unpack_reading(data)


def test_times_keep_their_zone_on_the_way() -> None:
    assert datetime.fromisoformat(AT.isoformat()) == AT.astimezone(UTC)
