"""Answers of models that come in pieces (server-sent events), read as they come. Pure.

An endpoint that does not know of streams answers whole; that is told by the answer's media type and read as before.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from service.sessions.models import Answer, BadAnswer, ModelForm, answer_of

EVENTS: Final = "text/event-stream"


def is_stream(headers: Mapping[str, str]) -> bool:
    """Whether an answer comes in pieces; header names are in lower case."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() == EVENTS


class AnswerStream:
    """One answer while it comes. `said` is told each piece of text."""

    def __init__(self, form: ModelForm, said: Callable[[str], None]) -> None:
        self._form = form
        self._said = said
        self._held = b""
        self._blocks: dict[int, dict[str, Any]] = {}
        self._usage: dict[str, Any] = {}
        self._head: dict[str, Any] = {}

    def take(self, piece: bytes) -> None:
        """The next bytes.

        Raises:
            BadAnswer: they are no events of this API, or tell of a fault.
        """
        *lines, self._held = (self._held + piece).replace(b"\r\n", b"\n").split(b"\n")
        for line in lines:
            data = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
            if not data or data == b"[DONE]":
                continue
            try:
                event = json.loads(data)
                self._anthropic(event) if self._form == "anthropic" else self._openai(event)
            except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
                raise BadAnswer("the model's answer has another shape than its API says") from error

    def whole(self) -> Answer:
        """The answer, once all of it has come. Raises BadAnswer."""
        if not self._head and not self._blocks:
            raise BadAnswer("the model's answer ended before it began")
        blocks = [self._blocks[place] for place in sorted(self._blocks)]
        if self._form == "anthropic":
            content = [
                one | {"input": json.loads(one.pop("json") or "{}")} if one["type"] == "tool_use" else one
                for one in blocks
                if one["type"] in {"text", "tool_use"}
            ]
            told = self._head | {"content": content, "usage": self._usage}
        else:
            text = "".join(one["text"] for one in blocks if one["type"] == "text")
            calls = [{"id": one["id"], "function": {"name": one["name"], "arguments": one["json"]}}
                     for one in blocks if one["type"] == "tool_use"]  # fmt: skip
            choice = {"message": {"content": text, "tool_calls": calls}, "finish_reason": self._head.get("stop_reason")}
            told = self._head | {"choices": [choice], "usage": self._usage}
        return answer_of(self._form, json.dumps(told).encode())

    def _text(self, place: int, text: str) -> None:
        block = self._blocks.setdefault(place, {"type": "text", "text": ""})
        block["text"] += text
        if text:
            self._said(text)

    def _openai(self, event: dict[str, Any]) -> None:
        if event.get("error"):
            raise BadAnswer(f"the model's endpoint broke off: {json.dumps(event['error'])[:300]}")
        self._head["model"] = event.get("model") or self._head.get("model")
        self._usage |= event.get("usage") or {}
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            self._text(-1, delta.get("content") or "")
            for call in delta.get("tool_calls") or ():
                place = int(call.get("index") or 0)
                block = self._blocks.setdefault(place, {"type": "tool_use", "id": "", "name": "", "json": ""})
                made = call.get("function") or {}
                block["id"] = call.get("id") or block["id"]
                block["name"] = made.get("name") or block["name"]
                block["json"] += made.get("arguments") or ""
            if choice.get("finish_reason"):
                self._head["stop_reason"] = choice["finish_reason"]

    def _anthropic(self, event: dict[str, Any]) -> None:
        match event["type"]:
            case "message_start":
                self._head["model"] = event["message"].get("model")
                self._usage |= event["message"].get("usage") or {}
            case "content_block_start":
                block = dict(event["content_block"])
                self._blocks[int(event["index"])] = block | ({"json": ""} if block["type"] == "tool_use" else {})
            case "content_block_delta":
                place, delta = int(event["index"]), event["delta"]
                if delta["type"] == "text_delta":
                    self._text(place, delta["text"])
                elif delta["type"] == "input_json_delta":
                    self._blocks[place]["json"] += delta["partial_json"]
            case "message_delta":
                self._head["stop_reason"] = event["delta"].get("stop_reason")
                self._usage |= event.get("usage") or {}
            case "error":
                raise BadAnswer(f"the model's endpoint broke off: {json.dumps(event.get('error'))[:300]}")
            case _:
                pass  # pings, ends of blocks, kinds to come
