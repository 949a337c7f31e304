"""`POST /search`."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated, Final

import orjson
from fastapi import APIRouter, Body, Request, Response

from service.api_answers import Route, actions, allowed, replied, streamed
from service.api_documents import told
from service.doors import Actions, Json
from service.replies import SearchTold
from service.requests import Caller, Scope, SearchRequest

EVENTS: Final = "text/event-stream"

router = APIRouter(route_class=Route, tags=["search"])


@router.post("/search", responses=told(SearchTold, 400, description="The whole result."))
async def search(
    request: Request,
    asked: Annotated[
        SearchRequest,
        Body(
            openapi_examples={
                "plain": {"value": {"query": "context manager protocol"}},
                "narrow": {
                    "value": {
                        "query": "with statement",
                        "max_results": 3,
                        "include_domains": ["docs.python.org"],
                        "fetch": "never",
                    }
                },
            }
        ),
    ],
) -> Response:
    """Answer a query with passages, and say of every other candidate why it was dropped.

    The reply, its record and the record that it was served are durable and in the log before it is sent. Whoever
    accepts `text/event-stream` hears how the search goes on, and last the reply.
    """
    caller = allowed(request, Scope.SEARCH, session=asked.session)
    if EVENTS in request.headers.get("accept", ""):
        return streamed(request, _events(actions(request), asked, caller))
    return replied(await actions(request).search(asked, caller))


async def _events(citator: Actions, asked: SearchRequest, caller: Caller) -> AsyncIterator[Json]:
    """What happens in a search, numbered, and at the end `{type: "reply", reply, serving}`."""
    heard: asyncio.Queue[Json | None] = asyncio.Queue()
    search = asyncio.ensure_future(citator.search(asked, replace(caller, told=heard.put_nowait)))
    search.add_done_callback(lambda _: heard.put_nowait(None))
    number = 0
    try:
        while (event := await heard.get()) is not None:
            number += 1
            yield {"event": number} | event
        reply = await search
        yield {"event": number + 1, "type": "reply", "serving": reply.serving, "reply": orjson.loads(reply.body)}
    finally:
        search.cancel()
        await asyncio.gather(search, return_exceptions=True)
