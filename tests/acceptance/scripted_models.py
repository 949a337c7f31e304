"""Endpoints of model providers that answer what they were told to, in the shapes of two APIs."""

import json
import zlib
from collections.abc import Sequence
from typing import Any

from tests.sites import Route

JSON_TYPE = ("Content-Type", "application/json")


def calling(name: str, **arguments: Any) -> dict[str, Any]:
    """A call of a tool."""
    return {"id": f"call-{name}-{zlib.crc32(json.dumps(arguments).encode())}", "name": name, "input": arguments}


def openai(text: str | None, *calls: dict[str, Any], model: str = "old-1") -> str:
    """An answer of a chat completions API."""
    told = [
        {"id": one["id"], "type": "function",
         "function": {"name": one["name"], "arguments": json.dumps(one["input"])}}
        for one in calls
    ]  # fmt: skip
    message = {"role": "assistant", "content": text} | ({"tool_calls": told} if told else {})
    choice = {"message": message, "finish_reason": "tool_calls" if told else "stop"}
    return json.dumps({"model": model, "choices": [choice], "usage": {"prompt_tokens": 50, "completion_tokens": 7}})


def anthropic(text: str | None, *calls: dict[str, Any], model: str = "new-1") -> str:
    """An answer of a messages API."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    blocks += [{"type": "tool_use"} | one for one in calls]
    usage = {"input_tokens": 60, "output_tokens": 9}
    return json.dumps({"model": model, "content": blocks, "stop_reason": "end_turn", "usage": usage})


def scripted(path: str, answers: Sequence[str]) -> list[Route]:
    """Routes that give one answer after the other, and the last one for ever."""
    last = len(answers)
    return [
        Route(path, 200, (JSON_TYPE,), answer, **({"hit": n} if n < last else {"hit_from": n}))
        for n, answer in enumerate(answers, start=1)
    ]
