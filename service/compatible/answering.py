"""What the doors of the imitated APIs share: who asks, errors in the API's shape, and replies made of several."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute

from service.api_answers import RECORD, SERVING, actions, allowed, refused, told_problem
from service.error_shapes import words
from service.forms import LATER, Served, Written
from service.requests import MAX_AGE, Caller, CaptureRequest, Reply, Scope, SearchRequest

AT_ONCE: Final = 5
"""Pages of one request that are fetched at a time; the pace of each site holds besides."""

Fields = dict[str, Any]


class ShapedRoute(APIRoute):
    """A route whose errors are answered in the shape of the API at its path."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap what FastAPI makes of the route."""
        handler = super().get_route_handler()

        async def answering(request: Request) -> Response:
            try:
                return await handler(request)
            except Exception as error:  # noqa: BLE001 - the door: whatever happened behind it, the caller gets an answer
                return await refused(request, error)

        return answering


def asking(request: Request, surface: str, *scopes: Scope, noted: dict[str, Any]) -> Caller:
    """The caller at this door."""
    return replace(allowed(request, *scopes), surface=surface, noted=noted)


def later(caller: Caller) -> Caller:
    """The same, for what becomes part of a larger reply."""
    return replace(caller, form=LATER)


def written(caller: Caller, write: Callable[[Fields], Served]) -> Caller:
    """The same, with the form of its reply."""
    return replace(caller, form=Written(write))


def told(value: Any, *, status: int = 200) -> Served:
    """A JSON reply."""
    return Served(orjson.dumps(value), status=status)


def sent(reply: Reply) -> Response:
    """A kept reply, with the ids of its records."""
    return _response(Served(reply.body, reply.media_type, reply.status), reply.record, reply.serving)


async def served_together(request: Request, caller: Caller, records: Sequence[str | None], served: Served) -> Response:
    """Keep a reply that was made of several, and send it. The first record is the one that is named."""
    kept = [record for record in records if record is not None]
    serving = await actions(request).serve(kept, served, replace(caller, form=None)) if kept else None
    return _response(served, kept[0] if kept else None, serving)


def _response(served: Served, record: str | None, serving: str | None) -> Response:
    headers = {"Cache-Control": "no-store"}
    headers |= {RECORD: record} if record else {}
    headers |= {SERVING: serving} if serving else {}
    return Response(served.body, served.status, headers, served.media_type)


@dataclass(frozen=True)
class Page:
    """A page that was asked for: the members of a capture reply, or why there are none."""

    url: str
    fields: Fields
    error: str | None = None
    slug: str | None = None
    """The name of the problem, of a page of which there is nothing."""

    @property
    def record(self) -> str | None:
        """The record of its fetch."""
        return self.fields.get("record")


async def pages(request: Request, caller: Caller, asked: Sequence[CaptureRequest]) -> list[Page]:
    """Several pages for one reply, in the order in which they were asked for. What fails is told in its place."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(wanted: CaptureRequest) -> Page:
        async with turn:
            try:
                reply = await actions(request).capture(wanted, later(caller))
            except Exception as error:  # noqa: BLE001 - the others are answered all the same
                problem = told_problem(error)
                return Page(wanted.url, {}, words(problem), problem.slug)
        fields: Fields = orjson.loads(reply.body)
        failing = "type" in fields and "status" in fields
        return Page(wanted.url, fields, f"{fields['title']} {fields['detail']}" if failing else None)

    return list(await asyncio.gather(*(one(wanted) for wanted in asked)))


async def whole_results(request: Request, caller: Caller, found: Fields, *, store: bool = True) -> dict[str, Page]:
    """The whole pages of a search's results, as they are kept, by address."""
    asked = [CaptureRequest(url=one["url"], max_age=MAX_AGE, store=store) for one in found["results"]]
    return {page.url: page for page in await pages(request, caller, asked)}


async def searched(request: Request, caller: Caller, asked: SearchRequest) -> Fields:
    """A search for a larger reply: the members of a search reply."""
    reply = await actions(request).search(asked, later(caller))
    fields: Fields = orjson.loads(reply.body)
    return fields


def shown(result: Fields) -> str:
    """The passages of a result as one text."""
    return "\n\n".join(passage["text"] for passage in result["passages"])


def evidence(result: Fields) -> list[Fields]:
    """The ids of a result's passages, with their places and what to cite them by."""
    return [{name: passage[name] for name in ("id", "cite", "start", "end")} for passage in result["passages"]]


def relative(results: Sequence[Fields]) -> list[float]:
    """Scores of results between 0 and 1: each in relation to the best."""
    scores = [float(one.get("score") or 0) for one in results]
    best = max(scores, default=0)
    return [round(score / best, 6) if best > 0 else 0.0 for score in scores]
