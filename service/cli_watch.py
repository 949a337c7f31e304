"""`citator watch …` and `citator hold …`."""

from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import bad_use, give, give_json, run, say, show

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from service.doors import Citator, Json
    from service.watch_doors import Watching

AsJson = Annotated[bool, typer.Option("--json", help="The result as JSON.")]
WatchId = Annotated[str, typer.Argument(metavar="WATCH", help="The watch's id, as `citator watch list` shows it.")]
HoldId = Annotated[str, typer.Argument(metavar="HOLD", help="The hold's id, as `citator hold list` shows it.")]

watch = typer.Typer(no_args_is_help=True, help="Visit sources from time to time, and tell when they change.")
hold = typer.Typer(no_args_is_help=True, help="Keep things from being removed.")


@watch.command("add")
def add(
    what: Annotated[list[str], typer.Argument(metavar="ID|URL…", help="Passages, captures, searches, or addresses.")],
    name: Annotated[str | None, typer.Option(help="What you call it.")] = None,
    min_interval: Annotated[int | None, typer.Option(help="Seconds between two visits at least (3600).")] = None,
    max_interval: Annotated[int | None, typer.Option(help="Seconds between two visits at most (604800).")] = None,
    webhook: Annotated[str | None, typer.Option(metavar="URL", help="Where alarms are posted to, signed.")] = None,
    json: AsJson = False,
) -> None:
    """Begin a watch. A running `citator serve` makes the visits."""

    async def work(citator: "Citator") -> int:
        from service.connect import ME
        from service.watch_requests import WatchRequest

        options = {"name": name, "min_interval": min_interval, "max_interval": max_interval, "webhook": webhook}
        asked: Json = {key: value for key, value in options.items() if value is not None}
        asked |= {"ids": [one for one in what if "://" not in one], "urls": [one for one in what if "://" in one]}
        found = await citator.watches.add(WatchRequest.model_validate(asked), ME)
        if json:
            give_json(found)
            return 0
        _tell(found)
        if found["secret"] is not None:
            show(f"secret {found['secret']}")
            say("the secret checks the webhook's signatures; it is shown this once")
        return 0

    run(work, as_json=json)


@watch.command("list")
def list_(json: AsJson = False) -> None:
    """List all watches, the newest first."""

    async def work(citator: "Citator") -> int:
        found = await citator.watches.listed()
        if json:
            give_json(found)
            return 0
        for one in found["watches"]:
            what = one["name"] or ", ".join(one["urls"][:3])
            show(f"{one['id']}  {one['state']}  {one['standing']} not as cited  {one['alarms']} alarms  {what}")
        return 0

    run(work, as_json=json)


@watch.command("show")
def show_(what: WatchId, json: AsJson = False) -> None:
    """Show a watch: its sources, when they are visited, its alarms and what became of them."""
    _do(lambda watches: watches.show(what), as_json=json)


@watch.command("pause")
def pause(what: WatchId, json: AsJson = False) -> None:
    """Make no more visits for now."""
    _change(what, "paused", as_json=json)


@watch.command("resume")
def resume(what: WatchId, json: AsJson = False) -> None:
    """Let a watch go on."""
    _change(what, "resumed", as_json=json)


@watch.command("remove")
def remove(what: WatchId, json: AsJson = False) -> None:
    """End a watch for good. Its records stay."""
    _change(what, "ended", as_json=json)


@watch.command("feed")
def feed(
    what: Annotated[str | None, typer.Argument(metavar="WATCH", help="One watch; none: all.")] = None,
) -> None:
    """Write the alarms as an Atom feed."""

    async def work(citator: "Citator") -> int:
        give(await citator.watches.feed(what))
        return 0

    run(work)


def _change(what: str, phase: str, *, as_json: bool) -> None:
    from typing import Literal, cast

    from service.connect import ME

    known = cast("Literal['paused', 'resumed', 'ended']", phase)
    _do(lambda watches: watches.change(what, known, ME), as_json=as_json)


def _do(what: "Callable[[Watching], Awaitable[Json]]", *, as_json: bool) -> None:
    async def work(citator: "Citator") -> int:
        found = await what(citator.watches)
        if as_json:
            give_json(found)
        else:
            _tell(found)
        return 0

    run(work, as_json=as_json)


def _tell(found: "Json") -> None:
    show(f"watch {found['id']}  {found['state']}  {found['name'] or ''}")
    for one in found["sources"]:
        when = f"next visit {one['next_visit']}" if one["next_visit"] else one["trouble"] or "no visits"
        show(f"  {one['url']}  {one['passages']} passages  {one['verdict'] or 'not visited yet'}  {when}")
        for missed in one["missed"]:
            show(f"    {missed['verdict']}  {missed['passage']}")
    for alarm in found["alarms_shown"][:10]:
        show(f"  alarm {alarm['at']}  {alarm['event']}  {alarm['url']}  {alarm['id']}")
    for sent in found["deliveries"][:10]:
        show(f"  sent {sent['at']}  {sent['state']}  {sent['attempts']} attempts  {sent['detail'] or ''}")
    if found["webhook_lost"]:
        say("the webhook's address and secret were lost with the state: end this watch and begin a new one")


@hold.command("add")
def hold_add(
    what: Annotated[list[str] | None, typer.Argument(metavar="ID|URL…", help="Ids, or addresses of pages.")] = None,
    pattern: Annotated[list[str] | None, typer.Option(help="Addresses in which `*` stands for anything.")] = None,
    reason: Annotated[str | None, typer.Option(help="Kept in the record.")] = None,
    json: AsJson = False,
) -> None:
    """Hold something: until it is released, no removal takes it."""
    given = what or []
    if not given and not pattern:
        bad_use("give an id, an address or --pattern")

    async def work(citator: "Citator") -> int:
        from service.connect import ME
        from service.watch_requests import HoldRequest

        asked: Json = {
            "ids": [one for one in given if "://" not in one],
            "urls": [one for one in given if "://" in one],
            "patterns": pattern or [],
            "reason": reason,
        }
        found = await citator.holds.add(HoldRequest.model_validate(asked), ME)
        if json:
            give_json(found)
        else:
            _tell_hold(found)
        return 0

    run(work, as_json=json)


@hold.command("list")
def hold_list(json: AsJson = False) -> None:
    """List the holds in force."""

    async def work(citator: "Citator") -> int:
        found = await citator.holds.listed()
        if json:
            give_json(found)
            return 0
        for one in found["holds"]:
            _tell_hold(one)
        return 0

    run(work, as_json=json)


@hold.command("release")
def hold_release(what: HoldId, json: AsJson = False) -> None:
    """End a hold."""

    async def work(citator: "Citator") -> int:
        from service.connect import ME

        found = await citator.holds.release(what, ME)
        if json:
            give_json(found)
        else:
            show(f"released {found['id']}")
        return 0

    run(work, as_json=json)


def _tell_hold(found: "Json") -> None:
    what = ", ".join([*found["ids"], *found["urls"], *found["patterns"]])
    show(f"hold {found['id']}  {found['held_at']}  {found['reason'] or ''}  {what}")
