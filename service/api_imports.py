"""`/archives` and `/bundles/import`: files with evidence of others, as bytes, or (on this machine) by their path."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from service.api_answers import Route, actions, allowed, answered, streamed
from service.api_documents import problems, told
from service.api_local import only_local, told_as_events
from service.replies import Told
from service.requests import ArchiveRequest, BundleImport, Scope

router = APIRouter(route_class=Route, tags=["captures"])

_BODY: Final[dict[str, Any]] = {
    "requestBody": {"required": True, "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}
}
_STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "`progress` events, then one `result` or `problem`.",
        "content": {"text/event-stream": {}},
    },
    **problems(409, 422),
}

_Path = Annotated[str, Field(min_length=1, max_length=4096, pattern="^/", description="An absolute path.")]
_Name = Annotated[str | None, Query(max_length=1024)]


class LocalArchive(ArchiveRequest):
    """A file of others on the machine that holds the data."""

    path: _Path


class LocalBundle(BundleImport):
    """A bundle on the machine that holds the data."""

    path: _Path


@router.post("/archives", responses=told(Told, 400), openapi_extra=_BODY)
async def archives(request: Request, name: _Name = None) -> Response:
    """Keep each response in a WARC or WACZ file, which is the body, as a capture; what does not hold is refused."""
    caller = allowed(request, Scope.FETCH)
    asked = ArchiveRequest(name=name)
    async with received(request) as path:
        return answered(await actions(request).add_archive(path, asked, caller, _nobody))


@router.post("/bundles/import", responses=told(Told, 400, 422), openapi_extra=_BODY)
async def import_(
    request: Request, name: _Name = None, trust_key: Annotated[list[str] | None, Query()] = None
) -> Response:
    """Take in a bundle of another installation, which is the body, if all that it claims holds."""
    caller = allowed(request, Scope.ADMIN)
    asked = BundleImport(name=name, trust_key=tuple(trust_key or ()))
    async with received(request) as path:
        return answered(await actions(request).import_bundle(path, asked, caller, _nobody))


@router.post("/maintenance/archives", responses=_STREAM)
async def archives_here(request: Request, asked: LocalArchive) -> Response:
    """Do the same as `/archives` with a file on this machine; only through the local socket."""
    only_local(request)
    caller, behind = allowed(request, Scope.ADMIN), actions(request)
    plain = ArchiveRequest(name=asked.name)
    return streamed(
        request, told_as_events(lambda progress: behind.add_archive(Path(asked.path), plain, caller, progress))
    )


@router.post("/maintenance/bundles/import", responses=_STREAM)
async def import_here(request: Request, asked: LocalBundle) -> Response:
    """Do the same as `/bundles/import` with a file on this machine; only through the local socket."""
    only_local(request)
    caller, behind = allowed(request, Scope.ADMIN), actions(request)
    plain = BundleImport(name=asked.name, trust_key=asked.trust_key)
    return streamed(
        request, told_as_events(lambda progress: behind.import_bundle(Path(asked.path), plain, caller, progress))
    )


def _nobody(_what: str, _done: int, _total: int | None) -> None:
    """Progress that nobody waits for."""


@asynccontextmanager
async def received(request: Request) -> AsyncIterator[Path]:
    """The body in a file of its own, so that a large one is never in memory; the gate bounds its size."""
    with tempfile.TemporaryDirectory(prefix="citator-received-") as folder:
        path = Path(folder) / "body"  # what a fault in the file as a whole is said of
        with path.open("wb") as file:
            async for piece in request.stream():
                await asyncio.to_thread(file.write, piece)
        yield path
