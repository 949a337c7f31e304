"""Messages as LangChain and LangGraph write them: by `messages_to_dict`, by `dumpd`, as dictionaries, in states."""

from collections.abc import Iterator
from typing import Any, Final

from service.transcripts.blocks import cited, json_bytes, json_text, listed, members, name, texts
from service.transcripts.documents import Path
from service.transcripts.events import Called, Event, Origin, Replaced, Resulted, Role, Said, Step, Unknown
from service.transcripts.lines import Piece
from service.transcripts.opaque import opaque

_OPENED: Final = frozenset({"messages", "values", "channel_values", "state", "checkpoint", "input", "output"})
_BY_CLASS: Final = {
    "HumanMessage": "human", "AIMessage": "ai", "AIMessageChunk": "ai", "ToolMessage": "tool",
    "SystemMessage": "system",
    "FunctionMessage": "function", "RemoveMessage": "remove", "ChatMessage": "chat",
}  # fmt: skip
TYPES: Final = frozenset({*_BY_CLASS.values(), "AIMessageChunk"})
_ROLES: Final[dict[str, Role]] = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "system": "system"}


class LangChainReader:
    """Reads a list of messages, a state, or a message a line."""

    def __init__(self) -> None:
        self._origin: tuple[str | None, str | None] = (None, None)

    @staticmethod
    def opens(path: Path) -> bool:
        """Into states and their messages."""
        names = [step for step in path if isinstance(step, str)]
        if path and not names:
            return False  # an entry of a list is looked at whole, to tell what it is
        inner = bool(names) and names[-1] == "messages" and isinstance(path[-1], int)
        return not inner and all(step in _OPENED for step in names)

    @staticmethod
    def whole(value: dict[str, Any]) -> bool:
        """Whether this is a message."""
        return "lc" in value or name(value.get("type")) in TYPES

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one piece."""
        value, line = piece.value, piece.line
        last = piece.path[-1] if piece.path else 0
        if not isinstance(last, int):
            return
        kind, fields = unwrapped(value)
        if kind is None:
            yield Unknown(line, "an entry that is no message")
            return
        yield Step(line, name(fields.get("id")))
        content = fields.get("content")
        match kind:
            case "tool" | "function":
                artifact = fields.get("artifact")
                structured = members(artifact).get("structured_content", members(artifact).get("structuredContent"))
                yield Resulted(
                    line,
                    name(fields.get("tool_call_id")),
                    name(fields.get("name")),
                    texts(content),
                    structured=json_bytes(structured),
                    meta={"artifact": artifact} if artifact is not None and structured is None else {},
                    error=fields.get("status") == "error",
                )
            case "remove":
                removed = name(fields.get("id"))
                yield Replaced(line, "RemoveMessage", "steps", ids=(removed,) if removed else ())
            case _:
                yield from self._said(kind, fields, line)

    def _said(self, kind: str, fields: dict[str, Any], line: int) -> Iterator[Event]:
        content, about = fields.get("content"), members(fields.get("response_metadata"))
        origin = (name(about.get("model_provider")), name(about.get("model_name", about.get("model"))))
        if any(origin) and origin != self._origin:
            self._origin = origin
            yield Origin(line, *origin)
        blocks = [members(one) for one in listed(content)]
        sources = [one for block in blocks for key in ("annotations", "citations") for one in cited(block.get(key))]
        yield Said(line, _ROLES.get(kind, "other"), texts(content), tuple(sources))
        for call in listed(fields.get("tool_calls")):
            one = members(call)
            yield Called(line, name(one.get("id")), str(one.get("name"))[:300], json_text(one.get("args")))
        yield from opaque(content, line)
        yield from opaque(fields.get("additional_kwargs"), line)


def unwrapped(value: Any) -> tuple[str | None, dict[str, Any]]:
    """A message's type and fields, in whichever way it was written."""
    one = members(value)
    if one.get("lc") is not None and isinstance(one.get("id"), list) and one["id"]:
        return _BY_CLASS.get(str(one["id"][-1])), members(one.get("kwargs"))
    kind = name(one.get("type"))
    if kind in TYPES:
        return kind, members(one["data"]) if isinstance(one.get("data"), dict) else one
    return None, {}
