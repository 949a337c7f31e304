"""Keeps that a call was called off: the agent's user pressed stop, or the client gave up waiting.

What was going on then is let go of. What had been captured before that stays, as after every other search.
"""

from datetime import timedelta
from typing import Any

from crawler import parse_address
from service.answering import NOTED, keep
from service.parts import Parts
from service.requests import Caller, CaptureRequest, SearchRequest
from service.versions import citator_version
from snapshots import Batch, Capture, Fetch, Search, stamp

CANCELLED = "cancelled"


async def cancelled(parts: Parts, request: SearchRequest | CaptureRequest, caller: Caller, after_ms: int) -> str:
    """Keep the search, or the visit of the page, as far as it came: nowhere. Returns the id of its record."""
    subject = {"query", "url", "session"}
    options: dict[str, Any] = request.model_dump(mode="json", exclude_defaults=True, exclude=subject)
    options |= {CANCELLED: True, "after_ms": after_ms}
    if caller.noted:
        options[NOTED] = dict(caller.noted)
    now = parts.clock()
    begun = stamp(now - timedelta(milliseconds=after_ms))
    if isinstance(request, SearchRequest):
        search = Search(
            query=request.query,
            options=options,
            retrieved_at=begun,
            state="budget_cut",  # the time that the caller gave was the budget
            versions={"citator": citator_version()},
            timings={"total": after_ms},
        )
        await keep(parts, Batch(records=(search,)))
        return search.id
    url = parse_address(request.url).href
    capture = Capture(
        asked=url,
        final=url,
        body=None,
        body_length=0,
        method="http",
        user_agent=parts.settings.user_agent,
        outcome="error",
        reason=CANCELLED,
        detail=f"the caller called it off after {after_ms} ms",
        page_state="unknown",
        started_at=begun,
        retrieved_at=stamp(now),
        document=None,
    )
    fetch = Fetch(capture=capture.id, start=0, end=0, total=0, options=options, retrieved_at=capture.retrieved_at)
    await keep(parts, Batch(records=(capture, fetch)))
    return fetch.id
