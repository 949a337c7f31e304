"""Tavily's search and extract: `/tavily/search` and `/tavily/extract`, as its clients send and read them."""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from fastapi import APIRouter, Request, Response

from service.api_answers import actions
from service.clock import system_clock
from service.compatible.answering import (
    Fields,
    Page,
    ShapedRoute,
    asking,
    evidence,
    pages,
    relative,
    searched,
    sent,
    served_together,
    shown,
    told,
    whole_results,
    written,
)
from service.compatible.asking import Asked, day, json_of, seconds, since
from service.failures import BadRequest
from service.requests import CaptureRequest, Scope, SearchRequest

router = APIRouter(prefix="/tavily", route_class=ShapedRoute, include_in_schema=False)

MAX_TAVILY: Final = 20
"""Results of a search, and addresses of an extract: Tavily's own bounds."""

PER_CHUNK: Final = 300
"""Tokens of one chunk: a passage has up to 200 words."""

DAY_AGE: Final = 24 * 3600
"""Seconds that a kept copy is good enough for `extract`, which has no word for it."""

QUIET: Final = frozenset(
    {"api_key", "use_cache", "search_depth", "extract_depth", "include_usage", "include_favicon", "auto_parameters"}
    | {"timeout", "fetch_timeout", "cache_fallback", "max_tokens"}
)


@router.post("/search")
async def search(request: Request) -> Response:
    """Answer a query in Tavily's JSON; each result's `content` is its passages, and `passages` names them."""
    begun = time.perf_counter()
    asked = Asked(json_of(await request.body()), QUIET)
    query = asked.needed("query", "Query is missing.")
    wanted = _request(asked, query, system_clock())
    whole = asked.flag("include_raw_content")
    for name in ("include_answer", "include_images"):
        if asked.flag(name):
            asked.aside(name)
    caller = asking(request, "tavily", Scope.SEARCH, noted=asked.noted("tavily/search"))
    if not whole:
        reply = await actions(request).search(wanted, written(caller, lambda fields: told(_found(fields, begun, {}))))
        return sent(reply)
    asking(request, "tavily", Scope.FETCH, noted={})
    fields = await searched(request, caller, wanted)
    raw = await whole_results(request, caller, fields)
    records = [fields["record"], *(page.record for page in raw.values())]
    return await served_together(request, caller, records, told(_found(fields, begun, raw)))


def _request(asked: Asked, query: str, now: datetime) -> SearchRequest:
    results = asked.number("max_results", 5, least=0, most=MAX_TAVILY) or 1
    chunks = asked.number("chunks_per_source", 3, least=1, most=5)
    after, before = _span(asked, now)
    hours = asked.value("max_age_hours")
    include = asked.domains("include_domains")
    if asked.text("include_domains_mode") == "prefer" and include:
        asked.aside("include_domains_mode")
    language = asked.text("language") if asked.flag("filter_by_language") else None
    return SearchRequest(
        query=query,
        max_results=results,
        max_tokens=results * chunks * PER_CHUNK,
        max_tokens_per_url=chunks * PER_CHUNK,
        include_domains=include,
        exclude_domains=asked.domains("exclude_domains"),
        published_after=after,
        published_before=before,
        language=language,
        max_age=seconds(asked.number("max_age_hours", 0, least=0, most=876_000) * 3600) if hours is not None else None,
    )


def _span(asked: Asked, now: datetime) -> tuple[datetime | None, datetime | None]:
    """From when to when pages were published: days given outright win over spans."""
    after, before = day(asked.text("start_date")), day(asked.text("end_date"))
    span = since(asked.text("time_range"), now)
    days = asked.number("days", 0, least=0, most=36_500)
    if after is None:
        after = span or (now - timedelta(days=days) if days else None)
    return after, before + timedelta(days=1) if before else None  # Tavily's end is a whole day


def _found(fields: Fields, begun: float, raw: dict[str, Page]) -> Fields:
    results = fields["results"]
    scores = relative(results)
    return {
        "query": fields["query"],
        "follow_up_questions": None,
        "answer": None,
        "images": [],
        "results": [_result(one, score, raw.get(one["url"])) for one, score in zip(results, scores, strict=True)],
        "response_time": round(time.perf_counter() - begun, 3),
        "request_id": fields["record"],
        "record": fields["record"],
        "state": fields["state"],
        "message": fields.get("message"),
    }


def _result(one: Fields, score: float, raw: Page | None) -> Fields:
    told_of = {
        "title": one.get("title") or one["url"],
        "url": one["url"],
        "content": shown(one),
        "score": score,
        "raw_content": raw.fields["text"] if raw is not None and raw.error is None else None,
        "capture": one["capture"],
        "retrieved_at": one["retrieved_at"],
        "passages": evidence(one),
    }
    return told_of | ({"published_date": one["published"]} if one.get("published") else {})


@router.post("/extract")
async def extract(request: Request) -> Response:
    """Give the text of up to twenty pages. One that cannot be had stands under `failed_results` with its reason."""
    begun = time.perf_counter()
    asked = Asked(json_of(await request.body()), QUIET)
    given = asked.value("urls")
    urls = [given] if isinstance(given, str) else given
    if not isinstance(urls, list) or not urls or not all(isinstance(url, str) and url.strip() for url in urls):
        raise BadRequest("URLs are missing.")
    if len(urls) > MAX_TAVILY:
        raise BadRequest(f"at most {MAX_TAVILY} URLs are taken")
    if asked.text("format") == "markdown":
        asked.aside("format=markdown, given as text")
    for name in ("query", "chunks_per_source"):
        asked.value(name)
        if asked.given.get(name):
            asked.aside(name)
    if asked.flag("include_images"):
        asked.aside("include_images")
    caller = asking(request, "tavily", Scope.FETCH, noted=asked.noted("tavily/extract"))
    wanted = [CaptureRequest(url=url.strip(), max_age=DAY_AGE) for url in dict.fromkeys(urls)]
    return await _extracted(request, await pages(request, caller, wanted), begun)


async def _extracted(request: Request, read: Sequence[Page], begun: float) -> Response:
    caller = asking(request, "tavily", Scope.FETCH, noted={})
    records = [page.record for page in read]
    body = {
        "results": [
            {
                "url": page.url,
                "title": page.fields.get("title"),
                "raw_content": page.fields["text"],
                "images": [],
                "record": page.record,
                "capture": page.fields["capture"],
                "retrieved_at": page.fields["retrieved_at"],
                "passages": page.fields["passages"],
            }
            for page in read
            if page.error is None
        ],
        "failed_results": [
            {"url": page.url, "error": page.error, "record": page.record} for page in read if page.error is not None
        ],
        "response_time": round(time.perf_counter() - begun, 3),
        "request_id": next(filter(None, records), None),
    }
    return await served_together(request, caller, records, told(body))
