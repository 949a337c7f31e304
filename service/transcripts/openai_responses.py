"""Requests, responses, lists of items and conversations of OpenAI's Responses API."""

from collections.abc import Iterator
from typing import Any, Final

from service.transcripts.blocks import json_text, name, texts
from service.transcripts.documents import Path
from service.transcripts.events import Event, Origin, Said, ServerHeld, Step, Unknown
from service.transcripts.lines import Piece
from service.transcripts.opaque import opaque
from service.transcripts.openai_items import item_events

_LISTS: Final = frozenset({"input", "output", "items", "data"})
_AROUND: Final = frozenset({"request", "response", "body"})
_HELD: Final = frozenset({"previous_response_id", "conversation", "prompt", "container", "tools", "text"})


class OpenAIResponsesReader:
    """Reads one of them, or one a line."""

    def __init__(self) -> None:
        self._id: tuple[int, str] | None = None
        self._stored = True

    @staticmethod
    def opens(path: Path) -> bool:
        """Into requests and responses, and their lists of items."""
        names = [step for step in path if isinstance(step, str)]
        if path and not names:
            return False  # an entry of a list is looked at whole, to tell what it is
        inner = bool(names) and names[-1] in _LISTS and isinstance(path[-1], int)
        return not inner and all(step in _LISTS | _AROUND for step in names)

    @staticmethod
    def whole(value: dict[str, Any]) -> bool:
        """Whether this is an item."""
        return not ({"output", "input", "request", "response", "items"} & value.keys()) or "call_id" in value

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one piece."""
        value, line = piece.value, piece.line
        last = piece.path[-1] if piece.path else 0
        if isinstance(last, int):
            if isinstance(value, dict):
                yield Step(line, name(value.get("id")), at=name(value.get("timestamp")))
                yield from item_events(value, line)
            elif isinstance(value, str):
                yield Said(line, "user", (value,))
            else:
                yield Unknown(line, "an entry that is no item")
            return
        match last:
            case "input" | "instructions":
                yield Said(line, "user" if last == "input" else "system", texts(value))
            case "model" if isinstance(value, str):
                yield Origin(line, "openai", value)
            case "id" if isinstance(value, str) and value.startswith("resp_"):
                yield from self.end()
                self._id = (line, value)
            case "store":
                self._stored = value is not False
            case "error" if value:
                yield Said(line, "other", (json_text(value),))
            case _ if last in _HELD:
                yield from opaque({last: value, "input": ""}, line)
            case _:
                return

    def end(self) -> Iterator[Event]:
        """What is known when a response has been read: whether the provider keeps it."""
        if self._id is not None and self._stored:
            yield ServerHeld(self._id[0], "response.id", self._id[1])
        self._id, self._stored = None, True
