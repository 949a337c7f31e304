"""What is read out of a session: the context for a model, summaries, the whole of it to take along, and back in."""

import base64
from collections.abc import Callable, Sequence
from typing import Any, Final

import orjson
from anyio.to_thread import run_sync
from pydantic import Field

from service.answering import keep
from service.failures import BadRequest
from service.requests import Asked, Caller
from service.sessions import telling
from service.sessions.asked import MAX_FORKS, CompactionRequest, ContextRequest
from service.sessions.book import Book
from service.sessions.compacting import extract
from service.sessions.context import EXTRACTIVE, MESSAGES, Context, Said, context, said_by
from service.sessions.credentials import masked
from service.sessions.history import History
from service.sessions.paths import context_told, matters
from service.sessions.steps import JSON, Step, kept_json
from service.sessions_claimed import records_of_session
from snapshots import Agent, Batch, Event, EvidenceError, Record, Session, UnknownRecord, digest, read

FORMAT: Final = "citator/session@v1"
MAX_RECORDS: Final = 100_000  # records of one import: a session of as many steps is longer than any model reads

Told = dict[str, Any]


class ImportRequest(Asked):
    """A session as it was exported."""

    format: str
    records: tuple[dict[str, Any], ...] = Field(max_length=MAX_RECORDS)
    blobs: dict[str, str]
    session: str
    agents: tuple[str, ...] = ()
    evidence: tuple[dict[str, Any], ...] = ()
    head: str | None = None
    missing: dict[str, str] = Field(default_factory=dict)


class Reading:
    """Reads sessions."""

    def __init__(self, book: Book) -> None:
        self.book = book

    async def context(self, session: str, asked: ContextRequest) -> Told:
        """What a model is to be shown of the session, in the form of one API or a neutral one."""
        history = await self.book.history(session)
        path = history.path if asked.at is None else history.path_to(self.book.event_of(history, asked.at))
        found = await run_sync(self._context, history, path, asked)
        return context_told(found, history.session.id, path[-1].id if path else history.session.id, asked.form)

    def _context(self, history: History, path: Sequence[Event], asked: ContextRequest) -> Context:
        """Blocking."""
        wanted = {event.id: event for event in path if matters(event)}
        if asked.budget is None or asked.mode == "relevant":
            self.book.contents.fetch(wanted.values())  # all of it will be looked at
        return context(
            self._system(history) if asked.system is None else asked.system,
            list(wanted.values()),
            lambda event: self.book.contents.said(wanted[event.id]),
            budget=asked.budget,
            mode=asked.mode,
            provider=asked.provider,
            model=asked.model,
        )

    def _system(self, history: History) -> str | None:
        """The system context: the session's own, else its agent's. Blocking."""
        archive, session = self.book.parts.archive, history.session
        if session.system is not None:
            return archive.get(session.system).decode()
        agent = archive.record(session.agent) if session.agent else None
        return archive.get(agent.system).decode() if isinstance(agent, Agent) and agent.system else None

    async def compact(self, session: str, asked: CompactionRequest, caller: Caller) -> Told:
        """Put a summary in place of older messages, which stay in the session."""

        def steps(history: History) -> list[Step]:
            last, covered = self._covered(history, asked)
            summary, how, hidden = self._summary(asked, covered)
            said = {"summary": summary, "how": how, "instructions": asked.instructions,
                    "replaces": [event.id for event in covered]}  # fmt: skip
            details = {"until": last.id, "count": len(covered)}
            if asked.supersedes is not None:
                details["supersedes"] = self.book.event_of(history, asked.supersedes).id
            fields = {"details": details, "masked": hidden, "provider": asked.provider, "model": asked.model,
                      "author": how}  # fmt: skip
            return [Step("compaction", content=kept_json(said), media_type=JSON, fields=fields)]

        history, events = await self.book.add(session, steps, asked, caller)
        told = await telling.with_contents(self.book.parts.archive, events[-1:])
        return told[0] | {"session": history.session.id}

    async def covered(self, session: str, asked: CompactionRequest) -> tuple[str, list[Said]]:
        """The last event that a compaction is to stand for, and all that was said up to there."""
        history = await self.book.history(session)
        last, covered = self._covered(history, asked)
        return last.id, await run_sync(self._said, covered)

    def _covered(self, history: History, asked: CompactionRequest) -> tuple[Event, list[Event]]:
        shown = [event for event in history.path if event.type in MESSAGES]
        if asked.until is not None:
            last = self.book.event_of(history, asked.until)
        elif len(shown) > asked.keep_last:
            last = shown[len(shown) - asked.keep_last - 1]
        else:
            raise BadRequest("there is nothing older than the messages that are left as they are")
        return last, [event for event in history.path_to(last) if event.type in MESSAGES]

    def _said(self, covered: Sequence[Event]) -> list[Said]:
        """Blocking."""
        self.book.contents.fetch(covered)
        said = [said_by(event, self.book.contents.said(event), provider=None, model=None) for event in covered]
        return [one for one in said if not isinstance(one, str)]

    def _summary(self, asked: CompactionRequest, covered: list[Event]) -> tuple[str, str, int]:
        """The summary, how it was made, and how many credentials were masked in it."""
        if asked.summary is not None:
            text, hidden = masked(asked.summary)
            return str(text), asked.model or "a person", hidden
        return extract(self._said(covered), asked.max_tokens), EXTRACTIVE, 0

    # taking along

    async def exported(self, session: str) -> Told:
        """The whole session as JSON: records, contents, agents, and the passages it names with their texts."""
        history = await self.book.history(session)
        return await run_sync(self._exported, history)

    def _exported(self, history: History) -> Told:
        archive = self.book.parts.archive
        lineage = self._lineage(history)
        events = [*history.before, *history.own]
        agents = dict.fromkeys(
            name for name in (*(one.agent for one in lineage), *(event.agent for event in events)) if name
        )
        records: list[Record | UnknownRecord] = [archive.record(name) for name in agents]
        records += [*lineage, *events]
        wanted = dict.fromkeys(
            name
            for record in records
            for name in (
                (record.system, record.tools)
                if isinstance(record, Agent)
                else (record.system,)
                if isinstance(record, Session)
                else (record.content,)
                if isinstance(record, Event)
                else ()
            )
            if name
        )
        blobs, missing = {}, {}
        for name in wanted:
            try:
                blobs[name] = base64.b64encode(archive.get(name)).decode()
            except EvidenceError as error:
                missing[name] = str(error)
        return {
            "format": FORMAT,
            "session": history.session.id,
            "head": history.head.id if history.head else None,
            "agents": list(agents),
            "records": [orjson.loads(record.encoded) for record in records],
            "blobs": blobs,
            "missing": missing,
            "evidence": [
                self._evidence(name)
                for name in dict.fromkeys(
                    (
                        *(one for event in events for one in event.evidence),
                        *records_of_session(archive, history.session.id),
                    )
                )
            ],
        }

    def _lineage(self, history: History) -> list[Session]:
        """The sessions that this one was forked from, eldest first, and itself."""
        found, session = [history.session], history.session
        while session.parent is not None:
            record = self.book.parts.archive.record(session.parent)
            if not isinstance(record, Session):
                break
            found.append(record)
            session = record
        return found[::-1]

    def _evidence(self, name: str) -> Told:
        try:
            kind = self.book.parts.archive.kind_of(name)
            body = orjson.loads(self.book.parts.archive.get(name)) if kind != "blob" else None
        except EvidenceError as error:
            return {"id": name, "missing": str(error)}
        return {"id": name, "kind": kind, "body": body}

    async def taken_in(self, asked: ImportRequest) -> Told:
        """Keep a session that was exported elsewhere, under the ids it had.

        Raises:
            BadRequest: a record or content is not what its id says, something is missing among the records, or they
                would go on with a session that is here: no lock, no scope and no `If-Match` would stand before that.
        """
        if asked.format != FORMAT:
            raise BadRequest(f"this is {asked.format!r}; what can be taken in is {FORMAT!r}")
        batch = await run_sync(_checked, asked)
        catalogue = self.book.parts.archive.catalogue
        # What is there already stays where it is in the log: the same session taken in twice is one session.
        fresh = await run_sync(lambda: tuple(one for one in batch.records if catalogue.position_of(one.id) is None))
        known = {one.id for one in batch.records} - {one.id for one in fresh}
        for one in fresh:
            if isinstance(one, Event) and one.session in known:
                raise BadRequest(f"the event {one.id} would go on with {one.session}, which is here already")
        if fresh:
            await keep(self.book.parts, Batch(blobs=batch.blobs, records=fresh))
        return await telling.told(self.book, await self.book.history(asked.session))


def check_depth(session: str, parent: Callable[[str], str | None]) -> None:
    """Whether a session was not forked from too many, one after the other.

    Raises:
        BadRequest: it was.
    """
    found = session
    for _ in range(MAX_FORKS + 1):
        above = parent(found)
        if above is None:
            return
        found = above
    raise BadRequest(f"{session} is a fork of a fork, more than {MAX_FORKS} times: begin a session with what matters")


def _checked(asked: ImportRequest) -> Batch:
    """The records and contents, each under its own hash. Blocking."""
    records = []
    for value in asked.records:
        try:
            record = read(orjson.dumps(value, option=orjson.OPT_SORT_KEYS))
        except EvidenceError as error:
            raise BadRequest(f"a record cannot be read: {error}") from error
        if not isinstance(record, Session | Event | Agent):
            raise BadRequest(f"a {record.kind} is no part of a session")
        records.append(record)
    blobs = []
    for name, text in asked.blobs.items():
        try:
            body = base64.b64decode(text, validate=True)
        except ValueError as error:
            raise BadRequest(f"{name} is not base64") from error
        if digest(body) != name:
            raise BadRequest(f"the bytes under {name} have another hash")
        blobs.append(body)
    _hang_together(records, asked.session)
    return Batch(blobs=tuple(blobs), records=tuple(records))


def _hang_together(records: Sequence[Session | Event | Agent], session: str) -> None:
    """Whether all that the records follow is among them: else what comes in could not be read here."""
    ids = {record.id for record in records}
    if session not in ids:
        raise BadRequest("the session's own record is not among the records")
    for record in records:
        if isinstance(record, Event) and not {record.session, record.previous or record.session} <= ids:
            raise BadRequest(f"the event {record.id} follows something that is not among the records")
        if isinstance(record, Session) and not {record.parent, record.forked_at} - {None} <= ids:
            raise BadRequest(f"the session {record.id} was forked from something that is not among the records")
    parents = {record.id: record.parent for record in records if isinstance(record, Session)}
    for one in parents:
        check_depth(one, parents.get)
