"""`citator show`, `citator proof` and `citator delete`."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli_output import bad_use, confirmed, give, give_json, run, say, show

if TYPE_CHECKING:
    from service.doors import Citator, Json

LISTED = 20
"""Lines of a removal's plan shown before the question; `--dry-run --json` lists all."""


def show_(
    id_: Annotated[str, typer.Argument(metavar="ID", help="An id, or 12 or more of its hex digits.")],
    view: Annotated[
        str | None, typer.Option(help="A view instead: text, visible, candidates, context, reply, rechecks.")
    ] = None,
) -> None:
    """Give the exact bytes that an id names."""

    async def work(citator: "Citator") -> int:
        give((await citator.evidence(id_, view=view)).body)
        return 0

    run(work)


def proof(
    id_: Annotated[str, typer.Argument(metavar="ID", help="An id, or 12 or more of its hex digits.")],
    json: Annotated[bool, typer.Option("--json", help="The proof with what leads to it, as JSON.")] = False,
) -> None:
    """Prove that an id is in the log: gives a `.tlog-proof`, and tells which record it is of."""

    async def work(citator: "Citator") -> int:
        found = await citator.proof(id_)
        if json:
            give_json(found)
            return 0
        give(str(found["proof"]).encode())
        for one in found["leads"]:
            say(f"leads: {one}")
        for one in found.get("foreign", ()):
            say(f"imported: it was proven in the log {one['origin']} with the key {one['vkey']}; --json has the proof")
        say(f"record {found['record']} is entry {found['index']} of the log with the key {found['vkey']}")
        return 0

    run(work, as_json=json)


def delete(
    what: Annotated[list[str] | None, typer.Argument(metavar="ID…", help="Ids, or one address.")] = None,
    url: Annotated[str | None, typer.Option(help="All captures of this page.")] = None,
    pattern: Annotated[
        str | None, typer.Option("--pattern", "--url-pattern", help="By address; `*` is anything.")
    ] = None,
    session: Annotated[str | None, typer.Option(help="What was shown in this session only, and its replies.")] = None,
    since: Annotated[str | None, typer.Option("--since", "--from", help="Captured at or after this time.")] = None,
    until: Annotated[str | None, typer.Option("--until", "--to", help="Captured before this time.")] = None,
    records: Annotated[
        bool,
        typer.Option("--records", help="Also searches, fetches and rechecks that name it, and watches that ended."),
    ] = False,
    forks: Annotated[bool, typer.Option("--forks", help="With a session also those forked from it.")] = False,
    reason: Annotated[str | None, typer.Option(help="Kept in the deletion record.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Annotated[bool, typer.Option("--json", help="What was removed, as JSON.")] = False,
) -> None:
    """Remove pages and everything kept of them. The log goes on to say that something was removed."""
    ids = [one for one in what or () if "://" not in one]
    addresses = [one for one in what or () if "://" in one] + ([url] if url else [])
    if len(addresses) > 1:
        bad_use("give one address at a time, or a --pattern")
    options: dict[str, Any] = {
        "ids": ids or None,
        "url": addresses[0] if addresses else None,
        "pattern": pattern,
        "session": session,
        "since": since,
        "until": until,
        "reason": reason,
        "forks": forks or None,
        "records": records or None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    ask = sys.stdin.isatty() and not (yes or dry_run or json)

    async def work(citator: "Citator") -> int:
        from service.connect import ME
        from service.errors import NOT_DONE
        from service.requests import RemovalRequest

        if ask:
            plan = await citator.remove(RemovalRequest.model_validate(given | {"dry_run": True}), ME)
            _tell(plan)
            if not plan["removed"] or not confirmed("Remove this?"):
                say("nothing was removed")
                return NOT_DONE
        done = await citator.remove(RemovalRequest.model_validate(given | {"dry_run": dry_run}), ME)
        if json:
            give_json(done)
        else:
            _tell(done)
        return 0

    run(work, as_json=json)


def _tell(found: "Json") -> None:
    for one in found["removed"][:LISTED]:
        show(f"{'would remove' if found['dry_run'] else 'removed'}  {one['id']}  {one['kind']}  {one['bytes']} bytes")
    left = len(found["removed"]) - LISTED
    if left > 0:
        show(f"… and {left} more")
    if found["deletion"]:
        show(f"deletion {found['deletion']}")
    if found.get("shared"):
        show(f"{len(found['shared'])} pages stay, since replies outside the session show them too")
    counts = ", ".join(f"{count} {what}" for what, count in found["counts"].items() if count)
    if counts:
        show(counts)
    staying = ", ".join(f"{count} {kind}" for kind, count in found.get("staying", {}).get("counts", {}).items())
    if staying:
        show(f"records that name it and stay: {staying}")
    if not found["removed"]:
        show("there is nothing to remove")
