"""Fetches again, within a search, the pages that are not fresh enough."""

import asyncio
from datetime import datetime
from typing import Any

from crawler import BadAddress
from service.answering import keep
from service.looking import look
from service.parts import Parts
from service.requests import SearchRequest
from snapshots import Batch, moment


def stale(request: SearchRequest, pages: list[tuple[str, str]], now: datetime) -> list[str]:
    """Those of `pages` (address, time of its capture) that the request wants fresher than they are."""
    if request.as_of is not None or request.fetch == "never" or not request.store:
        return []
    if request.fetch == "auto" and request.max_age is None:
        return []
    return [
        url
        for url, seen in pages
        if url.startswith("http")
        and (request.fetch == "always" or (now - moment(seen)).total_seconds() > (request.max_age or 0))
    ]


async def refresh(parts: Parts, urls: list[str]) -> list[dict[str, Any]]:
    """Visit pages and keep what is seen. Returns how it went for each.

    A page whose visit fails is answered from the store; its line here says that.
    """
    return list(await asyncio.gather(*(_visit(parts, url) for url in urls)))


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
