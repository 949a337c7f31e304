"""A context in the form that each provider's API takes. Pure; the forms are those of the public API references."""

import json
from typing import Any, Final, Literal

from service.sessions.context import Context, Said, as_json, text_of

Format = Literal["openai", "responses", "anthropic", "gemini"]

_OPENAI_ROLES: Final = {"user": "user", "assistant": "assistant", "system": "system", "developer": "developer"}


def formatted(found: Context, form: Format) -> dict[str, Any]:
    """The context as the members of a request: `messages`, `input` or `contents`, and the system text where it goes."""
    match form:
        case "openai":
            head = [{"role": "system", "content": found.system}] if found.system else []
            return {"messages": head + [one for said in found.messages for one in _openai(said)]}
        case "responses":
            items = [one for said in found.messages for one in _responses(said)]
            return {"instructions": found.system, "input": items, "store": False}
        case "anthropic":
            return {"system": found.system or "", "messages": _alternating(found.messages, _anthropic)}
        case "gemini":
            contents = [
                {"role": "model" if one["role"] == "assistant" else "user", "parts": one["content"]}
                for one in _alternating(found.messages, _gemini)
            ]
            instruction = {"system_instruction": {"parts": [{"text": found.system}]}} if found.system else {}
            return instruction | {"contents": contents}


def _named(said: Said) -> str:
    """The text with who says it, where that is more than a role."""
    return f"{said.author}: {said.text}" if said.author else said.text


def _arguments(call: Any) -> str:
    arguments = call.get("arguments", {})
    return arguments if isinstance(arguments, str) else as_json(arguments)


def _object(call: Any) -> Any:
    """A call's arguments as an object; what is no JSON object stands under `arguments`."""
    arguments = call.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return {"arguments": arguments}
    return arguments if isinstance(arguments, dict) else {"arguments": arguments}


def _openai(said: Said) -> list[dict[str, Any]]:
    if said.sealed is not None:
        data = said.sealed["data"]
        return [data] if isinstance(data, dict) and "role" in data else []
    if said.call is not None:
        return [{"role": "tool", "tool_call_id": said.call, "content": said.text}]
    made: dict[str, Any] = {"role": _OPENAI_ROLES.get(said.role, "user"), "content": _named(said) or None}
    if said.calls:
        made["tool_calls"] = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": _arguments(call)}}
            for call in said.calls
        ]
    return [made]


def _responses(said: Said) -> list[dict[str, Any]]:
    if said.sealed is not None:
        return [said.sealed["data"]]
    if said.call is not None:
        return [{"type": "function_call_output", "call_id": said.call, "output": said.text}]
    kind = "output_text" if said.role == "assistant" else "input_text"
    role = _OPENAI_ROLES.get(said.role, "user")
    text = _named(said)
    made: list[dict[str, Any]] = []
    if text:
        made.append({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
    made += [
        {"type": "function_call", "call_id": call["id"], "name": call["name"], "arguments": _arguments(call)}
        for call in said.calls
    ]
    return made


def _anthropic(said: Said) -> tuple[str, list[dict[str, Any]]]:
    if said.sealed is not None:
        return "assistant", [said.sealed["data"]]
    if said.call is not None:
        result = {"type": "tool_result", "tool_use_id": said.call, "content": text_of(said.content)}
        return "user", [result | ({"is_error": True} if said.is_error else {})]
    text = _named(said)
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []
    blocks += [
        {"type": "tool_use", "id": call["id"], "name": call["name"], "input": _object(call)} for call in said.calls
    ]
    return ("assistant" if said.role == "assistant" else "user"), blocks


def _gemini(said: Said) -> tuple[str, list[dict[str, Any]]]:
    if said.sealed is not None:
        return "assistant", [said.sealed["data"]]
    if said.call is not None:
        answer = {"error" if said.is_error else "result": said.text}
        return "user", [{"functionResponse": {"id": said.call, "name": said.name or "tool", "response": answer}}]
    text = _named(said)
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    parts += [{"functionCall": {"id": call["id"], "name": call["name"], "args": _object(call)}} for call in said.calls]
    return ("assistant" if said.role == "assistant" else "user"), parts


def _alternating(messages: tuple[Said, ...], form: Any) -> list[dict[str, Any]]:
    """Messages of one role after another joined into one: both APIs want turns."""
    made: list[dict[str, Any]] = []
    for said in messages:
        role, blocks = form(said)
        if not blocks:
            continue
        if made and made[-1]["role"] == role:
            made[-1]["content"] += blocks
        else:
            made.append({"role": role, "content": list(blocks)})
    return made
