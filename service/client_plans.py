"""What has to stand in which file of a client so that it uses Citator, and nothing else, for the web. Pure.

Where a client can start a command, it starts `citator mcp`: that finds the server of the data directory by its socket,
so no key has to be kept anywhere. With an address, it speaks HTTP and takes its key from the environment.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final, Literal

KEY: Final = "CITATOR_KEY"
"""The environment variable in which clients that speak HTTP find their key."""

NAME: Final = "citator"

Form = Literal["json", "toml", "env", "text"]


@dataclass(frozen=True)
class FilePlan:
    """One file: where it is (below the project, or below home after `~/`), and what must be in it."""

    path: str
    form: Form
    content: Mapping[str, Any] | str


@dataclass(frozen=True)
class Plan:
    """Everything for one client. `notes` are what a person has to know or do besides."""

    client: str
    title: str
    files: tuple[FilePlan, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Where:
    """How a client reaches Citator: by an address, or by starting a command with an environment."""

    url: str | None
    command: str
    env: Mapping[str, str] = field(default_factory=dict)
    listen: str = "http://127.0.0.1:8787"

    @property
    def address(self) -> str:
        """The server's address, for clients that know nothing else."""
        return (self.url or self.listen).rstrip("/")

    def started(self) -> dict[str, Any]:
        """An MCP server that the client starts."""
        return {"command": self.command, "args": ["mcp"], "env": dict(self.env)}

    def reached(self, key: str) -> dict[str, Any]:
        """An MCP server that the client reaches; `key` is how it names a variable of its environment."""
        return {"url": self.address + "/mcp", "headers": {"Authorization": f"Bearer {key}"}}


_SERVE: Final = "Keep `citator serve` running: what is on this machine goes through it, without a key."
_KEY: Final = f"Put a key (`citator keys create NAME --scope search --scope fetch --scope read`) into {KEY}."


def claude_code(where: Where) -> Plan:
    """Claude Code, in the project's files."""
    server = where.started() if where.url is None else {"type": "http"} | where.reached(f"${{{KEY}}}")
    server |= {"alwaysLoad": True}
    rules = {"allow": [f"mcp__{NAME}"], "deny": ["WebSearch", "WebFetch"]}
    return Plan(
        "claude-code",
        "Claude Code",
        (
            FilePlan(".mcp.json", "json", {"mcpServers": {NAME: server}}),
            FilePlan(".claude/settings.json", "json", {"permissions": rules}),
        ),
        (
            _SERVE if where.url is None else _KEY,
            "The first `claude` in this folder asks whether to trust it and to use the server: say yes to both.",
            "The tools are always loaded: else the model sees them only if it searches for tools.",
            "WebSearch and WebFetch are denied: one leaves addresses without text, the other a summary.",
            "The model sees the structured form; the transcript keeps both, and the record's id in `mcpMeta`.",
        ),
    )


def codex(where: Where) -> Plan:
    """Codex, in its one file."""
    if where.url is None:
        server: dict[str, Any] = where.started()
    else:
        server = {"url": where.address + "/mcp", "bearer_token_env_var": KEY}
    server |= {"required": True, "startup_timeout_sec": 30, "tool_timeout_sec": 120}
    return Plan(
        "codex",
        "Codex",
        (FilePlan("~/.codex/config.toml", "toml", {"web_search": "disabled", "mcp_servers": {NAME: server}}),),
        (
            _SERVE if where.url is None else _KEY,
            "The server is required: else the first question is asked before its tools are there.",
            "The hosted web search is disabled: of it, a rollout keeps queries and addresses and no text.",
            "The model sees the structured form behind a line `Wall time: …`; the rollout keeps what it saw.",
        ),
    )


def pi(where: Where) -> Plan:
    """Pi, in the project's file."""
    server = where.started() if where.url is None else where.reached(f"${{{KEY}}}")
    return Plan(
        "pi",
        "Pi",
        (FilePlan(".pi/mcp.json", "json", {"mcpServers": {NAME: server | {"exposure": "direct"}}}),),
        (
            _SERVE if where.url is None else _KEY,
            "Pi reads a project's file once the project is trusted: say yes when it asks, or start it with --approve.",
            "The exposure is direct: in its usual mode, scripts call the tools and the session file keeps no reply.",
            "The model sees the text; from 20 KB on Pi cuts out the middle, so leave max_tokens at what is usual.",
        ),
    )


def vscode(where: Where) -> Plan:
    """Visual Studio Code, in the workspace's file."""
    content: dict[str, Any] = {"servers": {NAME: {"type": "stdio"} | where.started()}}
    if where.url is not None:
        asked = {"type": "promptString", "id": "citator-key", "description": "Citator key", "password": True}
        content = {"inputs": [asked], "servers": {NAME: {"type": "http"} | where.reached("${input:citator-key}")}}
    return Plan(
        "vscode",
        "Visual Studio Code",
        (FilePlan(".vscode/mcp.json", "json", content),),
        (
            _SERVE if where.url is None else "The key is asked for once, and kept by Visual Studio Code.",
            "Switch the built-in fetch tool and other web tools off in the list of tools of the chat.",
        ),
    )


def cursor(where: Where) -> Plan:
    """Cursor, in the project's file."""
    server = where.started() if where.url is None else where.reached(f"${{env:{KEY}}}")
    return Plan(
        "cursor",
        "Cursor",
        (FilePlan(".cursor/mcp.json", "json", {"mcpServers": {NAME: server}}),),
        (
            _SERVE if where.url is None else _KEY,
            "Switch Cursor's own web search off: its results are not in any file.",
        ),
    )


def openwebui(where: Where) -> Plan:
    """Open WebUI: search and loader, as variables of its environment."""
    content = {
        "ENABLE_WEB_SEARCH": "true",
        "WEB_SEARCH_ENGINE": "external",
        "EXTERNAL_WEB_SEARCH_URL": where.address + "/openwebui/search",
        "EXTERNAL_WEB_SEARCH_API_KEY": f"${{{KEY}}}",
        "WEB_LOADER_ENGINE": "external",
        "EXTERNAL_WEB_LOADER_URL": where.address + "/openwebui/load",
        "EXTERNAL_WEB_LOADER_API_KEY": f"${{{KEY}}}",
    }
    return Plan(
        "openwebui",
        "Open WebUI",
        (FilePlan("openwebui.env", "env", content),),
        (
            _KEY,
            "Give the file to Open WebUI (`docker run --env-file`, `env_file:`), the key in place of its name.",
            "What was set in its admin pages before wins over the environment.",
            "In a container 127.0.0.1 is the container: use --url with a name it knows, and add that to CITATOR_HOSTS.",
            "Search and loader are both set: with its own loader the text that the model sees would not be on record.",
            "The chat's id comes with each search and is kept as the session.",
        ),
    )


_LIBRECHAT: Final = """\
webSearch:
  searchProvider: "searxng"
  searxngInstanceUrl: "${{SEARXNG_INSTANCE_URL}}"
  searxngApiKey: "${{SEARXNG_API_KEY}}"
  scraperProvider: "firecrawl"
  firecrawlApiUrl: "${{FIRECRAWL_API_URL}}"
  firecrawlApiKey: "${{FIRECRAWL_API_KEY}}"
  firecrawlVersion: "v2"
  rerankerType: "none"
mcpServers:
  citator:
    type: "streamable-http"
    url: "{address}/mcp"
    headers:
      Authorization: "Bearer ${{{key}}}"
"""


def librechat(where: Where) -> Plan:
    """LibreChat: its web search, and the tools over MCP."""
    content = {
        "SEARXNG_INSTANCE_URL": where.address + "/searxng",
        "SEARXNG_API_KEY": f"${{{KEY}}}",
        "FIRECRAWL_API_URL": where.address,
        "FIRECRAWL_API_KEY": f"${{{KEY}}}",
    }
    return Plan(
        "librechat",
        "LibreChat",
        (
            FilePlan("librechat.citator.yaml", "text", _LIBRECHAT.format(address=where.address, key=KEY)),
            FilePlan(".env", "env", content),
        ),
        (
            _KEY,
            "Copy the parts of librechat.citator.yaml into your librechat.yaml, which is not changed: it has comments.",
            "Name no reranker, or one of your own: hosted ones see what is searched for.",
        ),
    )


_LANGCHAIN: Final = '''\
"""Citator's tools for LangChain agents: `tools = await citator_tools()`."""

import os

from langchain_mcp_adapters.client import MultiServerMCPClient


async def citator_tools():
    """The tools search, fetch and get_evidence; each result's artifact names its record."""
    return await MultiServerMCPClient({{"citator": {connection}}}).get_tools()
'''


def langchain(where: Where) -> Plan:
    """LangChain: a module with the tools."""
    if where.url is None:
        env = f"{{**os.environ, **{dict(where.env)!r}}}"
        connection = f'{{"transport": "stdio", "command": {where.command!r}, "args": ["mcp"], "env": {env}}}'
    else:
        key = f'{{"Authorization": f"Bearer {{os.environ[\'{KEY}\']}}"}}'
        connection = f'{{"transport": "streamable_http", "url": {where.address + "/mcp"!r}, "headers": {key}}}'
    return Plan(
        "langchain",
        "LangChain",
        (FilePlan("citator_tools.py", "text", _LANGCHAIN.format(connection=connection)),),
        (
            _SERVE if where.url is None else _KEY,
            "It needs langchain-mcp-adapters.",
            f"langchain-tavily works too: api_base_url={where.address}/tavily.",
            f"SearxSearchWrapper works too: searx_host={where.address}/searxng/k/KEY/search.",
        ),
    )


def python(where: Where) -> Plan:
    """Own code: the client, which is one file."""
    client = files("service").joinpath("citator_client.py").read_text("utf-8")
    client = client.replace("SERVER: Final[str | None] = None", f"SERVER: Final[str | None] = {_text(where.url)}")
    data = where.env.get("CITATOR_DATA")
    client = client if data is None else client.replace('DATA: Final = "citator-data"', f"DATA: Final = {_text(data)}")
    return Plan(
        "python",
        "own code",
        (FilePlan("citator_client.py", "text", client),),
        (
            _SERVE if where.url is None else _KEY,
            "It rests on the standard library alone: `Citator` is blocking, `AsyncCitator` is for event loops.",
            "CITATOR_URL, CITATOR_KEY and CITATOR_DATA change where it goes.",
        ),
    )


def _text(value: str | None) -> str:
    """A text as Python writes it, in double quotes."""
    return "None" if value is None else json.dumps(value, ensure_ascii=False)


PLANS: Final[Mapping[str, Callable[[Where], Plan]]] = {
    "claude-code": claude_code,
    "codex": codex,
    "pi": pi,
    "vscode": vscode,
    "cursor": cursor,
    "openwebui": openwebui,
    "librechat": librechat,
    "langchain": langchain,
    "python": python,
}
