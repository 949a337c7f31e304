"""`citator retention …`: how long captures are kept."""

from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import bad_use, give_json, run, show

if TYPE_CHECKING:
    from service.doors import Citator, Json

DAY = 86_400

AsJson = Annotated[bool, typer.Option("--json", help="The result as JSON.")]

retention = typer.Typer(no_args_is_help=True, help="Set how long captures are kept.")


@retention.command("add")
def add(
    pattern: Annotated[list[str], typer.Option(help="Addresses in which `*` stands for anything.")],
    days: Annotated[float | None, typer.Option(help="Captures go once they were kept so many days ago.")] = None,
    keep_last: Annotated[
        int | None, typer.Option(help="Captures go once so many later good ones of their address are kept.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Kept in the record.")] = None,
    json: AsJson = False,
) -> None:
    """Set a rule. A running `citator serve` applies it every hour; `citator retention apply` does so now."""
    if days is None and keep_last is None:
        bad_use("give --days or --keep-last")

    async def work(citator: "Citator") -> int:
        from service.connect import ME
        from service.retention_requests import RetentionRequest

        seconds = None if days is None else round(days * DAY)
        asked: Json = {"patterns": pattern, "keep_seconds": seconds, "keep_last": keep_last, "reason": reason}
        found = await citator.retention.add(RetentionRequest.model_validate(asked), ME)
        if json:
            give_json(found)
        else:
            _tell(found)
        return 0

    run(work, as_json=json)


@retention.command("list")
def list_(json: AsJson = False) -> None:
    """List the rules in force."""

    async def work(citator: "Citator") -> int:
        found = await citator.retention.listed()
        if json:
            give_json(found)
            return 0
        for one in found["rules"]:
            _tell(one)
        return 0

    run(work, as_json=json)


@retention.command("lift")
def lift(
    what: Annotated[str, typer.Argument(metavar="RULE", help="The rule's id, as `citator retention list` shows it.")],
    json: AsJson = False,
) -> None:
    """End a rule."""

    async def work(citator: "Citator") -> int:
        from service.connect import ME

        found = await citator.retention.lift(what, ME)
        if json:
            give_json(found)
        else:
            show(f"lifted {found['id']}")
        return 0

    run(work, as_json=json)


@retention.command("apply")
def apply(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be removed.")] = False,
    json: AsJson = False,
) -> None:
    """Apply the rules now."""

    async def work(citator: "Citator") -> int:
        from service.retention_requests import RetentionRound

        found = await citator.retention.apply(RetentionRound(dry_run=dry_run))
        if json:
            give_json(found)
            return 0
        for one in found["rules"]:
            done = "would take" if dry_run else "took"
            stay = f"; {one['held_total']} held and {one['watched_total']} watched stay"
            show(f"rule {one['rule']} {done} {one['captures']} captures, {one['counts'].get('bytes', 0)} bytes{stay}")
            for deletion in one["deletions"]:
                show(f"  deletion {deletion}")
        return 0

    run(work, as_json=json)


def _tell(found: "Json") -> None:
    kept = [f"{found['keep_seconds'] / DAY:g} days"] if found["keep_seconds"] is not None else []
    kept += [f"the last {found['keep_last']}"] if found["keep_last"] is not None else []
    patterns = ", ".join(found["patterns"])
    show(f"rule {found['id']}  {found['set_at']}  keeps {' and '.join(kept)} of {patterns}  {found['reason'] or ''}")
