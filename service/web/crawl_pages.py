"""Crawls: what was started, how far it is, what it could not get."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from service.api_answers import actions
from service.crawl_requests import CrawlRequest
from service.requests import Scope
from service.web.asking import valid
from service.web.rendering import page
from service.web.route import PageRoute, fields, to, visitor

router = APIRouter(route_class=PageRoute, include_in_schema=False)

LISTED: Final = 50
"""Crawls on one page of the list."""

SHOWN_PAGES: Final = 500
"""Pages listed of one crawl; the API gives all."""

CrawlId = Annotated[str, Path(max_length=80)]


@router.get("/crawls")
async def crawls(request: Request, before: Annotated[str | None, Query(max_length=80)] = None) -> Response:
    """List the crawls, newest first."""
    visitor(request, Scope.READ)
    listed = await actions(request).crawls.listed(limit=LISTED, before=before)
    return page(request, "crawls.html", listed=listed)


@router.post("/crawls")
async def start(request: Request) -> Response:
    """Start a crawl, and go to where it can be watched."""
    caller = visitor(request, Scope.FETCH)
    form = await fields(request)
    lines = filter(None, map(str.strip, form.get("urls", "").splitlines()))
    urls = tuple(url if "://" in url else f"https://{url}" for url in lines)
    asked: dict[str, object] = {"urls": urls, "sitemap": "no_sitemap" not in form}
    numbers = ("max_pages", "max_depth", "max_seconds", "min_interval", "max_interval")
    asked |= {name: form[name] for name in numbers if form.get(name)}
    asked |= {name: tuple(form[name].split()) for name in ("include", "exclude") if form.get(name)}
    started = await actions(request).crawl_start(valid(CrawlRequest, asked), caller)
    return to(_path(started["id"]))


@router.get("/crawls/{crawl}")
async def crawl(request: Request, crawl: CrawlId, part: Annotated[str, Query(max_length=20)] = "") -> Response:
    """Show a crawl as it stands. While it runs, the page asks again for its changing part."""
    visitor(request, Scope.READ)
    whole = crawl if crawl.startswith("sha256:") else f"sha256:{crawl}"
    found = await actions(request).crawl(whole)
    captures, failures = found["captures"], found["failures"]
    return page(
        request,
        "crawl_progress.html" if part == "progress" else "crawl.html",
        crawl=found,
        captures=captures[-SHOWN_PAGES:][::-1],
        failures=failures[-SHOWN_PAGES:][::-1],
        hidden=max(0, len(captures) - SHOWN_PAGES) + max(0, len(failures) - SHOWN_PAGES),
        running=found["state"] in {"running", "queued"},
    )


@router.post("/crawls/{crawl}/{what}")
async def change(request: Request, crawl: CrawlId, what: Literal["pause", "resume", "cancel"]) -> Response:
    """Pause a crawl, let it go on, or end it; what it has captured stays."""
    caller = visitor(request, Scope.FETCH)
    whole = crawl if crawl.startswith("sha256:") else f"sha256:{crawl}"
    if what == "cancel":
        await actions(request).crawl_cancel(whole)
    else:
        await actions(request).crawls.change(whole, "paused" if what == "pause" else "resumed", caller)
    return to(_path(whole))


def _path(crawl: str) -> str:
    return f"/crawls/{crawl.removeprefix('sha256:')}"
