"""Tells formats of transcripts apart by their beginning. Pure."""

import re
from typing import Any, Final, Literal

from service.transcripts.lines import NO_JSON, parsed

Format = Literal[
    "pi", "codex", "claude-code", "openai-responses", "openai-chat", "chatgpt", "anthropic", "gemini", "open-webui",
    "langchain", "markdown",
]  # fmt: skip
FORMATS: Final[tuple[Format, ...]] = (
    "pi", "codex", "claude-code", "openai-responses", "openai-chat", "chatgpt", "anthropic", "gemini", "open-webui",
    "langchain", "markdown",
)  # fmt: skip

Shape = Literal["lines", "document", "text"]

LOOKED_AT: Final = 1024 * 1024
"""Bytes that are looked at: the first line of some formats holds a whole system prompt."""

LINES: Final = 40
"""Lines that are looked at."""


def _member(*names: str) -> re.Pattern[bytes]:
    """A member of one of these names; in a string its quotes would be escaped."""
    return re.compile(rb'(?<!\\)"(?:' + "|".join(names).encode() + rb')"\s*:')


def _typed(*kinds: str) -> re.Pattern[bytes]:
    return re.compile(rb'(?<!\\)"type"\s*:\s*"(?:' + "|".join(kinds).encode() + rb')"')


# Each format's marks, all of which it has; asked in this order, because some hold messages of others.
_MARKS: Final[tuple[tuple[Format, tuple[re.Pattern[bytes], ...]], ...]] = (
    ("chatgpt", (_member("mapping"), _member("author", "current_node", "children"))),
    ("open-webui", (_member("history"), _member("currentId"))),
    ("open-webui", (_member("chat"), _member("messages"), _member("parentId", "childrenIds", "models", "title"))),
    ("langchain", (_member("lc"), _member("kwargs"))),
    ("langchain", (_typed("human", "ai", "AIMessageChunk"), _member("content"))),
    ("gemini", (_member("candidates", "groundingMetadata", "previous_interaction_id", "cachedContent"),)),
    ("gemini", (_member("parts"), re.compile(rb'"role"\s*:\s*"(?:model|user|function)"'))),
    ("gemini", (_member("steps"), _typed("[a-z_]+"))),
    ("openai-responses", (re.compile(rb'(?<!\\)"object"\s*:\s*"response"'),)),
    (
        "openai-responses",
        (_typed("function_call_output", "web_search_call", "reasoning", "mcp_call", "file_search_call", "output_text",
                "input_text", "item_reference", "function_call"),),
    ),
    ("openai-responses", (_member("previous_response_id"),)),
    ("openai-chat", (_member("choices"),)),
    ("openai-chat", (_member("tool_calls", "tool_call_id"),)),
    (
        "anthropic",
        (_typed("tool_use", "tool_result", "server_tool_use", "web_search_tool_result", "thinking",
                "redacted_thinking", "mcp_tool_use", "web_fetch_tool_result", "web_search_result",
                "search_result_location"),),
    ),
    ("anthropic", (_member("stop_reason", "input_schema"),)),
    ("openai-responses", (_member("input"), _member("model"))),
    ("openai-chat", (_member("role"),)),
)  # fmt: skip


def detected(head: bytes) -> tuple[Format, Shape]:
    """Format and shape of a transcript that begins with `head`. What is no JSON is text."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] not in (b"{", b"["):
        lines = [line for line in start.split(b"\n", 3)[1:3] if line.lstrip()[:1] == b"{"]
        if not lines or all(parsed(line) is NO_JSON for line in lines):
            return "markdown", "text"  # and not lines of JSON of which the first is broken
    values, whole = _values(start)
    if start[:1] == b"[" and not (whole and isinstance(values[0], dict)):
        shape: Shape = "document"
    else:
        shape = "lines" if whole else "document"
    by_line = _of_lines(values) if shape == "lines" else None
    if by_line:
        return by_line, shape
    for found, marks in _MARKS:
        if all(mark.search(start) for mark in marks):
            return found, shape
    if not values and shape == "document" and start[:1] == b"[" and parsed(start) is NO_JSON and b'"' not in start[:40]:
        return "markdown", "text"  # a text that begins with a link
    return "openai-chat", shape


def _values(start: bytes) -> tuple[list[Any], bool]:
    """The values of the first lines, and whether the file is one of lines: one of the first is a whole object."""
    lines = [line for line in start.split(b"\n", LINES)[:LINES] if line.strip()]
    values = [value for value in map(parsed, lines) if isinstance(value, dict)]
    if not lines:
        return [], False
    first = parsed(lines[0])
    return values, isinstance(first, dict) or (first is NO_JSON and len(values) > 0 and len(lines[0].strip()) > 1)


def _of_lines(values: list[dict[str, Any]]) -> Format | None:
    """The format whose lines these are."""
    for value in values:
        kind, message = value.get("type"), value.get("message")
        if "payload" in value and isinstance(kind, str):
            return "codex"
        if kind == "session" and "version" in value:
            return "pi"
        if "uuid" in value or "sessionId" in value or "leafUuid" in value or "parentUuid" in value:
            return "claude-code"
        if kind == "message" and isinstance(message, dict) and "parentId" in value:
            return "pi"
    return None
