"""`/rechecks`: whether sources still say what was cited of them."""

from typing import Annotated

from fastapi import APIRouter, Body, Request, Response

from service.api_answers import Route, actions, allowed, replied
from service.api_documents import told
from service.check_replies import RecheckTold
from service.check_requests import RecheckRequest
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
