"""Messages of OpenAI's chat completions, as many other providers and tools write them too."""

from collections.abc import Iterator
from typing import Any, Final

from service.transcripts.blocks import cited, json_text, listed, members, name, texts
from service.transcripts.documents import Path
from service.transcripts.events import Called, Event, HostedSearch, Origin, Resulted, Role, Said, Step, Unknown
from service.transcripts.lines import Piece
from service.transcripts.opaque import opaque

_OPENED: Final = frozenset({"messages", "choices", "request", "response", "body"})
_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class OpenAIChatReader:
    """Reads requests (`messages`), responses (`choices`), lists of messages, or any of them a line."""

    @staticmethod
    def opens(path: Path) -> bool:
        """Into requests and responses, and their lists."""
        names = [step for step in path if isinstance(step, str)]
        if path and not names:
            return False  # an entry of a list is looked at whole, to tell what it is
        inner = bool(names) and names[-1] in ("messages", "choices") and isinstance(path[-1], int)
        return not inner and all(step in _OPENED for step in names)

    @staticmethod
    def whole(value: dict[str, Any]) -> bool:
        """Whether this is a message."""
        return "role" in value

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one piece."""
        value, line = piece.value, piece.line
        last = piece.path[-1] if piece.path else 0
        if isinstance(last, int):
            message = members(members(value).get("message", members(value).get("delta"))) or value
            if isinstance(message, dict) and "role" in message:
                yield Step(line, name(message.get("id")), at=name(message.get("timestamp")))
                yield from _message(message, line)
            else:
                yield Unknown(line, "an entry that is no message")
        elif last == "model" and isinstance(value, str):
            yield Origin(line, None, value)


def _message(message: dict[str, Any], line: int) -> Iterator[Event]:
    role, content = message.get("role"), message.get("content")
    if role in ("tool", "function"):
        call, tool = name(message.get("tool_call_id")), name(message.get("name"))
        yield Resulted(line, call, tool, texts(content))
        return
    sources = cited(message.get("annotations"))
    yield Said(line, _ROLES.get(str(role), "other"), texts(content), sources)
    if sources:
        urls = tuple(dict.fromkeys(one.url for one in sources))
        yield HostedSearch(line, "annotations.url_citation", urls=urls)
    older = [message["function_call"]] if isinstance(message.get("function_call"), dict) else []
    for call in [*listed(message.get("tool_calls")), *older]:
        one = members(call)
        function = members(one.get("function", one.get("custom"))) or one
        arguments = function.get("arguments", function.get("input"))
        yield Called(line, name(one.get("id")), str(function.get("name"))[:300], json_text(arguments))
    yield from opaque(content, line)
