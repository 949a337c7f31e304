"""Sessions behind a server."""

from abc import ABC, abstractmethod
from urllib.parse import urlencode

from pydantic import BaseModel

from service.doors import Json
from service.exchange import named


class RemoteSessions(ABC):
    """The part of `Remote` that asks for sessions."""

    @abstractmethod
    async def ask_json(self, method: str, target: str, request: BaseModel | Json | None = None) -> Json:
        """The answer's JSON."""

    async def session_list(self, *, query: str, limit: int, deleted: bool) -> Json:
        """Sessions."""
        options = urlencode({"q": query, "limit": limit, "deleted": str(deleted).lower()})
        return await self.ask_json("GET", f"/sessions?{options}")

    async def session_look(self, session: str, /) -> Json:
        """A session as it stands."""
        return await self.ask_json("GET", f"/sessions/{named(session)}")

    async def session_show(self, session: str, /, *, whole: bool) -> Json:
        """A session with its events."""
        path = f"/sessions/{named(session)}"
        found, history, after = await self.ask_json("GET", path), [], None
        while True:
            options = {"limit": 1000, "whole": str(whole).lower()} | ({"after": after} if after else {})
            part = await self.ask_json("GET", f"{path}/events?{urlencode(options)}")
            history += part["events"]
            after = part["next"]
            if after is None:
                return found | {"history": history}

    async def session_context(
        self, session: str, /, *, form: str | None, budget: int | None, at: str | None, mode: str
    ) -> Json:
        """What a model is shown."""
        given = {"format": form, "budget": budget, "at": at, "mode": mode}
        options = urlencode({name: value for name, value in given.items() if value is not None})
        return await self.ask_json("GET", f"/sessions/{named(session)}/context?{options}")

    async def session_fork(self, session: str, /, *, at: str | None) -> Json:
        """A fork."""
        options = f"?{urlencode({'at_message': at})}" if at else ""
        return await self.ask_json("POST", f"/sessions/{named(session)}/fork{options}")

    async def session_export(self, session: str, /) -> Json:
        """The whole session."""
        return await self.ask_json("GET", f"/sessions/{named(session)}/export")

    async def session_import(self, value: Json, /) -> Json:
        """Take a session in."""
        return await self.ask_json("POST", "/sessions/import", value)

    async def session_delete(self, session: str, /, *, restore: bool) -> Json:
        """Delete, or bring back."""
        return await self.ask_json("DELETE", f"/sessions/{named(session)}?restore={str(restore).lower()}")

    async def session_rerun(self, session: str, request: Json, /) -> Json:
        """Run a session again with another definition."""
        return await self.ask_json("POST", f"/sessions/{named(session)}/rerun", request)
