"""`/records`: what was asked and kept, newest first."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from service.api_answers import Route, actions, allowed, answered
from service.api_documents import told
from service.listing import KINDS
from service.replies import RecordsTold
from service.requests import MAX_POSITION, Scope

router = APIRouter(route_class=Route, tags=["evidence"])

MAX_LISTED: Final = 1_000  # each one is read from the bucket


@router.get("/records", responses=told(RecordsTold, 400, description="The list."))
async def records(
    request: Request,
    kind: Annotated[list[str] | None, Query(max_length=len(KINDS), description="Kinds of record; none: all.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 100,
    before: Annotated[int | None, Query(ge=0, le=MAX_POSITION, description="The `next` of an earlier list.")] = None,
) -> Response:
    """List records, newest first, with what a person knows each by."""
    allowed(request, Scope.READ)
    return answered(await actions(request).recent(kind or KINDS, limit=limit, before=before))
