"""Firecrawl's scrape, search and map in its second version, scrape and search in its first.

They lie at the root: Firecrawl's own client drops any path in front of `/v1` and `/v2`.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import orjson
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
    searched,
    served_together,
    shown,
    told,
)
from service.compatible.asking import Asked, json_of, since
from service.compatible.firecrawl_pages import (
    QUIET,
    V1_AGE,
    V2_AGE,
    NotKept,
    document,
    links_of,
    require_kept,
    wanted,
)
from service.error_shapes import firecrawl as shape
from service.errors import problem_told
from service.requests import MAX_RESULTS, Caller, CaptureRequest, Scope, SearchRequest

router = APIRouter(route_class=ShapedRoute, include_in_schema=False)

PER_RESULT: Final = 800
"""Tokens of one result's text, which is called its description."""

MAX_LINKS: Final = 5_000
"""Addresses of one map: Firecrawl's own default."""

NO_BROWSER: Final = "no-browser"
"""The problem with a picture where nothing can take one: the page is given without it, and that is said."""

MAP_AGE: Final = 24 * 3600

_MAX_QUERY: Final = 500  # Firecrawl's own bound
_BETWEEN: Final = re.compile(r"cd_(min|max):(\d{1,2})/(\d{1,2})/(\d{4})")


@router.post("/v2/scrape")
async def scrape(request: Request) -> Response:
    """Give a page; `metadata` holds the ids of its evidence, whether it came from the store, and since when."""
    return await _scraped(request, "firecrawl/v2/scrape", V2_AGE)


@router.post("/v1/scrape")
async def scrape_v1(request: Request) -> Response:
    """Give a page, fetched now unless `maxAge` says otherwise."""
    return await _scraped(request, "firecrawl/v1/scrape", V1_AGE)


async def _scraped(request: Request, api: str, default_age: int) -> Response:
    asked = Asked(json_of(await request.body()), QUIET)
    url = asked.needed("url", "url is missing").strip()
    want = wanted(asked, default_age=default_age)
    caller = asking(request, "firecrawl", Scope.FETCH, noted=asked.noted(api))
    try:
        await require_kept(request, url, want, caller)
    except NotKept as error:
        return await served_together(
            request, caller, [], told({"success": False, "error": str(error), "code": error.code}, status=404)
        )
    (page,) = await pages(request, caller, [want.capture(url)])
    if page.slug == NO_BROWSER:
        (page,) = await pages(request, caller, [want.without_picture().capture(url)])
    if page.error is not None:
        return await _failed(request, caller, page)
    made = await document(request, page, want)
    body = {"success": True, "data": made, "agent_hints": _hints(page.record)}
    return await served_together(request, caller, [page.record], told(body))


def _hints(record: str | None) -> list[str]:
    """What Firecrawl's client hands on beside what it knows: where the record is."""
    return [f"Citator keeps this reply as record {record}"] if record else []


async def _failed(request: Request, caller: Caller, page: Page) -> Response:
    """A page that cannot be had. 502 is avoided: Firecrawl's client would ask three times more."""
    fields = page.fields
    if "status" not in fields:
        body: Fields = {"success": False, "error": page.error, "code": "SCRAPE_REFUSED"}
        return await served_together(request, caller, [], told(body, status=400))
    status, body = shape(problem_told(fields, int(fields["status"])))
    reason = str(fields.get("reason") or "")
    code = {"name_not_found": "SCRAPE_DNS_RESOLUTION_ERROR"}.get(reason)
    code = "SCRAPE_SSL_ERROR" if reason.startswith("tls") else code
    body |= {"code": code or body["code"], "record": page.record, "capture": fields.get("capture")}
    status = {502: 500, 504: 408}.get(status, status)
    return await served_together(request, caller, [page.record], told(body, status=status))


@router.post("/v2/search")
async def search(request: Request) -> Response:
    """Answer a query; with `scrapeOptions` each result is the whole page."""
    asked = Asked(json_of(await request.body()), QUIET)
    found, listed, records, caller, state = await _searched(request, asked, "firecrawl/v2/search", default=10)
    data: Fields = {"web": listed} | {kind: [] for kind in ("news", "images") if kind in _kinds(asked.value("sources"))}
    body = {"success": True, "data": data, "id": found["record"], "creditsUsed": 0}
    body |= {"agent_hints": _hints(found["record"]), "record": found["record"]} | state
    return await served_together(request, caller, records, told(body))


def _kinds(sources: Any) -> list[Any]:
    """The kinds of sources that are asked for, whatever else stands there."""
    given = sources if isinstance(sources, list) else []
    return [one.get("type") if isinstance(one, dict) else one for one in given]


@router.post("/v1/search")
async def search_v1(request: Request) -> Response:
    """Answer a query with a flat list."""
    asked = Asked(json_of(await request.body()), QUIET)
    found, listed, records, caller, state = await _searched(request, asked, "firecrawl/v1/search", default=5)
    body = {"success": True, "data": listed, "record": found["record"]} | state
    return await served_together(request, caller, records, told(body))


async def _searched(
    request: Request, asked: Asked, api: str, *, default: int
) -> tuple[Fields, list[Fields], list[str | None], Caller, Fields]:
    """The search, its results as they are sent, the records to name, who asked, and what to say of the state."""
    query = asked.needed("query", "query is missing")
    if len(query) > _MAX_QUERY:
        asked.aside(f"query has more than {_MAX_QUERY} characters, and was taken whole")
    limit = asked.number("limit", default, least=1, most=MAX_RESULTS)
    after, before = _span(asked)
    want = SearchRequest(
        query=query,
        max_results=limit,
        max_tokens=limit * PER_RESULT,
        max_tokens_per_url=PER_RESULT,
        published_after=after,
        published_before=before,
        include_domains=asked.domains("includeDomains"),
        exclude_domains=asked.domains("excludeDomains"),
    )
    sources = asked.value("sources")
    if sources not in (None, ["web"], [{"type": "web"}]):
        asked.aside("sources")
    options = asked.value("scrapeOptions")
    scraping = wanted(Asked(options, QUIET), default_age=V2_AGE) if isinstance(options, dict) and options else None
    whole = scraping is not None and bool(options.get("formats"))
    caller = asking(request, "firecrawl", Scope.SEARCH, noted=asked.noted(api))
    if whole:
        asking(request, "firecrawl", Scope.FETCH, noted={})
    found = await searched(request, caller, want)
    listed = [_result(one) for one in found["results"]]
    records: list[str | None] = [found["record"]]
    warnings = [] if found["state"] == "ok" else [found.get("message") or found["state"]]
    if whole and scraping is not None:
        read = await pages(request, caller, [scraping.capture(one["url"]) for one in found["results"]])
        for result, page in zip(listed, read, strict=True):
            records.append(page.record)
            if page.error is None:
                result.update(await document(request, page, scraping))
            else:
                warnings.append(f"{page.url}: {page.error}")
                result["metadata"] = {"sourceURL": page.url, "error": page.error, "evidenceRecord": page.record}
    state = {"state": found["state"]} | ({"warning": "; ".join(warnings)[:2000]} if warnings else {})
    return found, listed, records, caller, state


def _span(asked: Asked) -> tuple[datetime | None, datetime | None]:
    tbs = asked.text("tbs") or ""
    after = since(tbs, system_clock()) if tbs.startswith("qdr:") else None
    before = None
    for edge, month, day, year in _BETWEEN.findall(tbs):
        try:
            moment = datetime(int(year), int(month), int(day), tzinfo=UTC)
        except ValueError:
            continue
        after, before = (moment, before) if edge == "min" else (after, moment + timedelta(days=1))
    if tbs and after is None and before is None:
        asked.aside("tbs")
    return after, before


def _result(one: Fields) -> Fields:
    return {
        "url": one["url"],
        "title": one.get("title") or one["url"],
        "description": shown(one),
        "position": one["rank"],
        "capture": one["capture"],
        "retrievedAt": one["retrieved_at"],
        "passages": evidence(one),
    }


@router.post("/v2/map")
async def map_site(request: Request) -> Response:
    """Give the addresses that a page links to within its site, and those of the site's sitemaps."""
    asked = Asked(json_of(await request.body()), QUIET)
    url = asked.needed("url", "url is missing").strip()
    limit = asked.number("limit", MAX_LINKS, least=1, most=MAX_LINKS)
    words = (asked.text("search") or "").lower().split()
    sitemap = asked.text("sitemap") or "include"
    fresh = asked.flag("ignoreCache")
    below, plain = asked.value("includeSubdomains") is not False, asked.flag("ignoreQueryParameters")
    caller = asking(request, "firecrawl", Scope.FETCH, noted=asked.noted("firecrawl/v2/map"))
    (page,) = await pages(request, caller, [CaptureRequest(url=url, max_age=0 if fresh else MAP_AGE)])
    if page.error is not None:
        return await _failed(request, caller, page)
    found = [] if sitemap == "only" else [page.fields["final"], *await links_of(request, page.fields["document"])]
    found += [] if sitemap == "skip" else await actions(request).sitemap(page.fields["final"])
    host = urlsplit(page.fields["final"]).hostname or ""
    kept = dict.fromkeys(_without_query(one) if plain else one for one in found if _within(one, host, below=below))
    links = sorted((one for one in kept if _matches(one, words)), key=lambda one: -_matches(one, words))[:limit]
    body = {"success": True, "links": [{"url": one} for one in links], "agent_hints": _hints(page.record)}
    body |= {"record": page.record, "total": len(kept)}
    return await served_together(request, caller, [page.record], told(body))


def _within(url: str, host: str, *, below: bool) -> bool:
    name = urlsplit(url).hostname or ""
    return name == host or (below and name.endswith("." + host.removeprefix("www.")))


def _without_query(url: str) -> str:
    return urlunsplit(urlsplit(url)._replace(query="", fragment=""))


def _matches(url: str, words: list[str]) -> int:
    """How many of the words stand in an address; 1 if none are asked for."""
    return sum(word in url.lower() for word in words) if words else 1


@router.get("/v0/health/liveness")
async def liveness() -> Response:
    """Say that the process answers."""
    return Response(b'{"status":"ok"}', media_type="application/json")


@router.get("/v0/health/readiness")
async def readiness(request: Request) -> Response:
    """Say whether requests can be served now."""
    ready = bool((await actions(request).ready()).get("ready"))
    return Response(
        orjson.dumps({"status": "ok" if ready else "not ready"}), 200 if ready else 503, {}, "application/json"
    )
