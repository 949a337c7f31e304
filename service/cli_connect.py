"""`citator connect`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import bad_use, confirmed, end, give_json, say, show

if TYPE_CHECKING:
    from service.client_plans import Plan, Where


def connect(
    client: Annotated[
        str, typer.Argument(help="claude-code, codex, pi, vscode, cursor, openwebui, librechat, langchain or python.")
    ],
    write: Annotated[
        bool, typer.Option("--write", help="Put it into the client's files; the difference is shown.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before writing.")] = False,
    url: Annotated[str | None, typer.Option(help="The server's address; the key is then in CITATOR_KEY.")] = None,
    directory: Annotated[Path, typer.Option(help="The project's folder.")] = Path(),
    json: Annotated[bool, typer.Option("--json", help="The result as JSON.")] = False,
) -> None:
    """Show how a client is set up so that all it reads of the web is on record, or set it up."""
    from service.client_plans import PLANS

    if client not in PLANS:
        bad_use(f"there is no client {client!r}; there are {', '.join(PLANS)}")

    def work() -> int:
        plan = PLANS[client](_where(url))
        changes = [_Change(directory, one) for one in plan.files]
        if json:
            give_json(_told(plan, changes, written=write and _write(changes, ask=False)))
            return 0
        if write:
            for change in changes:
                say(change.difference or f"{change.path}: nothing to change")
            _write(changes, ask=not yes)
        else:
            for change in changes:
                show(f"# {change.path}")
                show(change.after if change.before is None else change.wanted)
        for note in plan.notes:
            show(f"* {note}") if write else say(f"* {note}")
        return 0

    end(work, as_json=json)


class _Change:
    """A file before and after."""

    def __init__(self, directory: Path, plan: "object") -> None:
        from service.client_files import filled
        from service.client_plans import FilePlan

        assert isinstance(plan, FilePlan)
        home = plan.path.startswith("~/")
        self.path = Path(plan.path).expanduser() if home else directory / plan.path
        self.before = self.path.read_text(encoding="utf-8") if self.path.is_file() else None
        self.wanted = filled(plan, None)
        self.after = filled(plan, self.before)

    @property
    def difference(self) -> str:
        """What changes, as `diff -u` shows it."""
        import difflib

        before = (self.before or "").splitlines(keepends=True)
        after = self.after.splitlines(keepends=True)
        old = str(self.path) if self.before is not None else "/dev/null"
        return "".join(difflib.unified_diff(before, after, old, str(self.path))).rstrip("\n")

    def write(self) -> None:
        """Put the new file in place of the old one, whole or not at all."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_name(f"{self.path.name}.new")
        new.write_text(self.after, encoding="utf-8")
        if self.before is not None:
            new.chmod(self.path.stat().st_mode & 0o777)
        new.replace(self.path)


def _write(changes: list[_Change], *, ask: bool) -> bool:
    import sys

    changing = [change for change in changes if change.difference]
    if changing and ask and sys.stdin.isatty() and not confirmed("Write this?"):
        raise typer.Abort
    for change in changing:
        change.write()
    return bool(changing)


def _told(plan: "Plan", changes: list[_Change], *, written: bool) -> dict[str, object]:
    files = [{"path": str(change.path), "content": change.after, "difference": change.difference} for change in changes]
    return {"client": plan.client, "title": plan.title, "files": files, "notes": list(plan.notes), "written": written}


def _where(url: str | None) -> "Where":
    """How the client reaches Citator: the server elsewhere, or the one of this data directory."""
    import os
    import shutil
    import sys

    from service.client_plans import Where
    from service.settings import load_settings

    settings = load_settings()
    beside = Path(sys.argv[0]).absolute()
    command = "citator" if shutil.which("citator") else str(beside)
    env = {"CITATOR_DATA": str(settings.data.absolute())}
    if os.environ.get("CITATOR_CONFIG"):
        env["CITATOR_CONFIG"] = str(Path(os.environ["CITATOR_CONFIG"]).absolute())
    return Where(url or os.environ.get("CITATOR_URL"), command, env, f"http://{settings.listen}")
