"""Reads the pages of a bundle again, with the programs that are installed here, for the claim about their texts."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from crawler import ReaderPool
from service.parts import Readers
from service.settings import Settings
from snapshots import PageBytes, TextCheck, TextRead, moment


@asynccontextmanager
async def text_check(settings: Settings, readers: Readers | None = None) -> AsyncIterator[TextCheck]:
    """A check of texts: with `readers`, or worker processes that end with the block. Call it in another thread."""
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        if readers is None:
            pool = ReaderPool(settings.readers, settings.read_memory, settings.read_seconds)
            readers = await stack.enter_async_context(pool)
        reading_with = readers

        async def read(page: PageBytes) -> TextRead | None:
            capture = page.capture
            hops = capture["hops"]
            headers = tuple((name, value) for name, value in hops[-1]["response_headers"]) if hops else ()
            kind, charset = _declared(capture, headers)
            reading = await reading_with.read(
                page.body,
                media_type=kind,
                charset=charset,
                url=capture["final"],
                at=moment(capture["retrieved_at"]),
                status=hops[-1]["status"] if hops else None,
                asked=capture["asked"] if hops else None,
                headers=headers,
            )
            whole = reading.outcome in {"ok", "empty"}
            return TextRead(reading.text, reading.extractors) if whole else None

        def begin(page: PageBytes) -> Future[TextRead | None]:
            return asyncio.run_coroutine_threadsafe(read(page), loop)

        yield TextCheck(begin, at_once=2 * settings.readers)


def _declared(capture: dict[str, Any], headers: tuple[tuple[str, str], ...]) -> tuple[str | None, str | None]:
    """Media type and charset as they were told to the reader when the page was captured."""
    if not capture["hops"]:
        told = capture["settings"].get("declared_media_type")
        return (told if isinstance(told, str) else None), None
    value = next((value for name, value in headers if name.lower() == "content-type"), "")
    kind, _, rest = value.partition(";")
    charset = None
    for parameter in rest.split(";"):
        name, _, said = parameter.partition("=")
        if name.strip().lower() == "charset" and said.strip():
            charset = said.strip().strip("\"'")
            break
    return kind.strip().lower() or None, charset
