"""A session's events in order: the path from its head back to its beginning, and what follows from it. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from service.sessions.context import MESSAGES
from snapshots import Event, Session, SessionState

RUN_ENDS: Final = {"run_completed": "completed", "run_failed": "failed", "run_cancelled": "idle"}
"""Types of events that end a run, and the state a session is in then."""


@dataclass
class History:
    """What is known of one session.

    `own` are its own events in the order of the log; `before` is what a fork shares with its parent, in order. Events
    are added at the end and never change.
    """

    session: Session
    before: tuple[Event, ...] = ()
    own: list[Event] = field(default_factory=list)
    by_id: dict[str, Event] = field(default_factory=dict)
    open_run: Event | None = None
    """The event that started the run under way."""
    deleted: Event | None = None
    """The event that deleted this session, if it has not been brought back since."""
    once: dict[str, list[Event]] = field(default_factory=dict)
    """What was written under each key of idempotency."""
    _path: list[Event] = field(default_factory=list)
    _pending: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with what is shared."""
        self.by_id |= {event.id: event for event in self.before}
        self._walk()

    def add(self, event: Event) -> None:
        """One more event of this session, the newest in the log; one that is known already changes nothing."""
        if event.id in self.by_id:
            return
        before = self.head.id if self.head else None
        self.own.append(event)
        self.by_id[event.id] = event
        if isinstance(token := event.details.get("once"), str):
            self.once.setdefault(token, []).append(event)
        if event.type == "run_started":
            self.open_run = event
        elif event.type in RUN_ENDS:
            self.open_run = None
        if event.type in {"deleted", "restored"}:
            self.deleted = event if event.type == "deleted" else None
        if event.previous == before:
            self._pass(event)
        else:
            self._walk()

    def _pass(self, event: Event) -> None:
        """One step further on the path."""
        self._path.append(event)
        if event.type in RUN_ENDS or event.type == "rolled_back":
            self._pending.clear()
        self._pending |= dict.fromkeys(calls_of(event))
        if event.call is not None:
            self._pending.pop(event.call, None)

    def _walk(self) -> None:
        """The path anew, after going back."""
        path = self.path_to(self.head)
        self._path, self._pending = [], {}
        for event in path:
            self._pass(event)

    @property
    def head(self) -> Event | None:
        """The newest event; None in a session in which nothing has happened."""
        return self.own[-1] if self.own else self.before[-1] if self.before else None

    @property
    def path(self) -> Sequence[Event]:
        """The events from the first to the head, without what was gone back on."""
        return self._path

    def path_to(self, event: Event | None) -> list[Event]:
        """The events from the first to `event`."""
        found: list[Event] = []
        while event is not None:
            found.append(event)
            event = self.by_id.get(event.previous) if event.previous else None
        return found[::-1]

    @property
    def state(self) -> SessionState:
        """The state after the newest event."""
        return self.own[-1].state if self.own else "idle"

    @property
    def pending(self) -> tuple[str, ...]:
        """Tool calls on the path that have no result yet, in order."""
        return tuple(self._pending)

    def run(self, run: str) -> tuple[Event, Event | None] | None:
        """The events that started and ended a run; None if there was no such run here."""
        started = self.by_id.get(run)
        if started is None or started.type != "run_started" or started not in self.own:
            return None
        ended = next((event for event in self.own if event.run == run and event.type in RUN_ENDS), None)
        return started, ended

    def checkpoints(self) -> dict[str, Event]:
        """The named places on the path, the last of each name."""
        return {event.name: event for event in self.path if event.type == "checkpoint" and event.name}

    def shown(self) -> Iterator[Event]:
        """The events on the path that a model may be shown."""
        yield from (event for event in self.path if event.type in MESSAGES)


def calls_of(event: Event) -> tuple[str, ...]:
    """The ids of the tool calls that a message makes."""
    calls = event.details.get("calls", ())
    return tuple(call for call in calls if isinstance(call, str))


def tokens_of(events: Iterable[Event]) -> int:
    """Tokens of all contents together, as far as they are known."""
    return sum(event.tokens or 0 for event in events)
