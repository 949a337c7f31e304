"""`/attachments`: a report or a transcript with the evidence for what it cites, as one file."""

from typing import Annotated, Any, Final
from urllib.parse import unquote

from fastapi import APIRouter, Query, Request, Response
from starlette.datastructures import UploadFile

from service.api_answers import Route, actions, allowed
from service.api_bundles import file_of
from service.api_documents import problems
from service.attaching.asked import MAX_ARTEFACTS, Artefact, AttachRequest, Notes
from service.failures import BadRequest
from service.requests import Moment, Scope

router = APIRouter(route_class=Route, tags=["evidence"])

MAX_NAME: Final = 1_024
"""Characters of a file's name; file systems allow 255 for each folder."""

FORM: Final = "multipart/form-data"

_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "description": "The file as it is, or a form with one `file` and any number of `artefact`.",
        "content": {
            "*/*": {"schema": {"type": "string", "format": "binary"}},
            FORM: {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "artefact": {"type": "array", "items": {"type": "string", "format": "binary"}},
                    },
                }
            },
        },
    }
}
_FILE: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The bundle, whole. `Repr-Digest` is its SHA-256; `X-Evidence-Bundle` says what was found.",
        "content": {"application/wacz": {"schema": {"type": "string", "format": "binary"}}},
        "headers": {
            "Repr-Digest": {"schema": {"type": "string"}},
            "X-Evidence-Bundle": {"schema": {"type": "string"}},
        },
    },
    **problems(400, 404, 409, 410, 503, 507),
}


@router.post("/attachments", responses=_FILE, response_class=Response, openapi_extra=_BODY)
async def attachments(
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=MAX_NAME, description="The name of a file that comes raw.")] = (
        "report"
    ),
    written_at: Annotated[Moment | None, Query(description="When it was written.")] = None,
    capture_missing: Annotated[bool, Query(description="Capture cited pages of which nothing is kept.")] = False,  # noqa: FBT002 - a query parameter
    notes: Annotated[Notes, Query(description="How a copy of a report tells its sources.")] = "none",
) -> Response:
    """Bundle a report or a transcript with the evidence for what it cites, each quotation checked."""
    caller = allowed(request, Scope.READ)
    if capture_missing:
        caller = allowed(request, Scope.FETCH)
    file, artefacts = await _files(request, name)
    asked = AttachRequest(file, artefacts, written_at, capture_missing, notes)
    return file_of(await actions(request).attach(asked, caller, lambda *_: None))


async def _files(request: Request, name: str) -> tuple[Artefact, tuple[Artefact, ...]]:
    """The file, and those that go along."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        body = await request.body()
        if not body:
            raise BadRequest("send a report or a transcript")
        return Artefact(name, body), ()
    async with request.form(max_files=MAX_ARTEFACTS + 1, max_fields=1) as form:
        files = [
            (field, Artefact(unquote(part.filename or field), await part.read()))
            for field, part in form.multi_items()
            if isinstance(part, UploadFile)
        ]
    given = [file for field, file in files if field == "file"]
    if len(given) != 1 or {field for field, _ in files} - {"file", "artefact"}:
        raise BadRequest("a form has one part called `file` and any number called `artefact`, all of them files")
    return given[0], tuple(file for field, file in files if field == "artefact")
