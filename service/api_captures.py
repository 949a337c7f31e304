"""`/captures` and `/uploads`."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Query, Request, Response
from starlette.datastructures import UploadFile

from service.api_answers import Route, actions, allowed, answered, replied
from service.api_documents import told
from service.failures import BadRequest
from service.replies import CapturesTold, CaptureTold
from service.requests import MAX_URL, CaptureRequest, Scope, UploadRequest

router = APIRouter(route_class=Route, tags=["captures"])

MAX_FIELDS: Final = 16
"""Fields of an upload form: twice as many as there are options."""

MAX_FIELD: Final = 64 * 1024
"""Bytes of one form field that is no file."""

MAX_LISTED: Final = 1_000
"""Captures in one answer; the rest follows by `before`."""

MAX_CURSOR: Final = 64
"""Characters of `before`: more than any `next` has."""

FORM: Final = "multipart/form-data"

# Uploads are read by hand, since they come raw or as a form; this describes both.
_UPLOAD: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "*/*": {"schema": {"type": "string", "format": "binary"}},
            FORM: {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "url": {"type": "string"},
                        "at": {"type": "string"},
                        "title": {"type": "string"},
                        "media_type": {"type": "string"},
                        "max_tokens": {"type": "integer"},
                        "store": {"type": "boolean"},
                        "session": {"type": "string"},
                    },
                }
            },
        },
    },
    "parameters": [
        {"name": name, "in": "query", "required": False, "schema": {"type": kind}}
        for name, kind in (
            ("url", "string"),
            ("at", "string"),
            ("title", "string"),
            ("name", "string"),
            ("media_type", "string"),
            ("max_tokens", "integer"),
            ("store", "boolean"),
            ("session", "string"),
        )
    ],
}


@router.post("/captures", responses=told(CaptureTold, 400, 502, 504, description="The page and its text."))
async def capture(
    request: Request,
    asked: Annotated[CaptureRequest, Body(openapi_examples={"plain": {"value": {"url": "https://www.example.org/"}}})],
) -> Response:
    """Fetch a page, keep what was seen, and give its text.

    What gave nothing to read is answered as a problem that also holds the members of this reply: it is kept all the
    same, and `capture` names what was seen.
    """
    caller = allowed(request, Scope.FETCH, session=asked.session)
    return replied(await actions(request).capture(asked, caller))


@router.get("/captures", responses=told(CapturesTold, 400, description="Captures of this address, newest first."))
async def captures(
    request: Request,
    url: Annotated[str, Query(min_length=1, max_length=MAX_URL)],
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 50,
    before: Annotated[str | None, Query(max_length=MAX_CURSOR)] = None,
) -> Response:
    """List the captures of an address, asked for or arrived at."""
    caller = allowed(request, Scope.READ, Scope.FETCH)
    return answered(await actions(request).captures(url, limit=limit, before=before, caller=caller))


@router.post("/uploads", responses=told(CaptureTold, description="What was kept."), openapi_extra=_UPLOAD)
async def upload(request: Request) -> Response:
    """Keep bytes that the user has: the body itself, with options in the query, or a form with one `file`."""
    caller = allowed(request, Scope.FETCH)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    fields: dict[str, Any] = dict(request.query_params)
    if kind == FORM:
        fields |= await _form(request)
    else:
        fields["body"] = await request.body()
        if kind and kind != "application/x-www-form-urlencoded":  # what curl sends when it was told nothing
            fields.setdefault("media_type", request.headers["content-type"])
    asked = UploadRequest.model_validate(fields)
    caller = allowed(request, Scope.FETCH, session=asked.session)
    return replied(await actions(request).upload(asked, caller))


async def _form(request: Request) -> dict[str, Any]:
    """The fields of an upload form; the file becomes `body`, its name and type stand in where none are given."""
    async with request.form(max_files=1, max_fields=MAX_FIELDS, max_part_size=MAX_FIELD) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise BadRequest("an upload form has one part called `file` that is a file")
        given = {name: value for name, value in form.items() if isinstance(value, str)}
        told = {"name": file.filename, "media_type": file.content_type}
        return {name: value for name, value in told.items() if value} | given | {"body": await file.read()}
