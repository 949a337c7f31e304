"""The rules of the house that no linter knows."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("crawler", "index", "service", "snapshots")
LIBRARIES = ("crawler", "index", "snapshots")
MAX_LINES = 400  # a reader can hold that much; a longer file is two files
SHAPELESS = {"utils", "util", "helpers", "helper", "common", "base", "manager", "managers", "misc"}
# Names that would hide what they import when a folder is on the path.
SHADOWING = {"service/mcp.py", "service/http.py", "index/tantivy.py", "snapshots/boto3.py"}


def tracked(*suffixes: str) -> list[Path]:
    """Files that git knows, or would take at the next `git add`."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    paths = [ROOT / name for name in listed]
    return [path for path in paths if path.is_file() and (not suffixes or path.suffix in suffixes)]


def modules(*packages: str) -> list[Path]:
    return [path for path in tracked(".py") if path.relative_to(ROOT).parts[0] in (packages or PACKAGES)]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def top_level(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Names that a module defines or binds itself, imports aside."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign):
            yield from ((target.id, node) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in tracked(".py", ".sh")}

    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}


def test_modules_are_named_after_what_they_do() -> None:
    shapeless = [name_of(path) for path in tracked(".py") if path.stem.strip("_") in SHAPELESS]
    folders = [name_of(path) for path in tracked(".py") if SHAPELESS & set(path.relative_to(ROOT).parts[:-1])]

    assert shapeless == []
    assert folders == []


def test_no_module_hides_what_it_imports() -> None:
    hiding = [name_of(path) for path in modules() if name_of(path) in SHADOWING]

    assert hiding == []


def test_tests_are_no_packages_that_could_hide_the_real_ones() -> None:
    assert [name_of(path) for path in tracked(".py") if path.match("tests/**/__init__.py")] == []
    assert not (ROOT / "tests" / "__init__.py").exists()


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_is_exported_under_the_name_of_a_module(package: str) -> None:
    siblings = {path.stem for path in (ROOT / package).glob("*.py")} | {
        path.parent.name for path in (ROOT / package).glob("*/__init__.py")
    }
    tree = ast.parse((ROOT / package / "__init__.py").read_text())

    exported = {name for name, _ in top_level(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module and node.module.startswith(package):
            exported |= {alias.asname or alias.name for alias in node.names}
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.List | ast.Tuple | ast.Dict):
            items = node.value.keys if isinstance(node.value, ast.Dict) else node.value.elts
            exported |= {item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)}

    assert exported & siblings == set()


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_imports_neither_another_one_nor_the_service(library: str) -> None:
    strangers = {*PACKAGES} - {library}
    found = []
    for path in modules(library):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            found += [f"{name_of(path)}: {name}" for name in names if name.split(".")[0] in strangers]

    assert found == []


def test_each_limit_says_why_it_is_what_it_is() -> None:
    """A constant MAX_… or MIN_… has a comment on its line or on the line above."""
    silent = []
    for path in modules():
        text = path.read_text()
        lines = text.splitlines()
        for name, node in top_level(ast.parse(text)):
            value = getattr(node, "value", None)
            is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
            if is_text or not re.match(r"_?(MAX|MIN|LIMIT)_", name):
                continue
            last, above = lines[(node.end_lineno or node.lineno) - 1], lines[node.lineno - 2] if node.lineno > 1 else ""
            below = lines[node.end_lineno] if node.end_lineno and node.end_lineno < len(lines) else ""
            explained = (
                "#" in last
                or "#" in lines[node.lineno - 1]
                or above.lstrip().startswith("#")
                or below.startswith('"""')
            )
            if not explained and not _follows_explained(lines, node.lineno):
                silent.append(f"{name_of(path)}:{node.lineno} {name}")

    assert silent == []


def _follows_explained(lines: list[str], lineno: int) -> bool:
    """Whether a block of constants stands under one comment: no blank line between it and this one."""
    at = lineno - 2
    while at >= 0 and lines[at].strip():
        if lines[at].lstrip().startswith("#"):
            return True
        at -= 1
    return False


def test_the_repository_names_no_registry_and_no_machine() -> None:
    """Locked requirements carry hashes, not addresses; paths of one machine mean nothing on another."""
    hosts = re.compile(rb"files\.pythonhosted\.org|pypi\.org/simple|registry\.npmjs\.org|registry\.yarnpkg\.com")
    machine = re.compile(rb"(?<![\w.])/(?:work|home/\w+|Users/\w+|root|opt/pypi)/[\w.]")
    found = []
    for path in tracked():
        data = path.read_bytes()
        if path == Path(__file__) or path.suffix in {".gz", ".bin", ".zst", ".png"}:
            continue
        found += [f"{name_of(path)}: {match.group().decode()}" for match in hosts.finditer(data)]
        found += [f"{name_of(path)}: {match.group().decode()}" for match in machine.finditer(data)]

    assert found == []


def test_every_locked_requirement_has_a_hash_and_every_dependency_is_locked() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for name in ("run.txt", "dev.txt"):
        text = (ROOT / "requirements" / name).read_text()
        pins = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==[^\n]*\\\n\s+--hash=sha256:", text, re.MULTILINE)
        all_pins = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==", text, re.MULTILINE)

        assert pins == all_pins
        locked = {pin.lower().replace("_", "-") for pin in pins}
        assert {re.split(r"[\[>=<]", each)[0] for each in wanted} - locked == set()


LIGHT = {
    "snapshots": ("boto3", "botocore", "sqlalchemy", "alembic", "psycopg"),
    "service": ("fastapi", "boto3", "sqlalchemy", "tantivy", "trafilatura"),
}


@pytest.mark.parametrize("package", LIGHT)
def test_a_front_door_is_light_to_open(package: str) -> None:
    heavy = LIGHT[package]
    script = f"import sys, {package}; print([name for name in {heavy!r} if name in sys.modules])"

    printed = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)

    assert printed.stdout.strip() == "[]"


def test_help_is_shown_without_loading_what_commands_need() -> None:
    if not (ROOT / "service" / "cli.py").exists():
        pytest.skip("the command line has not landed")
    heavy = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "boto3", "tantivy", "trafilatura", "lxml", "cryptography")
    script = f"""
import sys
sys.argv = ["citator", "--help"]
from service.cli import main
try:
    main()
except SystemExit:
    pass
print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""

    shown = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)

    assert shown.stderr.strip().splitlines()[-1] == "[]"
    assert "citator" in shown.stdout.lower()
