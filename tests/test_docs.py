"""The documentation says what is so."""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# Read by the settings themselves, and by the command line.
READ_ELSEWHERE = {"CITATOR_CONFIG", "CITATOR_URL", "CITATOR_KEY"}
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The fragment of each heading, as forges make it."""
    headings = re.findall(r"^#+\s+(.+?)\s*$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = unquote(target).partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (fragment and file.suffix == ".md" and fragment not in anchors(file)):
            broken.append(target)

    assert broken == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md" or not page.is_file():
            continue
        seen.add(page)
        links = re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", FENCE.sub("", page.read_text()))
        waiting += [(page.parent / unquote(link)).resolve() for link in links if not re.match(r"[a-z]+:", link)]

    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in seen] == []


def test_decisions_are_listed_and_numbered() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "README.md").read_text()
    decisions = sorted(path.name for path in folder.glob("[0-9]*.md"))
    numbers = [name.split("-")[0] for name in decisions]

    assert [name for name in decisions if f"({name})" not in listed] == []
    assert len(numbers) == len(set(numbers))


def settings_of_the_service() -> set[str]:
    from service.settings import Settings

    prefix = Settings.model_config.get("env_prefix", "")
    return {f"{prefix}{name}".upper() for name in Settings.model_fields}


def test_each_setting_has_a_heading() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()
    described = set(re.findall(r"^### `(CITATOR_[A-Z0-9_]+)`", page, re.MULTILINE))

    assert described - READ_ELSEWHERE == settings_of_the_service()


def test_each_command_is_described() -> None:
    page = ROOT / "docs" / "cli.md"
    shown = subprocess.run(
        [sys.executable, "-c", "from service.cli import main; main()", "--help"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"},
    ).stdout
    commands = set(re.findall(r"^[│|]?\s{1,2}([a-z][a-z-]+)\s{2,}", shown, re.MULTILINE))

    assert commands
    assert {name for name in commands if f"citator {name}" not in page.read_text()} == set()


def test_the_readme_names_make_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    named: set[str] = set()
    for page in PAGES:
        named |= set(re.findall(r"\bmake ([a-z][a-z-]+)(?=[`\n])", page.read_text()))

    assert named - targets == set()


@pytest.mark.slow
def test_the_blocks_of_the_readme_run_as_they_stand(tmp_path: Path) -> None:
    section = (ROOT / "README.md").read_text().partition("## A page, a question, a proof")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    programs = Path(sys.executable).parent
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path)}
    script = "set -euo pipefail\n" + "\n".join(blocks) + '\nprintf "id %s\\n" "$ID"\n'

    subprocess.run(["citator", "demo"], cwd=tmp_path, env=environment, check=True, capture_output=True)
    ran = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stderr
    identity = ran.stdout.rpartition("id sha256:")[2].strip()
    assert f"{identity}  -" in ran.stdout
    assert "costs 4.20 pounds" in ran.stdout
    assert (tmp_path / "ticket.tlog-proof").read_text().startswith("c2sp.org/tlog-proof@v1")


CONNECT = ROOT / "docs" / "connect"


@pytest.mark.parametrize("page", sorted(CONNECT.glob("*.md")), ids=lambda page: page.stem)
def test_a_client_is_connected_with_at_most_five_commands(page: Path) -> None:
    from service.client_plans import PLANS

    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    named = {line.split()[2] for line in commands if line.startswith("citator connect ")}

    assert 1 <= len(commands) <= 5
    assert named <= set(PLANS)
    assert page.stem in {*named, "README", "gpt-researcher", "openai"}


def test_every_client_that_can_be_connected_has_a_page() -> None:
    from service.client_plans import PLANS

    assert {client for client in PLANS if not (CONNECT / f"{client}.md").exists()} == set()


@pytest.mark.slow
def test_the_blocks_on_audits_run_as_they_stand(tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs" / "audit.md").read_text(), re.MULTILINE | re.DOTALL)
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    script = "set -euo pipefail\n" + "\n".join(blocks)

    subprocess.run(["citator", "demo"], cwd=tmp_path, env=environment, check=True, capture_output=True)
    ran = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stderr
    assert "1 can be proven word for word" in ran.stdout
    assert "1 differ from what was served" in ran.stdout
    assert "a check did not hold" in ran.stdout
    assert "1 of 1 quotations stand in what is kept" in ran.stdout
    assert "[^citator-1]: the source says so." in (tmp_path / "report-with-sources.md").read_text()


@pytest.mark.slow
def test_the_blocks_on_sessions_run_as_they_stand(tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs" / "sessions.md").read_text(), re.MULTILINE | re.DOTALL)
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    environment |= {"CITATOR_LISTEN": "127.0.0.1:0"}
    script = "set -euo pipefail\n" + "\n".join(blocks) + '\nprintf "passage %s\\n" "$PASSAGE"\n'

    subprocess.run(["citator", "demo"], cwd=tmp_path, env=environment, check=True, capture_output=True)
    ran = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stderr
    assert "session-locked" in ran.stdout
    assert "And in yen?" not in ran.stdout.partition('"rolled_back"')[2]
    assert "ticket for children" in ran.stdout.lower()
    assert "the records say the same" in ran.stdout
    assert "passage sha256:" in ran.stdout
    context = json.loads((tmp_path / "context.json").read_text())
    assert context["request"]["messages"][0]["content"][0]["text"] == "What does a child pay?"
