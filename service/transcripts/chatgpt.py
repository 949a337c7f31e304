"""Exports of ChatGPT: conversations, each a tree of nodes below `mapping`. Search there is the provider's own."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from service.transcripts.blocks import json_text, listed, members, name, strings
from service.transcripts.documents import Path
from service.transcripts.events import Called, Event, HostedSearch, Origin, RemoteFile, Resulted, Role, Said, Step
from service.transcripts.lines import Piece


class ChatGPTReader:
    """Reads an export of one conversation or of all."""

    def __init__(self) -> None:
        self._model: str | None = None

    @staticmethod
    def opens(path: Path) -> bool:
        """Into each conversation and its mapping."""
        names = [step for step in path if isinstance(step, str)]
        return names in ([], ["mapping"])

    @staticmethod
    def whole(value: dict[str, Any]) -> bool:
        """A line or an entry is a conversation, never a node."""
        return "mapping" not in value

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one piece."""
        value, line, path = piece.value, piece.line, piece.path
        lane = str(path[0]) if path and isinstance(path[0], int) else ""
        if len(path) > 1 and path[-2] == "mapping":
            node = members(value)
            message = members(node.get("message"))
            yield Step(line, name(node.get("id")) or str(path[-1]), name(node.get("parent")), _at(message), lane=lane)
            if message:
                yield from self._message(message, line)
        elif path and path[-1] == "current_node" and isinstance(value, str):
            yield Step(line, value, lane=lane, current=True)

    def _message(self, message: dict[str, Any], line: int) -> Iterator[Event]:
        author, content = members(message.get("author")), members(message.get("content"))
        meta = members(message.get("metadata"))
        blocks = strings(content.get("parts")) or strings(content.get("text"))
        model = name(meta.get("model_slug"))
        if model and model != self._model:
            self._model = model
            yield Origin(line, "openai", model)
        role, recipient = author.get("role"), name(message.get("recipient"))
        urls = _urls(meta)
        if role == "tool":
            if urls or str(author.get("name")).startswith(("browser", "web")):
                yield HostedSearch(line, f"tool {author.get('name')}"[:100], urls=urls)
            else:
                yield Resulted(line, None, name(author.get("name")), blocks)
        elif role == "assistant" and recipient not in (None, "all"):
            yield Called(line, None, str(recipient), "\n".join(blocks) or json_text(content))
        else:
            known: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
            yield Said(line, known.get(str(role), "other"), blocks)
            if urls:
                yield HostedSearch(line, "content_references", urls=urls)
        for part in listed(content.get("parts")):
            pointer = name(members(part).get("asset_pointer"))
            if pointer:
                yield RemoteFile(line, "asset_pointer", pointer)


def _urls(meta: dict[str, Any]) -> tuple[str, ...]:
    """Addresses of a search's groups and of the references in an answer."""
    found: list[Any] = []
    for group in listed(meta.get("search_result_groups")):
        found += [members(one).get("url") for one in listed(members(group).get("entries"))]
    for reference in listed(meta.get("content_references")):
        one = members(reference)
        found += [one.get("url"), *(members(item).get("url") for item in listed(one.get("items")))]
    for citation in listed(meta.get("citations")):
        found.append(members(members(citation).get("metadata")).get("url"))
    return tuple(dict.fromkeys(strings(found)))


def _at(message: dict[str, Any]) -> str | None:
    return when(message.get("create_time"))


def when(seconds: Any) -> str | None:
    """A time in seconds as text; None if it is none."""
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return None
