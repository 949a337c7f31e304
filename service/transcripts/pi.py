"""Session files of Pi: a tree of JSON lines, version 3. What a tool gave stands as it was shown to the model."""

from collections.abc import Iterator
from typing import Any, Final

from service.transcripts.blocks import json_text, listed, members, name, texts
from service.transcripts.events import (
    Called,
    Event,
    Origin,
    Replaced,
    Resulted,
    Said,
    ServerHeld,
    Step,
    Unknown,
)
from service.transcripts.lines import Piece
from service.transcripts.opaque import opaque

QUIET: Final = frozenset({"session", "thinking_level_change", "usage", "custom", "label", "session_info"})


class PiReader:
    """Reads the lines of one session file."""

    def __init__(self) -> None:
        self._last: tuple[str | None, str | None] = (None, None)

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one line."""
        entry, line = members(piece.value), piece.line
        kind = entry.get("type")
        yield Step(line, name(entry.get("id")), name(entry.get("parentId")), name(entry.get("timestamp")))
        match kind:
            case "message":
                yield from self._message(members(entry.get("message")), line)
            case "compaction":
                yield Replaced(line, "compaction", "before", kept_from=name(entry.get("firstKeptEntryId")))
                yield Said(line, "other", texts(entry.get("summary")))
            case "context_edit":
                yield Replaced(line, "context_edit", "steps", ids=_one(entry.get("targetId")))
            case "branch_summary":
                yield Replaced(line, "branch_summary", "none")
                yield Said(line, "other", texts(entry.get("summary")))
            case "custom_message":
                yield Said(line, "user", texts(entry.get("content")))
            case "model_change":
                yield Origin(line, name(entry.get("provider")), name(entry.get("modelId", entry.get("model"))))
            case _ if kind in QUIET:
                return
            case _:
                yield Unknown(line, str(kind)[:100] if kind else "an entry without a type")

    def _message(self, message: dict[str, Any], line: int) -> Iterator[Event]:
        content = message.get("content")
        match message.get("role"):
            case "toolResult":
                yield from self._result(message, line)
            case "assistant":
                origin = (name(message.get("provider")), name(message.get("model")))
                if origin != self._last:
                    self._last = origin
                    yield Origin(line, *origin)
                yield Said(line, "assistant", texts(content))
                for block in listed(content):
                    if isinstance(block, dict) and block.get("type") == "toolCall":
                        yield Called(
                            line, name(block.get("id")), str(block.get("name"))[:300], json_text(block.get("arguments"))
                        )
                if isinstance(message.get("responseId"), str) and message.get("deferred"):
                    yield ServerHeld(line, "message.responseId", message["responseId"][:200])
                yield from opaque(content, line)
            case "user":
                yield Said(line, "user", texts(content))
            case "bashExecution":
                output = message.get("output")
                yield Resulted(line, None, "bash", texts(output), spill=name(message.get("fullOutputPath")))
            case "custom" | "branchSummary" | "compactionSummary":
                yield Said(line, "other", texts(content or message.get("summary")))
            case role:
                yield Unknown(line, f"message of the role {str(role)[:60]}")

    @staticmethod
    def _result(message: dict[str, Any], line: int) -> Iterator[Event]:
        details = members(message.get("details"))
        yield Resulted(
            line,
            name(message.get("toolCallId")),
            name(message.get("toolName")),
            texts(message.get("content")),
            meta=details,
            error=bool(message.get("isError")),
            spill=name(details.get("fullOutputPath")),
        )
        nested = members(message.get("nestedCalls"))
        for call in listed(nested.get("calls")):
            inner = members(call)
            identity, tool = name(inner.get("id")), str(inner.get("name"))[:300]
            yield Called(line, identity, tool, json_text(inner.get("arguments")))
            yield Resulted(line, identity, tool, (), inner=True, error=inner.get("status") == "error")


def _one(value: Any) -> tuple[str, ...]:
    found = name(value)
    return (found,) if found else ()
