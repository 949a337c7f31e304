"""A model's provider, played on loopback: it asks for tools by script, and keeps what it was shown of their replies.

Three APIs, as far as the agents that speak them need: Anthropic's messages (Claude Code), OpenAI's responses (Codex)
and chat completions (Pi). The script is a list of `(tool, arguments)`; after the last reply it says that it is done.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Call = tuple[str, dict[str, Any]]
DONE = "That is all."


@dataclass
class Model:
    """What was asked of the model. `shown` are the replies of tools as it was shown them, each once, in order."""

    url: str
    script: Sequence[Call]
    shown: dict[str, str] = field(default_factory=dict)
    offered: set[str] = field(default_factory=set)

    def next_call(self) -> tuple[str, str, dict[str, Any]] | None:
        """Number, name and arguments of the call that is due; None if all are answered."""
        done = len(self.shown)
        if done >= len(self.script):
            return None
        name, arguments = self.script[done]
        full = next((one for one in sorted(self.offered) if one.endswith(name)), name)
        return f"call_{done}", full, arguments


@contextmanager
def model(script: Sequence[Call]) -> Iterator[Model]:
    """The provider, while the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.model = Model(f"http://127.0.0.1:{server.server_address[1]}", script)  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.model  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            asked = json.loads(body)
        except ValueError:
            asked = {}
        played: Model = self.server.model  # type: ignore[attr-defined]
        path = self.path.partition("?")[0]
        if path.endswith("/messages") and "messages" in asked:
            self._events(_anthropic(played, asked), named=True)
        elif path.endswith("/responses"):
            self._events(_responses(played, asked), named=True)
        elif path.endswith("/chat/completions"):
            self._events([*_completions(played, asked)], named=False)
        else:
            self._json({"input_tokens": 10})

    def do_GET(self) -> None:
        self._json({"data": [], "models": []})

    def _json(self, value: Any) -> None:
        told = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def _events(self, events: Sequence[dict[str, Any]], *, named: bool) -> None:
        head = [f"event: {one['type']}\n" if named else "" for one in events]
        told = "".join(f"{first}data: {json.dumps(one)}\n\n" for first, one in zip(head, events, strict=True))
        told += "" if named else "data: [DONE]\n\n"
        data = told.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's name
        """Nothing: what matters is kept."""


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))


def _anthropic(played: Model, asked: dict[str, Any]) -> list[dict[str, Any]]:
    played.offered |= {tool["name"] for tool in asked.get("tools", [])}
    for message in asked["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else []:
            if part.get("type") == "tool_result":
                played.shown.setdefault(part["tool_use_id"], _text_of(part.get("content", "")))
    due = played.next_call() if asked.get("tools") else None
    first = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.get("model", "m"), "content": [],
             "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1}}  # fmt: skip
    if due is None:
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta: dict[str, Any] = {"type": "text_delta", "text": DONE}
    else:
        block = {"type": "tool_use", "id": due[0], "name": due[1], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(due[2])}
    ended = {"stop_reason": "end_turn" if due is None else "tool_use", "stop_sequence": None}
    return [
        {"type": "message_start", "message": first},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]


def _responses(played: Model, asked: dict[str, Any]) -> list[dict[str, Any]]:
    for tool in asked.get("tools", []):
        inner = [one["name"] for one in tool.get("tools", [])]
        played.offered |= {tool["name"]} if not inner and "name" in tool else {f"{tool['name']}{one}" for one in inner}
    for item in asked.get("input", []):
        if isinstance(item, dict) and item.get("type") == "function_call_output":
            played.shown.setdefault(item["call_id"], _text_of(item["output"]))
    due = played.next_call()
    if due is None:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": DONE, "annotations": []}]}  # fmt: skip
    else:
        item = {"type": "function_call", "id": f"fc_{due[0]}", "call_id": due[0], "name": due[1],
                "arguments": json.dumps(due[2]), "status": "completed"}  # fmt: skip
        for tool in asked.get("tools", []):
            if tool.get("type") == "namespace" and due[1].startswith(tool["name"]):
                item |= {"namespace": tool["name"], "name": due[1].removeprefix(tool["name"])}
    usage = {"input_tokens": 9, "input_tokens_details": None, "output_tokens": 9, "output_tokens_details": None,
             "total_tokens": 18}  # fmt: skip
    return [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
    ]


def _completions(played: Model, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    played.offered |= {tool["function"]["name"] for tool in asked.get("tools", [])}
    for message in asked.get("messages", []):
        if message["role"] == "tool":
            played.shown.setdefault(message["tool_call_id"], _text_of(message["content"]))
    due = played.next_call()
    if due is None:
        delta: dict[str, Any] = {"role": "assistant", "content": DONE}
    else:
        function = {"name": due[1], "arguments": json.dumps(due[2])}
        delta = {
            "role": "assistant",
            "tool_calls": [{"index": 0, "id": due[0], "type": "function", "function": function}],
        }
    whole = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": asked.get("model", "m")}
    yield whole | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield whole | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop" if due is None else "tool_calls"}]}
