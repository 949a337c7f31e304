"""Finds what only a provider can read or resolve. By type and key together, never by a key alone. Pure.

`signature`, `container` and `file_id` are ordinary names in the arguments and results of tools, so those are not looked
into, and elsewhere a key counts only on an object of a type (or beside members) where a provider puts it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from service.transcripts.events import Event, RemoteFile, Sealed, ServerHeld

Class = Literal["content", "signature", "server", "remote"]

MAX_VALUE: Final = 200
"""Characters of an id that are repeated; providers' ids have 20 to 100."""

NOT_ENTERED: Final = frozenset(
    {
        "arguments", "args", "input_schema", "parameters", "structuredContent", "structured_content", "toolUseResult",
        "details", "mcpMeta", "_meta", "artifact", "metadata", "result", "response", "output", "invocation",
    }
)  # fmt: skip
"""Members that hold what tools were given and gave back, or what nobody's format defines."""


@dataclass(frozen=True)
class _Rule:
    """`key` on an object whose `type` is one of `types`; with no types, on one that has a member of `beside`."""

    key: str
    found: Class
    types: frozenset[str] = frozenset()
    beside: frozenset[str] = field(default=frozenset())


def _types(key: str, found: Class, *types: str) -> _Rule:
    return _Rule(key, found, frozenset(types))


def _beside(key: str, found: Class, *members: str) -> _Rule:
    return _Rule(key, found, beside=frozenset(members))


_GEMINI_PART: Final = ("text", "functionCall", "function_call", "functionResponse", "thought", "inlineData", "fileData")
_TURN: Final = ("input", "output", "model", "object", "messages", "instructions")

_RULES: Final = (
    # sealed content
    _types(
        "encrypted_content", "content", "reasoning", "compaction", "compaction_summary", "context_compaction",
        "agent_message", "web_search_result", "web_fetch_result", "encrypted_content", "multi_agent_call",
        "multi_agent_call_output", "inter_agent_communication", "thinking", "redacted_thinking", "input_encrypted",
        "output_encrypted",
    ),
    _types("encrypted_index", "content", "web_search_result_location"),
    _types(
        "encrypted_stdout", "content", "code_execution_result", "bash_code_execution_result",
        "encrypted_code_execution_result",
    ),
    _types("encrypted_function_args", "content", "function_call", "custom_tool_call", "multi_agent_call"),
    _types("data", "content", "redacted_thinking"),
    _types("fingerprint", "content", "program"),
    _beside("sdkBlob", "content", "renderedContent"),
    _beside("sdk_blob", "content", "rendered_content"),
    # signatures
    _types("signature", "signature", "thinking", "thought", "google_search_call", "google_search_result",
           "url_context_call", "url_context_result", "code_execution_call", "code_execution_result", "function_call"),
    _types("thinkingSignature", "signature", "thinking"),
    _types("textSignature", "signature", "text"),
    _types("thoughtSignature", "signature", "toolCall", "thinking", "text"),
    _beside("thoughtSignature", "signature", *_GEMINI_PART),
    _beside("thought_signature", "signature", *_GEMINI_PART),
    # state at the provider
    _beside("previous_response_id", "server", *_TURN),
    _beside("conversation", "server", "output", "input"),
    _beside("previous_interaction_id", "server", "steps", "input", "outputs", "model", "agent"),
    _beside("environment_id", "server", "steps", "input", "outputs"),
    _beside("cachedContent", "server", "contents", "model", "generationConfig"),
    _beside("cached_content", "server", "contents", "model", "config"),
    # files and containers at the provider
    _types("file_id", "remote", "input_file", "input_image", "file_citation", "container_file_citation", "file_path",
           "container_upload", "file", "image_file", "code_execution_output", "bash_code_execution_output"),
    _types("file_ids", "remote", "code_interpreter", "auto"),
    _types("container_id", "remote", "code_interpreter_call", "container_file_citation", "shell_call"),
    _types("container", "remote", "code_interpreter"),
    _beside("container", "remote", *_TURN),
    _types("vector_store_ids", "remote", "file_search"),
    _types("vector_store_id", "remote", "file_search"),
    _types("file_search_store_names", "remote", "file_search"),
    _beside("fileSearchStoreNames", "remote", "metadataFilter", "topK"),
    _beside("file_search_store_names", "remote", "metadata_filter", "top_k"),
    _beside("fileUri", "remote", "mimeType"),
    _beside("file_uri", "remote", "mime_type"),
)  # fmt: skip

_BY_KEY: Final[dict[str, tuple[_Rule, ...]]] = {
    key: tuple(rule for rule in _RULES if rule.key == key) for key in {rule.key for rule in _RULES}
}

_ALONE: Final = frozenset({"fileSearch", "file_search"})
"""Gemini's tools are objects named by their one member."""


def opaque(value: Any, line: int) -> Iterator[Event]:
    """Every opaque item in `value`, a message or item of a provider's format."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        name, one = waiting.pop()
        if isinstance(one, list):
            waiting.extend((name, inner) for inner in one)
            continue
        if not isinstance(one, dict):
            continue
        kind = one.get("type")
        kind = kind if isinstance(kind, str) else ""
        for key, inner in one.items():
            rules = _BY_KEY.get(key)
            if rules and inner not in (None, "", [], {}) and any(_holds(rule, kind, one, name) for rule in rules):
                yield from _told(rules[0].found, ".".join(filter(None, (kind or name, key))), inner, line)
            elif key == "prompt" and isinstance(inner, dict) and isinstance(inner.get("id"), str):
                yield ServerHeld(line, "prompt.id", inner["id"][:MAX_VALUE])
            if key in NOT_ENTERED and not (key in ("output", "response", "result") and _is_items(inner)):
                continue
            if key == "input" and kind in ("tool_use", "server_tool_use", "mcp_tool_use", "custom_tool_call"):
                continue
            if isinstance(inner, dict | list):
                waiting.append((key, inner))


def _holds(rule: _Rule, kind: str, one: dict[str, Any], name: str) -> bool:
    if rule.types:
        return (kind or name) in rule.types
    if kind and rule.key not in ("container", "previous_response_id", "cachedContent"):
        return False
    return name in _ALONE or any(member in one for member in rule.beside)


def _is_items(value: Any) -> bool:
    """Whether this is a list of a provider's items and not something that a tool gave."""
    return isinstance(value, list) and any(isinstance(one, dict) and isinstance(one.get("type"), str) for one in value)


def _told(found: Class, where: str, value: Any, line: int) -> Iterator[Event]:
    values = value if isinstance(value, list) else [value]
    for one in values:
        text = one if isinstance(one, str) else str(one.get("id", "")) if isinstance(one, dict) else str(one)
        if found in ("content", "signature"):
            yield Sealed(line, "content" if found == "content" else "signature", where, len(text))
        elif found == "server":
            yield ServerHeld(line, where, text[:MAX_VALUE])
        elif text and text != "auto":
            yield RemoteFile(line, where, text[:MAX_VALUE])
