"""How models are asked and how they answer: chat completions as many speak them, and Anthropic's messages. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import orjson

ModelForm = Literal["openai", "anthropic"]

MAX_OUTPUT: Final = 8_192
"""Tokens of one answer: the most that all current models give."""
MAX_CALLS: Final = 64  # tool calls of one answer: more is a model that has lost its way

ANTHROPIC_VERSION: Final = "2023-06-01"
"""The version of the API that this speaks."""


class BadAnswer(ValueError):
    """A model's answer has another shape than its API says."""


@dataclass(frozen=True)
class Answer:
    """What a model said: text, tool calls `{id, name, arguments}`, tokens as it counted them, why it stopped."""

    text: str
    calls: tuple[dict[str, Any], ...]
    tokens_in: int | None
    tokens_out: int | None
    stopped: str | None
    model: str | None


def path_of(form: ModelForm, base: str) -> str:
    """Where to ask below the path of the operator's address."""
    end = "/chat/completions" if form == "openai" else "/v1/messages"
    return base if base.endswith(end) else base + (end if form == "openai" or not base.endswith("/v1") else end[3:])


def headers_of(form: ModelForm, key: str | None) -> tuple[tuple[str, str], ...]:
    """The headers that carry the key."""
    if form == "anthropic":
        return (("anthropic-version", ANTHROPIC_VERSION), *((("x-api-key", key),) if key else ()))
    return (("Authorization", f"Bearer {key}"),) if key else ()


def body_of(
    form: ModelForm,
    model: str,
    context: Mapping[str, Any],
    tools: Sequence[Mapping[str, Any]],
    parameters: Mapping[str, Any] | None = None,
) -> bytes:
    """The request: the context as `formats` wrote it, our tools, and nothing kept at the other end."""
    asked: dict[str, Any] = dict(parameters or {}) | {"model": model, "stream": True} | dict(context)
    if form == "anthropic":
        asked = {"max_tokens": MAX_OUTPUT} | asked
        if not asked.get("system"):
            asked.pop("system", None)
    else:
        asked |= {"store": False, "stream_options": {"include_usage": True}}
    if tools:
        asked["tools"] = list(tools)
    return orjson.dumps(asked)


def answer_of(form: ModelForm, body: bytes) -> Answer:
    """What the model said.

    Raises:
        BadAnswer: it is no answer of this API.
    """
    try:
        told = orjson.loads(body)
        return _anthropic(told) if form == "anthropic" else _openai(told)
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise BadAnswer("the model's answer has another shape than its API says") from error


def _openai(told: Any) -> Answer:
    choice = told["choices"][0]
    said, usage = choice["message"], told.get("usage") or {}
    calls = [
        {
            "id": str(call["id"]),
            "name": str(call["function"]["name"]),
            "arguments": call["function"].get("arguments") or "{}",
        }
        for call in (said.get("tool_calls") or [])[:MAX_CALLS]
    ]
    return Answer(
        text=said.get("content") or "",
        calls=tuple(calls),
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
        stopped=choice.get("finish_reason"),
        model=told.get("model"),
    )


def _anthropic(told: Any) -> Answer:
    blocks, usage = told["content"], told.get("usage") or {}
    return Answer(
        text="\n".join(block["text"] for block in blocks if block["type"] == "text"),
        calls=tuple(
            {"id": str(block["id"]), "name": str(block["name"]), "arguments": dict(block["input"])}
            for block in blocks
            if block["type"] == "tool_use"
        )[:MAX_CALLS],
        tokens_in=_count(usage.get("input_tokens")),
        tokens_out=_count(usage.get("output_tokens")),
        stopped=told.get("stop_reason"),
        model=told.get("model"),
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def arguments_of(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """A call's arguments as an object; what is none is an empty one, which the tool then says is missing something."""
    arguments = call["arguments"]
    if isinstance(arguments, str):
        try:
            arguments = orjson.loads(arguments)
        except orjson.JSONDecodeError:
            return {}
    return arguments if isinstance(arguments, dict) else {}
