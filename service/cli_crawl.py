"""`citator crawl`."""

import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from service.cli_output import cut, give_json, run, say, show

crawls = typer.Typer(help="Crawls: list, show, pause, resume, cancel.", no_args_is_help=True)
CrawlId = Annotated[str, typer.Argument(metavar="CRAWL", help="The crawl's id, or a unique prefix of it.")]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from typing import Literal

    from service.crawl_requests import CrawlRequest
    from service.doors import Citator, Json


def crawl(
    urls: Annotated[
        list[str] | None, typer.Argument(help="Where to start: pages, sitemaps or feeds.", metavar="[URL…]")
    ] = None,
    listed: Annotated[
        str | None,
        typer.Option("--list", help="A file with an address a line (- for stdin): these pages and no links of theirs."),
    ] = None,
    max_pages: Annotated[int | None, typer.Option(help="Pages captured at most (100).")] = None,
    max_depth: Annotated[int | None, typer.Option(help="Links followed from a start at most.")] = None,
    max_seconds: Annotated[int | None, typer.Option(help="Seconds after which it ends with what it has.")] = None,
    scope: Annotated[str | None, typer.Option(help="Where links may lead: origin (as is), path or site.")] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="Only links to such addresses; * stands for anything.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No links to such addresses.")] = None,
    sitemap: Annotated[bool, typer.Option(help="Take addresses from the site's sitemap too.")] = True,
    render: Annotated[
        str | None, typer.Option(help="Whether a browser shows the pages: auto, never or always.")
    ] = None,
    max_age: Annotated[int | None, typer.Option(help="Seconds that a kept capture is good enough.")] = None,
    min_interval: Annotated[
        int | None, typer.Option(help="Visit the pages again: seconds between two visits at least (with the next).")
    ] = None,
    max_interval: Annotated[int | None, typer.Option(help="Seconds between two visits of a page at most.")] = None,
    session: Annotated[str | None, typer.Option(help="Your name for this session.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Counts, captures and failures as JSON.")] = False,
) -> None:
    """Capture a site: what its links, sitemaps and feeds lead to. Follows robots.txt."""
    options = {
        "max_pages": max_pages,
        "max_depth": 0 if listed is not None and max_depth is None else max_depth,
        "max_seconds": max_seconds,
        "scope": scope,
        "include": include,
        "exclude": exclude,
        "sitemap": sitemap,
        "render": render,
        "max_age": max_age,
        "min_interval": min_interval,
        "max_interval": max_interval,
        "session": session,
    }
    given: dict[str, object] = {name: value for name, value in options.items() if value is not None}

    async def work(citator: "Citator") -> int:
        from service.crawl_requests import CrawlRequest

        starts = [*(urls or []), *(_lines(listed) if listed is not None else [])]
        found = await _followed(citator, CrawlRequest.model_validate(given | {"urls": starts}))
        if json:
            give_json(found)
        else:
            _tell(found)
        return _status_of(found)

    run(work, as_json=json)


def _lines(source: str) -> list[str]:
    """The addresses in a file, one a line; empty lines and those that begin with `#` are none."""
    from pathlib import Path

    from service.failures import BadRequest

    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{source} cannot be read: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


async def _followed(citator: "Citator", request: "CrawlRequest") -> "Json":
    """Start, follow to the end, and give the crawl as it stands then. An interrupt cancels it; what it has stays."""
    import asyncio

    from service.connect import ME

    this = asyncio.current_task()

    started = await citator.crawl_start(request, ME)
    with _progress(request.pages) as seen:
        try:
            async for event in citator.crawl_events(started["id"]):
                seen.event(event)
        except asyncio.CancelledError:
            if this is not None:
                this.uncancel()
            say(f"citator: stopping the crawl {started['id']} after the pages under way")
            with _interrupted_again(lambda: citator.crawl_cancel(started["id"])):
                return await citator.crawl_cancel(started["id"])
    return await citator.crawl(started["id"])


@contextmanager
def _interrupted_again(act: "Callable[[], Awaitable[object]]") -> "Iterator[None]":
    """Let a further interrupt do `act`, rather than break off what is being done."""
    import asyncio
    import signal

    async def hurry() -> None:
        with suppress(Exception):  # what is waited for tells what went wrong
            await act()

    loop, tasks = asyncio.get_running_loop(), list["asyncio.Task[None]"]()
    with suppress(NotImplementedError, ValueError, RuntimeError):  # outside of a program's main thread there is none
        loop.add_signal_handler(signal.SIGINT, lambda: tasks.append(loop.create_task(hurry())))
    yield


class Seen(Protocol):
    """Who is told of a crawl's events."""

    def event(self, event: "Json", /) -> None:
        """One event, as it happened."""
        ...


class Nobody:
    """Where stderr is no terminal, progress would only fill a log."""

    def event(self, event: "Json", /) -> None:
        """Say nothing."""


@contextmanager
def _progress(pages: int) -> "Iterator[Seen]":
    if not sys.stderr.isatty():
        yield Nobody()
        return
    from service.cli_progress import CrawlBar

    with CrawlBar(pages) as bar:
        yield bar


def _status_of(found: "Json") -> int:
    """A crawl that was stopped, or that got not one page, was not done."""
    from service.errors import DONE, NOT_DONE

    return DONE if found.get("state") == "done" and found.get("captures") else NOT_DONE


def _tell(found: "Json") -> None:
    for failure in found.get("failures") or ():
        detail = failure.get("detail")
        show(f"failed  {failure['url']}  {failure.get('reason')}{f': {cut(detail, 160)}' if detail else ''}")
    counts = ", ".join(f"{number} {what}" for what, number in (found.get("counts") or {}).items())
    show(f"{found['state']}: {counts}")
    if found.get("errors"):
        show("errors: " + ", ".join(f"{number} {why}" for why, number in found["errors"].items()))
    if found.get("detail"):
        show(str(found["detail"]))
    if found.get("next_round"):
        show(f"next visits {found['next_round']}, by a server that runs then")
    if found["state"] == "paused":
        show("`citator crawls resume` lets it go on")
    show(f"crawl {found['id']}")


@crawls.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 50, json: AsJson = False
) -> None:
    """List crawls, newest first."""

    async def work(citator: "Citator") -> int:
        found = await citator.crawls.listed(limit=limit)
        if json:
            give_json(found)
            return 0
        for one in found["crawls"]:
            counts = one.get("counts") or {}
            when = f"  next {one['next_round']}" if one.get("next_round") else ""
            where = ", ".join(one["seeds"][:3])
            show(f"{one['id']}  {one['state']}  {counts.get('captured', 0)} captured{when}  {where}")
        return 0

    run(work, as_json=json)


@crawls.command("show")
def show_(what: CrawlId, json: AsJson = False) -> None:
    """Show a crawl as it stands: counts, errors by kind, what is left, each page that failed."""
    _do(lambda citator: citator.crawl(what), as_json=json)


@crawls.command("pause")
def pause(what: CrawlId, json: AsJson = False) -> None:
    """Ask for no more pages for now."""
    _change(what, "paused", as_json=json)


@crawls.command("resume")
def resume(what: CrawlId, json: AsJson = False) -> None:
    """Let a crawl go on, where a server drives it."""
    _change(what, "resumed", as_json=json)


@crawls.command("cancel")
def cancel(what: CrawlId, json: AsJson = False) -> None:
    """End a crawl for good, also one whose pages are visited again. What it captured stays."""
    _do(lambda citator: citator.crawl_cancel(what), as_json=json)


def _change(what: str, phase: "Literal['paused', 'resumed']", *, as_json: bool) -> None:
    from service.connect import ME

    _do(lambda citator: citator.crawls.change(what, phase, ME), as_json=as_json)


def _do(what: "Callable[[Citator], Awaitable[Json]]", *, as_json: bool) -> None:
    async def work(citator: "Citator") -> int:
        found = await what(citator)
        if as_json:
            give_json(found)
        else:
            _tell(found)
            left = found.get("left")
            if left and left["pages"]:
                show(f"left: {left['pages']} pages, {left['seconds'] if left['seconds'] is not None else '?'} seconds")
        return 0

    run(work, as_json=as_json)
