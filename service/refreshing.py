"""Fetches again, within a search, the pages that are not fresh enough."""

import asyncio
from typing import Any

from crawler import BadAddress
from service.answering import keep
from service.capturing import look
from service.parts import Parts
from service.requests import SearchRequest
from snapshots import Batch, moment


async def refresh(parts: Parts, request: SearchRequest, pages: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Visit those of `pages` (address, time of its capture) that the request wants fresher, and keep what is seen.

    Returns what was visited and how it went; a page whose visit fails is answered from the store, and said so here.
    """
    if request.as_of is not None or request.fetch == "never" or not request.store:
        return []
    now = parts.clock()
    stale = [
        url
        for url, seen in pages
        if url.startswith("http")
        and (
            request.fetch == "always"
            or (request.max_age is not None and (now - moment(seen)).total_seconds() > request.max_age)
        )
    ]
    return list(await asyncio.gather(*(_visit(parts, url) for url in stale)))


async def _visit(parts: Parts, url: str) -> dict[str, Any]:
    try:
        seen = await look(parts, url, robots=parts.settings.robots)
    except BadAddress as error:
        return {"url": url, "outcome": "refused", "reason": error.reason, "capture": None}
    await keep(parts, Batch(blobs=seen.blobs, records=seen.records))
    return {
        "url": url,
        "outcome": seen.capture.outcome,
        "reason": seen.capture.reason,
        "capture": seen.capture.id,
    }
