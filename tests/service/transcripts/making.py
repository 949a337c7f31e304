"""Makes transcripts of every format out of one exchange with a tool. Nothing in them was ever said by anybody."""

import html
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

TIME = "2026-11-29T19:28:36.000Z"
TOOL = "mcp__citator__search"


@dataclass(frozen=True)
class Exchange:
    """A call of a tool and what it gave: `shown` is what the client says that the model got."""

    query: str
    text: str
    structured: dict[str, Any]
    shown: str

    @property
    def record(self) -> str:
        return str(self.structured["record"])

    def showing(self, shown: str) -> "Exchange":
        return replace(self, shown=shown)


def lines(values: Sequence[Any]) -> bytes:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()


def document(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode()


def pi_lines(one: Exchange, **result: Any) -> list[dict[str, Any]]:
    call = {"type": "toolCall", "id": "c1", "name": TOOL, "arguments": {"query": one.query}}
    given = {
        "role": "toolResult",
        "toolCallId": "c1",
        "toolName": TOOL,
        "content": [{"type": "text", "text": one.shown}],
        "details": {"server": "citator", "tool": "search"},
        "isError": False,
    }
    return [
        {"type": "session", "version": 3, "id": "s1", "timestamp": TIME, "cwd": "/"},
        {
            "type": "message",
            "id": "e1",
            "parentId": None,
            "timestamp": TIME,
            "message": {"role": "user", "content": "When does the toll end?"},
        },
        {
            "type": "message",
            "id": "e2",
            "parentId": "e1",
            "timestamp": TIME,
            "message": {"role": "assistant", "provider": "p", "model": "m", "content": [call]},
        },
        {"type": "message", "id": "e3", "parentId": "e2", "timestamp": TIME, "message": given | result},
        {
            "type": "message",
            "id": "e4",
            "parentId": "e3",
            "timestamp": TIME,
            "message": {
                "role": "assistant",
                "provider": "p",
                "model": "m",
                "content": [{"type": "text", "text": "Friday."}],
            },
        },
    ]


def pi(one: Exchange) -> bytes:
    return lines(pi_lines(one))


def codex_lines(one: Exchange) -> list[dict[str, Any]]:
    return [
        {"timestamp": TIME, "type": "session_meta", "payload": {"id": "s1"}},
        {"timestamp": TIME, "type": "turn_context", "payload": {"model": "m"}},
        {
            "timestamp": TIME,
            "type": "response_item",
            "payload": {
                "type": "function_call",
                "name": TOOL,
                "arguments": json.dumps({"query": one.query}),
                "call_id": "c1",
            },
        },
        {
            "timestamp": TIME,
            "type": "response_item",
            "payload": {"type": "function_call_output", "call_id": "c1", "output": one.shown},
        },
        {
            "timestamp": TIME,
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Friday."}],
            },
        },
    ]


def codex(one: Exchange) -> bytes:
    return lines(codex_lines(one))


def claude_lines(one: Exchange, **beside: Any) -> list[dict[str, Any]]:
    around = {"sessionId": "s1", "timestamp": TIME, "version": "2.1.290", "cwd": "/", "isSidechain": False}
    use = {"type": "tool_use", "id": "c1", "name": TOOL, "input": {"query": one.query}}
    given = {"type": "tool_result", "tool_use_id": "c1", "content": one.shown}
    return [
        {"type": "user", "uuid": "u1", "parentUuid": None, "message": {"role": "user", "content": "When?"}} | around,
        {
            "type": "assistant",
            "uuid": "u2",
            "parentUuid": "u1",
            "message": {"role": "assistant", "model": "m", "content": [use]},
        }
        | around,
        {"type": "user", "uuid": "u3", "parentUuid": "u2", "message": {"role": "user", "content": [given]}}
        | beside
        | around,
        {
            "type": "assistant",
            "uuid": "u4",
            "parentUuid": "u3",
            "message": {"role": "assistant", "model": "m", "content": [{"type": "text", "text": "Friday."}]},
        }
        | around,
    ]


def claude_code(one: Exchange) -> bytes:
    return lines(claude_lines(one))


def openai_responses(one: Exchange) -> bytes:
    return document(
        {
            "id": "resp_2",
            "object": "response",
            "model": "m",
            "store": False,
            "output": [
                {"type": "function_call", "call_id": "c1", "name": TOOL, "arguments": json.dumps({"query": one.query})},
                {"type": "function_call_output", "call_id": "c1", "output": one.shown},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Friday."}]},
            ],
        }
    )


def openai_chat(one: Exchange) -> bytes:
    call = {"id": "c1", "type": "function", "function": {"name": TOOL, "arguments": json.dumps({"query": one.query})}}
    return document(
        {
            "model": "m",
            "messages": [
                {"role": "user", "content": "When?"},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": one.shown},
                {"role": "assistant", "content": "Friday."},
            ],
        }
    )


def anthropic(one: Exchange) -> bytes:
    return document(
        {
            "model": "m",
            "messages": [
                {"role": "user", "content": "When?"},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "c1", "name": TOOL, "input": {"query": one.query}}],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": one.shown}]}
                    ],
                },
                {"role": "assistant", "content": [{"type": "text", "text": "Friday."}]},
            ],
        }
    )


def gemini(one: Exchange) -> bytes:
    return document(
        {
            "model": "m",
            "contents": [
                {"role": "user", "parts": [{"text": "When?"}]},
                {
                    "role": "model",
                    "parts": [{"functionCall": {"id": "c1", "name": TOOL, "args": {"query": one.query}}}],
                },
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"id": "c1", "name": TOOL, "response": {"result": one.shown}}}],
                },
                {"role": "model", "parts": [{"text": "Friday."}]},
            ],
        }
    )


def gemini_interactions(one: Exchange) -> bytes:
    return document(
        {
            "id": "int_1",
            "model": "m",
            "store": False,
            "steps": [
                {"type": "user_input", "content": [{"type": "text", "text": "When?"}]},
                {"type": "function_call", "id": "c1", "name": TOOL, "arguments": {"query": one.query}},
                {"type": "function_result", "call_id": "c1", "name": TOOL, "result": one.shown},
                {"type": "model_output", "content": [{"type": "text", "text": "Friday."}]},
            ],
        }
    )


def open_webui(one: Exchange) -> bytes:
    def attribute(value: str) -> str:
        return html.escape(json.dumps(value, ensure_ascii=False))

    arguments = attribute(json.dumps({"query": one.query}))
    answer = (
        f'<details type="tool_calls" done="true" id="c1" name="{TOOL}" arguments="{arguments}" '
        f'result="{attribute(one.shown)}" files="">\n<summary>Tool Executed</summary>\n</details>\nFriday.'
    )
    messages = {
        "a": {
            "id": "a",
            "parentId": None,
            "childrenIds": ["b"],
            "role": "user",
            "content": "When?",
            "timestamp": 1764444516,
        },
        "b": {"id": "b", "parentId": "a", "childrenIds": [], "role": "assistant", "content": answer, "model": "m"},
    }
    chat = {
        "title": "Toll",
        "models": ["m"],
        "history": {"messages": messages, "currentId": "b"},
        "messages": list(messages.values()),
    }
    return document([{"id": "1", "title": "Toll", "chat": chat}])


def langchain(one: Exchange) -> bytes:
    return document(
        [
            {"type": "human", "data": {"content": "When?", "type": "human"}},
            {
                "type": "ai",
                "data": {
                    "content": "",
                    "type": "ai",
                    "response_metadata": {"model_name": "m"},
                    "tool_calls": [{"name": TOOL, "args": {"query": one.query}, "id": "c1"}],
                },
            },
            {"type": "tool", "data": {"content": one.shown, "type": "tool", "name": TOOL, "tool_call_id": "c1"}},
            {"type": "ai", "data": {"content": "Friday.", "type": "ai"}},
        ]
    )


def langchain_dumped(one: Exchange) -> bytes:
    def dumped(name: str, **fields: Any) -> dict[str, Any]:
        return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": fields}

    call = {"name": TOOL, "args": {"query": one.query}, "id": "c1"}
    return document(
        {
            "messages": [
                dumped("HumanMessage", content="When?"),
                dumped("AIMessage", content="", tool_calls=[call]),
                dumped("ToolMessage", content=one.shown, tool_call_id="c1"),
                dumped("AIMessage", content="Friday."),
            ]
        }
    )


MAKERS: dict[str, tuple[str, Callable[[Exchange], bytes]]] = {
    "pi": ("pi", pi),
    "codex": ("codex", codex),
    "claude code": ("claude-code", claude_code),
    "openai responses": ("openai-responses", openai_responses),
    "openai chat": ("openai-chat", openai_chat),
    "anthropic": ("anthropic", anthropic),
    "gemini": ("gemini", gemini),
    "gemini interactions": ("gemini", gemini_interactions),
    "open webui": ("open-webui", open_webui),
    "langchain": ("langchain", langchain),
    "langchain dumped": ("langchain", langchain_dumped),
}


def cut_in_the_middle(text: str, marker: str, *, kept: float = 0.6) -> str:
    side = int(len(text) * kept / 2)
    gone = len(text) - 2 * side
    return text[:side] + marker.format(gone=gone) + text[-side:]


def other_word(text: str) -> str:
    assert "Friday" in text
    return text.replace("Friday", "Sunday")


def other_record(text: str, record: str) -> str:
    return text.replace(record, "sha256:" + "0" * 64)


def persisted(text: str) -> str:
    return (
        "<persisted-output>\nOutput too large (50.1KB). Full output saved to: /tmp/tool-results/c1.txt\n\n"
        f"Preview (first 2KB):\n{text[:400]}\n...\n</persisted-output>"
    )


TOO_LARGE = (
    "Error: result (70,123 characters) exceeds maximum allowed tokens. Output has been saved to /tmp/c1.txt.\n"
    "Citator record "
)


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


Trap = tuple[str, Callable[[Exchange], str], str]

TRAPS: tuple[Trap, ...] = (
    ("as text", lambda one: one.text, "exact"),
    ("as structured content", lambda one: compact(one.structured), "exact"),
    ("as indented structured content", lambda one: json.dumps(one.structured, ensure_ascii=False, indent=2), "exact"),
    ("members in another order", lambda one: json.dumps(one.structured, sort_keys=True), "exact"),
    ("behind a wall time", lambda one: "Wall time: 0.42 seconds\nOutput:\n" + one.text, "exact_after_client_wrapper"),
    (
        "as a call result",
        lambda one: json.dumps({"content": [{"type": "text", "text": one.text}], "isError": False}),
        "exact_after_client_wrapper",
    ),
    ("as a list of blocks", lambda one: json.dumps([{"type": "text", "text": one.text}]), "exact_after_client_wrapper"),
    ("with space around it", lambda one: f"\n{one.text}\n\n", "exact_after_client_wrapper"),
    ("cut in the middle", lambda one: cut_in_the_middle(one.text, "\n…{gone} chars truncated…\n"), "partial"),
    (
        "cut in the middle within a line",
        lambda one: cut_in_the_middle(one.text, "…{gone} tokens truncated…"),
        "partial",
    ),
    (
        "wrapped and cut",
        lambda one: (
            "Wall time: 1.0 seconds\nOutput:\n" + cut_in_the_middle(compact(one.structured), "…{gone} chars truncated…")
        ),
        "partial",
    ),
    ("put into a file", lambda one: persisted(one.text), "spilled"),
    ("too large and nothing shown", lambda one: TOO_LARGE + one.record, "spilled"),
    ("one word changed", lambda one: other_word(one.text), "altered"),
    ("one word changed in JSON", lambda one: other_word(json.dumps(one.structured)), "altered"),
    (
        "changed beside a cut",
        lambda one: other_word(cut_in_the_middle(one.text, "…{gone} chars truncated…", kept=0.9)),
        "altered",
    ),
    ("something added", lambda one: one.text + "\nAlso, the toll was never paid.", "altered"),
    ("broken off without a word", lambda one: one.text[: len(one.text) // 2], "altered"),
    ("a preview that was changed", lambda one: persisted(one.text.replace("Search:", "Sought:")), "altered"),
    ("a record that nobody has", lambda one: other_record(one.text, one.record), "unknown_hash"),
    ("no record at all", lambda _: "The toll at the swing bridge ends on Friday, says a page.", "unreferenced"),
)
