"""Transcripts of Claude Code: a tree of JSON lines. Beside a result stands what the tool's server gave with it."""

import re
from collections.abc import Iterator
from typing import Any, Final

from service.transcripts.anthropic import content_events, result_of
from service.transcripts.blocks import listed, members, name, strings, texts
from service.transcripts.events import Event, HostedSearch, Origin, Replaced, Said, Step, Unknown
from service.transcripts.lines import Piece
from service.transcripts.opaque import opaque

QUIET: Final = frozenset(
    {"summary", "attachment", "progress", "queue-operation", "file-history-snapshot", "custom-title", "last-prompt",
     "agent-name", "ai-title", "tag", "mode", "permission-mode"}
)  # fmt: skip
_SPILL: Final = re.compile(r"(?:saved to:?|Full output saved to:?)\s+(\S[^\n<]{0,1000}?)(?:\.?\s*(?:\n|<|$))")


class ClaudeCodeReader:
    """Reads the lines of one file: a session, or a sub-agent of one."""

    def __init__(self) -> None:
        self._model: str | None = None

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one line."""
        entry, line = members(piece.value), piece.line
        kind = entry.get("type")
        parent = name(entry.get("parentUuid")) or name(entry.get("logicalParentUuid"))
        lane = "side" if entry.get("isSidechain") else ""
        yield Step(line, name(entry.get("uuid")), parent, name(entry.get("timestamp")), lane=lane)
        message = members(entry.get("message"))
        match kind:
            case "assistant":
                model = name(message.get("model"))
                if model != self._model:
                    self._model = model
                    yield Origin(line, "anthropic", model)
                yield from content_events("assistant", message.get("content"), line)
                yield from opaque(message, line)
            case "user":
                yield from self._user(entry, message, line)
            case "system":
                yield from self._system(entry, line)
            case _ if kind in QUIET:
                return
            case _:
                yield Unknown(line, str(kind)[:100] if kind else "an entry without a type")

    def _user(self, entry: dict[str, Any], message: dict[str, Any], line: int) -> Iterator[Event]:
        content = message.get("content")
        if entry.get("isCompactSummary"):
            yield Replaced(line, "isCompactSummary", "none")
        if isinstance(content, str):
            yield Said(line, "user", (content,))
            return
        beside = members(entry.get("mcpMeta"))
        for block in listed(content):
            if isinstance(block, dict) and block.get("type") == "tool_result":
                found = result_of(block, line, beside)
                hosted = _hosted(entry.get("toolUseResult"), line, found.call)
                if hosted is not None:
                    yield hosted
                    continue
                spill = _SPILL.search(found.text) if "saved to" in found.text else None
                yield result_of(block, line, beside, spill=spill.group(1) if spill else None)
            elif isinstance(block, dict):
                yield from content_events("user", [block], line)
        yield from opaque(content, line)

    @staticmethod
    def _system(entry: dict[str, Any], line: int) -> Iterator[Event]:
        match entry.get("subtype"):
            case "compact_boundary":
                yield Replaced(line, "compact_boundary", "before")
            case "microcompact_boundary":
                removed = strings(members(entry.get("microcompactMetadata")).get("compactedToolIds"))
                yield Replaced(line, "microcompact_boundary", "calls", ids=removed)
            case _:
                yield Said(line, "system", texts(entry.get("content")))


def _hosted(given: Any, line: int, call: str | None) -> HostedSearch | None:
    """WebSearch gives titles and addresses; WebFetch what a small model says of a page. Neither has the page's text."""
    if not isinstance(given, dict):
        return None
    if {"query", "results", "durationSeconds"} <= given.keys():
        urls = [
            inner.get("url")
            for one in listed(given.get("results"))
            if isinstance(one, dict)
            for inner in listed(one.get("content"))
            if isinstance(inner, dict)
        ]
        return HostedSearch(line, "WebSearch", strings(given.get("query")), strings(urls), call=call)
    if {"url", "code", "result"} <= given.keys():
        return HostedSearch(line, "WebFetch", (), strings(given.get("url")), call=call)
    return None
