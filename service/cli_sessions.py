"""`citator sessions`: list, show, fork, export, import, delete, and what a model is shown of one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli_output import bad_use, cut, give_json, run, say, show

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
    format_: Annotated[
        str | None, typer.Option("--format", help="json, or bundle (with all evidence); told by the file's name.")
    ] = None,
) -> None:
    """Give a whole session: as JSON, or as a bundle that holds its evidence too and verifies by itself."""
    form = format_ or ("bundle" if output is not None and output.suffix == ".wacz" else "json")
    if form not in ("json", "bundle"):
        bad_use(f"there is no format {form!r}: json or bundle")
    if form == "bundle" and output is None:
        bad_use("say with -o FILE where to write it")

    async def work(citator: "Citator") -> int:
        if form == "bundle" and output is not None:
            await _bundled(citator, session, output)
            return 0
        found = await citator.session_export(session)
        if output is None:
            give_json(found)
            return 0
        import orjson

        from service.cli_files import written

        with written(output) as file:
            file.write(orjson.dumps(found))
        return 0

    run(work, as_json=output is None)


async def _bundled(citator: "Citator", session: str, output: Path) -> None:
    from service.cli_bundle import write_made
    from service.cli_progress import shown
    from service.connect import ME
    from service.requests import BundleRequest

    whole = (await citator.session_look(session))["id"]
    with shown() as progress:
        made = await citator.bundle(BundleRequest(ids=(whole,)), ME, progress)
    try:
        write_made(made, output)
    finally:
        made.file.close()
    say(f"{output}: {made.size} bytes, sha256 {made.digest}")


@sessions.command("import")
def import_(
    path: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A file that `export` wrote.")],
    json: AsJson = False,
) -> None:
    """Take in a session that was exported elsewhere, as JSON or as a bundle; all ids stay."""

    async def work(citator: "Citator") -> "Json":
        import zipfile

        import orjson

        from service.failures import BadRequest

        if zipfile.is_zipfile(path):
            return await _from_bundle(citator, path)
        try:
            value = orjson.loads(path.read_bytes())
        except orjson.JSONDecodeError as error:
            raise BadRequest(f"{path} is neither JSON nor a bundle: {error}") from error
        if not isinstance(value, dict):
            raise BadRequest(f"{path} is no session")
        return await citator.session_import(value)

    _told(work, as_json=json)


async def _from_bundle(citator: "Citator", path: Path) -> "Json":
    from service.cli_progress import shown
    from service.connect import ME
    from service.failures import BadRequest
    from service.requests import BundleImport
    from service.sessions.bundled import session_in

    session = session_in(path)
    if session is None:
        raise BadRequest(f"{path} holds no session, or several: `citator import` takes all of it in")
    with shown() as progress:
        await citator.import_bundle(path, BundleImport(name=path.name), ME, progress)
    return await citator.session_look(session)


@sessions.command("rerun")
def rerun(
    session: SessionId,
    agent: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="The new definition, as JSON.")],
    at: Annotated[str | None, typer.Option(help="The last event both share; none given: the first question.")] = None,
    live: Annotated[bool, typer.Option("--live", help="Call tools for what is not on record.")] = False,
    json: AsJson = False,
) -> None:
    """Run a session again with another definition of its agent, in a fork; tools give what the records say."""

    async def work(citator: "Citator") -> int:
        import orjson

        from service.failures import BadRequest
        from service.remote import Remote

        try:
            definition = orjson.loads(agent.read_bytes())
        except orjson.JSONDecodeError as error:
            raise BadRequest(f"{agent} is no JSON: {error}") from error
        if not isinstance(definition, dict):
            raise BadRequest(f"{agent} is no definition of an agent")
        kept = {name: value for name, value in definition.items() if name not in ("id", "at", "by")}
        asked = {"agent": kept, "live": live} | ({"at": at} if at else {})
        if isinstance(citator, Remote):
            found = await citator.session_rerun(session, asked)
        else:
            found = await _run_here(citator, session, asked)
        if json:
            give_json(found)
        else:
            _compare(found)
        return 0

    run(work, as_json=json)


@sessions.command("delete")
def delete(
    session: SessionId,
    restore: Annotated[bool, typer.Option("--restore", help="Bring it back instead.")] = False,
    json: AsJson = False,
) -> None:
    """Delete a session softly: it takes nothing more, and its events stay until they are removed."""
    _told(lambda citator: citator.session_delete(session, restore=restore), as_json=json)


async def _run_here(citator: "Citator", session: str, asked: "Json") -> "Json":
    """Run it again in this process, with the operator's model."""
    from service.actions import OWNER, Actions
    from service.server import driver_of
    from service.sessions.asked import RerunRequest
    from service.sessions.rerunning import rerun as run_again

    assert isinstance(citator, Actions), "who is no server is the composition of this process"
    driver = driver_of(citator, citator.parts.settings)
    try:
        return await run_again(citator, driver, session, RerunRequest.model_validate(asked), OWNER)
    finally:
        await driver.close()


def _compare(found: "Json") -> None:
    show(f"{found['session']}  a fork of {found['original'][7:19]} at {found['at'][7:19]}")
    for step in found["steps"]:
        show(f"\n{cut(str(step['question']['content']), LINE)}")
        calls = [", ".join(one["name"] for one in step[when]["calls"]) or "none" for when in ("before", "now")]
        show(f"  tools before: {calls[0]}; now: {calls[1]}")
        show("\n".join(f"  {line}" for line in step["diff"]) or "  the same words")
        if step["state"] != "completed":
            show(f"  {step['state']}: {step['reason']}")
    told = found["tools"]
    show(f"\n{told['recorded']} results from the records, {told['live']} from tools, {told['lacking']} on no record")


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
