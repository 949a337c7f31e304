"""`citator mcp`: the tools over standard input and output, of the server that runs here, or of the data directory."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, cast

import structlog
from mcp.server.stdio import stdio_server

from service.connect import ME, connected
from service.doors import Actions, Citator
from service.mcp_tools.calling import Tools, ToolsHere, failed
from service.mcp_tools.protocol import protocol_server
from service.mcp_tools.replies import ToolReply
from service.mcp_tools.wire import Lines, Wire
from service.remote import Remote
from service.requests import Caller

HOLD_SECONDS: Final = 5.0
"""Seconds to wait for a data directory that another process holds: a host waits for an answer meanwhile."""

log = structlog.get_logger()


class ToolsThere:
    """The tools of a server: it keeps the replies, and says what the model is told."""

    def __init__(self, remote: Remote) -> None:
        self._remote = remote

    async def call(
        self, name: str, arguments: Mapping[str, Any], caller: Caller, /, *, structured: bool = True
    ) -> ToolReply:
        """Call a tool."""
        try:
            told = await self._remote.tool(name, dict(arguments), caller, structured=structured)
        except Exception as error:  # noqa: BLE001 - the door: whatever happened behind it, the model gets words
            return failed(error)
        return ToolReply(told["text"], told.get("structured"), told["is_error"], told["record"], told.get("serving"))


class Opening:
    """A Citator that is opened when it is first asked for, and again when that failed. Calls tell what is wrong."""

    def __init__(self) -> None:
        self.tried = asyncio.Event()
        self._found: asyncio.Future[Citator] | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._end = asyncio.Event()

    async def citator(self) -> Citator:
        """The Citator.

        Raises:
            Exception: it cannot be opened; whatever stands in the way.
        """
        if self._found is None or (self._found.done() and self._found.exception() is not None):
            self._found = asyncio.get_running_loop().create_future()
            self._keeper = asyncio.create_task(self._keep(self._found))
        return await asyncio.shield(self._found)

    async def call(
        self, name: str, arguments: Mapping[str, Any], caller: Caller, /, *, structured: bool = True
    ) -> ToolReply:
        """Call a tool."""
        try:
            opened = await self.citator()
        except Exception as error:  # noqa: BLE001 - as everywhere at this door
            return failed(error)
        tools: Tools = ToolsThere(opened) if isinstance(opened, Remote) else ToolsHere(cast("Actions", opened))
        return await tools.call(name, arguments, caller, structured=structured)

    async def _keep(self, found: "asyncio.Future[Citator]") -> None:
        """Open, and close at the end, in one task: what was entered in a task has to be left in it."""
        try:
            async with connected(wait=HOLD_SECONDS) as citator:
                found.set_result(citator)
                self.tried.set()
                await self._end.wait()
        except Exception as error:
            if found.done():
                raise
            log.warning("not opened", error=str(error))
            found.set_exception(error)
            found.exception()  # told to whoever asks; nobody may have asked yet
        finally:
            self.tried.set()

    async def close(self) -> None:
        """Close what is open."""
        self._end.set()
        if self._keeper is not None:
            with suppress(asyncio.CancelledError):
                await self._keeper


async def serve_wire(wire: Wire, *, structured: bool) -> None:
    """Serve until the host closes its end of the wire, and all that it asked is answered."""
    opening = Opening()
    lines = Lines(wire, opening.tried)
    lines.start()
    server = protocol_server(opening, opening.citator, lambda _context: ME, structured=structured)
    try:
        with suppress(BrokenPipeError):
            async with stdio_server(cast("Any", lines), cast("Any", lines)) as (read, write):
                opened = asyncio.create_task(_open(opening))
                await server.run(read, write, server.create_initialization_options())
                await opened
    finally:
        await opening.close()


async def _open(opening: Opening) -> None:
    """Begin to open while the host is still shaking hands."""
    with suppress(Exception):
        await opening.citator()
