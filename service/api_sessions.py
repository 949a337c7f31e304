"""`/sessions`: conversations as a resource. The body models are `service.sessions.asked`'s."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Header, Path, Query, Request, Response

from service.api_answers import Route, actions, allowed, answered, streamed
from service.api_documents import problems, told
from service.failures import BadRequest
from service.replies import AgentTold, RunTold, SessionsTold, SessionTold, StepTold, Told
from service.requests import MAX_POSITION, MAX_TOKENS, Caller, Scope
from service.sessions.asked import (
    AgentRequest,
    ApprovalRequest,
    ArtifactRequest,
    CheckpointRequest,
    CompactionRequest,
    ContextRequest,
    MessageRequest,
    RerunRequest,
    RollbackRequest,
    RunChange,
    RunRequest,
    SessionRequest,
    ToolResultsRequest,
)
from service.sessions.context import Mode
from service.sessions.driving import Driver
from service.sessions.formats import Format
from service.sessions.once import once
from service.sessions.rerunning import rerun
from service.sessions.summarising import compacted
from service.sessions.talking import Sessions

router = APIRouter(route_class=Route, tags=["sessions"])

CREATED: Final = 201
WRITERS: Final = (Scope.SEARCH, Scope.FETCH)
"""Scopes that may write sessions: whoever may ask may also say what was asked."""

SessionId = Annotated[str, Path(max_length=80, description="A session's id, or a unique prefix of it.")]
RunId = Annotated[str, Path(max_length=80)]
Json = dict[str, Any]

_EVENTS: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The run; with `Accept: text/event-stream` its steps as they come, then the run itself.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RunTold"}}, "text/event-stream": {}},
    },
    **problems(400, 404, 409, 410),
}


def _sessions(request: Request) -> Sessions:
    return actions(request).sessions


def _driver(request: Request) -> Driver:
    driver: Driver | None = request.app.state.driver
    if driver is None:
        raise BadRequest("runs are driven by servers only: `citator serve`")
    return driver


def _writer(request: Request) -> Caller:
    return allowed(request, *WRITERS)


async def _written(
    request: Request, caller: Caller, do: Callable[[Caller], Awaitable[Json]], *, appends: bool = True
) -> Response:
    """The answer to a write; one that was asked for before under the same `Idempotency-Key` is not done again."""
    key = request.headers.get("idempotency-key")
    body = await request.body()
    sessions = _sessions(request)
    what = f"{request.method} {request.url.path}?{request.url.query}"
    done, again = await once(sessions.book.parts, caller, key, what, body, do, sessions.retell, appends=appends)
    answer = answered(done, status=200 if again else CREATED)
    if again:
        answer.headers["Idempotent-Replay"] = "true"
    return answer


def _if_match(request: Request) -> str | None:
    given = request.headers.get("if-match")
    return given.strip().strip('"') if given else None


def _with_head(found: Json) -> Response:
    answer = answered(found)
    answer.headers["ETag"] = f'"{found["head"]}"'
    return answer


_MADE: Final[dict[int | str, dict[str, Any]]] = {
    CREATED: {"model": StepTold, "description": "Kept."},
    **told(StepTold, 400, 404, 409, 410, 412, description="It was done before, under the same `Idempotency-Key`."),
}
_STARTED: Final[dict[int | str, dict[str, Any]]] = {
    CREATED: {"model": RunTold, "description": "Begun."},
    **told(RunTold, 400, 404, 409, 410, 412, description="It was done before, under the same `Idempotency-Key`."),
}
_BEGUN: Final[dict[int | str, dict[str, Any]]] = {
    CREATED: {"model": SessionTold, "description": "Begun."},
    **told(SessionTold, 400, 404, 409, 410, description="It was done before, under the same `Idempotency-Key`."),
}


@router.post("/sessions", status_code=CREATED, responses=_BEGUN)
async def begin(request: Request, asked: Annotated[SessionRequest, Body()]) -> Response:
    """Begin a session. With `store=false` nothing is kept, and its records are in the reply."""
    caller = _writer(request)
    return await _written(request, caller, lambda by: _sessions(request).begin(asked, by), appends=False)


@router.get("/sessions", responses=told(SessionsTold, 400, description="Sessions, newest first."))
async def listed(
    request: Request,
    q: Annotated[str, Query(max_length=256, description="What title or labels hold.")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[int | None, Query(ge=0, le=MAX_POSITION)] = None,
    deleted: Annotated[bool, Query(description="Deleted ones too.")] = False,  # noqa: FBT002 - a query parameter
) -> Response:
    """List sessions."""
    allowed(request, Scope.READ)
    return answered(await _sessions(request).listed(query=q, limit=limit, before=before, deleted=deleted))


@router.get("/sessions/{session}", responses=told(SessionTold, 400, 404, 409, description="The session as it stands."))
async def look(request: Request, session: SessionId) -> Response:
    """Show a session: its state, who holds its lock, its head (also the `ETag`)."""
    allowed(request, Scope.READ)
    return _with_head(await _sessions(request).look(session))


@router.delete("/sessions/{session}", responses=told(SessionTold, 400, 404, 409, 410, description="Deleted."))
async def delete(
    request: Request,
    session: SessionId,
    restore: Annotated[bool, Query(description="Bring it back instead.")] = False,  # noqa: FBT002 - a query parameter
) -> Response:
    """Delete a session softly: its events stay until they are removed, for a fork may need them."""
    caller = allowed(request, Scope.ADMIN)
    return answered(await _sessions(request).delete(session, caller, restore=restore))


@router.get("/sessions/{session}/events", responses=told(Told, 400, 404, 409, description="Events with what they say."))
async def events(
    request: Request,
    session: SessionId,
    after: Annotated[str | None, Query(max_length=80, description="The last event that the caller has.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    whole: Annotated[bool, Query(description="Also what was gone back on.")] = False,  # noqa: FBT002 - a query parameter
) -> Response:
    """Read a session's events, first to last."""
    allowed(request, Scope.READ)
    return answered(await _sessions(request).events(session, after=after, limit=limit, whole=whole))


@router.post("/sessions/{session}/messages", status_code=CREATED, responses=_MADE)
async def say(request: Request, session: SessionId, asked: Annotated[MessageRequest, Body()]) -> Response:
    """Add a message. Refused with 409 while another run holds the session, with 412 if `If-Match` is not its head."""
    caller = _writer(request)
    match = _if_match(request)
    return await _written(request, caller, lambda by: _sessions(request).say(session, asked, by, match))


@router.post("/sessions/{session}/tool-results", status_code=CREATED, responses=_MADE)
async def results(request: Request, session: SessionId, asked: Annotated[ToolResultsRequest, Body()]) -> Response:
    """Add what tools gave back to calls that wait."""
    caller = _writer(request)
    return await _written(request, caller, lambda by: _sessions(request).results(session, asked, by))


@router.post("/sessions/{session}/artifacts", status_code=CREATED, responses=_MADE)
async def artifact(request: Request, session: SessionId, asked: Annotated[ArtifactRequest, Body()]) -> Response:
    """Add a file that came out of the session."""
    caller = _writer(request)
    return await _written(request, caller, lambda by: _sessions(request).artifact(session, asked, by))


@router.post("/sessions/{session}/checkpoint", status_code=CREATED, responses=_MADE)
async def checkpoint(request: Request, session: SessionId, asked: Annotated[CheckpointRequest, Body()]) -> Response:
    """Name the place where the session is."""
    caller = _writer(request)
    return await _written(request, caller, lambda by: _sessions(request).checkpoint(session, asked, by))


@router.post("/sessions/{session}/rollback", status_code=CREATED, responses=_MADE)
async def roll_back(request: Request, session: SessionId, asked: Annotated[RollbackRequest, Body()]) -> Response:
    """Go back to a checkpoint or an event. What came after stays readable with `whole`."""
    caller = _writer(request)
    return await _written(request, caller, lambda by: _sessions(request).roll_back(session, asked, by))


@router.post("/sessions/{session}/fork", status_code=CREATED, responses=_BEGUN)
async def fork(
    request: Request,
    session: SessionId,
    at_message: Annotated[
        str | None, Query(max_length=80, description="The last event shared; none: the head.")
    ] = None,
    title: Annotated[str | None, Query(max_length=256)] = None,
) -> Response:
    """Begin a session that shares this one's events up to `at_message`."""
    caller = _writer(request)
    return await _written(
        request, caller, lambda by: _sessions(request).fork(session, at_message, by, title), appends=False
    )


@router.post("/sessions/{session}/compactions", status_code=CREATED, responses={**_MADE, **problems(502)})
async def compact(request: Request, session: SessionId, asked: Annotated[CompactionRequest, Body()]) -> Response:
    """Put a summary in place of older messages, which stay. Without `summary` a model makes one, or an extract is."""
    caller, driver = _writer(request), request.app.state.driver
    return await _written(request, caller, lambda by: compacted(actions(request), driver, session, asked, by))


@router.post("/sessions/{session}/runs", status_code=CREATED, responses=_STARTED)
async def start(request: Request, session: SessionId, asked: Annotated[RunRequest, Body()]) -> Response:
    """Take the session's lock and begin a run; with `drive` this server asks its model, step by step, to the end."""
    caller = _writer(request)
    begin = _driver(request).start if asked.drive else _sessions(request).start
    return await _written(request, caller, lambda by: begin(session, asked, by))


@router.post(
    "/sessions/{session}/rerun",
    status_code=CREATED,
    responses={CREATED: {"model": Told}, **told(Told, 400, 404, 409, 410)},
)
async def run_again(request: Request, session: SessionId, asked: Annotated[RerunRequest, Body()]) -> Response:
    """Run a session again with another definition, in a fork: tools give what the records say. Tells what differs."""
    caller = _writer(request)
    return answered(await rerun(actions(request), _driver(request), session, asked, caller), status=CREATED)


@router.get("/sessions/{session}/runs/{run}", responses=_EVENTS)
async def run(
    request: Request, session: SessionId, run: RunId, accept: Annotated[str, Header(max_length=1000)] = ""
) -> Response:
    """Show a run, or follow it by server-sent events."""
    allowed(request, Scope.READ, *WRITERS)
    found = await _sessions(request).run(session, run)
    if "text/event-stream" in accept:
        driver: Driver | None = request.app.state.driver
        return streamed(request, _sessions(request).follow(session, found["id"], driver.saying if driver else None))
    return answered(found)


@router.patch("/sessions/{session}/runs/{run}", responses=told(RunTold, 400, 404, 409, 410, description="The run."))
async def change(request: Request, session: SessionId, run: RunId, asked: Annotated[RunChange, Body()]) -> Response:
    """Renew a run's lease, complete, fail or cancel it, or have it ask a person."""
    caller = _writer(request)
    return answered(await _sessions(request).change(session, run, asked, caller))


@router.post("/sessions/{session}/approve", status_code=CREATED, responses=_MADE)
async def approve(request: Request, session: SessionId, asked: Annotated[ApprovalRequest, Body()]) -> Response:
    """Let a run that asked go on."""
    caller = _writer(request)
    return await _written(request, caller, lambda by: _sessions(request).decide(session, asked, by, approved=True))


@router.post("/sessions/{session}/deny", status_code=CREATED, responses=_MADE)
async def deny(request: Request, session: SessionId, asked: Annotated[ApprovalRequest, Body()]) -> Response:
    """Tell a run that asked not to."""
    caller = _writer(request)
    return await _written(request, caller, lambda by: _sessions(request).decide(session, asked, by, approved=False))


@router.get("/sessions/{session}/context", responses=told(Told, 400, 404, 409, description="What a model is shown."))
async def context(
    request: Request,
    session: SessionId,
    format: Annotated[Format | None, Query(description="The API it is for; none: neutral.")] = None,  # noqa: A002 - its name in the API
    budget: Annotated[int | None, Query(ge=1, le=MAX_TOKENS, description="Tokens of the model's window.")] = None,
    at: Annotated[str | None, Query(max_length=80)] = None,
    mode: Annotated[Mode, Query(description="What stays when not all fits.")] = "recent",
    provider: Annotated[str | None, Query(max_length=256)] = None,
    model: Annotated[str | None, Query(max_length=256)] = None,
) -> Response:
    """Give what a model is to be shown of the session, and what was left out."""
    allowed(request, Scope.READ)
    asked = ContextRequest(form=format, budget=budget, at=at, mode=mode, provider=provider, model=model)
    found = await actions(request).session_reading.context(session, asked)
    return answered(found)


@router.get("/sessions/{session}/agents/{agent}", responses=told(AgentTold, 400, 404, 409, 410))
async def agent(request: Request, session: SessionId, agent: Annotated[str, Path(max_length=80)]) -> Response:
    """Give an agent's definition, whole."""
    allowed(request, Scope.READ)
    await _sessions(request).look(session)
    return answered(await _sessions(request).agent(agent))


@router.post("/agents", status_code=CREATED, responses={CREATED: {"model": AgentTold}, **told(AgentTold, 400)})
async def define(request: Request, asked: Annotated[AgentRequest, Body()]) -> Response:
    """Keep an agent's definition. A credential in it is refused."""
    caller = _writer(request)
    return await _written(request, caller, lambda by: _sessions(request).agent_create(asked, by), appends=False)
