"""MCP over HTTP, with the protocol's own client in each of its ages."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import jsonschema
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent, TextResourceContents

from snapshots import Fetch, Search
from tests.doors.standing import Standing
from tests.service.opened import TOLL
from tests.sites import Site

AGES = ["auto", "legacy", "2026-07-28"]


@asynccontextmanager
async def client(
    server: Standing, path: str = "/mcp", *, key: str | None = None, mode: str = "auto", **headers: str
) -> AsyncIterator[Client]:
    sent = {"Authorization": f"Bearer {key or server.key}", **headers}
    async with (
        httpx2.AsyncClient(headers=sent, timeout=60) as http,
        Client(streamable_http_client(server.url + path, http_client=http), mode=mode) as connected,
    ):
        yield connected


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def structured_of(result: CallToolResult) -> dict[str, Any]:
    assert result.structured_content is not None
    return result.structured_content


@pytest.mark.parametrize("mode", AGES)
async def test_a_search_a_fetch_and_a_failure(server: Standing, harbour: Site, mode: str) -> None:
    async with client(server, mode=mode) as mcp:
        tools = {tool.name: tool for tool in (await mcp.list_tools()).tools}
        found = await mcp.call_tool("search", {"query": "toll swing bridge"})
        page = await mcp.call_tool("fetch", {"url": harbour.url("/ferry")})
        failing = await mcp.call_tool("fetch", {"url": harbour.url("/void")})
        unknown = await mcp.call_tool("no_such_tool", {})

    assert list(tools) == ["search", "fetch", "get_evidence", "recheck", "check_citations"]
    for name, result in (("search", found), ("fetch", page)):
        assert not result.is_error
        jsonschema.validate(result.structured_content, tools[name].output_schema or {})
    assert TOLL in text_of(found)
    assert "twelve crowns" in text_of(page)
    assert failing.is_error
    assert "The page came and has no text." in text_of(failing)
    assert unknown.is_error
    assert "there are search, fetch, get_evidence, recheck, check_citations" in text_of(unknown)


async def test_both_forms_begin_and_end_with_the_record_and_are_kept(server: Standing) -> None:
    async with client(server) as mcp:
        result = await mcp.call_tool("search", {"query": "toll swing bridge"})
    text, structured = text_of(result), structured_of(result)
    record = structured["record"]
    lines = text.splitlines()

    assert lines[0] == lines[-1] == f"Citator record {record}"
    assert (next(iter(structured)), list(structured)[-1]) == ("record", "end_record")
    assert structured["end_record"] == record
    assert result.meta is not None
    assert result.meta["citator/record"] == record
    served = server.served(record)
    assert (served.surface, served.media_type) == ("mcp", "text/plain; charset=utf-8")
    assert server.evidence(served.body).decode() == text
    assert served.structured is not None
    kept = server.evidence(served.structured)
    assert json.loads(kept) == structured
    assert list(json.loads(kept)) == list(structured)


async def test_a_failed_fetch_is_on_record_too(server: Standing, harbour: Site) -> None:
    async with client(server) as mcp:
        failing = await mcp.call_tool("fetch", {"url": harbour.url("/private")})
    text = text_of(failing)
    record = text.splitlines()[0].removeprefix("Citator record ")

    assert text.splitlines()[-1] == f"Citator record {record}"
    assert "robots.txt" in text
    assert isinstance(server.record(record), Fetch)
    (served,) = server.servings(record)
    assert server.evidence(served.body).decode() == text


async def test_a_passage_is_shown_by_its_short_id_word_for_word(server: Standing) -> None:
    async with client(server) as mcp:
        found = structured_of(await mcp.call_tool("search", {"query": "toll swing bridge"}))
        passage = found["results"][0]["passages"][0]
        shown = structured_of(await mcp.call_tool("get_evidence", {"id": passage["id"]}))
        context = structured_of(await mcp.call_tool("get_evidence", {"id": found["record"], "view": "context"}))
        nothing = await mcp.call_tool("get_evidence", {"id": "0" * 64})

    assert json.loads(shown["text"])["text"] == passage["text"]
    assert shown["record"].startswith(f"sha256:{passage['id']}")
    assert passage["text"] in context["text"]
    assert nothing.is_error
    assert "Nothing is kept under this id" in text_of(nothing)
    assert len(server.servings(found["record"])) >= 2


async def test_a_cited_passage_is_checked_again_and_an_answer_against_its_sources(server: Standing) -> None:
    async with client(server) as mcp:
        found = structured_of(await mcp.call_tool("search", {"query": "toll swing bridge"}))
        passage = found["results"][0]["passages"][0]
        again = await mcp.call_tool("recheck", {"ids": [passage["id"]]})
        words = " ".join(passage["text"].split()[:12])
        answer = f'It says "{words}" [{passage["id"]}] and "The moon is made of cheese and of nothing else at all."'
        checked = await mcp.call_tool("check_citations", {"text": answer})
        nothing = await mcp.call_tool("recheck", {})

    told, text = structured_of(again), text_of(again)
    assert told["holds"] is True
    assert told["results"][0]["passages"][0]["id"] == passage["id"]
    assert text.splitlines()[0] == text.splitlines()[-1] == f"Citator record {told['record']}"
    (served,) = server.servings(told["record"])
    assert server.evidence(served.body).decode() == text
    citations = structured_of(checked)
    assert citations["holds"] is False
    assert {one["verdict"] for one in citations["citations"]} == {"supported", "not_in_evidence"}
    assert "NOT all are borne out" in text_of(checked)
    assert nothing.is_error


async def test_a_long_page_is_read_to_its_end_in_pieces_of_16_kilobytes(server: Standing, harbour: Site) -> None:
    pieces: list[dict[str, Any]] = []
    async with client(server) as mcp:
        start = 0
        while start is not None:
            result = await mcp.call_tool("fetch", {"url": harbour.url("/long"), "start": start})
            pieces.append(structured_of(result))
            assert len(text_of(result).encode()) <= 16_000
            assert len(json.dumps(pieces[-1], ensure_ascii=False, separators=(",", ":")).encode()) <= 16_000
            start = pieces[-1].get("next_start")

    whole = server.evidence(pieces[0]["capture"], "text").decode()
    passages = [passage for piece in pieces for passage in piece["passages"]]
    assert len(whole) > 100_000
    assert len({piece["capture"] for piece in pieces}) == 1
    assert [passage["text"] for passage in passages] == [whole[one["start"] : one["end"]] for one in passages]
    assert "".join("".join(one["text"] for one in passages).split()) == "".join(whole.split())
    assert [piece["end"] for piece in pieces[:-1]] == [piece["start"] for piece in pieces[1:]]
    for piece in pieces:
        record = server.record(piece["record"])
        assert (record.start, record.end, record.total) == (piece["start"], piece["end"], len(whole))


async def test_arguments_are_taken_where_their_meaning_is_plain(server: Standing) -> None:
    async with client(server) as mcp:
        found = structured_of(
            await mcp.call_tool(
                "search",
                {"q": "harbour notice", "max_results": "1", "max_tokens": None, "include_domains": "127.0.0.1,",
                 "language": "", "colour": "red"},
            )
        )  # fmt: skip
        many = structured_of(await mcp.call_tool("search", {"query": "harbour", "max_results": 5000.0}))
        wrong = await mcp.call_tool("search", {"query": "toll", "max_results": "many"})
        missing = await mcp.call_tool("fetch", {})

    assert len(found["results"]) == 1
    assert found["notes"][0] == "search has no colour: left aside."
    assert "max_results was 5000 and was taken as 20." in many["notes"]
    assert (wrong.is_error, missing.is_error) == (True, True)
    assert "max_results is a whole number, not 'many'" in text_of(wrong)
    assert "fetch needs url: The address of the page." in text_of(missing)
    assert server.record(found["record"]).options["door"] == {"tool": "search", "ignored": ["colour"]}


async def test_half_a_surrogate_pair_is_answered_and_said(server: Standing) -> None:
    message = (
        '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", '
        '"params": {"name": "search", "arguments": {"query": "toll \\ud83d bridge"}}}'
    )
    headers = {
        "Authorization": f"Bearer {server.key}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    async with httpx2.AsyncClient(base_url=server.url, headers=headers, timeout=60) as http:
        opened = await http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": first})
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        await http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session)
        answer = await http.post("/mcp", content=message.encode(), headers=session)
    told = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")][-1]

    assert told["id"] == 7
    assert "Half of a surrogate pair in the arguments was read as U+FFFD." in told["result"]["content"][0]["text"]
    assert server.served(told["result"]["_meta"]["citator/record"]).session == session["mcp-session-id"]


async def test_twenty_calls_at_once_are_each_answered_and_kept(server: Standing, harbour: Site) -> None:
    async with client(server) as mcp:
        calls = [mcp.call_tool("search", {"query": f"toll bridge {number}"}) for number in range(10)]
        calls += [mcp.call_tool("fetch", {"url": harbour.url("/ferry"), "max_age": 3600}) for _ in range(10)]
        results = await asyncio.gather(*calls)

    records = {structured_of(result)["record"] for result in results}
    assert len(records) == 20
    assert all(server.servings(record) for record in records)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_cancelled_call_leaves_a_record_and_the_next_is_answered(
    server: Standing, harbour: Site, mode: str
) -> None:
    async with client(server, mode=mode) as mcp:
        with anyio.move_on_after(2.0) as scope:
            await mcp.call_tool("fetch", {"url": harbour.url("/slow"), "max_age": 0})
        after = await mcp.call_tool("search", {"query": "toll swing bridge"})
        record_id = await called_off(server, harbour.url("/slow"))

    assert scope.cancelled_caught
    assert TOLL in text_of(after)
    record = server.record(record_id)
    assert isinstance(record, Fetch)
    assert record.options["cancelled"] is True
    assert server.actions.parts.archive.capture(record.capture).reason == "cancelled"


async def called_off(server: Standing, url: str) -> str:
    """The record of the newest call for `url` that was called off; it may take a moment to be written."""
    for _ in range(100):
        rows = server.actions.parts.archive.catalogue.captures(url, limit=1)
        if rows and rows[0].outcome == "error":
            naming = server.actions.parts.archive.dependents(rows[0].id)
            return naming[-1].id
        await asyncio.sleep(0.1)
    raise AssertionError("nothing is on record")


async def test_a_client_that_hangs_up_leaves_the_server_as_it_was(server: Standing, harbour: Site) -> None:
    async with client(server) as mcp:
        calling = asyncio.ensure_future(mcp.call_tool("fetch", {"url": harbour.url("/slow"), "max_age": 0}))
        await asyncio.sleep(0.3)
        calling.cancel()
    async with client(server) as mcp:
        again = await mcp.call_tool("search", {"query": "toll swing bridge"})

    assert not again.is_error


async def test_a_running_call_says_so(server: Standing, harbour: Site) -> None:
    told: list[float] = []

    async def progress(done: float, _total: float | None, _message: str | None) -> None:
        told.append(done)

    async with client(server) as mcp:
        await mcp.call_tool("fetch", {"url": harbour.url("/ferry"), "max_age": 0}, progress_callback=progress)

    assert told[0] == 0
    assert told == sorted(set(told))


async def test_resources_are_the_exact_bytes(server: Standing) -> None:
    async with client(server) as mcp:
        templates = (await mcp.list_resource_templates()).resource_templates
        found = structured_of(await mcp.call_tool("search", {"query": "toll swing bridge"}))
        (record,) = (await mcp.read_resource("evidence://" + found["record"].replace(":", "-"))).contents
        (passage,) = (await mcp.read_resource("evidence://" + found["results"][0]["passages"][0]["id"])).contents
        with pytest.raises(MCPError, match="Nothing is kept"):
            await mcp.read_resource("evidence://" + "0" * 64)

    assert [template.uri_template for template in templates] == ["evidence://{id}"]
    assert isinstance(record, TextResourceContents)
    assert isinstance(passage, TextResourceContents)
    assert record.text.encode() == server.evidence(found["record"])
    assert isinstance(server.record(found["record"]), Search)
    assert json.loads(passage.text)["kind"] == "passage"


async def test_the_structured_form_can_be_left_out(server: Standing) -> None:
    async with client(server, "/mcp?structured=0") as mcp:
        tools = (await mcp.list_tools()).tools
        result = await mcp.call_tool("search", {"query": "toll swing bridge"})
    record = text_of(result).splitlines()[0].removeprefix("Citator record ")

    assert all(tool.output_schema is None for tool in tools)
    assert result.structured_content is None
    assert TOLL in text_of(result)
    assert server.served(record).structured is None


async def test_the_client_and_its_session_are_kept_as_claims(server: Standing) -> None:
    async with client(server, **{"X-Session-Id": "study-4"}) as mcp:
        said = structured_of(await mcp.call_tool("search", {"query": "toll"}))
        told = structured_of(await mcp.call_tool("search", {"query": "toll", "session": "my own"}))

    assert server.served(said["record"]).session == "study-4"
    assert "mcp-client" in server.served(said["record"]).claims
    assert server.served(told["record"]).session == "my own"


async def test_a_key_calls_only_what_its_scopes_cover(server: Standing, harbour: Site) -> None:
    async with client(server, key=server.made_key("search")) as mcp:
        found = await mcp.call_tool("search", {"query": "toll"})
        fetched = await mcp.call_tool("fetch", {"url": harbour.url("/ferry")})
        with pytest.raises(MCPError, match="scope read"):
            await mcp.read_resource("evidence://" + "0" * 64)

    assert not found.is_error
    assert fetched.is_error
    assert "needs the scope fetch" in text_of(fetched)


async def test_without_a_key_nothing_is_answered_and_nothing_invites_to_sign_in(server: Standing) -> None:
    async with httpx2.AsyncClient(base_url=server.url) as http:
        refused = await http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        known = await http.get("/.well-known/oauth-protected-resource/mcp")

    assert (refused.status_code, refused.json()["error"]["code"]) == (401, -32001)
    assert known.status_code == 404


async def test_a_session_belongs_to_its_key(server: Standing) -> None:
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    accept = {"Accept": "application/json, text/event-stream"}
    mine = accept | {"Authorization": f"Bearer {server.key}"}
    other = accept | {"Authorization": f"Bearer {server.made_key('search')}"}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    async with httpx2.AsyncClient(base_url=server.url) as http:
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": first}
        opened = await http.post("/mcp", json=begin, headers=mine)
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        allowed = await http.post("/mcp", json=ping, headers=mine | session)
        refused = await http.post("/mcp", json=ping, headers=other | session)

    assert (allowed.status_code, refused.status_code) == (200, 404)


async def test_deep_research_gets_ids_and_then_whole_pages(server: Standing, harbour: Site) -> None:
    async with client(server, "/mcp/openai") as mcp:
        tools = {tool.name: tool for tool in (await mcp.list_tools()).tools}
        found = await mcp.call_tool("search", {"query": "toll swing bridge"})
        results = json.loads(text_of(found))["results"]
        page = await mcp.call_tool("fetch", {"id": results[0]["id"]})
        failing = await mcp.call_tool("fetch", {"id": "0" * 64})
    document = json.loads(text_of(page))

    assert {name: list(tool.input_schema["properties"]) for name, tool in tools.items()} == {
        "search": ["query"],
        "fetch": ["id"],
    }
    assert {"id", "title", "url"} == set(results[0])
    assert (document["url"], document["id"]) == (harbour.url("/bridge"), results[0]["id"])
    assert document["text"] == server.evidence(results[0]["id"], "text").decode()
    assert found.structured_content is None
    assert failing.is_error


async def test_own_code_calls_the_tools_with_what_a_model_asked_for(server: Standing) -> None:
    headers = {"Authorization": f"Bearer {server.key}"}
    async with httpx2.AsyncClient(base_url=server.url + "/api/v1", headers=headers, timeout=60) as http:
        defined = (await http.get("/tools", params={"format": "openai"})).json()["tools"]
        called = (await http.post("/tools/search", json={"arguments": {"query": "toll swing bridge"}})).json()
        wrong = (await http.post("/tools/search", json={"arguments": {}})).json()

    assert [tool["name"] for tool in defined] == ["search", "fetch", "get_evidence", "recheck", "check_citations"]
    assert TOLL in called["text"]
    assert called["structured"]["record"] == called["record"]
    assert server.servings(called["record"])[0].surface == "tools"
    assert (wrong["is_error"], wrong["record"]) == (True, None)
