"""The door for people: errors are answered as pages, and who has not signed in is asked to."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Final

import orjson
import structlog
from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from service.api_answers import actions, allowed, told_problem
from service.errors import Problem
from service.requests import Caller, Scope
from service.web.rendering import page

SEE_OTHER: Final = 303
MAX_FIELD: Final = 100_000  # characters of a form's field: a query is at most 65,536 of them

log = structlog.get_logger()


def visitor(request: Request, *scopes: Scope) -> Caller:
    """The caller, if it may do what one of `scopes` covers; what it is served says that it came through the web pages.

    Raises:
        KeyMissing, ScopeMissing: as the API says.
    """
    return replace(allowed(request, *scopes), surface="web")


def to(path: str) -> Response:
    """On to another of our pages, after something was done."""
    return RedirectResponse(path, SEE_OTHER, {"Cache-Control": "no-store"})


async def fields(request: Request) -> dict[str, str]:
    """The text fields of a submitted form that are not empty."""
    form = await request.form(max_files=0, max_fields=100, max_part_size=MAX_FIELD)
    return {name: value.strip() for name, value in form.items() if isinstance(value, str) and value.strip()}


class PageRoute(APIRoute):
    """A route whose errors are pages too."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap what FastAPI makes of the route."""
        handler = super().get_route_handler()

        async def answering(request: Request) -> Response:
            try:
                return await handler(request)
            except Exception as error:  # noqa: BLE001 - the door: whatever happened behind it, a person gets a page
                return await refused(request, told_problem(error))

        return answering


async def refused(request: Request, problem: Problem) -> Response:
    """The page that a problem means. What was removed shows what the deletion says."""
    deletion = problem.members.get("deletion")
    record = None
    if isinstance(deletion, str):
        try:
            record = orjson.loads((await actions(request).evidence(deletion)).body)
        except Exception as error:  # noqa: BLE001 - the first error is the answer, with or without the record
            log.warning("deletion record not readable", id=deletion, error=str(error))
    return page(
        request, "problem.html", status=problem.status, problem=problem, deletion=deletion, deletion_record=record
    )
