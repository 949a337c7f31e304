"""The neutral stream of events that every reader gives. Frozen values; `line` counts from 1.

A `Step` opens each entry of the transcript; the events after it, up to the next step, belong to it. In a transcript
that is a tree, steps name their parent, and only the path from the last one to the root is the conversation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant", "system", "tool", "other"]
SealedClass = Literal["content", "signature"]
Scope = Literal["before", "calls", "steps", "none"]


@dataclass(frozen=True, slots=True)
class Step:
    """An entry begins. `lane` tells conversations in one file apart; `current` says that its path ends here."""

    line: int
    id: str | None = None
    parent: str | None = None
    at: str | None = None
    lane: str = ""
    current: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Who answered, as far as the transcript says."""

    line: int
    provider: str | None
    model: str | None


@dataclass(frozen=True, slots=True)
class Citation:
    """An address that stands beside a text as its source. `quoted` is what the source is said to say."""

    url: str
    title: str | None = None
    quoted: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A message: its text blocks, and the sources that it carries."""

    line: int
    role: Role
    blocks: tuple[str, ...]
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Called:
    """A tool was called. `arguments` is JSON text as the transcript has it, or what stands in its place."""

    line: int
    call: str | None
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Resulted:
    """What a tool gave back.

    `blocks` are its texts, `structured` its structured content as JSON, `meta` what came beside it. `copy` says that it
    is a second record of a result, in an event log beside what the model got. `spill` is the file into which the whole
    of it was put. `inner` was called by a script: the model saw at most what the script made of it.
    """

    line: int
    call: str | None
    tool: str | None
    blocks: tuple[str, ...]
    structured: bytes | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    error: bool = False
    copy: bool = False
    spill: str | None = None
    inner: bool = False

    @property
    def text(self) -> str:
        """All of its text."""
        return "\n".join(self.blocks)


@dataclass(frozen=True, slots=True)
class HostedSearch:
    """A search or fetch at the provider: queries and addresses at most, `text` says whether page text came with it."""

    line: int
    kind: str
    queries: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    text: bool = False
    sealed: bool = False
    call: str | None = None


@dataclass(frozen=True, slots=True)
class Sealed:
    """Something that only its provider can read. `where` is type and key, `size` its length in characters."""

    line: int
    what: SealedClass
    where: str
    size: int
    readable_beside: bool = False


@dataclass(frozen=True, slots=True)
class ServerHeld:
    """A name that only the provider can resolve to the state it stands for."""

    line: int
    where: str
    value: str


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file, container or store that lies with the provider."""

    line: int
    where: str
    value: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """Later turns did not see what stood here before.

    `scope`: `before` is everything earlier on the path but what `kept_from` or `kept` names; `calls` and `steps` are
    those that `ids` names; `none` only says that the context was changed.
    """

    line: int
    how: str
    scope: Scope
    ids: tuple[str, ...] = ()
    kept_from: str | None = None
    kept: frozenset[str] = frozenset()
    readable: bool = True


@dataclass(frozen=True, slots=True)
class BetweenAgents:
    """A message from one agent to another."""

    line: int
    author: str | None
    recipient: str | None
    readable: bool


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line or item of a kind that this reader does not know. It is passed over and told."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that could not be read: no JSON, or too large."""

    line: int
    why: str
    size: int


Event = (
    Step
    | Origin
    | Said
    | Called
    | Resulted
    | HostedSearch
    | Sealed
    | ServerHeld
    | RemoteFile
    | Replaced
    | BetweenAgents
    | Unknown
    | Unread
)
