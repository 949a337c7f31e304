"""The HTTP application: all routes of the API, behind the gate."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.exceptions import HTTPException

from service import (
    api_attachments,
    api_audits,
    api_bundles,
    api_captures,
    api_crawls,
    api_evidence,
    api_imports,
    api_keys,
    api_local,
    api_log,
    api_rechecks,
    api_records,
    api_retention,
    api_search,
    api_session_files,
    api_sessions,
    api_tools,
    api_verify,
    api_watches,
)
from service.api_answers import Route, actions, allowed, answered, refused, told_problem
from service.api_documents import document, told
from service.compatible import firecrawl, openwebui, searxng, tavily
from service.doors import Actions
from service.gate import API, CALLER, App, Gate, Rules, is_page
from service.mcp_tools.mount import mount_mcp
from service.metrics import CONTENT_TYPE, Metrics
from service.replies import HealthTold, ReadyTold
from service.requests import Caller, Scope
from service.sessions.driving import Driver
from service.web.pages import web_pages
from service.web.route import refused as refused_page

API_VERSION: Final = "1.0"
"""The version of this API, not of the program."""

DESCRIPTION: Final = (
    "Search and fetch with receipts: every reply is kept, hashed, logged and provable. Ids are `sha256:` and 64 hex "
    "digits of the exact bytes they name. Errors are RFC 9457 problem details."
)

state = APIRouter(route_class=Route, tags=["state"])


@state.get("/healthz", responses=told(HealthTold))
async def healthz(request: Request) -> Response:
    """Tell that the process answers; who may read is told how it is."""
    caller: Caller | None = request.scope.get(CALLER)
    told_all = caller is not None and caller.may(Scope.READ)
    return answered(await actions(request).health() if told_all else {"status": "ok"})


@state.get("/readyz", responses=told(ReadyTold, 503))
async def readyz(request: Request) -> Response:
    """Tell whether requests can be served now."""
    found = await actions(request).ready()
    ready = bool(found.get("ready"))
    return answered({"ready": ready}, status=200 if ready else 503)


@state.get("/metrics", responses={200: {"description": "Figures.", "content": {"text/plain": {}}}})
async def metrics(request: Request) -> Response:
    """Give figures for Prometheus."""
    allowed(request, Scope.READ)
    kept: Metrics = request.app.state.metrics
    sizes = (await actions(request).health()).get("sizes", {})
    for what, size in sizes.items():
        kept.size.labels(what).set(size)
    return Response(kept.exposition(), 200, {"Content-Type": CONTENT_TYPE})


@state.get("/openapi.json", include_in_schema=False)
async def openapi(request: Request) -> Response:
    """Give this API's description."""
    return answered(document(request.app))


def application(
    behind: Actions,
    rules: Rules,
    *,
    closing: asyncio.Event | None = None,
    mcp_structured: bool = True,
    driver: Driver | None = None,
) -> App:
    """The ASGI application over `behind`. Event streams end when `closing` is set. MCP needs the lifespan protocol.

    `driver` asks the operator's model in sessions; whoever made it closes it.
    """
    ending = closing or asyncio.Event()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with app.state.mcp(ending):
            yield

    app = FastAPI(
        title="Citator",
        version=API_VERSION,
        description=DESCRIPTION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,  # a path is right or wrong; a redirect would repeat a Host header that anyone may send
    )
    app.state.actions = behind
    app.state.driver = driver
    app.state.metrics = Metrics()
    app.state.closing = ending
    for part in (
        api_search,
        api_captures,
        api_crawls,
        api_rechecks,
        api_evidence,
        api_bundles,
        api_audits,
        api_attachments,
        api_imports,
        api_verify,
        api_records,
        api_retention,
        api_log,
        api_keys,
        api_local,
        api_session_files,
        api_sessions,
        api_tools,
        api_watches,
    ):
        app.include_router(part.router, prefix=API)
    app.include_router(state)
    for imitated in (searxng, tavily, firecrawl, openwebui):
        app.include_router(imitated.router)
    app.state.mcp = mount_mcp(app, behind, structured=mcp_structured)
    app.include_router(web_pages)
    app.add_exception_handler(HTTPException, _no_such_route)
    return Gate(app, authenticate=behind.authenticate, rules=rules, metrics=app.state.metrics)


async def _no_such_route(request: Request, error: Exception) -> Response:
    if is_page(request.scope):
        return await refused_page(request, told_problem(error))
    return await refused(request, error)
