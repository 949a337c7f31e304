"""`/crawls`."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Header, Query, Request, Response

from service.api_answers import Route, actions, allowed, answered, streamed
from service.api_documents import problems, told
from service.crawl_replies import CrawlsTold, CrawlTold
from service.crawl_requests import CrawlRequest
from service.requests import Scope

router = APIRouter(route_class=Route, tags=["crawls"])

_STARTED: Final = 202

_EVENTS: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Events as they happen; each has its number as `id`. The stream ends with the crawl.",
        "content": {"text/event-stream": {}},
    },
    **problems(400, 404, 409),
}


@router.post(
    "/crawls",
    status_code=_STARTED,
    responses={_STARTED: {"model": CrawlTold, "description": "Started."}, **problems(400)},
)
async def start(
    request: Request,
    asked: Annotated[
        CrawlRequest,
        Body(openapi_examples={"plain": {"value": {"url": "https://www.example.org/", "max_pages": 50}}}),
    ],
) -> Response:
    """Start to capture a site. Crawls always follow robots.txt."""
    caller = allowed(request, Scope.FETCH, session=asked.session)
    return answered(await actions(request).crawl_start(asked, caller), status=_STARTED)


@router.get("/crawls", responses=told(CrawlsTold, 400, 404))
async def crawls(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    before: Annotated[str | None, Query(max_length=80, description="The `next` of the list before.")] = None,
) -> Response:
    """List the crawls, newest first."""
    allowed(request, Scope.READ, Scope.FETCH)
    return answered(await actions(request).crawls.listed(limit=limit, before=before))


@router.get("/crawls/{crawl}", responses=told(CrawlTold, 400, 404, 409, description="The crawl as it stands."))
async def crawl(request: Request, crawl: str) -> Response:
    """Counts, errors by kind, what is left, captures, and each page that failed with its reason."""
    allowed(request, Scope.READ, Scope.FETCH)
    return answered(await actions(request).crawl(crawl))


@router.get("/crawls/{crawl}/events", responses=_EVENTS)
async def events(
    request: Request,
    crawl: str,
    after: Annotated[int | None, Query(ge=0)] = None,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """Follow a crawl by server-sent events, from the beginning or after an event's number."""
    allowed(request, Scope.READ, Scope.FETCH)
    if after is None:
        after = int(last_event_id) if last_event_id and last_event_id.isdecimal() else 0
    await actions(request).crawl(crawl)  # an unknown crawl is answered as a problem, not as a stream that breaks
    return streamed(request, actions(request).crawl_events(crawl, after=after))


@router.post("/crawls/{crawl}/pause", responses=told(CrawlTold, 400, 404, 409, description="Paused."))
async def pause(request: Request, crawl: str) -> Response:
    """Pause a crawl; pages under way are finished, or asked for again later."""
    caller = allowed(request, Scope.FETCH)
    return answered(await actions(request).crawls.change(crawl, "paused", caller))


@router.post("/crawls/{crawl}/resume", responses=told(CrawlTold, 400, 404, 409, description="It goes on."))
async def resume(request: Request, crawl: str) -> Response:
    """Let a crawl go on."""
    caller = allowed(request, Scope.FETCH)
    return answered(await actions(request).crawls.change(crawl, "resumed", caller))


@router.delete(
    "/crawls/{crawl}", responses=told(CrawlTold, 400, 404, 409, description="Stopped; what it captured stays.")
)
async def cancel(request: Request, crawl: str) -> Response:
    """End a crawl for good, also one whose pages are visited again."""
    allowed(request, Scope.FETCH)
    return answered(await actions(request).crawl_cancel(crawl))
