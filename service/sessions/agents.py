"""Definitions of agents: kept apart from sessions, named by their hash, never with a credential in them."""

import math
from typing import Any, Final

import orjson
from anyio.to_thread import run_sync

from service.answering import keep
from service.failures import BadRequest
from service.requests import Caller
from service.sessions.asked import AgentRequest
from service.sessions.book import Book
from service.sessions.credentials import found
from service.sessions.steps import kept_json
from snapshots import Agent, Batch, digest, stamp

DECIMAL: Final = "decimal"
"""The one member of an object that stands for a number which is no integer."""


class Agents:
    """The definitions of one installation."""

    def __init__(self, book: Book) -> None:
        self._parts = book.parts

    def definition(self, asked: AgentRequest, caller: Caller) -> tuple[Agent, list[bytes]]:
        """An agent's record and the blobs it names.

        Raises:
            BadRequest: there is a credential in it.
        """
        no_credential(asked.model_dump(mode="json"), "agent")
        system = asked.system.encode() if asked.system is not None else None
        tools = kept_json(asked.tools) if asked.tools is not None else None
        record = Agent(
            at=stamp(self._parts.clock()),
            name=asked.name,
            system=digest(system) if system is not None else None,
            tools=digest(tools) if tools is not None else None,
            provider=asked.provider,
            model=asked.model,
            api_schema=asked.api_schema,
            parameters=exact(asked.parameters),
            by=caller.key,
        )
        return record, [blob for blob in (system, tools) if blob is not None]

    async def create(self, asked: AgentRequest, caller: Caller) -> str:
        """Keep a definition; its id."""
        record, blobs = self.definition(asked, caller)
        await keep(self._parts, Batch(blobs=tuple(blobs), records=(record,)))
        return record.id

    async def whole(self, ident: str) -> dict[str, Any]:
        """A definition with prompt and tools as they were given.

        Raises:
            UnknownId, RemovedId, BadRequest: it is none.
        """
        name = await self.resolve(ident)
        archive = self._parts.archive

        def read() -> dict[str, Any]:
            record = archive.record(name)
            assert isinstance(record, Agent), "its kind was looked at"
            fields = record.model_dump(mode="json", exclude={"kind", "version", "nonce", "system", "tools"})
            system = archive.get(record.system).decode() if record.system else None
            tools = orjson.loads(archive.get(record.tools)) if record.tools else None
            fields["parameters"] = plain(fields["parameters"])
            return {"id": name} | fields | {"system": system, "tools": tools}

        return await run_sync(read)

    async def resolve(self, ident: str) -> str:
        """The whole id of a definition. Raises as `whole`."""
        name = await run_sync(self._parts.archive.resolve, ident)
        if await run_sync(self._parts.archive.kind_of, name) != "agent":
            raise BadRequest(f"{ident} is no agent's definition")
        return name


def exact(value: Any) -> Any:
    """A JSON value with each number that is no integer as `{"decimal": "0.5"}`: records hold no floats."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadRequest("NaN and infinity are no JSON: say them as text")
        return {DECIMAL: repr(value)}
    if isinstance(value, dict):
        return {name: exact(inner) for name, inner in value.items()}
    return [exact(inner) for inner in value] if isinstance(value, list | tuple) else value


def plain(value: Any) -> Any:
    """The value that `exact` was given."""
    if isinstance(value, dict):
        if value.keys() == {DECIMAL} and isinstance(value[DECIMAL], str):
            try:
                return float(value[DECIMAL])
            except ValueError:
                return value
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def no_credential(value: Any, where: str) -> None:
    """Raises BadRequest if there is a credential in a value."""
    kind = found(value)
    if kind is not None:
        raise BadRequest(f"`{where}` holds a credential ({kind}): give it to the program that uses it, not to a record")
