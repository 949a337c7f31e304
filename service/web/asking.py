"""The front page: ask a question or fetch a page, and see what was asked before."""

from typing import Annotated, Final, TypeVar

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ValidationError

from service.api_answers import actions, told_problem
from service.failures import BadRequest
from service.requests import CaptureRequest, Reply, Scope, SearchRequest
from service.web.rendering import page
from service.web.route import PageRoute, fields, to, visitor

Model = TypeVar("Model", bound=BaseModel)

router = APIRouter(route_class=PageRoute, include_in_schema=False)

RECENT: Final = 20
"""Records listed on the front page: what fits on a screen."""

OWN_TIME: Final = ("search", "fetch", "crawl", "deletion")
"""Kinds that somebody asked for, as against what came of them."""

SEARCH_FIELDS: Final = {
    "q": "query",
    "max_results": "max_results",
    "language": "language",
    "published_after": "published_after",
    "published_before": "published_before",
    "as_of": "as_of",
}


@router.get("/")
async def front(
    request: Request,
    q: Annotated[str, Query(max_length=70_000)] = "",
    before: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """Ask, and look at what was asked before. `q` fills in the question; asking is a click, for it leaves a record."""
    caller = visitor(request, Scope.SEARCH, Scope.FETCH, Scope.READ)
    listed = None
    if caller.may(Scope.READ):
        listed = await actions(request).recent(OWN_TIME, limit=RECENT, before=before)
    return page(request, "front.html", query=q, listed=listed, first=before is None)


@router.post("/")
async def search(request: Request) -> Response:
    """Answer a question, and go to its record."""
    caller = visitor(request, Scope.SEARCH)
    form = await fields(request)
    asked: dict[str, object] = {ours: form[theirs] for theirs, ours in SEARCH_FIELDS.items() if theirs in form}
    for name in ("include_domains", "exclude_domains"):
        if name in form:
            asked[name] = tuple(form[name].replace(",", " ").split())
    if "as_of" in asked and str(asked["as_of"]).isdecimal():
        asked["as_of"] = int(str(asked["as_of"]))
    asked["fold"] = "unfold" not in form
    return _record(await actions(request).search(valid(SearchRequest, asked), caller))


@router.post("/fetch")
async def fetch(request: Request) -> Response:
    """Fetch a page, and go to its record; what could not be got is shown as it was kept."""
    caller = visitor(request, Scope.FETCH)
    form = await fields(request)
    url = form.get("url", "")
    asked: dict[str, object] = {"url": url if "://" in url else f"https://{url}" if url else ""}
    if "screenshot" in form:
        asked["screenshot"] = True
    return _record(await actions(request).capture(valid(CaptureRequest, asked), caller))


def valid(model: type[Model], asked: dict[str, object]) -> Model:
    """The request that a form means.

    Raises:
        BadRequest: it means none; says where.
    """
    try:
        return model.model_validate(asked)
    except ValidationError as error:
        raise BadRequest(told_problem(error).detail) from error


def _record(reply: Reply) -> Response:
    """To the page of the record that was kept."""
    assert reply.record is not None, "what is asked through these pages is kept"
    return to(f"/e/{reply.record.removeprefix('sha256:')}")
