"""`/bundles`: evidence as one file that stands by itself, and quotations in the forms of others."""

import base64
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

from anyio.to_thread import run_sync
from fastapi import APIRouter, Body, Request, Response
from fastapi.responses import StreamingResponse

from service.api_answers import Route, actions, allowed
from service.api_documents import problems
from service.requests import BundleRequest, Made, Scope

router = APIRouter(route_class=Route, tags=["evidence"])

TOLD: Final = "X-Evidence-Bundle"
"""The header that says what is in a bundle."""

MAX_TOLD: Final = 4096
"""Bytes of that header; readers stop at 8 KiB of all headers. Longer notes stand in the bundle itself."""

PIECE: Final = 256 * 1024

_FILE: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The file, whole. `Repr-Digest` is its SHA-256; `X-Evidence-Bundle` says what is in a bundle.",
        "content": {
            "application/wacz": {"schema": {"type": "string", "format": "binary"}},
            "application/jsonl": {"schema": {"type": "string"}},
            "application/json": {"schema": {}},
            "application/ld+json": {"schema": {}},
            "text/markdown": {"schema": {"type": "string"}},
            "text/html": {"schema": {"type": "string"}},
            "text/plain": {"schema": {"type": "string"}},
        },
        "headers": {
            "Repr-Digest": {"schema": {"type": "string"}},
            "X-Evidence-Bundle": {"schema": {"type": "string"}},
        },
    },
    **problems(400, 404, 409, 410, 503, 507),
}


@router.post("/bundles", responses=_FILE, response_class=Response)
async def bundles(
    request: Request,
    asked: Annotated[
        BundleRequest,
        Body(openapi_examples={"all captures of a page": {"value": {"url": "https://www.example.org/"}}}),
    ],
) -> Response:
    """Make a file that takes evidence along: a bundle that verifies without this server, or quotations."""
    caller = allowed(request, Scope.READ)
    return file_of(await actions(request).bundle(asked, caller, lambda *_: None))


def file_of(made: Made) -> Response:
    """The answer that is a file which was made."""
    headers = {
        "Cache-Control": "no-store",
        "Content-Length": str(made.size),
        "Content-Disposition": f'attachment; filename="{made.name}"',
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Repr-Digest": f"sha-256=:{base64.b64encode(bytes.fromhex(made.digest)).decode()}:",
    }
    if made.told:
        headers[TOLD] = _told(made.told)
    response = StreamingResponse(_pieces(made), 200, headers)
    response.headers["Content-Type"] = made.media_type
    return response


def _told(told: dict[str, Any]) -> str:
    text = json.dumps(told)
    return text if len(text) <= MAX_TOLD else json.dumps({**told, "notes": ["too long for here: see the bundle"]})


async def _pieces(made: Made) -> AsyncIterator[bytes]:
    """The bytes; whoever goes away early leaves nothing behind."""
    try:
        while piece := await run_sync(made.file.read, PIECE):
            yield piece
    finally:
        made.file.close()
