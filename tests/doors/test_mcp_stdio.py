"""MCP over stdin and stdout: the installed command, as agents start it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.doors.standing import Standing
from tests.doors.test_mcp_http import called_off, structured_of, text_of
from tests.service.opened import TOLL
from tests.sites import Route, Site, robots

pytestmark = pytest.mark.slow

BROKEN = Route(
    "/broken",
    200,
    (("Content-Type", "text/html; charset=bogus-8"),),
    "<html><p><table><tr><p>The toll<b></p></i>at <font>\x01 the &bogus; bridge",
)
COMMAND = [str(Path(sys.executable).with_name("citator")), "mcp"]


def environment(data: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(data), "CITATOR_DATA": str(data / "data"),
            "CITATOR_ALLOW_ADDRESSES": "127.0.0.0/8", "CITATOR_HOST_DELAY": "0"} | more  # fmt: skip


def conversation(*calls: Mapping[str, Any]) -> bytes:
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    said: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": first},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    for number, call in enumerate(calls, start=3):
        said.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call})
    return b"".join(json.dumps(one).encode() + b"\n" for one in said)


def piped(data: Path, said: bytes, *, until: int = 0, **settings: str) -> tuple[dict[Any, Any], str]:
    """The answers by id, and stderr. Every line on stdout has to be a message.

    With `until` the host stays until so many questions are answered; else it leaves when it has asked them.
    """
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=data,
        env=environment(data, **settings),
    )  # fmt: skip
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(said)
        process.stdin.flush()
        messages: list[dict[str, Any]] = []
        while sum("method" not in message for message in messages) < until:
            messages.append(json.loads(process.stdout.readline()))
        rest, errors = process.communicate(timeout=120)
    messages += [json.loads(line) for line in rest.splitlines()]
    assert process.returncode == 0
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    told = [message for message in messages if "method" not in message]
    answers = {message["id"]: message for message in told}
    assert len(answers) == len(told)
    return answers, errors.decode()


@pytest.mark.parametrize(
    "settings",
    [
        {"CITATOR_LOG_LEVEL": "debug", "PYTHONWARNINGS": "always", "PYTHONVERBOSE": ""},
        {"CITATOR_BUCKET": "s3://missing/bucket", "CITATOR_S3_ENDPOINT": "http://127.0.0.1:9"},
    ],
    ids=["talkative", "no bucket"],
)
def test_stdout_holds_the_protocol_alone_and_every_question_is_answered(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    with Site([robots(), BROKEN]) as site:
        calls = ({"name": "fetch", "arguments": {"url": site.url("/broken")}}, {"name": "nothing", "arguments": {}})
        answers, _ = piped(tmp_path, conversation(*calls), until=4, **settings)

    assert set(answers) == {1, 2, 3, 4}
    assert [tool["name"] for tool in answers[2]["result"]["tools"]] == [
        "search",
        "fetch",
        "get_evidence",
        "recheck",
        "check_citations",
    ]
    text = answers[3]["result"]["content"][0]["text"]
    assert ("The toll" in text) if "CITATOR_BUCKET" not in settings else text.startswith("The bucket")
    assert answers[4]["result"]["isError"] is True


def test_what_else_is_printed_in_the_process_and_its_children_goes_to_stderr(tmp_path: Path) -> None:
    script = (
        "import os, subprocess, sys\n"
        "from service.mcp_tools.wire import claim\n"
        "wire = claim()\n"
        "print('a library prints', flush=True)\n"
        "os.write(1, b'a browser writes\\n')\n"
        "subprocess.run(['echo', 'a child says'], check=True)\n"
        "assert sys.stdin.read() == ''\n"
        "wire.writing.write(b'{}\\n')\n"
    )

    done = subprocess.run([sys.executable, "-c", script], input=b"x\n", capture_output=True, check=True, timeout=60)

    assert done.stdout == b"{}\n"
    assert done.stderr == b"a library prints\na browser writes\na child says\n"


def test_half_a_surrogate_pair_does_not_silence_the_server(tmp_path: Path) -> None:
    said = conversation() + (
        b'{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "search", '
        b'"arguments": {"query": "\\ud83d toll"}}}\nno json at all\n'
        b'{"jsonrpc": "2.0", "id": 4, "method": "ping"}\n'
    )

    answers, _ = piped(tmp_path, said, until=4)

    assert "Half of a surrogate pair" in answers[3]["result"]["content"][0]["text"]
    assert answers[4]["result"] == {}


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
async def test_a_client_searches_fetches_and_fails_through_the_server_that_runs(
    server: Standing, harbour: Site, mode: str, tmp_path: Path
) -> None:
    env = environment(tmp_path) | {"CITATOR_DATA": str(server.data)}
    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=env)
    async with Client(stdio_client(parameters), mode=mode) as mcp:
        found = await mcp.call_tool("search", {"query": "toll swing bridge", "session": "s9"})
        page = await mcp.call_tool("fetch", {"url": harbour.url("/ferry")})
        failing = await mcp.call_tool("fetch", {"url": harbour.url("/void")})
    record = structured_of(found)["record"]

    assert TOLL in text_of(found)
    assert "twelve crowns" in text_of(page)
    assert failing.is_error
    served = server.served(record)
    assert (served.surface, served.session) == ("mcp", "s9")
    assert "mcp-client" in served.claims
    assert server.evidence(served.body).decode() == text_of(found)


async def test_a_long_page_and_many_calls_go_over_the_wire(tmp_path: Path, harbour: Site) -> None:
    calls = [{"name": "fetch", "arguments": {"url": harbour.url("/long"), "max_tokens": 100_000}}]
    calls += [{"name": "search", "arguments": {"query": f"wind {number}"}} for number in range(20)]

    answers, _ = piped(tmp_path, conversation(*calls), until=23)

    assert set(answers) == set(range(1, 24))
    structured = answers[3]["result"]["structuredContent"]
    assert structured["total"] > 100_000
    assert structured["end"] == structured["total"]
    assert not any(answers[number]["result"].get("isError") for number in range(3, 24))


def test_a_host_that_pipes_its_questions_in_and_leaves_gets_its_answers(tmp_path: Path) -> None:
    answers, _ = piped(tmp_path, conversation({"name": "nothing", "arguments": {}}))

    assert set(answers) == {1, 2, 3}
    assert answers[3]["result"]["isError"] is True


def test_a_call_that_runs_when_the_host_leaves_is_called_off_and_on_record(tmp_path: Path, harbour: Site) -> None:
    said = conversation({"name": "fetch", "arguments": {"url": harbour.url("/slow")}})

    answers, errors = piped(tmp_path, said)
    record = next(json.loads(line)["record"] for line in errors.splitlines() if '"called off"' in line)
    shown = subprocess.run(
        [COMMAND[0], "show", record], env=environment(tmp_path), capture_output=True, check=True, timeout=60
    )

    assert answers[3]["error"]["message"] == "Connection closed"
    assert json.loads(shown.stdout)["options"]["cancelled"] is True
    assert json.loads(shown.stdout)["kind"] == "fetch"


async def test_a_call_through_the_server_that_is_cancelled_is_called_off_there(
    server: Standing, harbour: Site, tmp_path: Path
) -> None:
    env = environment(tmp_path) | {"CITATOR_DATA": str(server.data)}
    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=env)
    url = harbour.url("/slow-too")
    async with Client(stdio_client(parameters), mode="legacy") as mcp:
        await mcp.call_tool("search", {"query": "toll"})
        with anyio.move_on_after(3.0) as scope:
            await mcp.call_tool("fetch", {"url": url, "max_age": 0})
        after = await mcp.call_tool("search", {"query": "toll swing bridge"})
        record = await called_off(server, url)

    assert scope.cancelled_caught
    assert TOLL in text_of(after)
    assert server.record(record).options["cancelled"] is True


async def test_a_server_elsewhere_is_reached_with_its_key(server: Standing, tmp_path: Path) -> None:
    def parameters(key: str) -> StdioServerParameters:
        env = environment(tmp_path) | {"CITATOR_URL": server.url, "CITATOR_KEY": key}
        return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=env)

    async with Client(stdio_client(parameters(server.made_key("search")))) as mcp:
        found = await mcp.call_tool("search", {"query": "toll swing bridge"})
        refused = await mcp.call_tool("get_evidence", {"id": structured_of(found)["record"]})
    async with Client(stdio_client(parameters("wrong"))) as mcp:
        unknown = await mcp.call_tool("search", {"query": "toll"})

    assert TOLL in text_of(found)
    assert "needs the scope read" in text_of(refused)
    assert "unknown or has been revoked" in text_of(unknown)
    assert not (tmp_path / "data").exists()
