"""`/maintenance`: long work on the installation itself, with progress as events. Files only by the local socket."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from service.api_answers import Route, actions, allowed, streamed
from service.api_documents import problems
from service.doors import Json, Progress
from service.errors import LocalOnly
from service.requests import Scope

router = APIRouter(route_class=Route, tags=["maintenance"])

_STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "`progress` events, then one `result` or `problem`.",
        "content": {"text/event-stream": {}},
    },
    **problems(409),
}


class PathRequest(BaseModel):
    """A file on the machine that holds the data."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(min_length=1, max_length=4096, pattern="^/", description="An absolute path.")


def only_local(request: Request) -> None:
    """Let pass only what came through the data directory's socket.

    Raises:
        LocalOnly: it came over the network, whatever key it carries: who may write files here is the system's matter.
    """
    caller = allowed(request, Scope.ADMIN)
    if caller.surface != "cli":
        raise LocalOnly("paths of this machine are taken only through DATA/server.sock")


@router.post("/maintenance/rebuild", responses=_STREAM)
async def rebuild(request: Request) -> Response:
    """Make catalogue and index anew from the bucket."""
    allowed(request, Scope.ADMIN)
    return streamed(request, told_as_events(actions(request).rebuild))


@router.post("/maintenance/doctor", responses=_STREAM)
async def doctor(request: Request, deep: Annotated[bool, Query()] = False) -> Response:  # noqa: FBT002 - a query parameter
    """Check this installation; `deep` reads every object and re-derives every tile."""
    allowed(request, Scope.ADMIN)
    asked = actions(request)
    return streamed(request, told_as_events(lambda progress: asked.doctor(deep=deep, progress=progress)))


@router.post("/maintenance/backup", responses=_STREAM)
async def backup(request: Request, asked: PathRequest) -> Response:
    """Write a backup to a path on this machine; only through the local socket."""
    only_local(request)
    path, behind = Path(asked.path), actions(request)
    return streamed(request, told_as_events(lambda progress: behind.backup(path, progress)))


async def told_as_events(work: Callable[[Progress], Awaitable[Json]]) -> AsyncIterator[Json]:
    """Do `work`; yield its progress and at last its result. Only the newest progress waits to be read."""
    newest: list[Json] = []
    moved = asyncio.Event()

    loop = asyncio.get_running_loop()

    def moving(event: Json) -> None:
        newest[:] = [event]
        moved.set()

    def progress(what: str, done: int, total: int | None) -> None:
        loop.call_soon_threadsafe(moving, {"type": "progress", "what": what, "done": done, "total": total})

    async def doing() -> Json:
        try:
            return await work(progress)
        finally:
            moved.set()

    task = asyncio.ensure_future(doing())
    try:
        while not task.done() or newest:
            await moved.wait()
            moved.clear()
            while newest:
                yield newest.pop()
        yield {"type": "result", "result": await task}
    finally:
        task.cancel()  # whoever hangs up, or stops the server, stops the work: all of it can be begun again
        await asyncio.gather(task, return_exceptions=True)
