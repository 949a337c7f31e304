"""What `citator connect` writes is used as the clients would use it."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.doors.standing import Standing
from tests.doors.test_clients_apart import CLIENTS
from tests.doors.test_mcp_http import text_of
from tests.service.opened import TOLL

pytestmark = pytest.mark.slow

CITATOR = str(Path(sys.executable).with_name("citator"))


def connect(server: Standing, home: Path, client: str, *options: str) -> None:
    env = {"PATH": f"{Path(CITATOR).parent}:/usr/bin:/bin", "HOME": str(home), "CITATOR_DATA": str(server.data)}
    command = [CITATOR, "connect", client, "--write", "--yes", "--directory", str(home), *options]
    subprocess.run(command, env=env, check=True, capture_output=True, timeout=60)


def entry(home: Path, client: str) -> dict[str, Any]:
    """The server as the client's file names it."""
    if client == "codex":
        return dict(tomllib.loads((home / ".codex/config.toml").read_text())["mcp_servers"]["citator"])
    path = {
        "claude-code": ".mcp.json",
        "pi": ".pi/mcp.json",
        "vscode": ".vscode/mcp.json",
        "cursor": ".cursor/mcp.json",
    }
    told = json.loads((home / path[client]).read_text())
    return dict(next(iter(servers for name, servers in told.items() if name != "inputs"))["citator"])


@pytest.mark.parametrize("client", ["claude-code", "codex", "pi", "vscode", "cursor"])
async def test_the_command_in_the_file_answers(server: Standing, tmp_path: Path, client: str) -> None:
    connect(server, tmp_path, client)
    told = entry(tmp_path, client)
    programs = {"PATH": f"{Path(CITATOR).parent}:/usr/bin:/bin", "HOME": str(tmp_path)}
    parameters = StdioServerParameters(command=told["command"], args=told["args"], env=programs | told["env"])

    async with Client(stdio_client(parameters)) as mcp:
        found = await mcp.call_tool("search", {"query": "toll swing bridge"})

    assert TOLL in text_of(found)


@pytest.mark.parametrize("client", ["claude-code", "pi", "cursor"])
async def test_the_address_in_the_file_answers(server: Standing, tmp_path: Path, client: str) -> None:
    connect(server, tmp_path, client, "--url", server.url)
    told = entry(tmp_path, client)
    filled = told["headers"]["Authorization"].replace("${CITATOR_KEY}", server.key)
    headers = {"Authorization": filled.replace("${env:CITATOR_KEY}", server.key)}

    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(told["url"], http_client=http)) as mcp,
    ):
        found = await mcp.call_tool("search", {"query": "toll swing bridge"})

    assert TOLL in text_of(found)


def test_open_webui_finds_search_and_loader_where_its_variables_say(server: Standing, tmp_path: Path) -> None:
    connect(server, tmp_path, "openwebui", "--url", server.url)
    told = dict(line.split("=", 1) for line in (tmp_path / "openwebui.env").read_text().splitlines())
    headers = {"Authorization": f"Bearer {told['EXTERNAL_WEB_SEARCH_API_KEY'].replace('${CITATOR_KEY}', server.key)}"}

    found = httpx2.post(told["EXTERNAL_WEB_SEARCH_URL"], json={"query": "toll bridge", "count": 1}, headers=headers)
    page = httpx2.post(told["EXTERNAL_WEB_LOADER_URL"], json={"urls": [found.json()[0]["link"]]}, headers=headers)

    assert TOLL in page.json()[0]["page_content"]


def test_langchains_module_gives_the_tools(server: Standing, tmp_path: Path) -> None:
    connect(server, tmp_path, "langchain")
    script = "import asyncio, citator_tools; print([t.name for t in asyncio.run(citator_tools.citator_tools())])"
    env = {"PATH": f"{Path(CITATOR).parent}:/usr/bin:/bin", "HOME": str(tmp_path)}

    ran = subprocess.run(
        [CLIENTS, "-W", "ignore", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip

    assert ran.stdout.strip() == "['search', 'fetch', 'get_evidence', 'recheck', 'check_citations']", ran.stderr
