"""Asks an ASGI application directly, as a server would: no sockets, no threads."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import orjson

from service.gate import App

HOST = "127.0.0.1:8787"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def problem(self) -> str:
        assert self.headers["content-type"] == "application/problem+json"
        assert self.json["status"] == self.status
        return str(self.json["type"]).removeprefix("urn:citator:problem:")


@dataclass(frozen=True)
class Asker:
    """One way to come: over TCP from `client`, or over the local socket when `client` is None."""

    app: App
    key: str | None = None
    client: tuple[str, int] | None = ("192.0.2.7", 40000)

    async def __call__(
        self,
        method: str,
        target: str,
        value: Any = None,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        pieces: AsyncIterator[bytes] | None = None,
    ) -> Answer:
        sent = {"host": HOST} | dict(headers or {})
        if self.key is not None:
            sent["authorization"] = f"Bearer {self.key}"
        if value is not None:
            body = json.dumps(value).encode()
            sent.setdefault("content-type", "application/json")
        if body is not None:
            sent.setdefault("content-length", str(len(body)))
        path, _, query = target.partition("?")
        scope = {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": "1.1",
            "method": method, "scheme": "http", "path": unquote(path), "raw_path": path.encode(),
            "query_string": query.encode(), "root_path": "", "client": self.client,
            "server": ("127.0.0.1", 8787) if self.client else ("/data/server.sock", None), "state": {},
            "headers": [(name.lower().encode(), text.encode()) for name, text in sent.items() if text],
        }  # fmt: skip
        told: list[dict[str, Any]] = []
        gone = False

        async def receive() -> dict[str, Any]:
            nonlocal gone
            if pieces is not None:
                async for piece in pieces:
                    return {"type": "http.request", "body": piece, "more_body": True}
            if gone:
                return {"type": "http.disconnect"}
            gone = True
            return {"type": "http.request", "body": body or b"", "more_body": False}

        async def send(message: Any) -> None:
            told.append(message)

        await self.app(scope, receive, send)
        head = told[0]
        return Answer(
            head["status"],
            {name.decode(): text.decode() for name, text in head["headers"]},
            b"".join(message.get("body", b"") for message in told[1:]),
        )
