"""SearXNG's search API: `/searxng/search`, and `/search` for clients that know only a host. GET, or POST of a form."""

from datetime import datetime
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from fastapi import APIRouter, Request, Response

from service.api_answers import actions
from service.clock import system_clock
from service.compatible.answering import (
    Fields,
    ShapedRoute,
    asking,
    evidence,
    relative,
    sent,
    shown,
    told,
    written,
)
from service.compatible.asking import Asked, since
from service.failures import BadRequest
from service.forms import Served
from service.requests import MAX_RESULTS, Scope, SearchRequest

router = APIRouter(route_class=ShapedRoute, include_in_schema=False)

PER_PAGE: Final = 10
LAST_PAGE: Final = MAX_RESULTS // PER_PAGE

PER_RESULT: Final = 800
"""Tokens of one result's text: a passage or a few, where SearXNG has a snippet."""

QUIET: Final = frozenset(
    {"theme", "image_proxy", "autocomplete", "autocomplete_min", "format", "disabled_engines", "enabled_engines"}
    | {"results_on_new_tab", "method", "preferences", "number_of_results"}
)
ANY_LANGUAGE: Final = frozenset({"", "all", "auto"})
ENGINE: Final = "citator"


@router.get("/searxng/search")
@router.get("/searxng/")
@router.get("/searxng")
@router.get("/search")
async def search(request: Request) -> Response:
    """Answer a query in SearXNG's JSON. `format` is `json` or left out; pages are of ten results."""
    return await _answered(request, dict(request.query_params))


@router.post("/searxng/search")
@router.post("/searxng/")
@router.post("/searxng")
@router.post("/search")
async def search_by_form(request: Request) -> Response:
    """Do the same for a form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("", "application/x-www-form-urlencoded"):
        raise BadRequest("send a form; /tavily/search and /api/v1/search take JSON")
    form = parse_qsl((await request.body()).decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=100)
    return await _answered(request, dict(request.query_params) | dict(form))


async def _answered(request: Request, given: dict[str, str]) -> Response:
    asked = Asked(given, QUIET)
    if (kind := (given.get("format") or "json").lower()) not in ("json", "html"):
        raise BadRequest(f"the format {kind[:20]} is not made here; there is json")
    query = asked.needed("q", "No query")
    page = asked.number("pageno", 1, least=1, most=LAST_PAGE)
    wanted = _request(asked, query, page, system_clock())
    for name, usual in (("categories", ("general",)), ("engines", ()), ("safesearch", ("0", "1"))):
        value = asked.text(name)
        if value and value not in usual:
            asked.aside(name)
    caller = asking(request, "searxng", Scope.SEARCH, noted=asked.noted("searxng/search"))
    offset = PER_PAGE * (page - 1)
    reply = await actions(request).search(wanted, written(caller, lambda fields: _told(fields, query, offset)))
    return sent(reply)


def _request(asked: Asked, query: str, page: int, now: datetime) -> SearchRequest:
    language = (asked.text("language") or "").partition("-")[0].lower()
    span = asked.text("time_range")
    after = since(span, now)
    if span and after is None:
        asked.aside("time_range")
    if language not in ANY_LANGUAGE:
        asked.aside("language")  # SearXNG asks for a language and takes what comes; here it would be a condition
    return SearchRequest(
        query=query,
        max_results=PER_PAGE * page,
        max_tokens=PER_RESULT * PER_PAGE * page,
        max_tokens_per_url=PER_RESULT,
        published_after=after,
    )


def _told(fields: Fields, query: str, offset: int) -> Served:
    results = fields["results"]
    scores = relative(results)
    failing = [[one["name"], one.get("detail") or one["state"]] for one in fields["providers"] if one["state"] != "ok"]
    listed = [_result(one, score) for one, score in zip(results, scores, strict=True)][offset:]
    return told(
        {
            "query": query,
            "number_of_results": len(results),
            "results": listed,
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": failing,
            "record": fields["record"],
            "state": fields["state"],
            "message": fields.get("message"),
        }
    )


def _result(one: Fields, score: float) -> Fields:
    parts = urlsplit(one["url"])
    published: Any = one.get("published")
    return {
        "url": one["url"],
        "title": one.get("title") or one["url"],
        "content": shown(one),
        "engine": ENGINE,
        "engines": [ENGINE],
        "positions": [one["rank"]],
        "score": score,
        "category": "general",
        "template": "default.html",
        "parsed_url": [parts.scheme, parts.netloc, parts.path, "", parts.query, parts.fragment],
        "publishedDate": published,
        "pubdate": published,
        "img_src": "",
        "thumbnail": "",
        "priority": "",
        "capture": one["capture"],
        "retrieved_at": one["retrieved_at"],
        "passages": evidence(one),
    }


@router.get("/searxng/healthz")
async def healthz() -> Response:
    """Say OK."""
    return Response("OK", media_type="text/plain")


@router.get("/searxng/config")
async def config() -> Response:
    """Say which engines there are: one."""
    engine = {"name": ENGINE, "categories": ["general"], "enabled": True, "paging": True, "time_range_support": True}
    return Response(told({"categories": ["general"], "engines": [engine]}).body, media_type="application/json")


@router.get("/searxng/autocompleter")
async def autocompleter() -> Response:
    """Complete nothing."""
    return Response(b"[]", media_type="application/json")
