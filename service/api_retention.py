"""`/retention`: rules about how long captures are kept."""

from typing import Annotated, Final

from fastapi import APIRouter, Body, Path, Request, Response

from service.api_answers import Route, actions, allowed, answered
from service.api_documents import problems, told
from service.requests import Scope
from service.retention_requests import RetentionRequest, RetentionRound, RoundTold, RulesTold, RuleTold

router = APIRouter(route_class=Route, tags=["removal"])

CREATED: Final = 201

Id = Annotated[str, Path(max_length=80, description="An id, or a unique prefix of 12 or more hex digits.")]


@router.post(
    "/retention",
    status_code=CREATED,
    responses={CREATED: {"model": RuleTold, "description": "Set."}, **problems(400)},
)
async def add(
    request: Request,
    asked: Annotated[
        RetentionRequest,
        Body(
            openapi_examples={
                "a month": {"value": {"patterns": ["https://www.example.org/*"], "keep_seconds": 2_592_000}}
            }
        ),
    ],
) -> Response:
    """Set a rule: from now on captures that fit it go when their time has come."""
    caller = allowed(request, Scope.ADMIN)
    return answered(await actions(request).retention.add(asked, caller), status=CREATED)


@router.get("/retention", responses=told(RulesTold))
async def listed(request: Request) -> Response:
    """List the rules in force."""
    allowed(request, Scope.READ)
    return answered(await actions(request).retention.listed())


@router.post("/retention/apply", responses=told(RoundTold, 400))
async def apply(request: Request, asked: RetentionRound) -> Response:
    """Apply the rules now, or count what they would take."""
    allowed(request, Scope.ADMIN)
    return answered(await actions(request).retention.apply(asked))


@router.delete("/retention/{rule}", responses=told(RuleTold, 400, 404, 409, description="Lifted; the records stay."))
async def lift(request: Request, rule: Id) -> Response:
    """Lift a rule."""
    caller = allowed(request, Scope.ADMIN)
    return answered(await actions(request).retention.lift(rule, caller))
