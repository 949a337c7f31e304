"""`/rechecks` and `/citations/check`: do sources still say it, and is a text borne out by what is kept."""

from typing import Annotated

from fastapi import APIRouter, Body, Request, Response

from service.api_answers import Route, actions, allowed, answered, replied
from service.api_documents import told
from service.check_replies import CitationsTold, RecheckTold
from service.check_requests import CitationsRequest, RecheckRequest
from service.requests import Scope

router = APIRouter(route_class=Route, tags=["checks"])


@router.post("/rechecks", responses=told(RecheckTold, 400, 404, 409, 410, description="The verdicts."))
async def rechecks(
    request: Request,
    asked: Annotated[
        RecheckRequest, Body(openapi_examples={"a page": {"value": {"urls": ["https://www.example.org/"]}}})
    ],
) -> Response:
    """Visit pages again, once each and a second time before an alarm, and tell what became of what was cited."""
    caller = allowed(request, Scope.FETCH, session=asked.session)
    return replied(await actions(request).recheck(asked, caller))


@router.post("/citations/check", responses=told(CitationsTold, 400, description="What bears out each citation."))
async def citations(
    request: Request,
    asked: Annotated[
        CitationsRequest,
        Body(openapi_examples={"a sentence": {"value": {"text": 'The toll "ends on Friday" [5f5f5f5f5f5f].'}}}),
    ],
) -> Response:
    """Look for each quotation of a text in the sources it names, then in everything that is kept. Keeps nothing."""
    allowed(request, Scope.READ)
    return answered(await actions(request).check_citations(asked))
