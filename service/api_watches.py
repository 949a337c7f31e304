"""`/watches` and `/holds`: what is visited again from time to time, and what must not be removed."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Path, Request, Response

from service.api_answers import Route, actions, allowed, answered
from service.api_documents import problems, told
from service.requests import Scope
from service.watch_feed import MEDIA_TYPE
from service.watch_replies import HoldsTold, HoldTold, NewWatchTold, WatchesTold, WatchTold
from service.watch_requests import HoldRequest, WatchRequest

router = APIRouter(route_class=Route, tags=["watches"])

CREATED: Final = 201

Id = Annotated[str, Path(max_length=80, description="An id, or a unique prefix of 12 or more hex digits.")]

_FEED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "An Atom feed.", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}},
    **problems(400, 404, 409),
}


@router.post(
    "/watches",
    status_code=CREATED,
    responses={
        CREATED: {"model": NewWatchTold, "description": "The only time the secret is shown."},
        **problems(400, 404, 409, 410, 502),
    },
)
async def start(
    request: Request,
    asked: Annotated[
        WatchRequest, Body(openapi_examples={"a page": {"value": {"urls": ["https://www.example.org/"]}}})
    ],
) -> Response:
    """Begin to visit pages from time to time, and to tell when they no longer say what they said."""
    caller = allowed(request, Scope.FETCH)
    return answered(await actions(request).watches.add(asked, caller), status=CREATED)


@router.get("/watches", responses=told(WatchesTold))
async def watches(request: Request) -> Response:
    """List all watches."""
    allowed(request, Scope.READ, Scope.FETCH)
    return answered(await actions(request).watches.listed())


@router.get("/watches/feed.atom", responses=_FEED)
async def feed_of_all(request: Request) -> Response:
    """Give the alarms of all watches as an Atom feed."""
    allowed(request, Scope.READ)
    return _feed(await actions(request).watches.feed(None))


@router.get("/watches/{watch}", responses=told(WatchTold, 400, 404, 409))
async def watch(request: Request, watch: Id) -> Response:
    """Tell how it stands with a watch: its sources, alarms and deliveries."""
    allowed(request, Scope.READ, Scope.FETCH)
    return answered(await actions(request).watches.show(watch))


@router.get("/watches/{watch}/feed.atom", responses=_FEED)
async def feed(request: Request, watch: Id) -> Response:
    """Give the alarms of a watch as an Atom feed."""
    allowed(request, Scope.READ)
    return _feed(await actions(request).watches.feed(watch))


@router.post("/watches/{watch}/pause", responses=told(WatchTold, 400, 404, 409))
async def pause(request: Request, watch: Id) -> Response:
    """Pause a watch."""
    caller = allowed(request, Scope.FETCH)
    return answered(await actions(request).watches.change(watch, "paused", caller))


@router.post("/watches/{watch}/resume", responses=told(WatchTold, 400, 404, 409))
async def resume(request: Request, watch: Id) -> Response:
    """Let a watch go on."""
    caller = allowed(request, Scope.FETCH)
    return answered(await actions(request).watches.change(watch, "resumed", caller))


@router.delete("/watches/{watch}", responses=told(WatchTold, 400, 404, 409, description="Ended; its records stay."))
async def end(request: Request, watch: Id) -> Response:
    """End a watch for good."""
    caller = allowed(request, Scope.FETCH)
    return answered(await actions(request).watches.change(watch, "ended", caller))


@router.post(
    "/holds",
    status_code=CREATED,
    responses={CREATED: {"model": HoldTold, "description": "Held."}, **problems(400, 404, 409, 410)},
)
async def hold(
    request: Request,
    asked: Annotated[
        HoldRequest,
        Body(openapi_examples={"a site": {"value": {"patterns": ["https://www.example.org/*"], "reason": "a case"}}}),
    ],
) -> Response:
    """Hold something: until the hold is released, no removal takes it."""
    caller = allowed(request, Scope.ADMIN)
    return answered(await actions(request).holds.add(asked, caller), status=CREATED)


@router.get("/holds", responses=told(HoldsTold))
async def holds(request: Request) -> Response:
    """List the holds in force."""
    allowed(request, Scope.READ)
    return answered(await actions(request).holds.listed())


@router.delete("/holds/{hold}", responses=told(HoldTold, 400, 404, 409, description="Released; the records stay."))
async def release(request: Request, hold: Id) -> Response:
    """Release a hold."""
    caller = allowed(request, Scope.ADMIN)
    return answered(await actions(request).holds.release(hold, caller))


def _feed(body: bytes) -> Response:
    # What pages said stands in it: nobody shows it as anything but a feed.
    headers = {"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"}
    return Response(body, 200, headers | {"Content-Security-Policy": "sandbox; default-src 'none'"}, MEDIA_TYPE)
