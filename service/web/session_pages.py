"""Sessions: what was said, on what evidence, where it forks, and what of it only its provider can read."""

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response

from service.api_answers import actions
from service.requests import Scope
from service.sessions.context import text_of
from service.web.rendering import page
from service.web.route import PageRoute, fields, to, visitor

router = APIRouter(route_class=PageRoute, include_in_schema=False)

LISTED: Final = 50
"""Sessions on one page of the list."""
STEPS: Final = 200
"""Events on one page of a session."""
MAX_SHOWN: Final = 20_000  # characters of one content on the page; its receipt leads to all of it

SessionId = Annotated[str, Path(max_length=80)]


@router.get("/sessions")
async def sessions(
    request: Request,
    q: Annotated[str, Query(max_length=256)] = "",
    before: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """List the sessions, newest first."""
    visitor(request, Scope.READ)
    listed = await actions(request).sessions.listed(query=q, limit=LISTED, before=before, deleted=False)
    return page(request, "sessions.html", listed=listed, query=q)


@router.get("/sessions/{session}")
async def session(
    request: Request,
    session: SessionId,
    after: Annotated[str | None, Query(max_length=80)] = None,
    whole: Annotated[bool, Query()] = False,  # noqa: FBT002 - a query parameter
) -> Response:
    """Show one session: its steps from first to last, with what each rests on."""
    visitor(request, Scope.READ)
    behind = actions(request).sessions
    found = await behind.look(session)
    part = await behind.events(session, after=after, limit=STEPS, whole=whole)
    forks = await behind.forks(session)
    steps = [event | {"said": _said(event["body"])} for event in part["events"]]
    return page(
        request, "session.html", session=found, steps=steps, following=part["next"], whole=whole, first=after is None,
        forks=forks,
    )  # fmt: skip


@router.post("/sessions/{session}/fork")
async def fork(request: Request, session: SessionId) -> Response:
    """Begin a session that shares this one's steps up to one of them, and go there."""
    caller = visitor(request, Scope.SEARCH, Scope.FETCH)
    form = await fields(request)
    made = await actions(request).sessions.fork(session, form.get("at"), caller)
    return to(f"/sessions/{made['id'].removeprefix('sha256:')}")


def _said(body: object) -> str:
    """What a step says, for reading."""
    if isinstance(body, str):
        return body[:MAX_SHOWN]
    if not isinstance(body, dict):
        return ""
    for name in ("removed", "summary", "handover"):
        if isinstance(body.get(name), str):
            return str(body[name])[:MAX_SHOWN]
    return text_of(body.get("content"))[:MAX_SHOWN]
