"""`/bundles/verify`: is a file what it claims to be? It is looked at in a process of its own, and not kept."""

from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from service.api_answers import Route, allowed, answered
from service.api_documents import told
from service.api_imports import received
from service.replies import Told
from service.requests import Scope
from service.verifying import verified_apart

router = APIRouter(route_class=Route, tags=["evidence"])

MAX_TRUSTED: Final = 16
"""Keys that one request may vouch for."""

_BODY: Final[dict[str, Any]] = {
    "requestBody": {"required": True, "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
}


class FailureTold(Told):
    """One thing that is wrong."""

    reason: str = Field(examples=["member-hash"])
    where: str = Field(examples=["archive/data.warc.gz"])
    detail: str


class ClaimTold(Told):
    """One claim about the file."""

    claim: str = Field(examples=["members"])
    result: Literal["holds", "fails", "not-checkable"]
    detail: str
    trust: str = Field(description="What it rests on, where it holds.")
    failures: list[FailureTold]


class VerificationTold(Told):
    """Every claim about a file, and whether it holds altogether."""

    holds: bool
    file: str
    claims: list[ClaimTold]


@router.post(
    "/bundles/verify",
    responses=told(VerificationTold, 400, description="Every claim, whether it holds or not."),
    openapi_extra=_BODY,
)
async def verify(
    request: Request,
    trust_key: Annotated[list[str] | None, Query(max_length=MAX_TRUSTED)] = None,
    require: Annotated[list[str] | None, Query(max_length=MAX_TRUSTED)] = None,
) -> Response:
    """Check a bundle, or a WACZ or WARC file of others, which is the body. Pages are not read again here."""
    allowed(request, Scope.READ)
    async with received(request) as path:
        return answered(await verified_apart(path, trust_key or [], require or []))
