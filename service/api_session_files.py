"""`/sessions/import` and `/sessions/{id}/export`: whole sessions, as JSON or as bundles with their evidence."""

import zipfile
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import orjson
from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request, Response

from service.api_answers import Route, actions, allowed, answered
from service.api_bundles import file_of
from service.api_documents import problems, told
from service.api_imports import received
from service.api_sessions import CREATED, WRITERS, SessionId
from service.failures import BadRequest
from service.replies import SessionTold
from service.requests import BundleImport, BundleRequest, Scope
from service.sessions.bundled import session_in
from service.sessions.once import once
from service.sessions.reading import ImportRequest

router = APIRouter(route_class=Route, tags=["sessions"])

_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "What an export gave.",
        "content": {
            "application/json": {"schema": ImportRequest.model_json_schema()},
            "application/wacz": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}
_EXPORT: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The whole session.",
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/Told"}},
            "application/wacz": {"schema": {"type": "string", "format": "binary"}},
        },
    },
    **problems(400, 404, 409, 410),
}


@router.get("/sessions/{session}/export", responses=_EXPORT, response_class=Response)
async def export(
    request: Request,
    session: SessionId,
    format: Annotated[Literal["json", "bundle"], Query()] = "json",  # noqa: A002 - its name in the API
) -> Response:
    """Give the whole session: as JSON, or as a bundle with all evidence that stands by itself."""
    caller = allowed(request, Scope.READ)
    if format == "json":
        return answered(await actions(request).session_reading.exported(session))
    history = await actions(request).sessions.book.history(session)
    asked = BundleRequest(ids=(history.session.id,))
    return file_of(await actions(request).bundle(asked, caller, lambda *_: None))


@router.post(
    "/sessions/import",
    status_code=CREATED,
    responses={CREATED: {"model": SessionTold, "description": "Taken in."}, **told(SessionTold, 400, 404, 409, 422)},
    openapi_extra=_BODY,
)
async def taken_in(request: Request) -> Response:
    """Take in a session that was exported elsewhere, as JSON or as a bundle that verifies; all ids stay."""
    async with received(request) as path:
        if await run_sync(zipfile.is_zipfile, path):
            return await _from_bundle(request, path)
        body = await run_sync(path.read_bytes)
    caller = allowed(request, *WRITERS)
    try:
        asked = ImportRequest.model_validate(orjson.loads(body))
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"the body is neither JSON nor a bundle: {error}") from error
    key, behind = request.headers.get("idempotency-key"), actions(request)
    done, again = await once(
        behind.sessions.book.parts,
        caller,
        key,
        f"{request.method} {request.url.path}",
        body,
        lambda _: behind.session_reading.taken_in(asked),
        behind.sessions.retell,
    )
    return answered(done, status=200 if again else CREATED)


async def _from_bundle(request: Request, path: Path) -> Response:
    """A bundle is taken in whole, with its evidence: that is an administrator's matter, as everywhere."""
    caller = allowed(request, Scope.ADMIN)
    session = await run_sync(session_in, path)
    if session is None:
        raise BadRequest("the bundle is of no session, or of several: POST /bundles/import takes all of it in")
    await actions(request).import_bundle(path, BundleImport(), caller, lambda *_: None)
    return answered(await actions(request).sessions.look(session), status=CREATED)
