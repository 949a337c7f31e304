"""Sessions over HTTP, for tests: a whole Citator, asked as a client asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.actions import Actions
from service.api import application
from service.gate import Rules
from service.requests import KeyRequest, Scope
from tests.service.asking import Answer, Asker
from tests.service.opened import opened


@dataclass(frozen=True)
class Talk:
    actions: Actions
    ask: Asker

    async def post(self, path: str, value: Any = None, *, status: int = 201, **headers: str) -> Any:
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        answer = await self.ask("POST", f"/api/v1/{path}", {} if value is None else value, headers=named)
        assert answer.status == status, answer.body
        return answer.json

    async def get(self, path: str, status: int = 200) -> Any:
        answer = await self.ask("GET", f"/api/v1/{path}")
        assert answer.status == status, answer.body
        return answer.json

    async def patch(self, path: str, value: Any, *, status: int = 200) -> Any:
        answer: Answer = await self.ask("PATCH", f"/api/v1/{path}", value)
        assert answer.status == status, answer.body
        return answer.json

    async def session(self, **fields: Any) -> str:
        return str((await self.post("sessions", fields))["id"])

    async def say(self, session: str, content: Any, role: str = "user", **fields: Any) -> str:
        made = await self.post(f"sessions/{session}/messages", {"role": role, "content": content, **fields})
        return str(made["id"])

    async def texts(self, session: str, query: str = "") -> list[str]:
        listed = await self.get(f"sessions/{session}/events?limit=1000{query}")
        return [event["body"]["content"] for event in listed["events"] if event["type"] == "message"]


@asynccontextmanager
async def talking(data: Path, **settings: Any) -> AsyncIterator[Talk]:
    async with opened(data, **settings) as actions:
        app = application(actions, Rules(hosts=frozenset(), loopback_without_key=False, max_request=8 * 1024 * 1024))
        key = (await actions.keys_create(KeyRequest(name="me", scopes=(Scope.ADMIN,))))["key"]
        yield Talk(actions, Asker(app, key))
