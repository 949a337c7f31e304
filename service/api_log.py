"""`/log`: the checkpoint and the tiles, as C2SP tlog-tiles serves them below a prefix."""

from typing import Any, Final

from fastapi import APIRouter, Request, Response

from service.api_answers import Route, actions, allowed
from service.api_documents import problems
from service.errors import NoRoute
from service.requests import Scope

router = APIRouter(route_class=Route, tags=["log"])

FULL: Final = "private, max-age=31536000, immutable"


def _bytes(kind: str, description: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"description": description, "content": {kind: {}}}, **problems(404)}


@router.get("/log/checkpoint", responses=_bytes("text/plain", "The signed checkpoint."))
async def checkpoint(request: Request) -> Response:
    """Give the log's newest signed checkpoint."""
    allowed(request, Scope.READ)
    headers = {"Cache-Control": "no-cache", "Content-Type": "text/plain; charset=utf-8"}
    return Response(await actions(request).checkpoint(), 200, headers)


@router.get("/log/tile/{path:path}", responses=_bytes("application/octet-stream", "A tile."))
async def tile(request: Request, path: str) -> Response:
    """Give a tile (`tile/<level>/<n>[.p/<w>]`) or an entry bundle (`tile/entries/<n>[.p/<w>]`)."""
    return await _file(request, f"tile/{path}", "application/octet-stream")


@router.get("/log/keys/{name}", responses=_bytes("text/plain", "A public key, or how one key handed over to it."))
async def key(request: Request, name: str) -> Response:
    """Give a public key (`<key id>.vkey`) or the hand-over to it (`<key id>.handover`)."""
    return await _file(request, f"keys/{name}", "text/plain; charset=utf-8")


@router.get("/log/stamps/{path:path}", responses=_bytes("application/octet-stream", "A part of a time stamp."))
async def stamp(request: Request, path: str) -> Response:
    """Give a part of a time stamp on a checkpoint, as it lies in the bucket below `log/stamps/`."""
    return await _file(request, f"stamps/{path}", "application/octet-stream")


async def _file(request: Request, path: str, media_type: str) -> Response:
    """What is written once below the log."""
    allowed(request, Scope.READ)
    found = await actions(request).log_file(path)
    if found is None:
        raise NoRoute(f"the log has no {path}")
    return Response(found, 200, {"Cache-Control": FULL, "Content-Type": media_type})
