"""Sessions as records: `session` names a conversation, `event` is a step of one, `agent` says who takes part.

A session's events form a chain, each naming the one before it; nothing is ever rewritten. A fork is a session that
begins at another one's event, and so shares everything before it. Going back is an event whose `previous` lies further
up. The head of a session is its newest event in the log. What was said stands in blobs that the events name.
"""

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import Field, model_validator

from snapshots.errors import BadId
from snapshots.ids import SCHEME, parse_prefix
from snapshots.record import Code, Count, Id, LoggedRecord, Loose, Part, Seq, Time

SessionState = Literal["idle", "running", "awaiting_tool", "awaiting_approval", "completed", "failed"]


class Session(LoggedRecord):
    """The beginning of a session; its id is the session's."""

    kind: Literal["session"] = "session"
    version: Literal[1] = 1
    at: Time
    title: str | None = None
    system: Id | None = None
    """Blob: the system context, UTF-8 text."""
    agent: Id | None = None
    parent: Id | None = None
    """The session that this one was forked from."""
    forked_at: Id | None = None
    """The last event that both share."""
    by: str | None = None
    """The id of the API key that made it."""
    labels: Loose = Field(default_factory=dict)

    @model_validator(mode="after")
    def _forks_say_where(self) -> Self:
        if (self.parent is None) != (self.forked_at is None):
            raise ValueError("a fork names the session and the event it begins at")
        return self

    def named(self) -> Iterator[str]:
        """System context, agent, and where it was forked from."""
        for name in (self.system, self.agent, self.parent, self.forked_at):
            if name is not None:
                yield name


def is_claim(claim: str | None, session: str) -> bool:
    """Whether a client that named `claim` meant the session: by its id, whole or in part, with or without scheme."""
    try:
        return session.startswith(SCHEME + parse_prefix(claim or ""))
    except BadId:
        return False


class Sealed(Part):
    """Whose opaque item this is: only that provider, with that model, can read it."""

    provider: str
    model: str | None


class Event(LoggedRecord):
    """One step of a session. `state` is the session's state from here on."""

    kind: Literal["event"] = "event"
    version: Literal[1] = 1
    session: Id
    previous: Id | None
    """The event before it; None for the first of a session that is no fork."""
    at: Time
    type: Code
    state: SessionState
    run: Id | None = None
    """The event that started the run it belongs to."""
    author: str | None = None
    """A role (`user`, `assistant`, `system`, `tool`) or the name of an agent."""
    recipient: str | None = None
    agent: Id | None = None
    parent: Id | None = None
    """The event this one answers or stems from, for sub-agents."""
    name: str | None = None
    """A tool's, a checkpoint's or an artefact's name."""
    call: str | None = None
    """The id of the tool call that this is the result of."""
    content: Id | None = None
    media_type: str | None = None
    length: Count = 0
    """Bytes of the content."""
    tokens: Count | None = None
    evidence: Seq[Id] = ()
    pinned: bool = False
    sealed: Sealed | None = None
    masked: Count = 0
    """Credentials that were masked in the content before it was kept."""
    provider: str | None = None
    model: str | None = None
    api_schema: str | None = None
    details: Loose = Field(default_factory=dict)
    by: str | None = None

    def named(self) -> Iterator[str]:
        """The session, the events it follows and belongs to, its content and its evidence."""
        for name in (self.session, self.previous, self.run, self.agent, self.parent, self.content):
            if name is not None:
                yield name
        yield from self.evidence


class Agent(LoggedRecord):
    """The definition of an agent: what it is told, what it may use. Never a credential."""

    kind: Literal["agent"] = "agent"
    version: Literal[1] = 1
    at: Time
    name: str | None = None
    system: Id | None = None
    """Blob: the system prompt, UTF-8 text."""
    tools: Id | None = None
    """Blob: a JSON list of tool specifications."""
    provider: str | None = None
    model: str | None = None
    api_schema: str | None = None
    parameters: Loose = Field(default_factory=dict)
    by: str | None = None

    def named(self) -> Iterator[str]:
        """Prompt and tools."""
        for name in (self.system, self.tools):
            if name is not None:
                yield name
