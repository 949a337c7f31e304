"""How long it takes to open a session of ten thousand events and to add to it, on one machine and on shared stores."""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from service.actions import Actions
from service.answering import keep
from service.sessions.asked import ContextRequest, MessageRequest, SessionRequest
from service.sessions.book import Book
from snapshots import Batch, Event, digest, stamp
from tests.eval.measure import line
from tests.postgres import postgres_cluster
from tests.seaweed import seaweed
from tests.service.opened import ME, opened

EVENTS = 10_000
TIMES = 30
AT_ONCE = 500
WORDS = "What was said here has some forty words, as messages of people and of models have them on average. " * 3


def run() -> None:
    print(f"\nSessions of {EVENTS:,} events")
    with tempfile.TemporaryDirectory() as work, ExitStack() as stack:
        here: dict[str, Any] = {}
        asyncio.run(_measured("SQLite, directory", Path(work) / "here", here))
        cluster = stack.enter_context(postgres_cluster())
        s3 = stack.enter_context(seaweed(Path(work) / "seaweed"))
        names = {name.removeprefix("CITATOR_").lower(): value for name, value in s3.environment.items()}
        shared = names | {"database_url": cluster.create()}
        asyncio.run(_measured("PostgreSQL, S3", Path(work) / "there", shared))


async def _measured(where: str, data: Path, settings: dict[str, Any]) -> None:
    async with opened(data, **settings) as actions:
        session = (await actions.sessions.begin(SessionRequest(title="Long"), ME))["id"]
        for batch in _batches(actions, session):
            await keep(actions.parts, batch)
        cold = [await _timed(lambda: Book(actions.parts).history(session)) for _ in range(3)]
        warm = [await _timed(lambda: actions.sessions.look(session)) for _ in range(TIMES)]
        said = MessageRequest(content=WORDS)
        added = [await _timed(lambda: actions.sessions.say(session, said, ME)) for _ in range(TIMES)]
        short = (await actions.sessions.begin(SessionRequest(), ME))["id"]
        first = [await _timed(lambda: actions.sessions.say(short, said, ME)) for _ in range(TIMES)]
        asked = ContextRequest(form="openai", budget=100_000)
        first_shown = await _timed(lambda: actions.session_reading.context(session, asked))
        shown = [await _timed(lambda: actions.session_reading.context(session, asked)) for _ in range(5)]
        before = actions.parts.log.size
        fork = await _timed(lambda: actions.sessions.fork(session, None, ME))
        entries = actions.parts.archive.catalogue.entries(before, 10)
        written = sum(len(actions.parts.archive.get(one.id)) for one in entries)
    line(f"opening, first time ({where})", f"{median(cold) * 1000:.0f} ms", "p50 of 3, read from bucket and catalogue")
    line(f"opening again ({where})", f"{median(warm) * 1000:.1f} ms", f"p50 of {TIMES}, from memory, others looked for")
    line(
        f"appending ({where})",
        f"{median(added) * 1000:.1f} ms",
        f"p50 of {TIMES}; to a new session {median(first) * 1000:.1f} ms",
    )
    again = f"p50 of 5; the first time {first_shown * 1000:.0f} ms"
    line(f"context of 100,000 tokens ({where})", f"{median(shown) * 1000:.0f} ms", again)
    line(f"fork at the end ({where})", f"{fork * 1000:.1f} ms", f"writes {written} bytes of records")


def _batches(actions: Actions, session: str) -> Iterator[Batch]:
    """Messages of both sides, one after the other."""
    previous, now = None, stamp(actions.parts.clock())
    blobs, records = [], []
    for number in range(EVENTS):
        role = "user" if number % 2 == 0 else "assistant"
        body = orjson.dumps({"role": role, "content": f"{number}. {WORDS}"})
        event = Event(
            session=session, previous=previous, at=now, type="message", state="idle", author=role,
            content=digest(body), media_type="application/json", length=len(body), tokens=len(body) // 4,
        )  # fmt: skip
        previous = event.id
        blobs.append(body)
        records.append(event)
        if len(records) == AT_ONCE:
            yield Batch(blobs=tuple(blobs), records=tuple(records))
            blobs, records = [], []
    if records:
        yield Batch(blobs=tuple(blobs), records=tuple(records))


async def _timed(work: Any) -> float:
    begin = time.perf_counter()
    await work()
    return time.perf_counter() - begin
