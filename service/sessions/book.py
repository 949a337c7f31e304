"""Keeps sessions: opens them from the log, adds events in one order, holds the lock of runs.

Any process that shares bucket and databases may write to any session. What makes the order is a short lease in the
state database, held while events are added; the events themselves, and so every session, are in the log alone.
"""

import asyncio
import secrets
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from anyio.to_thread import run_sync

from service.answering import keep
from service.failures import BadRequest, SessionDeleted, SessionLocked, StaleHead, UnknownSession
from service.parts import Parts
from service.requests import Caller
from service.sessions.asked import WriteRequest
from service.sessions.contents import Contents, records_of
from service.sessions.credentials import masked
from service.sessions.history import RUN_ENDS, History
from service.sessions.steps import Step, state_after
from snapshots import Batch, Event, EvidenceError, Lease, Record, Session, UnknownId, digest, stamp

TURN_SECONDS: Final = 30
"""How long one addition may take before another process takes its place: many times what a commit on S3 takes."""
PAUSES: Final = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Seconds between attempts to get a turn; the last one repeats."""
TURN_WAIT: Final = 60.0
"""Seconds after which a write that gets no turn is refused: somebody else's turns do not end."""
MAX_OPEN: Final = 64
"""Sessions held in memory; the others are read again from the log when they are asked for."""

ENDS: Final = frozenset(RUN_ENDS)
NAMED: Final = ("name", "author", "recipient", "details")
"""Members of an event's record that hold words of the caller's: credentials are masked there too."""

Steps = Callable[[History], Sequence[Step]]


@dataclass
class _Open:
    """A session in memory. `position` is the log's after the last entry that was looked at."""

    history: History
    position: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Book:
    """All sessions of one installation."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._state = parts.keyring.state
        self.contents = Contents(parts.archive)
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._removal = 0
        self._reading = threading.RLock()

    async def begin(self, session: Session, blobs: Sequence[bytes], records: Sequence[Record] = ()) -> History:
        """Keep a new session and what it names."""
        await keep(self.parts, Batch(blobs=tuple(blobs), records=(*records, session)))
        return await self.history(session.id)

    async def history(self, ident: str) -> History:
        """A session with everything that has happened in it.

        Raises:
            UnknownSession: there is none with this id.
        """
        return (await run_sync(self._load, await self.resolve(ident))).history

    async def resolve(self, ident: str) -> str:
        """The whole id of a session.

        Raises:
            UnknownSession, AmbiguousId, BadId: it is none.
        """
        try:
            found = await run_sync(self.parts.archive.resolve, ident)
        except UnknownId as error:
            raise UnknownSession(f"there is no session {ident}") from error
        return found

    async def add(
        self,
        ident: str,
        steps: Steps,
        asked: WriteRequest,
        caller: Caller,
        *,
        if_match: str | None = None,
        lock_seconds: int | None = None,
    ) -> tuple[History, list[Event]]:
        """Add what `steps` makes of the session as it stands. Durable and in the log when this returns.

        What was added before under the caller's key of idempotency is not added again, whichever process did it and
        whether or not it lived to say so. With `lock_seconds` the last step starts a run, which then holds the lock for
        so long.

        Raises:
            SessionLocked: a run that is not `asked.run` holds the lock, also after `asked.wait` seconds.
            StaleHead: the head is not `if_match`.
            SessionDeleted, UnknownSession, UnknownId: as they say.
        """
        session = await self.resolve(ident)
        ends = asyncio.get_running_loop().time() + asked.wait
        while True:
            async with self._turn(session) as opened:
                history = opened.history
                if caller.once is not None and (before := history.once.get(caller.once)):
                    return history, before
                holder = await self.holder(history)
                if holder is None or (asked.run is not None and holder.owner == self.event_of(history, asked.run).id):
                    events = await self._made(history, steps, asked, caller, if_match, locked=holder is not None)
                    await self._keep(history, events, lock_seconds)
                    return history, [event for event, _ in events]
            if asyncio.get_running_loop().time() >= ends:
                raise SessionLocked(session, holder.owner, holder.until)
            await asyncio.sleep(PAUSES[-1])

    async def _made(
        self,
        history: History,
        steps: Steps,
        asked: WriteRequest,
        caller: Caller,
        if_match: str | None,
        *,
        locked: bool,
    ) -> list[tuple[Event, bytes | None]]:
        """The events with their contents; the caller has the turn."""
        head = history.head.id if history.head else history.session.id
        if if_match is not None and if_match not in {head, "*"}:
            raise StaleHead(session=history.session.id, head=head)
        made: list[Step] = []
        abandoned = None if locked else history.open_run
        if abandoned is not None:
            made.append(Step("run_failed", fields={"run": abandoned.id, "details": {"reason": "lease_expired"}}))
        elif asked.run is not None and not locked:
            raise BadRequest(f"the run {asked.run} is over: it was ended, or its lease ran out")
        made += steps(history)
        if history.deleted and not any(step.type == "restored" for step in made):
            raise SessionDeleted(f"the session was deleted at {history.deleted.at}")
        events: list[tuple[Event, bytes | None]] = []
        pending = dict.fromkeys(history.pending)
        previous = history.head.id if history.head else None
        run = asked.run and self.event_of(history, asked.run).id
        state, in_run = history.state, locked
        now = stamp(self.parts.clock())
        for step in made:
            in_run = step.type == "run_started" or (in_run and step.type not in ENDS)
            evidence = await run_sync(self._evidence, step)
            named, hidden = masked({name: step.fields[name] for name in NAMED if name in step.fields})
            pending |= dict.fromkeys(step.fields.get("details", {}).get("calls", ()))
            pending.pop(step.fields.get("call") or "", None)
            if step.type in ENDS or step.type == "rolled_back":
                pending.clear()
            state = state_after(state, step, pending=bool(pending), in_run=in_run)
            event = Event(
                **{
                    "session": history.session.id,
                    "previous": previous,
                    "at": now,
                    "type": step.type,
                    "state": state,
                    "run": None if step.type == "run_started" else run,
                    "content": None if step.content is None else digest(step.content),
                    "media_type": step.media_type,
                    "length": len(step.content or b""),
                    "evidence": evidence,
                    "by": caller.key,
                }
                | step.fields
                | named
                | {"masked": step.fields.get("masked", 0) + hidden}
                | ({"details": named.get("details", {}) | {"once": caller.once}} if caller.once else {})
            )
            events.append((event, step.content))
            previous = event.id
        return events

    async def _keep(
        self, history: History, events: Sequence[tuple[Event, bytes | None]], lock_seconds: int | None
    ) -> None:
        """Keep events, and give the lock to the run that the last one starts; the caller has the turn."""
        # The lock comes first: it counts only once the log says that its run is under way.
        if lock_seconds is not None and not await self.take(history, events[-1][0].id, lock_seconds):
            raise SessionLocked(history.session.id, None, None)
        blobs = tuple(content for _, content in events if content is not None)
        await keep(self.parts, Batch(blobs=blobs, records=tuple(event for event, _ in events)))
        with self._reading:
            for event, _ in events:
                history.add(event)

    def _evidence(self, step: Step) -> tuple[str, ...]:
        """The ids of a step's evidence, whole: those that were named must be there, those in the text may be. Blocking.

        Raises:
            UnknownId, AmbiguousId, RemovedId: of those that were named.
        """
        archive = self.parts.archive
        found = dict.fromkeys(archive.resolve(ident) for ident in step.named)
        for ident in found:
            archive.kind_of(ident)
        for ident in step.mentioned:
            try:
                archive.kind_of(ident)
                found[ident] = None
            except EvidenceError:
                continue  # an id of another installation, or none at all: it stands in the text as it is
        return tuple(found)

    # the lock of runs

    async def holder(self, history: History) -> Lease | None:
        """The lease of the run that holds the lock now."""
        name, now = _run_lease(history.session.id), stamp(self.parts.clock())
        lease = await run_sync(lambda: self._state.lease(name, now=now))
        run = history.open_run
        return lease if lease is not None and run is not None and run.id == lease.owner else None

    async def take(self, history: History, run: str, seconds: int) -> Lease | None:
        """Take or prolong the lock for a run; None while another one holds it."""
        now = self.parts.clock()
        name, at, until = _run_lease(history.session.id), stamp(now), stamp(now + timedelta(seconds=seconds))

        def take() -> Lease | None:
            taken = self._state.take_lease(name, run, now=at, until=until)
            if taken is not None:
                return taken
            other = self._state.lease(name, now=at)
            under_way = history.open_run.id if history.open_run else None
            if other is not None and other.owner != under_way:
                self._state.release_lease(other)  # its run has ended: the log says so
            return self._state.take_lease(name, run, now=at, until=until)

        return await run_sync(take)

    async def release(self, session: str, run: str) -> None:
        """Give the lock back, if the run still has it."""
        name, now = _run_lease(session), stamp(self.parts.clock())

        def release() -> None:
            lease = self._state.lease(name, now=now)
            if lease is not None and lease.owner == run:
                self._state.release_lease(lease)

        await run_sync(release)

    def event_of(self, history: History, ident: str) -> Event:
        """An event of this session by its id or a unique prefix of it.

        Raises:
            UnknownId: there is none.
        """
        if ident in history.by_id:
            return history.by_id[ident]
        digits = ident.removeprefix("sha256:")
        found = [event for event in history.by_id.values() if event.id.removeprefix("sha256:").startswith(digits)]
        if len(found) != 1:
            raise UnknownId(ident)
        return found[0]

    # turns

    @asynccontextmanager
    async def _turn(self, session: str) -> AsyncIterator[_Open]:
        """The right to add to a session, against everybody; what others added before is known then."""
        opened = await run_sync(self._load, session)
        async with opened.turn:
            lease = await self._lease(session)
            if lease.lapsed:  # whoever was cut off may have committed what nobody knows of yet
                await run_sync(self.parts.archive.catch_up)
            try:
                yield await run_sync(self._load, session)
            finally:
                await asyncio.shield(run_sync(self._state.release_lease, lease))

    async def _lease(self, session: str) -> Lease:
        owner, name = secrets.token_hex(8), f"append/{session}"
        ends = asyncio.get_running_loop().time() + TURN_WAIT
        for attempt in range(1_000_000):
            now = self.parts.clock()
            until = stamp(now + timedelta(seconds=TURN_SECONDS))
            lease = await run_sync(lambda: self._state.take_lease(name, owner, now=stamp(now), until=until))  # noqa: B023 - called at once
            if lease is not None:
                return lease
            if asyncio.get_running_loop().time() > ends:
                break
            await asyncio.sleep(PAUSES[min(attempt, len(PAUSES) - 1)])
        raise SessionLocked(session, None, None)

    def _load(self, session: str) -> _Open:
        """A session up to the end of what the catalogue knows. Blocking."""
        with self._reading:
            return self._read(session)

    def _read(self, session: str) -> _Open:
        archive = self.parts.archive
        if archive.catalogue.position() < self.parts.log.size:
            archive.catch_up()
        removal = archive.catalogue.removal()
        if removal != self._removal:  # by whatever process: none of it may be told from memory
            self._removal = removal
            self._open.clear()
            self.contents.forget()
        opened = self._open.get(session)
        if opened is None:
            try:
                record = archive.record(session)
            except UnknownId as error:
                raise UnknownSession(f"there is no session {session}") from error
            if not isinstance(record, Session):
                raise UnknownSession(f"{session} is a {record.kind}, no session")
            opened = self._open[session] = _Open(History(record, self._shared(record)))
        self._open.move_to_end(session)
        while len(self._open) > MAX_OPEN:
            self._open.popitem(last=False)
        found = archive.catalogue.naming(session, kind="event", after=opened.position - 1)
        fresh = [naming.id for naming in found if naming.id not in opened.history.by_id]
        for event in records_of(archive, fresh):
            if isinstance(event, Event) and event.session == session:
                opened.history.add(event)
        if found:
            opened.position = found[-1].position + 1
        return opened

    def _shared(self, session: Session) -> tuple[Event, ...]:
        """What a fork shares with the session it comes from, in order."""
        if session.parent is None or session.forked_at is None:
            return ()
        parent = self._read(session.parent).history
        return tuple(parent.path_to(parent.by_id.get(session.forked_at)))


def _run_lease(session: str) -> str:
    return f"run/{session}"
