"""Compares quotations with pages that lie in files: for `citator quote` and for measuring. Keeps nothing."""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol

import anyio.to_thread

from crawler import ReaderPool, Reading
from service.doors import Json
from service.extraction import NOWHERE
from service.quoting_shown import shown
from service.settings import Settings
from snapshots import PageText, digest, judge, page_text, settle

HELD: Final = 16
"""Pages kept ready: the quotations of one page mostly come one after another."""


@dataclass(frozen=True)
class Given:
    """Bytes of a page, their media type if it is known, and the address they came from."""

    body: bytes
    media_type: str | None
    url: str | None = None


@dataclass(frozen=True)
class Quotation:
    """A quotation and what stood around it."""

    quote: str
    prefix: str = ""
    suffix: str = ""


class Comparer(Protocol):
    """Compares a quotation with a page."""

    async def __call__(self, quotation: Quotation, page: Given, old: Given | None) -> Json:
        """The verdict on a quotation that was taken from `old`, and stands on `page` or not."""
        ...


@dataclass(frozen=True)
class _Read:
    reading: Reading
    texts: PageText


@asynccontextmanager
async def comparer(settings: Settings) -> AsyncIterator[Comparer]:
    """A comparer with worker processes behind it that read the pages; they end with the block."""
    held: OrderedDict[tuple[str, str | None, str | None], _Read] = OrderedDict()
    async with ReaderPool(settings.readers, settings.read_memory, settings.read_seconds) as readers:

        async def read(given: Given) -> _Read:
            key = (digest(given.body), given.media_type, given.url)
            found = held.get(key)
            if found is None:
                reading = await readers.read(
                    given.body,
                    media_type=given.media_type,
                    charset=None,
                    url=given.url or NOWHERE,
                    at=datetime.now(UTC),
                )
                found = held[key] = _Read(reading, page_text(reading.text, reading.visible))
            held.move_to_end(key)
            while len(held) > HELD:
                held.popitem(last=False)
            return found

        async def compare(quotation: Quotation, page: Given, old: Given | None) -> Json:
            new = await read(page)
            before = await read(old) if old else None
            return await anyio.to_thread.run_sync(_compare, quotation, new, before)

        yield compare


def _compare(quotation: Quotation, page: _Read, old: _Read | None) -> Json:
    found = judge(
        quotation.quote,
        page.texts,
        prefix=quotation.prefix,
        suffix=quotation.suffix,
        old=old.texts if old else None,
    )
    reading = page.reading
    state = reading.page_state if reading.outcome in ("ok", "empty") else "unknown"
    half_read = state == "ok" and reading.needs_browser is not None
    settled = settle(found, "unrendered" if half_read else state, visited=False)
    evidence = reading.page_state_evidence if reading.outcome in ("ok", "empty") else (reading.detail or "",)
    return shown(settled) | {"page_state": state, "page_state_evidence": list(evidence)}
