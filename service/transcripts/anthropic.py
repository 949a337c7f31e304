"""Requests, responses and lists of messages of Anthropic's Messages API. Also the blocks that Claude Code writes."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from service.transcripts.blocks import cited, json_bytes, json_text, listed, members, name, strings, texts
from service.transcripts.documents import Path
from service.transcripts.events import (
    Called,
    Citation,
    Event,
    HostedSearch,
    Origin,
    Replaced,
    Resulted,
    Role,
    Said,
    Step,
    Unknown,
)
from service.transcripts.lines import Piece
from service.transcripts.opaque import opaque

_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_QUIET: Final = frozenset(
    {"thinking", "redacted_thinking", "image", "document", "container_upload", "search_result", "tool_reference",
     "fallback"}
)  # fmt: skip


class AnthropicReader:
    """Reads requests (`messages`), responses (`content`), or either of them a line."""

    @staticmethod
    def opens(path: Path) -> bool:
        """Into lists of messages, of exchanges, and into requests and responses in them."""
        names = tuple(step for step in path if isinstance(step, str))
        if path and not names:
            return False  # an entry of a list is looked at whole, to tell what it is
        return set(names) <= {"messages", "request", "response", "body"} and path[-2:-1] != ("messages",)

    @staticmethod
    def whole(value: dict[str, Any]) -> bool:
        """Whether this is a message."""
        return "role" in value

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one piece."""
        value, line = piece.value, piece.line
        last = piece.path[-1] if piece.path else None
        if isinstance(value, dict) and "role" in value:
            yield Step(line, at=name(value.get("timestamp")))
            if name(value.get("model")):
                yield Origin(line, "anthropic", name(value["model"]))
            yield from content_events(str(value["role"]), value.get("content"), line)
            yield from opaque(value, line)
        elif last == "content":
            yield Step(line)
            yield from content_events("assistant", value, line)
            yield from opaque(value, line)
        elif last == "system":
            yield Said(line, "system", texts(value))
        elif last == "model" and isinstance(value, str):
            yield Origin(line, "anthropic", value)
        elif isinstance(last, str):
            # A member by itself: what it means depends on its name and on its being one of a request or a response.
            yield from opaque({last: value, "model": ""}, line)
        elif value is not None:
            yield Unknown(line, "an entry that is no message")


def content_events(role: str, content: Any, line: int) -> Iterator[Event]:
    """The events of a message's content."""
    blocks = listed(content) if not isinstance(content, str) else [{"type": "text", "text": content}]
    said: list[str] = []
    sources: list[Citation] = []
    for block in blocks:
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if kind == "text":
            said += texts([block])
            sources += cited(block.get("citations"))
        else:
            yield from _block(str(kind), block, line)
    if said or sources:
        yield Said(line, _ROLES.get(role, "other"), tuple(said), tuple(sources))


def _block(kind: str, block: dict[str, Any], line: int) -> Iterator[Event]:
    match kind:
        case "tool_use" | "mcp_tool_use":
            server = name(block.get("server_name"))
            tool = f"mcp__{server}__{block.get('name')}" if server else str(block.get("name"))
            yield Called(line, name(block.get("id")), tool[:300], json_text(block.get("input")))
        case "tool_result" | "mcp_tool_result":
            yield result_of(block, line)
        case "server_tool_use":
            yield Called(line, name(block.get("id")), str(block.get("name"))[:300], json_text(block.get("input")))
        case "web_search_tool_result":
            results = [one for one in listed(block.get("content")) if isinstance(one, dict)]
            urls = strings([one.get("url") for one in results])
            sealed = any("encrypted_content" in one for one in results)
            yield HostedSearch(
                line, "web_search_tool_result", urls=urls, sealed=sealed, call=name(block.get("tool_use_id"))
            )
        case "web_fetch_tool_result":
            found = members(block.get("content"))
            source = members(members(found.get("content")).get("source"))
            page = source.get("data") if source.get("type") == "text" else None
            if isinstance(page, str):
                yield Resulted(line, name(block.get("tool_use_id")), "web_fetch", (page,))
            yield HostedSearch(
                line, "web_fetch_tool_result", urls=strings(found.get("url")), text=isinstance(page, str),
                call=name(block.get("tool_use_id")),
            )  # fmt: skip
        case "compaction":
            yield Replaced(line, "compaction", "before", readable=bool(block.get("content")))
            yield Said(line, "other", texts(block.get("content")))
        case _ if kind in _QUIET or kind.endswith("_tool_result"):
            return
        case _:
            yield Unknown(line, kind[:100])


def result_of(
    block: dict[str, Any], line: int, beside: Mapping[str, Any] | None = None, *, spill: str | None = None
) -> Resulted:
    """A tool's result; `beside` is what a client kept of the server's answer with it."""
    beside = beside or {}
    return Resulted(
        line,
        name(block.get("tool_use_id")),
        None,
        texts(block.get("content")),
        structured=json_bytes(beside.get("structuredContent")),
        meta=members(beside.get("_meta")),
        error=bool(block.get("is_error")),
        spill=spill,
    )
