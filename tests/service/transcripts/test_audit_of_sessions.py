"""What an audit says of what happened around the results: edits, branches, files, hosted search, sealed items."""

import io
import json
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.mcp_tools.calling import ToolsHere
from service.requests import RemovalRequest
from service.transcripts.auditing import audit
from tests.service.opened import HARBOUR, ME, captured, opened, searched
from tests.service.running import Shell
from tests.service.transcripts import making
from tests.service.transcripts.making import TIME, Exchange, document, lines
from tests.service.transcripts.trapped import HOSTED, REMOVING
from tests.sites import Site

QUERY = "when does the toll at the swing bridge end"


@pytest.fixture
async def actions(tmp_path: Path) -> AsyncIterator[Actions]:
    async with opened(tmp_path / "data") as behind:
        yield behind


@pytest.fixture
async def exchange(actions: Actions, site: Callable[..., Site]) -> Exchange:
    await captured(actions, site(*HARBOUR).url("/bridge"))
    reply = await ToolsHere(actions).call("search", {"query": QUERY}, ME)
    assert reply.structured is not None
    return Exchange(QUERY, reply.text, dict(reply.structured), reply.text)


async def audited(actions: Actions, transcript: bytes) -> dict[str, Any]:
    return await audit(actions, io.BytesIO(transcript), name="transcript")


def verdicts(report: dict[str, Any]) -> list[str]:
    return [one["verdict"] for one in report["results"]]


def result(report: dict[str, Any], test: str) -> str:
    return str(next(one["result"] for one in report["tests"] if one["test"] == test))


def counted(report: dict[str, Any], test: str) -> dict[str, tuple[int, list[int]]]:
    found = next(one["findings"] for one in report["tests"] if one["test"] == test)
    return {one["what"]: (one["count"], one["lines"]) for one in found}


@pytest.mark.slow
@pytest.mark.parametrize("how", REMOVING)
async def test_what_the_model_lost_from_sight_is_told_with_what_took_it(
    actions: Actions, exchange: Exchange, how: str
) -> None:
    report = await audited(actions, REMOVING[how](exchange))

    assert [(one["verdict"], one["compared"]) for one in report["results"]] == [("later_removed", "exact")]
    assert report["results"][0]["removed_by"]["line"] > report["results"][0]["line"]
    assert report["holds"]


async def test_what_a_compaction_keeps_is_not_lost(actions: Actions, exchange: Exchange) -> None:
    kept = {"type": "compaction", "id": "e5", "parentId": "e4", "summary": "x", "firstKeptEntryId": "e2"}
    history = [{"type": "function_call_output", "call_id": "c1", "output": exchange.text}]
    compacted = {"timestamp": TIME, "type": "compacted", "payload": {"message": "x", "replacement_history": history}}

    pi = await audited(actions, lines([*making.pi_lines(exchange), kept]))
    codex = await audited(actions, lines([*making.codex_lines(exchange), compacted]))

    assert verdicts(pi) == verdicts(codex) == ["exact"]


async def test_what_was_altered_stays_altered_when_it_is_removed_later(actions: Actions, exchange: Exchange) -> None:
    changed = exchange.showing(making.other_word(exchange.text))

    report = await audited(actions, REMOVING["pi context edit"](changed))

    assert verdicts(report) == ["altered"]
    assert not report["holds"]


async def test_a_branch_that_was_left_is_told_apart_from_the_conversation(actions: Actions, exchange: Exchange) -> None:
    other = {
        "type": "message",
        "id": "e9",
        "parentId": "e1",
        "timestamp": TIME,
        "message": {"role": "assistant", "provider": "p", "model": "m", "content": []},
    }

    report = await audited(actions, lines([*making.pi_lines(exchange), other]))

    assert [one.get("branch") for one in report["results"]] == ["other"]


async def test_passages_that_survive_a_cut_are_named(actions: Actions, exchange: Exchange) -> None:
    cut = making.cut_in_the_middle(exchange.text, "\n…{gone} chars truncated…\n", kept=0.5)

    report = await audited(actions, making.pi(exchange.showing(cut)))
    record = json.loads((await actions.evidence(exchange.record)).body)
    shown = {one["id"] for result in record["results"] for one in result["passages"]}

    assert verdicts(report) == ["partial"]
    parts = report["results"][0]["passages"]
    assert set(parts["whole"]) | set(parts["lost"]) == shown
    assert parts["lost"]


async def test_a_file_that_holds_the_whole_result_and_was_read_later_is_told(
    actions: Actions, exchange: Exchange
) -> None:
    spilled = making.claude_lines(exchange.showing(making.persisted(exchange.text)))
    read = {"type": "tool_use", "id": "c2", "name": "Read", "input": {"file_path": "/tmp/tool-results/c1.txt"}}
    reading = {
        "type": "assistant",
        "uuid": "u9",
        "parentUuid": "u4",
        "sessionId": "s1",
        "message": {"role": "assistant", "model": "m", "content": [read]},
    }

    report = await audited(actions, lines([*spilled, reading]))

    assert report["results"][0]["spill"] == {"file": "/tmp/tool-results/c1.txt", "read_at_line": 5}


async def test_the_fuller_copy_in_an_event_log_is_compared_apart(actions: Actions, exchange: Exchange) -> None:
    cut = exchange.showing(making.cut_in_the_middle(exchange.text, "…{gone} tokens truncated…"))
    copy = {
        "timestamp": TIME,
        "type": "event_msg",
        "payload": {
            "type": "mcp_tool_call_end",
            "call_id": "c1",
            "invocation": {"server": "citator", "tool": "search"},
            "result": {
                "Ok": {"content": [{"type": "text", "text": exchange.text}], "structuredContent": exchange.structured}
            },
        },
    }

    report = await audited(actions, lines([*making.codex_lines(cut), copy]))

    assert [(one["verdict"], one["copy"]) for one in report["results"]] == [("partial", "exact")]


async def test_a_result_without_an_id_is_found_by_its_bytes_or_offered_by_words_and_time(
    actions: Actions, exchange: Exchange
) -> None:
    reply = await searched(actions, QUERY)
    body = (await actions.evidence(reply["record"], view="reply")).body.decode()
    now = json.loads((await actions.evidence(reply["record"])).body)["retrieved_at"]
    lost = making.pi_lines(exchange.showing("The toll ends on Friday."))
    for entry in lost:
        entry["timestamp"] = now

    whole = await audited(actions, making.openai_chat(exchange.showing(body)))
    other = await audited(actions, lines(lost))

    assert verdicts(whole) == ["exact"]
    assert verdicts(other) == ["unreferenced"]
    assert reply["record"] in other["results"][0]["candidates"]


async def test_the_output_of_a_shell_that_shows_part_of_a_reply_is_not_called_altered(
    actions: Actions, exchange: Exchange
) -> None:
    part = exchange.showing(exchange.text[:200])
    entries = [json.loads(json.dumps(one).replace(making.TOOL, "bash")) for one in making.pi_lines(part)]

    report = await audited(actions, lines(entries))

    assert verdicts(report) == ["unreferenced"]
    assert report["holds"]


async def test_pieces_of_a_page_that_a_client_hands_on_are_found_in_the_capture(
    actions: Actions, site: Callable[..., Site]
) -> None:
    page = await captured(actions, site(*HARBOUR).url("/bridge"))

    def chat(piece: str) -> bytes:
        source = {"source": {"name": "bridge"}, "document": [piece], "metadata": [{"capture": page["capture"]}]}
        answer = {"id": "a", "parentId": None, "role": "assistant", "content": "Friday.", "sources": [source]}
        return document(
            {"title": "t", "chat": {"history": {"messages": {"a": answer}, "currentId": "a"}, "messages": []}}
        )

    same = await audited(actions, chat("The toll at the swing bridge ends on Friday."))
    other = await audited(actions, chat("The toll at the swing bridge ends on Sunday."))

    assert (verdicts(same), verdicts(other)) == (["partial"], ["unreferenced"])
    assert same["results"][0]["record"] == page["capture"]


async def test_what_was_removed_here_since_is_neither_proven_nor_called_wrong(
    actions: Actions, exchange: Exchange
) -> None:
    url = exchange.structured["results"][0]["url"]
    await actions.remove(RemovalRequest(url=url), ME)

    report = await audited(actions, making.pi(exchange))

    assert verdicts(report) == ["removed"]
    assert report["holds"]
    assert "removed here since" in report["summary"]


async def test_calls_made_inside_scripts_are_told_because_their_results_are_nowhere(
    actions: Actions, exchange: Exchange
) -> None:
    nested = {
        "calls": [{"id": "n1", "name": making.TOOL, "arguments": {"query": QUERY}, "status": "ok"}],
        "complete": True,
    }
    now = json.loads((await actions.evidence(exchange.record)).body)["retrieved_at"]
    script = making.pi_lines(exchange.showing("done"), nestedCalls=nested)

    report = await audited(actions, lines([one | {"timestamp": now} for one in script]))

    assert verdicts(report) == ["unreferenced", "unreferenced"]
    assert counted(report, "inspect")["calls made inside scripts"] == (1, [4])
    assert report["results"][1]["candidates"]


@pytest.mark.parametrize("provider", HOSTED)
async def test_hosted_searches_are_what_they_are(actions: Actions, provider: str) -> None:
    value, expected = HOSTED[provider]

    report = await audited(actions, document(value) if provider != "claude code" else lines([value]))

    assert verdicts(report) == expected
    assert report["holds"]
    assert result(report, "replay") == ("holds" if provider == "anthropic fetch" else "partly")


async def test_the_redirects_of_groundings_are_told_to_expire(actions: Actions) -> None:
    report = await audited(actions, document(HOSTED["gemini"][0]))

    assert counted(report, "export")["expiring addresses"][0] >= 1


async def test_what_lies_with_providers_is_told_with_how_long_and_which_call_deletes_it(actions: Actions) -> None:
    response = {
        "id": "resp_7",
        "object": "response",
        "model": "m",
        "previous_response_id": "resp_6",
        "conversation": {"id": "conv_1"},
        "prompt": {"id": "pmpt_1", "version": "2"},
        "tools": [{"type": "file_search", "vector_store_ids": ["vs_1"]}],
        "output": [
            {
                "type": "message",
                "role": "assistant",
                "content": [
                    {
                        "type": "output_text",
                        "text": "x",
                        "annotations": [
                            {"type": "container_file_citation", "container_id": "cntr_1", "file_id": "cfile_1"}
                        ],
                    }
                ],
            }
        ],
    }
    gemini = {
        "model": "m",
        "cachedContent": "cachedContents/abc",
        "contents": [{"role": "user", "parts": [{"fileData": {"fileUri": "files/xyz", "mimeType": "text/plain"}}]}],
    }

    first = await audited(actions, document(response))
    second = await audited(actions, document(gemini))

    calls = {one["id"]: one["delete"] for one in first["copies"] + second["copies"]}
    assert calls == {
        "resp_7": "DELETE /v1/responses/resp_7",
        "resp_6": "DELETE /v1/responses/resp_6",
        "conv_1": "DELETE /v1/conversations/conv_1",
        "pmpt_1": "in the dashboard; there is no call",
        "vs_1": "DELETE /v1/vector_stores/vs_1",
        "cntr_1": "DELETE /v1/containers/cntr_1",
        "cfile_1": "DELETE /v1/files/cfile_1",
        "cachedContents/abc": "DELETE /v1beta/cachedContents/abc",
        "files/xyz": "DELETE /v1beta/files/xyz",
    }
    assert all(one["kept"] and one["as_of"] for one in first["copies"])
    assert result(first, "delete") == result(second, "export") == "partly"


async def test_a_citation_in_our_own_form_that_names_nothing_does_not_hold(
    actions: Actions, exchange: Exchange
) -> None:
    known = f"The toll ends on Friday (Notice, http://a.test/, retrieved 2026-11-29 [{exchange.record[7:19]}])."
    unknown = "It never does (Notice, http://a.test/, retrieved 2026-11-29 [ffffffffffff]). See commit [abcdefabcdef]."

    report = await audited(actions, f"# Report\n\n{known}\n\n{unknown}\n".encode())

    assert report["file"]["format"] == "markdown"
    assert not report["holds"]
    assert report["cited_unknown"] == [{"id": "ffffffffffff", "line": 5}]
    assert report["counts"]["cited ids that are kept"] == 1


async def test_lines_that_cannot_be_read_are_told_and_the_rest_goes_on(actions: Actions, exchange: Exchange) -> None:
    good = making.pi(exchange).splitlines(keepends=True)
    gigantic = b'{"type":"custom","data":"' + b"x" * (17 * 1024 * 1024) + b'"}\n'
    deep = b'{"type":"custom","data":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    odd = [
        b"{broken\n",
        b"[1,2]\n",
        b"7\n",
        b"\x00\xff\xfe\n",
        b'{"type":"toolResult","message":7}\n',
        b'{"type":"message"}\n',
        b'{"type":"message","message":{"role":"toolResult","content":7,"details":[]}}\n',
        b'{"type":"invented"}\n',
    ]

    report = await audited(actions, b"".join([good[0], gigantic, *odd, deep, *good[1:]]))

    assert "exact" in verdicts(report)
    assert {one["line"] for one in report["unread"]} == {2, 3, 6, 11}
    assert report["unread"][0]["bytes"] > 17 * 1024 * 1024
    assert {"invented", "toolResult"} <= {one["what"] for one in report["unknown_kinds"]}
    assert report["holds"]


@pytest.mark.slow
async def test_a_large_transcript_takes_no_more_memory_than_a_small_one(actions: Actions, exchange: Exchange) -> None:
    class Long:
        """A hundred thousand lines, made as they are read."""

        def __init__(self) -> None:
            self.left, self.held = 40_000, b"".join(making.pi(exchange).splitlines(keepends=True)[:1])

        def read(self, size: int, /) -> bytes:
            while len(self.held) < size and self.left:
                self.left -= 1
                self.held += b'{"type":"message","id":"m%d","message":{"role":"user","content":"%s"}}\n' % (
                    self.left,
                    b"word " * 500,
                )
            given, self.held = self.held[:size], self.held[size:]
            return given

    import tracemalloc

    tracemalloc.start()
    report = await audit(actions, Long(), name="long")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert report["file"]["bytes"] > 100_000_000
    assert peak < 40_000_000


@pytest.mark.slow
def test_the_command_says_it_with_its_exit_status_and_writes_a_page(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data")
    page = tmp_path / "page.html"
    page.write_text("<title>Tide table</title><p>High water at the northern pier is at four in the afternoon.</p>")
    assert shell("add", str(page), "--url", "https://tides.example/today", "--json").status == 0
    reply = shell("search", "high water", "--json").stdout.decode()
    chat = tmp_path / "chat.json"
    one = Exchange("high water", reply, json.loads(reply), reply)
    chat.write_bytes(making.openai_chat(one))

    good = shell("audit", str(chat), "--json")
    chat.write_bytes(making.openai_chat(one.showing(reply.replace("four", "five"))))
    wrong = shell("audit", str(chat), "--html", str(tmp_path / "audit.html"))
    stdin = shell("audit", "-", "--json", given=making.openai_chat(one))

    assert (good.status, good.json["holds"], stdin.json["holds"]) == (0, True, True)
    assert verdicts(good.json) == ["exact"]
    assert wrong.status == 1
    assert b"altered" in wrong.stdout
    assert "differ from what was served" in (tmp_path / "audit.html").read_text()
    assert shell("audit", str(tmp_path / "none")).status == 2
    assert shell("audit", str(chat), "--format", "telepathy").status == 2
    assert sys.getsizeof(good.stdout) < 100_000
