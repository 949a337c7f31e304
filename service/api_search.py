"""`POST /search`."""

from typing import Annotated

from fastapi import APIRouter, Body, Request, Response

from service.api_answers import Route, actions, allowed, replied
from service.api_documents import told
from service.replies import SearchTold
from service.requests import Scope, SearchRequest

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

    The reply, its record and the record that it was served are durable and in the log before it is sent.
    """
    caller = allowed(request, Scope.SEARCH, session=asked.session)
    return replied(await actions(request).search(asked, caller))
