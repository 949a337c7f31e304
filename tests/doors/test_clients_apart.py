"""Clients that run apart: LangChain's adapters with an older protocol library, and the inspector on Node."""

import json
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

from tests.doors.standing import Standing
from tests.service.opened import TOLL
from tests.sites import Site

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / ".tmp" / "clients" / "bin" / "python"
INSPECTOR = ROOT / ".tmp" / "inspector" / "node_modules" / ".bin" / "mcp-inspector"


def test_langchain_agents_get_the_tools(server: Standing, harbour: Site) -> None:
    assert CLIENTS.exists(), "run `make setup-tests`"
    arguments = [server.url + "/mcp", server.key, harbour.url("/ferry"), harbour.url("/void")]

    ran = subprocess.run(
        [CLIENTS, "-W", "ignore", Path(__file__).with_name("langchain_agent.py"), *arguments],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)

    assert told["tools"] == ["search", "fetch", "get_evidence", "recheck", "check_citations"]
    assert TOLL in told["found"]
    assert server.servings(told["artifact"])
    assert "twelve crowns" in told["read"]
    assert "The page came and has no text." in told["failing"]


def inspect(server: Standing, *arguments: str, age: str = "auto") -> subprocess.CompletedProcess[str]:
    command = [
        INSPECTOR, "--cli", server.url + "/mcp", "--transport", "http", "--protocol-era", age, "--format", "json",
        "--header", f"Authorization: Bearer {server.key}", *arguments,
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.skipif(shutil.which("node") is None, reason="the inspector needs Node, and this machine has none")
@pytest.mark.parametrize("age", ["legacy", "auto", "modern"])
def test_the_inspector_finds_no_fault_with_the_schemas(server: Standing, harbour: Site, age: str) -> None:
    assert INSPECTOR.exists(), "run `make setup-tests`"

    listed = inspect(server, "--method", "tools/list", "--strict", age=age)
    found = inspect(
        server, "--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=toll bridge", age=age
    )
    page = inspect(
        server, "--method", "tools/call", "--tool-name", "fetch", "--tool-arg", f"url={harbour.url('/ferry')}", age=age
    )
    failing = inspect(
        server, "--method", "tools/call", "--tool-name", "fetch", "--tool-arg", f"url={harbour.url('/void')}", age=age
    )

    assert listed.returncode == 0, listed.stderr
    assert (found.returncode, page.returncode) == (0, 0), found.stderr + page.stderr
    assert TOLL in found.stdout
    assert "twelve crowns" in page.stdout
    assert failing.returncode == 5
    assert "tool_is_error" in failing.stderr


def test_schemas_hold_only_what_strict_hosts_take() -> None:
    from service.mcp_tools.definitions import INSTRUCTIONS, MAX_DESCRIPTION, TOOLS
    from service.mcp_tools.formats import defined

    plain = {"type", "description", "enum", "items", "properties", "required", "additionalProperties"}
    for tool in TOOLS:
        schema = tool.input
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator.check_schema(tool.output)
        assert set(schema) <= plain
        assert schema["additionalProperties"] is False
        for option in schema["properties"].values():
            assert set(option) <= plain
            assert isinstance(option["type"], str)
        assert len(tool.description) < MAX_DESCRIPTION
    for function in defined("openai"):
        parameters = function["parameters"]
        assert function["strict"] is True
        assert sorted(parameters["required"]) == sorted(parameters["properties"])
        assert parameters["additionalProperties"] is False
    for declaration in defined("gemini"):
        assert "additionalProperties" not in declaration["parameters"]
        assert all(option["type"].isupper() for option in declaration["parameters"]["properties"].values())
    assert len(INSTRUCTIONS) < MAX_DESCRIPTION


def researched(name: str, query: str, **settings: str) -> subprocess.CompletedProcess[str]:
    script = Path(__file__).with_name("researcher.py")
    return subprocess.run(
        [CLIENTS, "-W", "ignore", script, name, query], env=settings, capture_output=True, text=True, check=False,
        timeout=60,
    )  # fmt: skip


def test_gpt_researcher_reads_whole_pages_by_its_custom_retriever(server: Standing, harbour: Site) -> None:
    endpoint = server.url.replace("http://", f"http://any:{server.key}@") + "/retriever"

    found = researched("custom", "toll swing bridge", RETRIEVER_ENDPOINT=endpoint, RETRIEVER_ARG_MAX_RESULTS="1")
    refused = researched("custom", "toll", RETRIEVER_ENDPOINT=server.url + "/retriever")

    (page,) = json.loads(found.stdout)
    assert page["url"] == harbour.url("/bridge")
    assert "quarter of an hour" in page["raw_content"]
    assert "401" in refused.stdout


def test_gpt_researcher_searches_by_its_retriever_for_searxng(server: Standing, harbour: Site) -> None:
    address = f"{server.url}/searxng/k/{server.made_key('search')}"

    found = researched("searx", "toll swing bridge", SEARX_URL=address)
    refused = researched("searx", "toll", SEARX_URL=f"{server.url}/searxng/k/wrong")

    first = json.loads(found.stdout)[0]
    assert (first["href"], TOLL in first["body"]) == (harbour.url("/bridge"), True)
    assert refused.returncode == 1
    assert "401" in refused.stderr
