"""Items of OpenAI's Responses API, which Codex writes too. Hosted search has addresses at most, never page text."""

from collections.abc import Iterator
from typing import Any, Final

from service.transcripts.blocks import cited, json_bytes, json_text, listed, members, name, strings, texts
from service.transcripts.events import (
    BetweenAgents,
    Called,
    Event,
    HostedSearch,
    Replaced,
    Resulted,
    Role,
    Said,
    Unknown,
)
from service.transcripts.opaque import opaque

_CALLS: Final = frozenset({"function_call", "custom_tool_call", "tool_search_call"})
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output",
                             "tool_search_call_output", "local_shell_call_output", "shell_call_output",
                             "apply_patch_call_output", "computer_call_output", "program_output"})  # fmt: skip
_COMPACTIONS: Final = frozenset({"compaction", "compaction_summary", "context_compaction"})
_OTHER_CALLS: Final = frozenset({"local_shell_call", "shell_call", "apply_patch_call", "computer_call", "program"})
_QUIET: Final = frozenset(
    {"reasoning", "mcp_list_tools", "item_reference", "image_generation_call", "mcp_approval_request",
     "mcp_approval_response", "code_interpreter_call", "ghost_snapshot", "compaction_trigger", "other"}
)  # fmt: skip
_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


def item_events(item: dict[str, Any], line: int, *, told: bool = True) -> Iterator[Event]:
    """The events of one item of a response, of an input, or of a rollout. Not `told`: only what is opaque in it."""
    if told:
        yield from _item(item, line)
    yield from opaque(item, line)


def _item(item: dict[str, Any], line: int) -> Iterator[Event]:  # noqa: C901 - a table of kinds
    kind = item.get("type", "message" if "role" in item else None)
    match kind:
        case "message":
            content = item.get("content")
            blocks = content if isinstance(content, list) else []
            sources = [one for block in blocks if isinstance(block, dict) for one in cited(block.get("annotations"))]
            yield Said(line, _ROLES.get(str(item.get("role")), "other"), texts(content), tuple(sources))
        case _ if kind in _CALLS:
            arguments = item.get("arguments", item.get("input"))
            tool = "__".join(part for part in (name(item.get("namespace")), name(item.get("name"))) if part)
            yield Called(line, name(item.get("call_id")), tool or str(kind), json_text(arguments))
        case _ if kind in _OTHER_CALLS:
            given = item.get("action", item.get("operation", item.get("code")))
            yield Called(line, name(item.get("call_id", item.get("id"))), str(kind), json_text(given))
        case _ if kind in _OUTPUTS:
            yield _output(item, line)
        case "mcp_call":
            tool = f"mcp__{item.get('server_label')}__{item.get('name')}"[:300]
            yield Called(line, name(item.get("id")), tool, json_text(item.get("arguments")))
            if item.get("output") is not None or item.get("error") is not None:
                given = item.get("output") if item.get("output") is not None else json_text(item.get("error"))
                yield Resulted(line, name(item.get("id")), tool, texts(given), error=bool(item.get("error")))
        case "web_search_call":
            yield _hosted(item, line)
        case "file_search_call":
            found = tuple(
                str(one["text"]) for one in listed(item.get("results")) if isinstance(one, dict) and one.get("text")
            )
            yield HostedSearch(line, "file_search_call", strings(item.get("queries")), text=bool(found))
        case _ if kind in _COMPACTIONS:
            yield Replaced(line, str(kind), "before", readable="encrypted_content" not in item)
        case "agent_message" | "multi_agent_call" | "multi_agent_call_output":
            readable = bool(texts(item.get("content", item.get("output"))))
            yield BetweenAgents(line, name(item.get("author")), name(item.get("recipient")), readable)
        case _ if kind in _QUIET:
            return
        case _:
            yield Unknown(line, str(kind)[:100])


def _output(item: dict[str, Any], line: int) -> Resulted:
    """The output of a call; older ones are objects that hold it."""
    output = item.get("output")
    if isinstance(output, dict):
        inner = output.get("content", output.get("output"))
        structured = json_bytes(output.get("structuredContent", output.get("structured_content")))
        blocks = texts(inner) or (json_text(output),)
        error = output.get("success") is False
        return Resulted(line, name(item.get("call_id")), None, blocks, structured, error=error)
    return Resulted(line, name(item.get("call_id")), None, texts(output))


def _hosted(item: dict[str, Any], line: int) -> HostedSearch:
    action = members(item.get("action"))
    sources = [one.get("url") for one in listed(action.get("sources")) if isinstance(one, dict)]
    results = [one for one in listed(item.get("results")) if isinstance(one, dict)]
    urls = strings([action.get("url"), *sources, *(one.get("url") for one in results)])
    queries = (*strings(action.get("query")), *strings(action.get("queries")))
    text = any(one.get("text") or one.get("snippet") for one in results)
    kind = f"web_search_call.{action.get('type')}" if name(action.get("type")) else "web_search_call"
    return HostedSearch(line, kind, tuple(dict.fromkeys(queries)), tuple(dict.fromkeys(urls)), text=text)
