"""A page's captures, and what changed between two of them."""

from typing import Annotated

import orjson
from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request, Response

from service.api_answers import actions
from service.doors import Actions
from service.failures import BadRequest
from service.requests import MAX_URL, Scope
from service.web.differences import difference
from service.web.opening import Json
from service.web.rendering import page
from service.web.route import PageRoute, visitor

router = APIRouter(route_class=PageRoute, include_in_schema=False)

LISTED = 50
"""Captures on one page of the list."""

IdText = Annotated[str, Query(max_length=80)]


@router.get("/pages")
async def captures(
    request: Request,
    url: Annotated[str, Query(min_length=1, max_length=MAX_URL)],
    before: Annotated[str | None, Query(max_length=20)] = None,
) -> Response:
    """List the captures of an address, newest first, so that two can be compared."""
    caller = visitor(request, Scope.READ)
    listed = await actions(request).captures(url, limit=LISTED, before=before, caller=caller)
    return page(request, "captures.html", listed=listed)


@router.get("/compare")
async def compare(request: Request, old: IdText, new: IdText) -> Response:
    """Show what changed from one capture's text to another's, and what else differs."""
    visitor(request, Scope.READ)
    before, after = await _page(actions(request), old), await _page(actions(request), new)
    if before["record"]["retrieved_at"] > after["record"]["retrieved_at"]:
        before, after = after, before
    found = await run_sync(difference, before["text"], after["text"])
    facts = [
        (name, one, other)
        for name, one, other in (
            ("Title", before["title"], after["title"]),
            ("Address", before["record"]["final"], after["record"]["final"]),
            ("Outcome", before["record"]["outcome"], after["record"]["outcome"]),
            ("Page state", before["record"]["page_state"], after["record"]["page_state"]),
            ("Read by", before["extractors"], after["extractors"]),
        )
        if one != other
    ]
    return page(request, "compare.html", before=before, after=after, difference=found, facts=facts)


async def _page(behind: Actions, ident: str) -> Json:
    """A capture with its text.

    Raises:
        BadRequest: this is something else.
    """
    found = await behind.evidence(ident)
    if found.kind != "capture":
        raise BadRequest(f"{ident} is a {found.kind}; only captures of pages can be compared")
    record = orjson.loads(found.body)
    document = orjson.loads((await behind.evidence(record["document"])).body) if record["document"] else None
    return {
        "id": found.id,
        "record": record,
        "text": document["text"] if document else "",
        "title": document["title"] if document else None,
        "extractors": ", ".join(f"{one['name']} {one['version']}" for one in document["extractors"])
        if document
        else "",
    }
