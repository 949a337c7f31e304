"""`/evidence` and `/removals`: exact bytes by id, what proves them, what names them, and their removal."""

import base64
import hashlib
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Path, Query, Request, Response

from service.api_answers import Route, actions, allowed, answered
from service.api_documents import problems, told
from service.replies import DependentsTold, ProofTold, RemovalTold
from service.requests import Evidence, RemovalRequest, Scope

router = APIRouter(route_class=Route, tags=["evidence"])

FOR_EVER: Final = "private, max-age=31536000, immutable"
"""An id names its bytes for ever; a year is the longest that caches understand."""

SANDBOX: Final = "sandbox; default-src 'none'"

# Shown as what they are: none of these can carry a script that a browser would run.
_SHOWN: Final = {
    "application/json": ".json",
    "text/plain": ".txt",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
}

Id = Annotated[str, Path(max_length=80, description="An id, or a unique prefix of 12 or more hex digits.")]

_BYTES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The exact bytes. `X-Evidence-Media-Type` says what they were; what a browser might run is sent "
        "as `application/octet-stream`.",
        "content": {
            "application/json": {"schema": {}},
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
        "headers": {
            "ETag": {"schema": {"type": "string"}},
            "Repr-Digest": {"schema": {"type": "string"}},
            "X-Evidence-Kind": {"schema": {"type": "string"}},
            "X-Evidence-Media-Type": {"schema": {"type": "string"}},
        },
    },
    304: {"description": "You have these bytes already."},
    **problems(400, 404, 409, 410),
}


@router.head("/evidence/{evidence}", include_in_schema=False)
@router.get("/evidence/{evidence}", responses=_BYTES)
async def evidence(
    request: Request, evidence: Id, view: Annotated[str | None, Query(max_length=64)] = None
) -> Response:
    """Give the exact bytes that an id names: a record, a passage, a page, a reply as it was served."""
    allowed(request, Scope.READ)
    return _served(request, evidence, await actions(request).evidence(evidence, view=view), whole=view is None)


@router.get("/evidence/{evidence}/proof", responses=told(ProofTold, 400, 404, 409, 410, description="The proof."))
async def proof(request: Request, evidence: Id) -> Response:
    """Prove that an id is in the log, or that a logged record leads to it."""
    allowed(request, Scope.READ)
    return answered(await actions(request).proof(evidence))


@router.get("/evidence/{evidence}/dependents", responses=told(DependentsTold, 400, 404, 409, 410))
async def dependents(request: Request, evidence: Id) -> Response:
    """List the records that name an id."""
    allowed(request, Scope.READ)
    return answered(await actions(request).dependents(evidence))


@router.delete("/evidence/{evidence}", responses=told(RemovalTold, 400, 404, 409, 410))
async def delete(
    request: Request,
    evidence: Id,
    dry_run: Annotated[bool, Query(description="Only list what would be removed.")] = False,  # noqa: FBT002 - a query parameter
    reason: Annotated[str | None, Query(max_length=2000)] = None,
) -> Response:
    """Remove what an id names and everything that only it needs. Its ids answer 410 from then on."""
    caller = allowed(request, Scope.ADMIN)
    asked = RemovalRequest(ids=(evidence,), dry_run=dry_run, reason=reason)
    return answered(await actions(request).remove(asked, caller))


@router.post("/removals", responses=told(RemovalTold, 400, 404, 409, 410))
async def removals(
    request: Request,
    asked: Annotated[
        RemovalRequest,
        Body(openapi_examples={"look first": {"value": {"url": "https://www.example.org/", "dry_run": True}}}),
    ],
) -> Response:
    """Remove by ids, or by page, pattern of addresses, session and time range, which narrow each other."""
    caller = allowed(request, Scope.ADMIN)
    return answered(await actions(request).remove(asked, caller))


def _served(request: Request, asked: str, found: Evidence, *, whole: bool) -> Response:
    """The bytes with everything that a cache and a browser need to know.

    Only a whole id is an address that means the same for ever; a prefix may become ambiguous, a view may be improved.
    """
    own = found.id.removeprefix("sha256:")
    named = own if whole else hashlib.sha256(found.body).hexdigest()
    etag = f'"{named}"'
    kind = found.media_type.partition(";")[0].strip().lower()
    shown = kind in _SHOWN
    disposition = "inline" if shown else "attachment"
    headers = {
        "ETag": etag,
        "Repr-Digest": f"sha-256=:{base64.b64encode(bytes.fromhex(named)).decode()}:",
        "Cache-Control": FOR_EVER if whole and asked in (own, found.id) else "private, no-cache",
        "Content-Location": f"/api/v1/evidence/{found.id}" + (f"?{request.url.query}" if not whole else ""),
        "Content-Security-Policy": SANDBOX,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Content-Disposition": f'{disposition}; filename="{own[:16]}{_SHOWN.get(kind, ".bin")}"',
        "X-Evidence-Id": found.id,
        "X-Evidence-Kind": found.kind,
        "X-Evidence-Media-Type": found.media_type.encode("ascii", "replace").decode(),
    }
    asked_for = {tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")}
    if etag in asked_for or "*" in asked_for:
        return Response(None, 304, headers)
    # Starlette adds a charset to text types; these bytes have one of their own or none.
    response = Response(found.body, 200, headers)
    response.headers["Content-Type"] = found.media_type if shown else "application/octet-stream"
    return response
