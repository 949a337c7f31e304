"""`citator sessions`: list, show, fork, export, import, delete, and what a model is shown of one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli_output import cut, give_json, run, show

if TYPE_CHECKING:
    from service.doors import Citator, Json

sessions = typer.Typer(help="Sessions: list, show, fork, take along.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="The result as JSON.")]
SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="A session's id, or 12 or more of its hex digits.")]

LINE = 100
"""Characters of a message on a line; `--json` gives all."""


@sessions.command("list")
def list_(
    query: Annotated[str, typer.Argument(help="What title or labels hold.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=200)] = 50,
    deleted: Annotated[bool, typer.Option("--deleted", help="Deleted ones too.")] = False,
    json: AsJson = False,
) -> None:
    """List sessions, newest first."""

    async def work(citator: "Citator") -> int:
        found = await citator.session_list(query=query, limit=limit, deleted=deleted)
        if json:
            give_json(found)
            return 0
        for one in found["sessions"]:
            show(f"{one['id']}  {one['updated_at']}  {one['state']:17} {one['messages']:5}  {one['title'] or ''}")
        return 0

    run(work, as_json=json)


@sessions.command("show")
def show_(
    session: SessionId,
    whole: Annotated[bool, typer.Option("--whole", help="Also what was gone back on.")] = False,
    json: AsJson = False,
) -> None:
    """Show a session and what was said in it."""

    async def work(citator: "Citator") -> int:
        found = await citator.session_show(session, whole=whole)
        if json:
            give_json(found)
            return 0
        show(f"{found['id']}  {found['state']}  {found['title'] or ''}")
        for event in found["history"]:
            show(f"{event['at']}  {event['id'][7:19]}  {event['type']:18} {_line(event)}")
        return 0

    run(work, as_json=json)


@sessions.command("context")
def context(
    session: SessionId,
    format_: Annotated[str | None, typer.Option("--format", help="openai, responses, anthropic or gemini.")] = None,
    budget: Annotated[int | None, typer.Option(min=1, help="Tokens of the model's window.")] = None,
    at: Annotated[str | None, typer.Option(help="As it was after this event.")] = None,
    mode: Annotated[str, typer.Option(help="What stays when not all fits: recent or relevant.")] = "recent",
) -> None:
    """Give what a model is to be shown of a session, as JSON, with what was left out."""

    async def work(citator: "Citator") -> int:
        give_json(await citator.session_context(session, form=format_, budget=budget, at=at, mode=mode))
        return 0

    run(work, as_json=True)


@sessions.command("fork")
def fork(
    session: SessionId,
    at: Annotated[str | None, typer.Option(help="The last event that both share; none given: the newest.")] = None,
    json: AsJson = False,
) -> None:
    """Begin a session that shares what came before with another one."""
    _told(lambda citator: citator.session_fork(session, at=at), as_json=json)


@sessions.command("export")
def export(
    session: SessionId,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file; none given: stdout.")] = None,
) -> None:
    """Give a whole session as JSON: records, contents, agents, and the passages it names."""

    async def work(citator: "Citator") -> int:
        found = await citator.session_export(session)
        if output is None:
            give_json(found)
            return 0
        import orjson

        output.write_bytes(orjson.dumps(found))
        return 0

    run(work, as_json=output is None)


@sessions.command("import")
def import_(
    path: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A file that `export` wrote.")],
    json: AsJson = False,
) -> None:
    """Take in a session that was exported elsewhere; all ids stay."""

    async def work(citator: "Citator") -> "Json":
        import orjson

        from service.failures import BadRequest

        try:
            value = orjson.loads(path.read_bytes())
        except orjson.JSONDecodeError as error:
            raise BadRequest(f"{path} is no JSON: {error}") from error
        return await citator.session_import(value)

    _told(work, as_json=json)


@sessions.command("delete")
def delete(
    session: SessionId,
    restore: Annotated[bool, typer.Option("--restore", help="Bring it back instead.")] = False,
    json: AsJson = False,
) -> None:
    """Delete a session softly: it takes nothing more, and its events stay until they are removed."""
    _told(lambda citator: citator.session_delete(session, restore=restore), as_json=json)


def _told(what: Any, *, as_json: bool) -> None:
    async def work(citator: "Citator") -> int:
        found = await what(citator)
        if as_json:
            give_json(found)
        else:
            show(f"{found['id']}  {found['state']}  {found['title'] or ''}")
        return 0

    run(work, as_json=as_json)


def _line(event: "Json") -> str:
    body = event["body"]
    said = body.get("content", body.get("summary", "")) if isinstance(body, dict) else body or event["name"] or ""
    return cut(f"{event['author'] or ''}: {said}" if said else event["name"] or "", LINE)
