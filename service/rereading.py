"""Reads pages again, with the programs that are installed here: of a bundle for the claim about their texts, or one."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import orjson
from anyio.to_thread import run_sync

from crawler import ReaderPool, Reading
from service.failures import BadRequest
from service.parts import Parts, Readers
from service.requests import Evidence
from service.settings import Settings
from snapshots import Archive, Capture, PageBytes, TextCheck, TextRead, moment


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
            reading = await read_again(reading_with, page.capture, page.body)
            whole = reading.outcome in {"ok", "empty"}
            return TextRead(reading.text, reading.extractors) if whole else None

        def begin(page: PageBytes) -> Future[TextRead | None]:
            return asyncio.run_coroutine_threadsafe(read(page), loop)

        yield TextCheck(begin, at_once=2 * settings.readers)


async def read_again(readers: Readers, capture: dict[str, Any], body: bytes) -> Reading:
    """What a page is read as now, from the bytes that its document was read from, and what was told of them then."""
    hops = capture["hops"]
    headers = tuple((name, value) for name, value in hops[-1]["response_headers"]) if hops else ()
    told = _declared(capture, headers)
    kind, charset = ("text/html", "utf-8") if capture["rendered"] is not None else told  # as a browser writes it
    return await readers.read(
        body,
        media_type=kind,
        charset=charset,
        url=capture["final"],
        at=moment(capture["retrieved_at"]),
        status=hops[-1]["status"] if hops else None,
        asked=capture["asked"] if hops else None,
        headers=headers,
    )


async def hidden_text(parts: Parts, text: str) -> Evidence:
    """What a captured page holds and does not show, as it is read now: it is no part of what was kept as its text.

    Raises:
        UnknownId, AmbiguousId, RemovedId, DamagedObject, BadId: as the archive says.
        BadRequest: the id is that of something else.
    """
    capture, body = await run_sync(_body_read, parts.archive, text)
    hidden = ""
    if body is not None:
        hidden = (await read_again(parts.readers, orjson.loads(capture.encoded), body)).hidden
    return Evidence(body=hidden.encode(), media_type="text/plain; charset=utf-8", id=capture.id, kind="capture")


def _body_read(archive: Archive, text: str) -> tuple[Capture, bytes | None]:
    """A capture, and the bytes that its document was read from."""
    record = archive.record(archive.resolve(text))
    if not isinstance(record, Capture):
        raise BadRequest("the view `hidden` is one of captures")
    return record, None if record.document is None else archive.get(archive.document(record.document).source)


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
