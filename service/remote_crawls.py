"""Crawls behind a server."""

from typing import Any, Final, Literal
from urllib.parse import quote, urlencode

from service.remote_watches import Server
from service.requests import Caller

Json = dict[str, Any]

PATHS: Final = {"paused": "pause", "resumed": "resume"}


class RemoteCrawls:
    """The `Crawling` protocol."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def listed(self, *, limit: int, before: str | None = None) -> Json:
        """The crawls, newest first."""
        options = {"limit": str(limit)} | ({"before": before} if before else {})
        return await self._server.ask_json("GET", f"/crawls?{urlencode(options)}")

    async def change(self, crawl: str, phase: Literal["paused", "resumed"], _caller: Caller) -> Json:
        """Pause, go on."""
        named = quote(crawl, safe=":") if crawl.strip(".") else "%2E"
        return await self._server.ask_json("POST", f"/crawls/{named}/{PATHS[phase]}")
