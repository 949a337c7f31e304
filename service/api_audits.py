"""`/audits`: what of a transcript can be proven."""

import io
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from service.api_answers import Route, actions, allowed, answered
from service.api_documents import told
from service.failures import BadRequest
from service.replies import Told
from service.requests import Scope
from service.transcripts.auditing import audit
from service.transcripts.detecting import FORMATS, Format
from service.transcripts.page import POLICY, audit_page

router = APIRouter(route_class=Route, tags=["checks"])

MAX_NAME: Final = 1_024
"""Characters of a file's name; file systems allow 255."""


class AuditTold(Told):
    """What of a transcript can be proven."""

    file: dict[str, Any]
    holds: bool
    summary: str
    counts: dict[str, Any]
    tests: list[dict[str, Any]]
    results: list[dict[str, Any]]
    copies: list[dict[str, Any]]


_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "The transcript as it is. It is read, and nothing of it is kept.",
        "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post("/audits", responses=told(AuditTold, 400, description="The report."), openapi_extra=_BODY)
async def audits(
    request: Request,
    name: Annotated[str | None, Query(max_length=MAX_NAME, description="The file's name.")] = None,
    form: Annotated[
        Format | None, Query(alias="format", description="Its format, where its beginning does not tell it.")
    ] = None,
    as_: Annotated[str, Query(alias="as", pattern="^(json|html)$", description="`json` or `html`.")] = "json",
) -> Response:
    """Tell what of a transcript can be proven, what is sealed, and what lies with providers. Keeps nothing."""
    allowed(request, Scope.READ)
    body = await request.body()
    if not body:
        raise BadRequest(f"send a transcript: {', '.join(FORMATS)}")
    report = await audit(actions(request), io.BytesIO(body), name=name, form=form)
    if as_ == "json":
        return answered(report)
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": f"sandbox; {POLICY}"}
    return Response("".join(audit_page(report)).encode("utf-8", "replace"), 200, headers, "text/html; charset=utf-8")
