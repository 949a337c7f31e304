"""`citator crawl`."""

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from service.cli_output import cut, give_json, run, say, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.doors import Citator, Json
    from service.requests import CrawlRequest


def crawl(
    urls: Annotated[list[str], typer.Argument(help="Where to start.", metavar="URL…")],
    max_pages: Annotated[int | None, typer.Option(help="Pages asked for at most (100).")] = None,
    max_depth: Annotated[int | None, typer.Option(help="Links followed from a start at most.")] = None,
    sitemap: Annotated[bool, typer.Option(help="Take addresses from the site's sitemap too.")] = True,
    max_age: Annotated[int | None, typer.Option(help="Seconds that a kept capture is good enough.")] = None,
    session: Annotated[str | None, typer.Option(help="Your name for this session.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Counts, captures and failures as JSON.")] = False,
) -> None:
    """Capture a site: what its links and its sitemap lead to. Follows robots.txt."""
    options = {
        "urls": urls,
        "max_pages": max_pages,
        "max_depth": max_depth,
        "sitemap": sitemap,
        "max_age": max_age,
        "session": session,
    }
    given = {name: value for name, value in options.items() if value is not None}

    async def work(citator: "Citator") -> int:
        from service.requests import CrawlRequest

        found = await _followed(citator, CrawlRequest.model_validate(given))
        if json:
            give_json(found)
        else:
            _tell(found)
        return _status_of(found)

    run(work, as_json=json)


async def _followed(citator: "Citator", request: "CrawlRequest") -> "Json":
    """Start, follow to the end, and give the crawl as it stands then. An interrupt cancels it; what it has stays."""
    import asyncio

    from service.connect import ME

    this = asyncio.current_task()

    started = await citator.crawl_start(request, ME)
    with _progress(request.max_pages) as seen:
        try:
            async for event in citator.crawl_events(started["id"]):
                seen.event(event)
        except asyncio.CancelledError:
            if this is not None:
                this.uncancel()
            say("citator: stopping after the pages under way")
            return await citator.crawl_cancel(started["id"])
    return await citator.crawl(started["id"])


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
    show(f"crawl {found['id']}")
