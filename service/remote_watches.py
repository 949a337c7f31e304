"""Watches and holds behind a server."""

from collections.abc import Awaitable
from typing import Any, Final, Literal, Protocol
from urllib.parse import quote

from pydantic import BaseModel

from service.exchange import Told
from service.requests import Caller
from service.retention_requests import RetentionRequest, RetentionRound
from service.watch_requests import HoldRequest, WatchRequest

Json = dict[str, Any]

PATHS: Final = {"paused": ("POST", "/pause"), "resumed": ("POST", "/resume"), "ended": ("DELETE", "")}


class Server(Protocol):
    """Asks the server."""

    def ask_json(self, method: str, target: str, request: BaseModel | None = None) -> Awaitable[Json]:
        """The answer's JSON. Raises ToldProblem, ServerUnreachable."""
        ...

    def ask_good(self, method: str, target: str, request: BaseModel | None = None) -> Awaitable[Told]:
        """The answer. Raises ToldProblem, ServerUnreachable."""
        ...


class RemoteWatches:
    """The `Watching` protocol."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def add(self, request: WatchRequest, _caller: Caller, /) -> Json:
        """Begin a watch."""
        return await self._server.ask_json("POST", "/watches", request)

    async def listed(self) -> Json:
        """All watches."""
        return await self._server.ask_json("GET", "/watches")

    async def show(self, watch: str, /) -> Json:
        """A watch."""
        return await self._server.ask_json("GET", f"/watches/{_segment(watch)}")

    async def change(self, watch: str, phase: Literal["paused", "resumed", "ended"], _caller: Caller, /) -> Json:
        """Pause, go on, end."""
        method, ending = PATHS[phase]
        return await self._server.ask_json(method, f"/watches/{_segment(watch)}{ending}")

    async def feed(self, watch: str | None, /) -> bytes:
        """An Atom feed."""
        place = f"/{_segment(watch)}" if watch is not None else ""
        return (await self._server.ask_good("GET", f"/watches{place}/feed.atom")).body


class RemoteHolds:
    """The `Holding` protocol."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def add(self, request: HoldRequest, _caller: Caller, /) -> Json:
        """Hold something."""
        return await self._server.ask_json("POST", "/holds", request)

    async def listed(self) -> Json:
        """The holds in force."""
        return await self._server.ask_json("GET", "/holds")

    async def release(self, hold: str, _caller: Caller, /) -> Json:
        """End a hold."""
        return await self._server.ask_json("DELETE", f"/holds/{_segment(hold)}")


class RemoteRetention:
    """The `Retaining` protocol."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def add(self, request: RetentionRequest, _caller: Caller, /) -> Json:
        """Set a rule."""
        return await self._server.ask_json("POST", "/retention", request)

    async def listed(self) -> Json:
        """The rules in force."""
        return await self._server.ask_json("GET", "/retention")

    async def lift(self, rule: str, _caller: Caller, /) -> Json:
        """End a rule."""
        return await self._server.ask_json("DELETE", f"/retention/{_segment(rule)}")

    async def apply(self, request: RetentionRound, /) -> Json:
        """Apply the rules."""
        return await self._server.ask_json("POST", "/retention/apply", request)


def _segment(text: str) -> str:
    """An id as one segment of a path; what can be none is answered by the server as no id."""
    return quote(text, safe=":") if text.strip(".") else "%2E"
