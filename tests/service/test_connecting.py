"""`citator connect`: what it shows, what it writes, and what it leaves as it was."""

import json
import tomllib
from pathlib import Path

import pytest

from service.client_files import filled
from service.client_plans import PLANS, FilePlan, Where
from service.failures import BadRequest
from tests.service.running import Shell

HERE = Where(None, "citator", {"CITATOR_DATA": "/data"})
THERE = Where("https://citator.example/", "citator", {})


@pytest.mark.parametrize("client", PLANS)
def test_every_client_has_a_plan_in_both_ways_of_reaching(client: str) -> None:
    here, there = PLANS[client](HERE), PLANS[client](THERE)

    assert here.client == there.client == client
    assert here.notes
    assert "https://citator.example" in "".join(filled(one, None) for one in there.files)
    for plan in (*here.files, *there.files):
        once = filled(plan, None)
        assert filled(plan, once) == once


def test_hosted_search_is_off_wherever_a_file_can_say_so() -> None:
    claude = json.loads(filled(PLANS["claude-code"](HERE).files[1], None))
    codex = tomllib.loads(filled(PLANS["codex"](HERE).files[0], None))
    pi = json.loads(filled(PLANS["pi"](HERE).files[0], None))

    assert claude["permissions"]["deny"] == ["WebSearch", "WebFetch"]
    assert codex["web_search"] == "disabled"
    assert pi["mcpServers"]["citator"]["exposure"] == "direct"


def test_what_stands_in_a_json_file_already_stays() -> None:
    plan = PLANS["claude-code"](HERE)
    before = json.dumps({"permissions": {"deny": ["Bash"], "ask": ["x"]}, "model": "m"})

    after = json.loads(filled(plan.files[1], before))

    assert after["model"] == "m"
    assert after["permissions"] == {"deny": ["Bash", "WebSearch", "WebFetch"], "ask": ["x"], "allow": ["mcp__citator"]}


def test_an_older_entry_of_ours_is_replaced_whole() -> None:
    (file,) = PLANS["cursor"](THERE).files
    before = json.dumps({"mcpServers": {"citator": {"command": "old", "args": ["x"]}, "other": {"command": "y"}}})

    after = json.loads(filled(file, before))["mcpServers"]

    assert set(after["citator"]) == {"url", "headers"}
    assert after["other"] == {"command": "y"}


def test_a_toml_file_keeps_its_comments_and_its_order() -> None:
    (file,) = PLANS["codex"](HERE).files
    before = (
        '# mine\nmodel = "m"\nweb_search = "live"  # as before\n\n[mcp_servers.other]\ncommand = "y"\n\n'
        '[mcp_servers.citator]\nurl = "http://old"\n\n[mcp_servers.citator.env]\nA = "1"\n\n[tui]\nx = 1\n'
    )

    after = filled(file, before)
    told = tomllib.loads(after)

    assert after.startswith('# mine\nmodel = "m"\nweb_search = "disabled"\n')
    assert told["mcp_servers"]["other"] == {"command": "y"}
    assert told["tui"] == {"x": 1}
    assert told["mcp_servers"]["citator"]["env"] == {"CITATOR_DATA": "/data"}
    assert "url" not in told["mcp_servers"]["citator"]


def test_variables_are_replaced_where_they_stand() -> None:
    plan = FilePlan("x.env", "env", {"A": "1", "B": "2"})

    assert filled(plan, "# mine\nexport A=0\nC=3\n") == "# mine\nA=1\nC=3\nB=2\n"


@pytest.mark.parametrize(("form", "text"), [("json", "{// a comment\n}"), ("json", "[]"), ("toml", "a = = 1")])
def test_what_cannot_be_read_is_not_touched(form: str, text: str) -> None:
    with pytest.raises(BadRequest, match="by hand"):
        filled(FilePlan("x", form, {"a": {"b": {"c": 1}}}), text)  # type: ignore[arg-type]


def test_the_command_shows_then_writes_and_then_has_nothing_to_do(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data")
    project = tmp_path / "project"

    shown = shell("connect", "claude-code", "--directory", str(project))
    written = shell("connect", "claude-code", "--directory", str(project), "--write", "--yes")
    again = shell("connect", "claude-code", "--directory", str(project), "--write", "--yes", "--json")
    server = json.loads((project / ".mcp.json").read_text())["mcpServers"]["citator"]

    assert (shown.status, written.status) == (0, 0)
    assert "WebSearch" in shown.stdout.decode()
    assert '+      "command":' in written.stderr
    assert server["args"] == ["mcp"]
    assert server["env"] == {"CITATOR_DATA": str(tmp_path / "data")}
    assert again.json["written"] is False
    assert all(file["difference"] == "" for file in again.json["files"])


def test_an_unknown_client_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    ran = Shell(tmp_path)("connect", "emacs")

    assert ran.status == 2
    assert "claude-code, codex" in ran.stderr


def test_tools_are_given_in_each_format_and_no_other(tmp_path: Path) -> None:
    shell = Shell(tmp_path)

    for form in ("openai", "anthropic", "gemini", "mcp"):
        assert [tool["name"] for tool in shell("tools", "--format", form).json] == [
            "search",
            "fetch",
            "get_evidence",
            "recheck",
            "check_citations",
        ]
    assert shell("tools", "--format", "other").status == 2
