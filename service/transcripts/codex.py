"""Rollout files of Codex: JSON lines `{timestamp, type, payload}`. The event log has a fuller copy of MCP results."""

from collections.abc import Iterator
from typing import Any, Final

from service.transcripts.blocks import json_bytes, listed, members, name, texts
from service.transcripts.events import (
    BetweenAgents,
    Event,
    Origin,
    Replaced,
    Resulted,
    Said,
    Step,
    Unknown,
)
from service.transcripts.lines import Piece
from service.transcripts.openai_items import item_events

QUIET: Final = frozenset({"session_meta", "world_state", "event_msg", "inter_agent_communication_metadata"})


class CodexReader:
    """Reads the lines of one rollout."""

    def __init__(self) -> None:
        self._origin: tuple[str | None, str | None] = (None, None)

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one line."""
        entry, line = members(piece.value), piece.line
        kind, payload = entry.get("type"), members(entry.get("payload"))
        yield Step(line, at=name(entry.get("timestamp")))
        match kind:
            case "response_item":
                yield from item_events(payload, line)
            case "compacted":
                history = listed(payload.get("replacement_history"))
                kept = frozenset(
                    one["call_id"]
                    for one in history
                    if isinstance(one, dict)
                    and isinstance(one.get("call_id"), str)
                    and str(one.get("type")).endswith("_output")
                )
                yield Replaced(line, "compacted", "before", kept=kept, readable=not _sealed(history))
                yield Said(line, "other", texts(payload.get("message")))
            case "event_msg":
                yield from self._message(payload, line)
            case "turn_context":
                found = (name(payload.get("model_provider")) or "openai", name(payload.get("model")))
                if found != self._origin:
                    self._origin = found
                    yield Origin(line, *found)
            case "inter_agent_communication":
                readable = bool(texts(payload.get("content")))
                yield BetweenAgents(line, name(payload.get("author")), name(payload.get("recipient")), readable)
                yield from item_events(payload | {"type": "agent_message"}, line, told=False)
            case _ if kind in QUIET:
                return
            case _:
                yield Unknown(line, str(kind)[:100] if kind else "an entry without a type")

    @staticmethod
    def _message(payload: dict[str, Any], line: int) -> Iterator[Event]:
        if payload.get("type") != "mcp_tool_call_end":
            return
        invocation, result = members(payload.get("invocation")), members(payload.get("result"))
        given = members(result.get("Ok", result.get("ok")))
        yield Resulted(
            line,
            name(payload.get("call_id")),
            _mcp_name(invocation),
            texts(given.get("content")) or texts(result.get("Err")),
            structured=json_bytes(given.get("structuredContent", given.get("structured_content"))),
            meta=members(given.get("_meta")),
            error=bool(given.get("isError", given.get("is_error"))) or "Err" in result,
            copy=True,
        )


def _mcp_name(invocation: dict[str, Any]) -> str | None:
    server, tool = name(invocation.get("server")), name(invocation.get("tool"))
    return f"mcp__{server}__{tool}" if server and tool else tool


def _sealed(history: list[Any]) -> bool:
    return any(isinstance(one, dict) and "encrypted_content" in one for one in history)
