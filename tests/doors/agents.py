"""`make agents`: Claude Code, Codex and Pi themselves, connected as `citator connect` does it, with a played model.

Each searches, reads a page, fails at one and reads a long one. What its model was shown of the replies is compared with
what is kept: the record and every whole passage have to be found in it, and be what their ids say. Those that are not
installed (`npm install @anthropic-ai/claude-code @openai/codex @earendil-works/pi-coding-agent`, on the path or in
.tmp/agents) are named.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from service.requests import CaptureRequest
from tests.doors.conftest import LONG
from tests.doors.playing_model import DONE, Model, model
from tests.doors.standing import Standing, standing
from tests.doors.test_mcp_clients import passages_in_json, passages_in_text
from tests.service.opened import HARBOUR, ME, TOLL
from tests.sites import Route, Site

ROOT = Path(__file__).parents[2]
PROGRAMS = (Path(sys.executable).parent, ROOT / ".tmp" / "agents" / "node_modules" / ".bin")
QUESTION = "Until when is there a toll at the swing bridge?"
SECONDS = 240

Start = Callable[[Model, Path], tuple[list[str], dict[str, str]]]


def claude(played: Model, _home: Path) -> tuple[list[str], dict[str, str]]:
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    there = {"ANTHROPIC_BASE_URL": played.url, "ANTHROPIC_API_KEY": "none"}
    options = ["--mcp-config", ".mcp.json", "--strict-mcp-config", "--allowedTools=mcp__citator"]
    return ["claude", *options, "-p", QUESTION], quiet | there


def codex(played: Model, _home: Path) -> tuple[list[str], dict[str, str]]:
    provider = (
        f'model_providers.played={{name="played",base_url="{played.url}/v1",wire_api="responses",env_key="NONE"}}'
    )
    told = ["-c", provider, "-c", 'model_provider="played"', "-c", 'model="played"']
    return ["codex", "exec", "--skip-git-repo-check", *told, QUESTION], {"NONE": "none"}


def pi(played: Model, home: Path) -> tuple[list[str], dict[str, str]]:
    provider = {"baseUrl": played.url + "/v1", "api": "openai-completions", "apiKey": "none", "models": [{"id": "m"}]}
    (home / ".pi" / "agent").mkdir(parents=True)
    (home / ".pi" / "agent" / "models.json").write_text(json.dumps({"providers": {"played": provider}}))
    return ["pi", "--approve", "--provider", "played", "--model", "m", "-p", QUESTION], {}


AGENTS: dict[str, tuple[str, Start]] = {
    "claude-code": ("claude", claude),
    "codex": ("codex", codex),
    "pi": ("pi", pi),
}


def asked(server: Standing, site: Site, client: str, folder: Path) -> list[str]:
    """Drive one client; what was shown of each reply, in the order of the calls."""
    home, project = folder / "home", folder / "project"
    home.mkdir(parents=True)
    project.mkdir()
    path = os.pathsep.join([*map(str, PROGRAMS), os.environ["PATH"]])
    env = {"PATH": path, "HOME": str(home), "CITATOR_DATA": str(server.data)}
    connect = [PROGRAMS[0] / "citator", "connect", client, "--write", "--yes"]
    subprocess.run(connect, cwd=project, env=env, check=True, capture_output=True)
    script = [
        ("search", {"query": "toll swing bridge"}),
        ("fetch", {"url": site.url("/ferry")}),
        ("fetch", {"url": site.url("/void")}),
        ("fetch", {"url": site.url("/long"), "max_tokens": 20_000}),
    ]
    with model(script) as played:
        command, more = AGENTS[client][1](played, home)
        ran = subprocess.run(
            command, cwd=project, env=env | more, capture_output=True, text=True, check=False, timeout=SECONDS,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    if DONE not in ran.stdout or len(played.shown) < len(script):
        raise AssertionError(f"{client} made {len(played.shown)} of {len(script)} calls:\n{ran.stdout}\n{ran.stderr}")
    return list(played.shown.values())


def checked(server: Standing, shown: list[str]) -> str:
    """Find records and passages in what was shown, and hold them against what is kept; a line about it."""
    counts = []
    for number, text in enumerate(shown):
        first, *_, last = re.findall(r"sha256:[0-9a-f]{64}", text)
        assert first == last, "the record does not stand first and last"
        assert server.servings(first), "nothing was served for this record"
        passages = passages_in_json(text) | passages_in_text(text)
        for identity, words in passages.items():
            assert json.loads(server.evidence(identity))["text"] == words, "a passage differs"
        assert passages or number == 2, "no passage stands whole"
        counts.append(f"{len(passages)} passages of {len(text):,} characters")
    assert TOLL in shown[0]
    assert "The page came and has no text." in shown[2]
    form = "structured form" if '"end_record"' in shown[0] else "text"
    return f"shows the {form}; " + ", ".join(counts)


def driven(server: Standing, site: Site, folder: Path) -> int:
    """Drive all that are installed; how many did not hold."""
    path = os.pathsep.join([*map(str, PROGRAMS), os.environ["PATH"]])
    failed = 0
    for client, (program, _) in AGENTS.items():
        if shutil.which(program, path=path) is None:
            print(f"{client:12} is not installed")
            continue
        try:
            told = checked(server, asked(server, site, client, folder / client))
        except (AssertionError, OSError, subprocess.SubprocessError, ValueError) as error:
            failed += 1
            told = f"FAILED: {error}"
        print(f"{client:12} {told}", flush=True)
    return failed


def main() -> int:
    routes = [Route("/long", body=LONG), *HARBOUR]
    with (
        tempfile.TemporaryDirectory() as work,
        Site(routes) as site,
        standing(Path(work) / "data", loopback_without_key=False) as server,
    ):
        for page in ("/bridge", "/ferry"):
            request = CaptureRequest(url=site.url(page))
            server.ask(lambda actions, request=request: actions.capture(request, ME))
        return 1 if driven(server, site, Path(work)) else 0


if __name__ == "__main__":
    sys.exit(main())
