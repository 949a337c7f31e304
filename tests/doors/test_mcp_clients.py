"""MCP with other clients than the protocol's own."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.exceptions import ToolError

from tests.doors.standing import Standing
from tests.service.opened import TOLL
from tests.sites import Site


async def test_fastmcp_searches_fetches_and_is_told_of_a_failure(server: Standing, harbour: Site) -> None:
    transport = StreamableHttpTransport(server.url + "/mcp", headers={"Authorization": f"Bearer {server.key}"})
    async with Client(transport) as mcp:
        found = await mcp.call_tool("search", {"query": "toll swing bridge"})
        page = await mcp.call_tool("fetch", {"url": harbour.url("/ferry")})
        with pytest.raises(ToolError, match="has no text"):
            await mcp.call_tool("fetch", {"url": harbour.url("/void")})

    assert TOLL in found.content[0].text
    assert found.structured_content is not None
    assert found.structured_content["results"][0]["url"] == harbour.url("/bridge")
    assert "twelve crowns" in page.content[0].text


# What a host shows its model of a reply, as Claude Code 2.1.332, Codex 0.171.0 and Pi 1.6.0 do; `make agents` looks.


def claude_code(result: dict[str, Any]) -> str:
    """The structured form alone, as JSON; behind it what the host has to say."""
    shown = json.dumps(result["structuredContent"], ensure_ascii=False, separators=(",", ":"))
    return f"{shown}\n\n<system-reminder>\n<total_tokens>14999982 tokens left</total_tokens>\n</system-reminder>"


def codex(result: dict[str, Any], limit: int = 12_000) -> str:
    """The structured form alone behind a line of its own, else the text; beyond `limit` the middle is cut out."""
    structured = result.get("structuredContent")
    shown = json.dumps(structured, ensure_ascii=False, separators=(",", ":")) if structured else ""
    whole = f"Wall time: 0.4 seconds\nOutput:\n{shown}" if structured else f"Output:{result['content'][0]['text']}"
    if len(whole) <= limit:
        return whole
    return f"{whole[: limit // 2]}…{(len(whole) - limit) // 4} tokens truncated…{whole[-limit // 2 :]}"


def opencode(result: dict[str, Any]) -> str:
    """The text alone."""
    return str(result["content"][0]["text"])


def pi(result: dict[str, Any]) -> str:
    """The text alone; from more than 20 KB on the middle is cut out, and that is said before and behind."""
    text, limit = str(result["content"][0]["text"]), 20 * 1024
    if len(text.encode()) <= limit:
        return text
    half = limit // 2
    cut = text[:half] + f"…{len(text) - 2 * half} chars truncated…" + text[-half:]
    head = (
        f"Warning: truncated output (original token count: {len(text) // 4})\nTotal output lines: {text.count(chr(10))}"
    )
    return f"{head}\n\n{cut}\n\n[Full output: /tmp/pi-mcp-b98a24c5474bdb36.txt (read it with offset/limit)]"


def passages_in_text(shown: str) -> dict[str, str]:
    """The passages that stand whole in a text, by short id."""
    found = {}
    for line in shown.splitlines():
        identity = line[1:].partition("]")[0]
        if line.startswith("[") and len(identity) == 12 and f"\n[/{identity}]" in shown:
            start = shown.index(f"\n[{identity}] ") + 1
            found[identity] = shown[shown.index("\n", start) + 1 : shown.index(f"\n[/{identity}]", start)]
    return found


def passages_in_json(shown: str) -> dict[str, str]:
    """The passages that stand whole in JSON, by short id, wherever it was cut and whatever stands around it.

    A cut can join the beginning of one to the end of another: then its text is not as long as it says.
    """
    found, decoder = {}, json.JSONDecoder()
    for begin in re.finditer(r'\{"id":"[0-9a-f]{12}"', shown):
        with suppress(ValueError):
            passage, _ = decoder.raw_decode(shown, begin.start())
            if len(passage["text"]) == passage["end"] - passage["start"]:
                found[passage["id"]] = passage["text"]
    return found


HOSTS: list[Any] = [
    pytest.param(claude_code, passages_in_json, id="Claude Code"),
    pytest.param(partial(codex, limit=40_000), passages_in_json, id="Codex"),
    pytest.param(opencode, passages_in_text, id="OpenCode"),
    pytest.param(pi, passages_in_text, id="Pi"),
]


@pytest.mark.parametrize(("shows", "passages"), HOSTS)
@pytest.mark.parametrize("tool", ["search", "fetch"])
async def test_the_record_and_every_whole_passage_can_be_recovered_from_what_a_host_shows(
    server: Standing, harbour: Site, shows: Callable[..., str], passages: Callable[[str], dict[str, str]], tool: str
) -> None:
    arguments = {"query": "toll swing bridge"} if tool == "search" else {"url": harbour.url("/long")}
    result = await _call(server, tool, arguments)

    shown = shows(result)
    found = passages(shown)

    record = result["_meta"]["citator/record"]
    assert shown.count(record) == 2
    assert len(found) == sum(len(page["passages"]) for page in result["structuredContent"].get("results", []) or
                             [result["structuredContent"]])  # fmt: skip
    for identity, text in found.items():
        evidence = server.evidence(identity)
        assert json.loads(evidence)["text"] == text


@pytest.mark.parametrize(
    ("shows", "passages"),
    [pytest.param(codex, passages_in_json, id="Codex"), pytest.param(pi, passages_in_text, id="Pi")],
)
async def test_what_survives_when_the_middle_is_cut_is_told_from_what_does_not(
    server: Standing, harbour: Site, shows: Callable[..., str], passages: Callable[[str], dict[str, str]]
) -> None:
    result = await _call(server, "fetch", {"url": harbour.url("/long"), "max_tokens": 20_000})

    shown = shows(result)
    found = passages(shown)

    record = result["_meta"]["citator/record"]
    assert "truncated…" in shown
    assert re.findall(r"sha256:[0-9a-f]{64}", shown)[:: max(1, shown.count("sha256:") - 1)] == [record, record]
    assert 5 < len(found) < len(result["structuredContent"]["passages"])
    for identity, text in found.items():
        assert json.loads(server.evidence(identity))["text"] == text


async def _call(server: Standing, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A call as it goes over the wire."""
    transport = StreamableHttpTransport(server.url + "/mcp", headers={"Authorization": f"Bearer {server.key}"})
    async with Client(transport) as mcp:
        result = await mcp.call_tool_mcp(name, arguments)
    return dict(result.model_dump(mode="json", by_alias=True, exclude_none=True))
