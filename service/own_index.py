"""The own index as one provider among others: it proposes addresses in the order of their best passages."""

import asyncio
from dataclasses import dataclass
from typing import Any

from anyio.to_thread import run_sync

from crawler import Found
from service.assembling import candidates_of
from service.narrowing import last_day
from service.parts import Parts
from service.requests import SearchRequest

OWN = "index"
"""The name under which the own index stands among the providers."""
DEPTH = 100
"""Passages that are looked at."""
FOLLOW_SECONDS = 5.0
"""How long a search waits for the index to hold what was captured before it."""


@dataclass(frozen=True)
class OwnAnswer:
    """What the own index proposes, what it gave up of the query to find it, and what it is."""

    found: tuple[Found, ...]
    relaxed: tuple[str, ...]
    about: dict[str, Any]


async def ask_own(parts: Parts, request: SearchRequest, seconds: float) -> OwnAnswer | None:
    """What the own index proposes; None if it does not get there within `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            return await run_sync(_ask, parts, request, abandon_on_cancel=True)
    except TimeoutError:
        return None


def _ask(parts: Parts, request: SearchRequest) -> OwnAnswer:
    behind = parts.follower.wait(FOLLOW_SECONDS)
    hits = parts.follower.index.search(
        request.query,
        limit=DEPTH,
        include_domains=request.include_domains,
        exclude_domains=request.exclude_domains,
        language=request.language,
        published_after=request.published_after.date() if request.published_after else None,
        published_before=last_day(request.published_before),
        fold=request.fold,
    )
    kept = [one for one in candidates_of(hits.hits) if one.duplicate_of is None]
    found = tuple(Found(url=one.url, rank=rank) for rank, one in enumerate(kept, start=1))
    about = {
        "position": hits.position,
        "passages": hits.passages,
        "pages": hits.pages,
        "cut": hits.cut,
        "behind": behind,
    }
    return OwnAnswer(found, tuple(hits.relaxed), about)
