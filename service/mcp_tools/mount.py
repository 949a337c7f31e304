"""MCP over streamable HTTP: `/mcp`, and `/mcp/openai` in deep research's form, behind the same gate as everything."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from fastapi import FastAPI
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.routing import Route

from service.doors import Actions, Citator
from service.gate import CALLER
from service.mcp_tools import deep_research
from service.mcp_tools.calling import Tools, ToolsHere
from service.mcp_tools.definitions import TOOLS, Tool
from service.mcp_tools.protocol import protocol_server
from service.mending import mended
from service.requests import Caller

PATH: Final = "/mcp"
DEEP_PATH: Final = "/mcp/openai"
METHODS: Final = ["GET", "POST", "DELETE"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Mount:
    """One MCP endpoint: an ASGI application, which answers while `running` is entered."""

    def __init__(self, path: str, tools: Tools, listed: tuple[Tool, ...], behind: Citator, *, structured: bool) -> None:
        async def citator() -> Citator:
            return behind

        self.path = path
        server = protocol_server(tools, citator, _caller, listed=listed, structured=structured)
        self._sessions = StreamableHTTPSessionManager(server)
        self._closing = asyncio.Event()

    @asynccontextmanager
    async def running(self, closing: asyncio.Event) -> AsyncIterator[None]:
        """Sessions live while this is entered. Streams of mere news end when `closing` is set."""
        self._closing = closing
        async with self._sessions.run():
            yield

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, which has passed the gate."""
        caller: Caller = scope[CALLER]
        # A session belongs to the key that began it: another key does not find it.
        token = AccessToken(token="", client_id=caller.key or caller.name or "", scopes=[])
        scope["user"] = AuthenticatedUser(token)
        ending = receive if scope["method"] != "GET" else self._until_closing(receive)
        await self._sessions.handle_request(scope, _mending(ending), send)

    def _until_closing(self, receive: Receive) -> Receive:
        async def next_message() -> Message:
            getting = asyncio.ensure_future(receive())
            closing = asyncio.ensure_future(self._closing.wait())
            try:
                await asyncio.wait({getting, closing}, return_when=asyncio.FIRST_COMPLETED)
                return getting.result() if getting.done() else {"type": "http.disconnect"}
            finally:
                getting.cancel()
                closing.cancel()

        return next_message


def _mending(receive: Receive) -> Receive:
    async def next_message() -> Message:
        message = await receive()
        if message.get("body"):
            message = {**message, "body": mended(message["body"])}  # the gate gives bodies whole
        return message

    return next_message


def _caller(context: Any) -> Caller:
    caller: Caller = context.request.scope[CALLER]
    return caller


def mount_mcp(app: FastAPI, behind: Actions, *, structured: bool) -> Callable[[asyncio.Event], Any]:
    """Add the endpoints to `app`. Returns what has to be entered while the application serves."""
    mounts = (
        Mount(DEEP_PATH, deep_research.DeepTools(behind), deep_research.TOOLS, behind, structured=False),
        Mount(PATH, ToolsHere(behind), TOOLS, behind, structured=structured),
    )
    for mount in mounts:
        app.router.routes.append(Route(mount.path, endpoint=mount, methods=METHODS, include_in_schema=False))

    @asynccontextmanager
    async def running(closing: asyncio.Event) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for mount in mounts:
                await stack.enter_async_context(mount.running(closing))
            yield

    return running
