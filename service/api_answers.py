"""What all routes of the HTTP API share: who asks, how answers and problems are sent."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any, Final

import orjson
import structlog
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from service.doors import Actions, Json
from service.error_shapes import shaped
from service.errors import TABLE, KeyMissing, Problem, ScopeMissing, problem_of
from service.gate import CALLER, NO_KEY
from service.mistakes import mistaken
from service.requests import Caller, Reply, Scope

RECORD: Final = "X-Evidence-Record"
SERVING: Final = "X-Evidence-Serving"

PULSE_SECONDS: Final = 15.0
"""A quiet event stream says that it is alive this often: proxies give up on silence after 30 to 60 seconds."""

_WRONG_METHOD: Final = 405
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

log = structlog.get_logger()


def actions(request: Request) -> Actions:
    """The actions behind this application."""
    found: Actions = request.app.state.actions
    return found


def allowed(request: Request, *scopes: Scope, session: str | None = None) -> Caller:
    """The caller, if it may do what one of `scopes` covers; with `session` as its claim, if given.

    Raises:
        KeyMissing: nobody is known to ask.
        ScopeMissing: the key does not cover this.
    """
    caller: Caller | None = request.scope.get(CALLER)
    if caller is None:
        raise KeyMissing(NO_KEY)
    if not any(caller.may(scope) for scope in scopes):
        raise ScopeMissing(f"this needs a key with the scope {' or '.join(scopes)}")
    return caller if session is None else replace(caller, session=session)


def answered(value: Json, *, status: int = 200) -> Response:
    """A plain answer."""
    return Response(orjson.dumps(value), status, {"Cache-Control": "no-store"}, "application/json")


def replied(reply: Reply) -> Response:
    """A kept reply, byte for byte, with the ids of its records."""
    headers = {"Cache-Control": "no-store"}
    if reply.record is not None:
        headers[RECORD] = reply.record
    if reply.serving is not None:
        headers[SERVING] = reply.serving
    return Response(reply.body, reply.status, headers, reply.media_type)


def streamed(request: Request, events: AsyncIterator[Json]) -> Response:
    """Server-sent events. Each event's `event` is its id and its `type` its name, where it has them."""
    closing: asyncio.Event = request.app.state.closing
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_pulsing(events, closing), 200, headers, "text/event-stream")


async def _pulsing(events: AsyncIterator[Json], closing: asyncio.Event) -> AsyncIterator[bytes]:
    """The events, a comment in each silence, and the end when the server stops."""
    stop = asyncio.ensure_future(closing.wait())
    following = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait({following, stop}, timeout=PULSE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if following in done:
                event = await following
                if event is None:
                    return
                yield _sse(event)
                following = asyncio.ensure_future(anext(events, None))
            elif stop in done:
                return
            else:
                yield b": still here\n\n"
    except Exception as error:  # noqa: BLE001 - the answer has begun: the only place left to tell of it is the stream
        yield _sse(told_problem(error).details(), name="problem")
    finally:
        stop.cancel()
        following.cancel()
        await asyncio.gather(stop, following, return_exceptions=True)
        if isinstance(events, AsyncGenerator):
            await events.aclose()


def _sse(event: Mapping[str, Any], name: str | None = None) -> bytes:
    lines = [f"id: {event['event']}"] if "event" in event else []
    kind = name or event.get("type")
    if kind:
        lines.append(f"event: {kind}")
    return "\n".join(lines).encode() + (b"\n" if lines else b"") + b"data: " + orjson.dumps(event) + b"\n\n"


class Route(APIRoute):
    """A route that takes no option it does not know, and whose errors are answered as problem details."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap what FastAPI makes of the route."""
        handler = super().get_route_handler()
        described: list[dict[str, Any]] = (self.openapi_extra or {}).get("parameters", [])
        known = {parameter.alias for parameter in self.dependant.query_params} | {one["name"] for one in described}

        async def answering(request: Request) -> Response:
            try:
                _only(known, request)
                return await handler(request)
            except Exception as error:  # noqa: BLE001 - the door: whatever happened behind it, the caller gets an answer
                return await refused(request, error)

        return answering


def _only(known: set[str], request: Request) -> None:
    """Refuse options in the query that are not `known`: a removal with `dryrun` must not be one without `dry_run`."""
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        raise RequestValidationError(
            [
                {"loc": ("query", name), "msg": "Extra inputs are not permitted", "type": "extra_forbidden"}
                for name in unknown
            ]
        )


async def refused(request: Request, error: Exception) -> Response:
    """The answer that an error means. What was removed is answered with its deletion record."""
    problem = told_problem(error)
    deletion = problem.members.get("deletion")
    if isinstance(deletion, str):
        try:
            record = orjson.loads((await actions(request).evidence(deletion)).body)
        except Exception as second:  # noqa: BLE001 - the first error is the answer, with or without the record
            log.warning("deletion record not readable", id=deletion, error=str(second))
        else:
            problem = replace(problem, members={**problem.members, "deletion_record": record})
    allow = ", ".join(_answering(request)) if problem.status == _WRONG_METHOD else None
    if allow is not None:
        problem = replace(problem, detail=f"this path answers {allow}, and not {request.method}")
    status, headers, body = shaped(request.scope["path"], problem)
    response = Response(body, status)
    response.raw_headers = headers
    if allow is not None:
        response.headers["Allow"] = allow
    return response


def _answering(request: Request) -> list[str]:
    """The methods that something answers at the path of a request."""
    return [
        method
        for method in _METHODS
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in request.app.routes)
    ]


def told_problem(error: Exception) -> Problem:
    """The problem that an error means; what is not the caller's doing goes into the log."""
    if isinstance(error, (RequestValidationError, ValidationError)):
        return invalid(error)
    if isinstance(error, HTTPException):
        if error.status_code < 500:  # noqa: PLR2004 - FastAPI's own refusals: no such path, wrong method, bad body
            meaning = TABLE["service.NoRoute" if error.status_code in (404, _WRONG_METHOD) else "service.BadRequest"]
            return Problem(meaning.slug, error.status_code, meaning.exit, meaning.title, str(error.detail))
        return problem_of(RuntimeError())
    problem = problem_of(error)
    if problem.status >= 500:  # noqa: PLR2004 - what is not the caller's doing belongs in the log
        trace = error if problem.slug == "internal" else None
        log.error("failed", problem=problem.slug, error=str(error), exc_info=trace)
    return problem


def invalid(error: RequestValidationError | ValidationError) -> Problem:
    """What is wrong with a request. FastAPI puts the part of the request before the option."""
    return mistaken(error.errors(), skip=1 if isinstance(error, RequestValidationError) else 0)
