"""From what was asked to the events that will be kept: contents as bytes, tokens, evidence, states. Mostly pure."""

import base64
import math
import re
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from service import tokens
from service.failures import BadRequest
from service.sessions.asked import ArtifactRequest, MessageRequest, ToolResult
from service.sessions.credentials import masked
from snapshots import Sealed, SessionState, is_id

JSON: Final = "application/json"
MAX_FOUND: Final = 1_000  # ids looked for in one content: a reply of ours shows at most some hundreds

_IDS: Final = re.compile(r"sha256:[0-9a-f]{64}(?![0-9a-f])")


@dataclass(frozen=True)
class Step:
    """An event before it has its place: `named` are evidence ids that must be there, `mentioned` those that may be."""

    type: str
    content: bytes | None = None
    media_type: str | None = None
    named: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)


def message(asked: MessageRequest) -> Step:
    """What is said, as the JSON object `{role, content, tool_calls?}`; of a sealed item `{role, sealed, handover}`."""
    said: dict[str, Any] = {"role": asked.role}
    if asked.type == "sealed":
        # Opaque data is kept as it came: changing it would make it useless, and nothing in it can be read anyway.
        handover, hidden = masked(asked.handover)
        said |= {"sealed": asked.sealed, "handover": handover}
    else:
        content, hidden = masked(asked.content)
        said["content"] = content
        if asked.tool_calls:
            calls, more = masked([call.model_dump() for call in asked.tool_calls])
            said["tool_calls"], hidden = calls, hidden + more
    details: dict[str, Any] = {}
    if asked.tool_calls:
        details["calls"] = [call.id for call in asked.tool_calls]
        details["tools_called"] = [call.name for call in asked.tool_calls]
    if asked.tools is not None:
        details["tools"] = list(asked.tools)
    if asked.sent is not None:
        details["sent"] = asked.sent
    body = kept_json(said)
    return Step(
        type=asked.type,
        content=body,
        media_type=JSON,
        named=asked.evidence,
        mentioned=ids_in(body),
        fields={
            "author": asked.author or asked.role,
            "recipient": asked.recipient,
            "pinned": asked.pinned,
            "tokens": _tokens(said) if asked.tokens is None else asked.tokens,
            "sealed": Sealed(provider=asked.provider or "", model=asked.model) if asked.type == "sealed" else None,
            "masked": hidden,
            "provider": asked.provider,
            "model": asked.model,
            "api_schema": asked.api_schema,
            "details": details,
        },
    )


def tool_result(asked: ToolResult) -> Step:
    """What a tool gave back, as `{role: "tool", call, name, content, is_error}`."""
    content, hidden = masked(asked.content)
    said = {"role": "tool", "call": asked.call, "name": asked.name, "content": content, "is_error": asked.is_error}
    body = kept_json(said)
    return Step(
        type="tool_result",
        content=body,
        media_type=JSON,
        named=asked.evidence,
        mentioned=ids_in(body),
        fields={
            "author": "tool",
            "name": asked.name,
            "call": asked.call,
            "tokens": _tokens(said) if asked.tokens is None else asked.tokens,
            "masked": hidden,
            "details": {"is_error": asked.is_error},
        },
    )


def artifact(asked: ArtifactRequest) -> Step:
    """A file, byte for byte; a text with credentials in it is masked like a message.

    Raises:
        BadRequest: `base64` is none.
    """
    hidden = 0
    if asked.text is not None:
        text, hidden = masked(asked.text)
        body = str(text).encode()
    else:
        try:
            body = base64.b64decode(asked.base64 or "", validate=True)
        except ValueError as error:
            raise BadRequest(f"`base64` is not base64: {error}") from error
    return Step(
        type="artifact",
        content=body,
        media_type=asked.media_type,
        named=asked.evidence,
        mentioned=ids_in(body),
        fields={"name": asked.name, "masked": hidden},
    )


def kept_json(value: Any) -> bytes:
    """A JSON value as it is kept: exactly, or not at all.

    Raises:
        BadRequest: there is a number or a text in it that JSON has no place for.
    """
    if not _finite(value):
        raise BadRequest("NaN and infinity are no JSON: say them as text")
    try:
        return orjson.dumps(value)
    except TypeError as error:
        raise BadRequest(f"this cannot be kept as JSON: {error}") from error


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return all(map(_finite, inner))


def ids_in(body: bytes) -> tuple[str, ...]:
    """The whole ids that stand in a content, each once."""
    found = dict.fromkeys(match.group() for match in _IDS.finditer(body.decode("utf-8", "replace")))
    return tuple(ident for ident in list(found)[:MAX_FOUND] if is_id(ident))


def state_after(  # noqa: PLR0911 - a table of states
    state: SessionState, step: Step, *, pending: bool, in_run: bool
) -> SessionState:
    """The session's state once `step` has happened.

    `pending`: whether tool calls wait for results then; `in_run`: whether a run is under way then.
    """
    match step.type:
        case "run_completed":
            return "completed"
        case "run_failed":
            return "failed"
        case "run_cancelled" | "rolled_back":
            return "idle"
        case "approval_requested":
            return "awaiting_approval"
        case "run_started" | "approved" | "denied":
            return "awaiting_tool" if pending else "running"
        case "message" | "tool_result" | "agent_task" | "agent_message" | "agent_result" | "sealed":
            return "awaiting_tool" if pending else "running" if in_run else "idle"
        case _:
            return state


def _tokens(said: dict[str, Any]) -> int:
    return tokens.estimate(orjson.dumps(said.get("content", said)).decode())
