"""What a model is shown of a session: all of it if it fits, else the newest and the pinned. Pure.

Nothing disappears silently. Messages that do not fit are listed with their events, and a note in their place says so to
the model. A compaction stands for the events it names; they stay in the session. Sealed items go back to the provider
and model they came from, and to nobody else.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from service.tokens import estimate

MESSAGES: Final = frozenset({"message", "tool_result", "agent_task", "agent_message", "agent_result", "sealed"})
"""Types of events that a model may be shown."""

THRESHOLD: Final = 0.8
"""The part of the budget that a history may fill before older messages give way: the rest is for the answer."""
OVERHEAD: Final = 4
"""Tokens that a message costs besides its text, in the usual chat formats."""

EXTRACTIVE: Final = "extractive"
"""How a summary says that it was made without a model."""

Mode = Literal["recent", "relevant"]

_WORD: Final = re.compile(r"\w+")


class SealedBy(Protocol):
    """Who alone can read an item."""

    @property
    def provider(self) -> str:
        """The provider."""
        ...

    @property
    def model(self) -> str | None:
        """Its model; None: any."""
        ...


class Happened(Protocol):
    """An event, as far as a context goes: the members of its record, and its id."""

    @property
    def id(self) -> str:
        """The record's id."""
        ...

    @property
    def type(self) -> str:
        """What happened."""
        ...

    @property
    def author(self) -> str | None:
        """Who says it."""
        ...

    @property
    def name(self) -> str | None:
        """A tool's, checkpoint's or artefact's name."""
        ...

    @property
    def call(self) -> str | None:
        """The call that it is the result of."""
        ...

    @property
    def tokens(self) -> int | None:
        """What it costs."""
        ...

    @property
    def pinned(self) -> bool:
        """Whether it always stays."""
        ...

    @property
    def sealed(self) -> SealedBy | None:
        """Who alone can read it."""
        ...

    @property
    def details(self) -> Mapping[str, Any]:
        """What else its type needs."""
        ...


@dataclass(frozen=True)
class Said:
    """One message for a model: an event's content, a compaction's summary, or a note."""

    role: str
    content: Any
    event: str | None
    cost: int
    calls: tuple[Mapping[str, Any], ...] = ()
    call: str | None = None
    name: str | None = None
    is_error: bool = False
    pinned: bool = False
    author: str | None = None
    sealed: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """What it says as text: the text blocks of a list, anything else as JSON."""
        return text_of(self.content)


@dataclass(frozen=True)
class Context:
    """What is shown, and what is not: `left_out` holds `{event, why, tokens}`."""

    system: str | None
    messages: tuple[Said, ...]
    left_out: tuple[dict[str, Any], ...]
    cost: int
    budget: int | None
    compactions: tuple[str, ...] = ()


@dataclass
class _Unit:
    """Messages that stand or fall together: a message with tool calls and the results of these."""

    said: list[Said] = field(default_factory=list)

    @property
    def cost(self) -> int:
        return sum(one.cost for one in self.said)

    @property
    def pinned(self) -> bool:
        return any(one.pinned for one in self.said)


def as_json(value: Any) -> str:
    """A JSON value as text, without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def text_of(content: Any) -> str:
    """A content as text: as it is, the texts of its blocks, or its JSON."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(map(_block_text, content))
    return as_json(content)


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return block
    text = block.get("text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else as_json(block)


def said_by(event: Happened, body: Any, *, provider: str | None, model: str | None) -> Said | str:
    """The message that an event is to a model; a sentence where it is none to this one."""
    if not isinstance(body, dict) or "removed" in body:
        return "its content was removed" if isinstance(body, dict) else "it has no content"
    if event.type == "sealed" and event.sealed is not None:
        ours = event.sealed.provider == provider and event.sealed.model in {None, model}
        if ours:
            data = {"provider": event.sealed.provider, "model": event.sealed.model, "data": body.get("sealed")}
            cost = estimate(as_json(body.get("sealed")))
            return Said("assistant", None, event.id, cost, sealed=data, pinned=event.pinned)
        handover = body.get("handover")
        if not handover:
            return f"sealed by {event.sealed.provider}: nobody else can read it, and it came without a hand-over"
        text = f"[What an item sealed by {event.sealed.provider} was about, as its author put it: {handover}]"
        return Said("assistant", text, event.id, estimate(text) + OVERHEAD, pinned=event.pinned)
    role = str(body.get("role", event.author or "user"))
    calls = tuple(one for one in body.get("tool_calls", ()) if isinstance(one, dict))
    cost = estimate(text_of(body.get("content"))) + OVERHEAD
    cost += estimate(as_json(calls)) if calls else 0
    author = event.author if event.author not in {role, "tool"} else None
    return Said(
        role=role,
        content=body.get("content"),
        event=event.id,
        cost=cost,
        calls=calls,
        call=event.call,
        name=event.name,
        is_error=bool(body.get("is_error")),
        pinned=event.pinned,
        author=author,
    )


def context(
    system: str | None,
    events: Sequence[tuple[Happened, Any]],
    *,
    budget: int | None,
    mode: Mode = "recent",
    provider: str | None = None,
    model: str | None = None,
) -> Context:
    """What to show of `events` (the path, each with its content) within `budget` tokens."""
    units, left_out, summaries = _units(events, provider, model)
    fixed = estimate(system or "")
    kept = units if budget is None else _fitting(units, int(budget * THRESHOLD) - fixed, mode)
    chosen = {id(unit) for unit in kept}
    messages: list[Said] = []
    gap = 0
    for unit in units:
        if id(unit) in chosen:
            messages += [_note(gap)] if gap else []
            messages += unit.said
            gap = 0
        else:
            gap += len(unit.said)
            left_out += [{"event": one.event, "why": "no room in the budget", "tokens": one.cost} for one in unit.said]
    messages += [_note(gap)] if gap else []
    cost = fixed + sum(one.cost for one in messages)
    return Context(system, tuple(messages), tuple(left_out), cost, budget, summaries)


def _units(
    events: Sequence[tuple[Happened, Any]], provider: str | None, model: str | None
) -> tuple[list[_Unit], list[dict[str, Any]], tuple[str, ...]]:
    """What could be shown, what never can and why, and the summaries in force."""
    replaced, summaries = _compactions(events)
    left_out: list[dict[str, Any]] = []
    # A summary stands where the last of the messages stood that it replaces.
    ends = {str(event.details.get("until")): (event, body) for event, body in events if event.id in summaries}
    units: list[_Unit] = []
    waiting: dict[str, _Unit] = {}
    for event, body in events:
        if event.type in MESSAGES:
            hidden = (
                f"stands in the summary {replaced[event.id]}" if event.id in replaced and not event.pinned else None
            )
            said = hidden or said_by(event, body, provider=provider, model=model)
            if isinstance(said, str):
                left_out.append({"event": event.id, "why": said, "tokens": event.tokens})
            else:
                unit = waiting.get(said.call) if said.call else None
                if unit is None:
                    unit = _Unit()
                    units.append(unit)
                unit.said.append(said)
                waiting |= {str(call.get("id")): unit for call in said.calls}
        if event.id in ends:
            units.append(_Unit([_summary(*ends[event.id])]))
    return units, left_out, tuple(summaries)


def _compactions(events: Sequence[tuple[Happened, Any]]) -> tuple[dict[str, str], dict[str, None]]:
    """Events that a summary stands for, with the summary; and the summaries in force. A later one supersedes."""
    superseded = {str(event.details.get("supersedes")) for event, _ in events if event.type == "compaction"}
    replaced: dict[str, str] = {}
    summaries: dict[str, None] = {}
    places = {event.id: place for place, (event, _) in enumerate(events)}
    for event, body in events:
        if event.type != "compaction" or event.id in superseded or not isinstance(body, dict) or "removed" in body:
            continue
        last = places.get(str(event.details.get("until")), -1)
        covered = {one.id for one, _ in events[: last + 1]}
        for older in [name for name in summaries if name in covered]:
            del summaries[older]
        replaced |= dict.fromkeys(covered, event.id)
        summaries[event.id] = None
    return replaced, summaries


def _summary(event: Happened, body: Any) -> Said:
    how = str(body.get("how", "a model"))
    made = "an extract" if how == EXTRACTIVE else f"written by {how}"
    text = f"[Summary of what went before, {made}]\n{body.get('summary', '')}"
    return Said("user", text, event.id, estimate(text) + OVERHEAD, pinned=True)


def _note(count: int) -> Said:
    text = f"[{count} {'message' if count == 1 else 'messages'} of this session left out here for lack of room]"
    return Said("user", text, None, estimate(text) + OVERHEAD)


def _fitting(units: Sequence[_Unit], room: int, mode: Mode) -> list[_Unit]:
    """The units that fit: pinned ones, the newest one, then by age or by what they have in common with it."""
    if sum(unit.cost for unit in units) <= room:
        return list(units)
    first = [unit for unit in units if unit.pinned] + ([units[-1]] if units and not units[-1].pinned else [])
    room -= sum(unit.cost for unit in first)
    taken = {id(unit) for unit in first}
    rest = [unit for unit in units if id(unit) not in taken]
    order = _relevant(rest, units[-1]) if mode == "relevant" and units else rest[::-1]
    for unit in order:
        cost = unit.cost
        if cost <= room:
            taken.add(id(unit))
            room -= cost
        elif mode == "recent":
            break  # a gap in the middle of the newest messages would be harder to follow than a shorter history
    return [unit for unit in units if id(unit) in taken]


def _relevant(units: Sequence[_Unit], last: _Unit) -> list[_Unit]:
    """Units by what they share with the newest: rare words count more."""
    bags = [Counter(_words(unit)) for unit in units]
    spread = Counter(word for bag in bags for word in bag)
    wanted = set(_words(last))
    scores = [
        sum(math.log(1 + len(units) / spread[word]) * min(bag[word], 3) for word in wanted & bag.keys()) for bag in bags
    ]
    return [units[place] for place in sorted(range(len(units)), key=lambda place: (-scores[place], -place))]


def _words(unit: _Unit) -> list[str]:
    return [word for one in unit.said for word in _WORD.findall(one.text.casefold())]
