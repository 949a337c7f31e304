"""What is done with sessions: begin, write, run, fork, go back, end. Each returns what the caller is told."""

from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, Final

import anyio
import orjson
from anyio.to_thread import run_sync

from service.failures import BadRequest, ModelMismatch
from service.requests import Caller
from service.sessions import telling
from service.sessions.agents import Agents, no_credential
from service.sessions.asked import (
    AgentRequest,
    ApprovalRequest,
    ArtifactRequest,
    CheckpointRequest,
    MessageRequest,
    RollbackRequest,
    RunChange,
    RunRequest,
    SessionRequest,
    ToolResultsRequest,
    WriteRequest,
)
from service.sessions.book import Book
from service.sessions.credentials import masked
from service.sessions.history import History, calls_of
from service.sessions.reading import check_depth
from service.sessions.steps import Step, artifact, message, tool_result
from snapshots import Agent, Archive, Event, RemovedId, Session, UnknownId, digest, stamp

FOLLOW_SECONDS: Final = 0.5
"""How often a run that is followed is looked at: other processes may be writing to it."""

LOOKED: Final = 200
"""Sessions that are looked through at once for those that are asked for."""
HEAR_SECONDS: Final = 0.1
"""The same while its model is speaking here."""

Told = dict[str, Any]


class Sessions:
    """Everything that can be asked of sessions."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self._agents = Agents(book)

    @property
    def _archive(self) -> Archive:
        return self.book.parts.archive

    # beginning

    async def begin(self, asked: SessionRequest, caller: Caller) -> Told:
        """A new session. With `store=false` its records are in the reply, and nothing stays."""
        blobs: list[bytes] = []
        agent, records = None, []
        if isinstance(asked.agent, AgentRequest):
            definition, more = self._agents.definition(asked.agent, caller)
            agent, records, blobs = definition.id, [definition], more
        elif asked.agent is not None:
            agent = await self._agents.resolve(asked.agent)
        if asked.system is not None:
            no_credential(asked.system, "system")
            blobs.append(asked.system.encode())
        (title, labels), _ = masked([asked.title, asked.labels])
        session = Session(
            at=stamp(self.book.parts.clock()),
            title=title,
            system=digest(asked.system.encode()) if asked.system is not None else None,
            agent=agent,
            by=caller.key,
            labels=labels,
        )
        if not asked.store:
            kept = [orjson.loads(record.encoded) for record in (*records, session)]
            return telling.about(History(session), None) | {"stored": False, "records": kept}
        return await telling.told(self.book, await self.book.begin(session, blobs, records))

    async def agent_create(self, asked: AgentRequest, caller: Caller) -> Told:
        """Keep a definition by itself."""
        return await self.agent(await self._agents.create(asked, caller))

    async def agent(self, ident: str) -> Told:
        """A definition, whole: prompt and tools as they were given."""
        return await self._agents.whole(ident)

    # looking

    async def look(self, session: str) -> Told:
        """A session as it stands."""
        return await telling.told(self.book, await self.book.history(session))

    async def listed(self, *, query: str, limit: int, before: int | None, deleted: bool) -> Told:
        """Sessions, newest first, whose title or labels hold `query`, however far back they are."""
        shown: list[Told] = []
        wanted, place = query.casefold(), before
        while len(shown) < limit:
            recent = partial(self._archive.catalogue.recent, ("session",), limit=LOOKED, before=place)
            rows = await run_sync(recent)
            for row in rows:
                place = row.position
                if not await run_sync(self._is_about, row.id, wanted):
                    continue
                history = await self.book.history(row.id)
                if deleted or not history.deleted:
                    shown.append(await telling.told(self.book, history))
                if len(shown) == limit:
                    break
            else:
                if len(rows) < LOOKED:
                    return {"sessions": shown, "next": None}
        return {"sessions": shown, "next": place}

    def _is_about(self, ident: str, wanted: str) -> bool:
        """Whether title or labels hold some words; not if it was removed. Blocking."""
        try:
            record = self._archive.record(ident)
        except RemovedId:
            return False
        words = [record.title or "", *map(str, record.labels.values())] if isinstance(record, Session) else []
        return wanted in " ".join(words).casefold()

    async def events(self, session: str, *, after: str | None, limit: int, whole: bool) -> Told:
        """The events on the path, or with `whole` every event in the order of the log, with what they say."""
        history = await self.book.history(session)
        events: Sequence[Event] = [*history.before, *history.own] if whole else history.path
        start = 0
        if after is not None:
            last = self.book.event_of(history, after)
            start = next((place for place, event in enumerate(events, 1) if event.id == last.id), len(events))
        part = list(events[start : start + limit])
        more = start + limit < len(events)
        told = await telling.with_contents(self._archive, part)
        return {"session": history.session.id, "events": told, "next": part[-1].id if more else None}

    async def forks(self, session: str) -> list[Told]:
        """The sessions that were forked from this one, oldest first: `{id, title, forked_at}`."""
        whole = await self.book.resolve(session)

        def read() -> list[Told]:
            rows = self._archive.catalogue.naming(whole, kind="session")
            records = [self._archive.record(row.id) for row in rows]
            return [
                {"id": one.id, "title": one.title, "forked_at": one.forked_at}
                for one in records
                if isinstance(one, Session) and one.parent == whole
            ]

        return await run_sync(read)

    async def retell(self, ident: str) -> Told:
        """What was told when `ident` was made: a session, an agent, a run, or an event."""
        record = await run_sync(self._archive.record, ident)
        if isinstance(record, Agent):
            return await self.agent(ident)
        if not isinstance(record, Event):
            return await self.look(ident)
        if record.type == "run_started":
            return await self.run(record.session, ident)
        history = await self.book.history(record.session)
        return _written(history, history.once.get(str(record.details.get("once")), [record]))

    # writing

    async def write(
        self, session: str, asked: WriteRequest, caller: Caller, steps: Any, if_match: str | None = None
    ) -> Told:
        """Add events; tells the last one and the session's state."""
        history, events = await self.book.add(session, steps, asked, caller, if_match=if_match)
        return _written(history, events)

    async def say(self, session: str, asked: MessageRequest, caller: Caller, if_match: str | None = None) -> Told:
        """A message, or what else is said."""

        def steps(history: History) -> list[Step]:
            made = message(asked)
            if asked.agent is not None:
                made.fields["agent"] = asked.agent if asked.agent.startswith("sha256:") else None
            if asked.parent is not None:
                made.fields["parent"] = self.book.event_of(history, asked.parent).id
            return [*_changed_schema(history, made), made]

        if asked.agent is not None:
            asked = asked.model_copy(update={"agent": await self._agents.resolve(asked.agent)})
        return await self.write(session, asked, caller, steps, if_match)

    async def results(self, session: str, asked: ToolResultsRequest, caller: Caller) -> Told:
        """Results of tool calls. Each answers a call that waits for one."""

        def steps(history: History) -> list[Step]:
            unasked = [one.call for one in asked.results if one.call not in history.pending]
            if unasked:
                raise BadRequest(f"no call {unasked[0]!r} waits for a result")
            return [tool_result(one) for one in asked.results]

        return await self.write(session, asked, caller, steps)

    async def artifact(self, session: str, asked: ArtifactRequest, caller: Caller) -> Told:
        """A file that came out of the session."""
        made = artifact(asked)
        return await self.write(session, asked, caller, lambda _: [made])

    async def checkpoint(self, session: str, asked: CheckpointRequest, caller: Caller) -> Told:
        """A name for where the session is."""
        return await self.write(session, asked, caller, lambda _: [Step("checkpoint", fields={"name": asked.name})])

    async def roll_back(self, session: str, asked: RollbackRequest, caller: Caller) -> Told:
        """Go back to a checkpoint or an event."""

        def steps(history: History) -> list[Step]:
            named = history.checkpoints().get(asked.to)
            target = named or self.book.event_of(history, asked.to)
            given_up = history.head.id if history.head else None
            return [Step("rolled_back", fields={"previous": target.id, "details": {"from": given_up}})]

        return await self.write(session, asked, caller, steps)

    async def fork(
        self, session: str, at: str | None, caller: Caller, title: str | None = None, agent: str | None = None
    ) -> Told:
        """A session that shares everything up to an event with this one, and goes on by itself.

        With another `agent`, if one is given; its system context counts then, if it has one.
        """
        ours = agent is None or (await self.agent(agent))["system"] is None
        history = await self.book.history(session)
        event = history.head if at is None else self.book.event_of(history, at)
        if event is None:
            raise BadRequest("nothing has happened in this session yet: there is nothing to share")
        forked = Session(
            at=stamp(self.book.parts.clock()),
            title=masked(title)[0] or history.session.title,
            system=history.session.system if ours else None,
            agent=agent or history.session.agent,
            parent=history.session.id,
            forked_at=event.id,
            by=caller.key,
            labels=history.session.labels,
        )

        def parent(ident: str) -> str | None:
            record = forked if ident == forked.id else self._archive.record(ident)
            return record.parent if isinstance(record, Session) else None

        await run_sync(check_depth, forked.id, parent)
        return await telling.told(self.book, await self.book.begin(forked, ()))

    # runs

    async def start(self, session: str, asked: RunRequest, caller: Caller, details: Told | None = None) -> Told:
        """Take the lock and begin a run. `details` are what whoever drives it must know to go on with it.

        Raises:
            ModelMismatch: the session went on with another model so far, and that was to be refused.
        """
        agent = await self._agents.resolve(asked.agent) if asked.agent is not None else None
        fields = {
            "provider": asked.provider, "model": asked.model, "api_schema": asked.api_schema, "agent": agent,
            "details": details or {},
        }  # fmt: skip
        write = WriteRequest(wait=asked.wait)

        def steps(history: History) -> list[Step]:
            made = Step("run_started", fields=dict(fields))
            changed = _changed_schema(history, made)
            if changed and asked.mismatch == "refuse":
                raise ModelMismatch(changed[0].fields["details"]["changed"])
            return [*changed, made]

        history, events = await self.book.add(session, steps, write, caller, lock_seconds=asked.lease_seconds)
        return telling.run_told(history, events[-1].id, await self.book.holder(history)) or {}

    async def calls_waiting(self, history: History) -> list[Told]:
        """The tool calls on the path that wait for results: `{id, name, arguments}`, in order."""
        wanted = set(history.pending)
        asking = [event for event in history.path if not wanted.isdisjoint(calls_of(event))]
        told = await telling.with_contents(self._archive, asking)
        made = [call for one in told if isinstance(one["body"], dict) for call in one["body"].get("tool_calls", ())]
        return [call for call in made if call.get("id") in wanted]

    async def run(self, session: str, run: str) -> Told:
        """A run as it stands."""
        history = await self.book.history(session)
        found = telling.run_told(history, self.book.event_of(history, run).id, await self.book.holder(history))
        if found is None:
            raise UnknownId(run)
        return found

    async def change(self, session: str, run: str, asked: RunChange, caller: Caller) -> Told:
        """Renew a run's lease, end it, or let it ask a person."""
        write = WriteRequest(run=run)
        if asked.action == "renew":
            history = await self.book.history(session)
            whole = self.book.event_of(history, run).id
            lease = await self.book.holder(history)
            if lease is None or lease.owner != whole:
                raise BadRequest("the run is over: it was ended, or its lease ran out")
            await self.book.take(history, whole, asked.lease_seconds)
            return await self.run(session, run)
        kind = {
            "complete": "run_completed", "fail": "run_failed", "cancel": "run_cancelled",
            "request_approval": "approval_requested",
        }[asked.action]  # fmt: skip
        made = Step(kind, fields={"details": {"reason": asked.reason} if asked.reason else {}})
        history, _ = await self.book.add(session, lambda _: [made], write, caller)
        if asked.action != "request_approval":
            await self.book.release(history.session.id, self.book.event_of(history, run).id)
        return await self.run(session, run)

    async def follow(
        self, session: str, run: str, saying: Callable[[str], tuple[int, str]] | None = None
    ) -> AsyncIterator[Told]:
        """A run's events as they come, then the run itself; ends with it.

        `saying` gives which answer of the model is coming here and its text so far, which is told as it grows.
        """
        told: set[str] = set()
        number, answer, length = 0, 0, 0
        while True:
            state = await self.run(session, run)  # before its events: what comes in between is told next time
            history = await self.book.history(session)
            whole = self.book.event_of(history, run).id
            fresh = [event for event in history.own if event.run == whole and event.id not in told]
            for one in await telling.with_contents(self._archive, fresh):
                told.add(one["id"])
                number += 1
                yield {"event": number, "type": one["type"], "step": one}
            coming, text = saying(whole) if saying else (0, "")
            length = length if coming == answer else 0
            answer = coming
            if text[length:]:
                number += 1
                yield {"event": number, "type": "text", "answer": answer, "text": text[length:]}
                length = len(text)
            if state["ended_at"] or state["state"] == "failed":
                yield {"event": number + 1, "type": "run", "run": state}
                return
            await anyio.sleep(HEAR_SECONDS if coming else FOLLOW_SECONDS)

    async def decide(self, session: str, asked: ApprovalRequest, caller: Caller, *, approved: bool) -> Told:
        """A person's answer to a run that asked. It needs no lock: the run waits for it."""

        def steps(history: History) -> list[Step]:
            if history.state != "awaiting_approval":
                raise BadRequest("nothing waits for approval here")
            details = {"comment": asked.comment} if asked.comment else {}
            return [Step("approved" if approved else "denied", fields={"details": details})]

        history = await self.book.history(session)
        holder = await self.book.holder(history)
        asked = asked.model_copy(update={"run": holder.owner if holder else asked.run})
        return await self.write(session, asked, caller, steps)

    # ending

    async def delete(self, session: str, caller: Caller, *, restore: bool = False) -> Told:
        """Delete softly, or bring back: the events stay until they are removed."""
        kind = "restored" if restore else "deleted"
        history, _ = await self.book.add(session, lambda _: [Step(kind)], WriteRequest(), caller)
        return await telling.told(self.book, history)


def _written(history: History, events: Sequence[Event]) -> Told:
    last = events[-1]
    return {
        "id": last.id,
        "session": history.session.id,
        "previous": last.previous,
        "type": last.type,
        "state": last.state,
        "at": last.at,
        "events": [event.id for event in events],
        "evidence": list(last.evidence),
        "masked": sum(event.masked for event in events),
        "tokens": last.tokens,
    }


def _changed_schema(history: History, step: Step) -> list[Step]:
    """A note where the model or its API's schema is not what the session went on with so far."""
    wanted = {name: step.fields.get(name) for name in ("provider", "model", "api_schema") if step.fields.get(name)}
    if not wanted or step.fields.get("author") == "user":
        return []
    last = next((event for event in reversed(history.path) if event.model or event.api_schema), None)
    if last is None:
        return []
    before = {name: getattr(last, name) for name in wanted if getattr(last, name)}
    changed = {name: [before[name], value] for name, value in wanted.items() if before.get(name, value) != value}
    return [Step("schema_changed", fields={"details": {"changed": changed}})] if changed else []
