"""A session out of its records: its path, what was said, and what a model is shown. Who holds them is the caller's.

This module, `context` and `formats` need nothing but the standard library: they are joined into `session/rebuild.py`,
which bundles of sessions carry, so that a context can be made anew without Citator.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.sessions.context import MESSAGES, Context, Happened, Mode, context
from service.sessions.formats import Format, formatted

REMOVED: Final = {"removed": "it is not here"}
"""What stands in place of a content that is gone."""


@dataclass(frozen=True)
class Sealing:
    """Who alone can read an item."""

    provider: str
    model: str | None


@dataclass(frozen=True)
class Step:
    """An event of a session, with the members of its record that are not named here under `record`."""

    id: str
    type: str
    author: str | None
    name: str | None
    call: str | None
    tokens: int | None
    pinned: bool
    sealed: Sealing | None
    details: Mapping[str, Any]
    content: str | None
    previous: str | None
    record: Mapping[str, Any]


def step_of(ident: str, record: Mapping[str, Any]) -> Step:
    """The step that an `event` record is."""
    sealed = record.get("sealed")
    return Step(
        id=ident,
        type=record["type"],
        author=record.get("author"),
        name=record.get("name"),
        call=record.get("call"),
        tokens=record.get("tokens"),
        pinned=bool(record.get("pinned")),
        sealed=Sealing(sealed["provider"], sealed.get("model")) if sealed else None,
        details=record.get("details") or {},
        content=record.get("content"),
        previous=record.get("previous"),
        record=record,
    )


@dataclass(frozen=True)
class Kept:
    """Where records and contents lie: both give bytes by id, None for what is not there.

    `order` are the ids of a session's own events in the order of the log.
    """

    record: Callable[[str], bytes | None]
    blob: Callable[[str], bytes | None]
    order: Callable[[str], Sequence[str]]

    def json(self, ident: str) -> dict[str, Any] | None:
        """A record as an object."""
        data = self.record(ident)
        value = None if data is None else json.loads(data)
        return value if isinstance(value, dict) else None

    def path(self, session: str, at: str | None = None) -> list[Step]:
        """The events from the first to `at`; none given: to the newest."""
        own = self.order(session)
        record = self.json(session) or {}
        name: str | None = at or (own[-1] if own else record.get("forked_at"))
        found: list[Step] = []
        seen: set[str] = set()
        while name is not None and name not in seen:
            seen.add(name)
            event = self.json(name)
            if event is None or event.get("kind") != "event":
                break
            found.append(step_of(name, event))
            name = found[-1].previous
        return found[::-1]

    def system(self, session: str) -> str | None:
        """The system context: the session's own, else its agent's."""
        record = self.json(session) or {}
        name = record.get("system")
        if name is None and record.get("agent") is not None:
            name = (self.json(record["agent"]) or {}).get("system")
        data = self.blob(name) if name is not None else None
        return None if data is None else data.decode("utf-8", "replace")

    def body(self, step: Step) -> Any:
        """What an event says, if that is JSON."""
        if step.content is None:
            return None
        data = self.blob(step.content)
        return dict(REMOVED) if data is None else parsed(data)

    def context(
        self,
        session: str,
        *,
        at: str | None = None,
        form: Format | None = None,
        budget: int | None = None,
        mode: Mode = "recent",
        provider: str | None = None,
        model: str | None = None,
    ) -> dict[str, Any]:
        """What a model is to be shown of a session, as `GET /sessions/{id}/context` tells it."""
        path = self.path(session, at)
        by_id = {step.id: step for step in path if matters(step)}
        found = context(
            self.system(session),
            list(by_id.values()),
            lambda event: self.body(by_id[event.id]),
            budget=budget,
            mode=mode,
            provider=provider,
            model=model,
        )
        return context_told(found, session, path[-1].id if path else session, form)

    def transcript(self, session: str) -> Iterator[dict[str, Any]]:
        """The events on the path, first to last, each as its record with its id and, under `body`, what it says."""
        for step in self.path(session):
            said = self.body(step) if step.record.get("media_type") == "application/json" else None
            fields = {name: value for name, value in step.record.items() if name not in ("kind", "version", "nonce")}
            yield {"id": step.id} | fields | {"body": said}


def matters(step: Happened) -> bool:
    """Whether an event has to do with what a model is shown."""
    return step.type in MESSAGES or step.type == "compaction"


def parsed(data: bytes) -> Any:
    """The JSON value in a content."""
    try:
        return json.loads(data)
    except ValueError:
        return dict(REMOVED)


def context_told(found: Context, session: str, at: str, form: Format | None) -> dict[str, Any]:
    """A context with what it is of and what was left out, in the form of one API or a neutral one."""
    head = {
        "session": session,
        "at": at,
        "budget": found.budget,
        "tokens": found.cost,
        "left_out": list(found.left_out),
        "compactions": list(found.compactions),
    }
    if form is not None:
        return head | {"format": form, "request": formatted(found, form)}
    shown = [
        {
            "event": said.event,
            "role": said.role,
            "author": said.author,
            "content": said.content,
            "calls": [dict(call) for call in said.calls],
            "call": said.call,
            "pinned": said.pinned,
            "sealed": said.sealed,
            "tokens": said.cost,
        }
        for said in found.messages
    ]
    return head | {"system": found.system, "messages": shown}
