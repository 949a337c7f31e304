"""What a model is shown of a session: all of it if it fits, else the newest and the pinned. Pure.

Nothing disappears silently. Messages that do not fit are listed with their events, and a note in their place says so to
the model. A compaction stands for the events it names; they stay in the session. Sealed items go back to the provider
and model they came from, and to nobody else.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from service.tokens import estimate

MESSAGES: Final = frozenset({"message", "tool_result", "agent_task", "agent_message", "agent_result", "sealed"})
"""Types of events that a model may be shown."""

THRESHOLD: Final = 0.8
"""The part of the budget that a history may fill before older messages give way: the rest is for the answer."""
OVERHEAD: Final = 4
"""Tokens that a message costs besides its text, in the usual chat formats."""

NO_ROOM: Final = "no room in the budget"
"""Why most of a long session is left out."""
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
    """Messages that stand or fall together: a message with tool calls and the results of these.

    What they say is read when it is looked at: of a long session most is left out, and need not be read at all.
    """

    tell: Callable[[Happened], "Said | str"]
    events: list[Happened] = field(default_factory=list)
    summary: Said | None = None
    _told: list["Said | str"] | None = None

    @property
    def told(self) -> Sequence["Said | str"]:
        """What its events are to the model: messages, or why they are none."""
        if self._told is None:
            self._told = [self.summary] if self.summary else [self.tell(event) for event in self.events]
        return self._told

    @property
    def said(self) -> list[Said]:
        """The messages."""
        return [one for one in self.told if isinstance(one, Said)]

    @property
    def cost(self) -> int:
        return sum(one.cost for one in self.said)

    @property
    def pinned(self) -> bool:
        return self.summary is not None or any(event.pinned for event in self.events)

    def unsaid(self) -> list[dict[str, Any]]:
        """Those of its events that are no messages to this model, and why."""
        pairs = zip(self.events, self.told, strict=False)
        return [{"event": one.id, "why": why, "tokens": one.tokens} for one, why in pairs if isinstance(why, str)]

    def left(self) -> list[dict[str, Any]]:
        """All of it as left out: what was looked at with its cost here, the rest with what its record says."""
        if self._told is None:
            return [_no_room(event.id, event.tokens) for event in self.events]
        return self.unsaid() + [_no_room(one.event, one.cost) for one in self.said]


def _no_room(event: str | None, tokens: int | None) -> dict[str, Any]:
    return {"event": event, "why": NO_ROOM, "tokens": tokens}


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
    events: Sequence[Happened],
    read: Callable[[Happened], Any],
    *,
    budget: int | None,
    mode: Mode = "recent",
    provider: str | None = None,
    model: str | None = None,
) -> Context:
    """What to show of `events` (the path) within `budget` tokens; `read` gives what one of them says."""

    def tell(event: Happened) -> Said | str:
        return said_by(event, read(event), provider=provider, model=model)

    units, left_out, summaries = _units(events, read, tell)
    fixed = estimate(system or "")
    kept = units if budget is None else _fitting(units, int(budget * THRESHOLD) - fixed, mode)
    chosen = {id(unit) for unit in kept}
    messages: list[Said] = []
    gap = 0
    for unit in units:
        if id(unit) in chosen:
            messages += [_note(gap)] if gap and unit.said else []
            gap = 0 if unit.said else gap
            messages += unit.said
            left_out += unit.unsaid()
        else:
            lost = unit.left()
            gap += sum(1 for one in lost if one["why"] == NO_ROOM)
            left_out += lost
    messages += [_note(gap)] if gap else []
    cost = fixed + sum(one.cost for one in messages)
    return Context(system, tuple(messages), tuple(left_out), cost, budget, summaries)


def _units(
    events: Sequence[Happened], read: Callable[[Happened], Any], tell: Callable[[Happened], Said | str]
) -> tuple[list[_Unit], list[dict[str, Any]], tuple[str, ...]]:
    """What could be shown, what stands in summaries, and the summaries in force."""
    compactions = {event.id: read(event) for event in events if event.type == "compaction"}
    replaced, summaries = _compactions(events, compactions)
    left_out: list[dict[str, Any]] = []
    # A summary stands where the last of the messages stood that it replaces.
    ends = {str(event.details.get("until")): event for event in events if event.id in summaries}
    units: list[_Unit] = []
    waiting: dict[str, _Unit] = {}
    for event in events:
        if event.type in MESSAGES:
            if event.id in replaced and not event.pinned:
                why = f"stands in the summary {replaced[event.id]}"
                left_out.append({"event": event.id, "why": why, "tokens": event.tokens})
            else:
                unit = waiting.get(event.call) if event.call else None
                if unit is None:
                    unit = _Unit(tell)
                    units.append(unit)
                unit.events.append(event)
                waiting |= {str(call): unit for call in event.details.get("calls", ())}
        if event.id in ends:
            made = ends[event.id]
            units.append(_Unit(tell, summary=_summary(made, compactions[made.id])))
    return units, left_out, tuple(summaries)


def _compactions(events: Sequence[Happened], bodies: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, None]]:
    """Events that a summary stands for, with the summary; and the summaries in force. A later one supersedes."""
    superseded = {str(event.details.get("supersedes")) for event in events if event.type == "compaction"}
    replaced: dict[str, str] = {}
    summaries: dict[str, None] = {}
    places = {event.id: place for place, event in enumerate(events)}
    for event in events:
        body = bodies.get(event.id)
        if event.type != "compaction" or event.id in superseded or not isinstance(body, dict) or "removed" in body:
            continue
        last = places.get(str(event.details.get("until")), -1)
        covered = {one.id for one in events[: last + 1]}
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
    newest = next((unit for unit in reversed(units) if unit.said), None)
    if newest is None:
        return list(units)
    first = [unit for unit in units if unit.pinned or unit is newest]
    room -= sum(unit.cost for unit in first)
    taken = {id(unit) for unit in first}
    rest = [unit for unit in units if id(unit) not in taken]
    short = mode == "relevant" and sum(unit.cost for unit in rest) > room
    for unit in _relevant(rest, newest) if short else rest[::-1]:
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
