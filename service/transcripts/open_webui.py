"""Exports of Open WebUI: chats, each a tree of messages. Retrieved texts stand below `sources` of an answer."""

import html
import re
from collections.abc import Iterator
from typing import Any, Final

from service.transcripts.blocks import json_text, listed, members, name, strings, texts
from service.transcripts.chatgpt import when
from service.transcripts.documents import Path
from service.transcripts.events import (
    Called,
    Citation,
    Event,
    HostedSearch,
    Origin,
    RemoteFile,
    Resulted,
    Role,
    Said,
    Step,
)
from service.transcripts.lines import NO_JSON, Piece, parsed

_OPENED: Final[tuple[list[str], ...]] = (
    [], ["chat"], ["chat", "history"], ["chat", "history", "messages"], ["history"], ["history", "messages"],
    ["chat", "messages"],
)  # fmt: skip
_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}

# A call that the model made itself is written into its answer, as an element with escaped JSON in its attributes.
_DETAILS: Final = re.compile(
    r'<details type="tool_calls"((?:\s+[\w-]+="[^"]*")*)\s*>(?:(?!<details type="tool_calls"|</details>).)*+</details>',
    re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(r'(?<![\w-])([\w-]++)="([^"]*)"')


class OpenWebUIReader:
    """Reads an export of one chat or of many."""

    def __init__(self) -> None:
        self._model: str | None = None
        self._trees: set[str] = set()

    @staticmethod
    def opens(path: Path) -> bool:
        """Into each chat and its messages."""
        names = [step for step in path if isinstance(step, str)]
        if len(path) > 1 and path[-2] == "messages":
            return False
        return names in _OPENED

    @staticmethod
    def whole(value: dict[str, Any]) -> bool:
        """A line or an entry is a chat, never a message."""
        return "chat" not in value and "history" not in value

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one piece."""
        value, line, path = piece.value, piece.line, piece.path
        lane = str(path[0]) if path and isinstance(path[0], int) else ""
        if len(path) > 1 and path[-2] == "messages":
            tree = "history" in path
            if tree:
                self._trees.add(lane)
            elif lane in self._trees:
                return  # the same messages once more, without the branches
            message = members(value)
            identity, at = name(message.get("id")) or str(path[-1]), when(message.get("timestamp"))
            yield Step(line, identity, name(message.get("parentId")), at, lane=lane)
            yield from self._message(message, line)
        elif path and path[-1] == "currentId" and isinstance(value, str):
            yield Step(line, value, lane=lane, current=True)

    def _message(self, message: dict[str, Any], line: int) -> Iterator[Event]:
        model = name(message.get("model"))
        if model and model != self._model:
            self._model = model
            yield Origin(line, None, model)
        content = "\n".join(texts(message.get("content")))
        for found in _DETAILS.finditer(content):
            yield from _call(dict(_ATTRIBUTE.findall(found.group(1))), line)
        role = _ROLES.get(str(message.get("role")), "other")
        sources = [members(one) for one in listed(message.get("sources", message.get("citations")))]
        yield Said(line, role, (_DETAILS.sub("", content),), tuple(_cited(sources)))
        for one in sources:
            given = strings(one.get("document"))
            yield Resulted(
                line, None, name(members(one.get("source")).get("name")) or "source", given,
                meta={"metadata": one.get("metadata")},
            )  # fmt: skip
        for status in listed(message.get("statusHistory")):
            one = members(status)
            urls = strings(one.get("urls")) or strings([members(item).get("link") for item in listed(one.get("items"))])
            if urls and not sources:
                yield HostedSearch(line, f"status {one.get('action')}"[:100], strings(one.get("query")), urls)
        for file in listed(message.get("files")):
            identity = name(members(file).get("id"))
            if identity:
                yield RemoteFile(line, "files.id", identity)


def _cited(sources: list[dict[str, Any]]) -> Iterator[Citation]:
    for one in sources:
        source = members(one.get("source"))
        urls = [members(meta).get("source") for meta in listed(one.get("metadata"))]
        for url in dict.fromkeys(strings([source.get("url"), *strings(source.get("urls")), *urls])):
            if "://" in url:
                yield Citation(url, name(source.get("name")))


def _call(attributes: dict[str, str], line: int) -> Iterator[Event]:
    """A call in an answer. Arguments and result are JSON strings that hold JSON or text."""
    identity, tool = name(attributes.get("id")), html.unescape(attributes.get("name", ""))[:300]
    yield Called(line, identity, tool, _inner(attributes.get("arguments", "")))
    if attributes.get("result"):
        yield Resulted(line, identity, tool, (_inner(attributes["result"]),))


def _inner(attribute: str) -> str:
    text = html.unescape(attribute)
    value = parsed(text)
    return value if isinstance(value, str) else text if value is NO_JSON else json_text(value)
