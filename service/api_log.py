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
    allowed(request, Scope.READ)
    found = await actions(request).log_file(f"tile/{path}")
    if found is None:
        raise NoRoute(f"the log has no tile {path}")
    return Response(found, 200, {"Cache-Control": FULL, "Content-Type": "application/octet-stream"})
