"""Open WebUI's external search and external loader, and the custom retriever of gpt-researcher: bare arrays."""

from typing import Final

from fastapi import APIRouter, Request, Response

from service.api_answers import actions
from service.compatible.answering import (
    Page,
    ShapedRoute,
    asking,
    pages,
    searched,
    sent,
    served_together,
    shown,
    told,
    whole_results,
    written,
)
from service.compatible.asking import Asked, json_of
from service.failures import BadRequest
from service.requests import MAX_RESULTS, CaptureRequest, Scope, SearchRequest

router = APIRouter(route_class=ShapedRoute, include_in_schema=False)

MAX_LOADED: Final = 20
"""Addresses of one load: what Open WebUI sends at most."""

PER_RESULT: Final = 800
"""Tokens of one result's text, which is called its snippet."""

LOAD_AGE: Final = 3600
"""Seconds that a copy is good enough for the loader, which is called right after the search that found the page."""

RESEARCH_RESULTS: Final = 10


@router.post("/openwebui/search")
async def search(request: Request) -> Response:
    """Give an array of `{link, title, snippet}`."""
    asked = Asked(json_of(await request.body()))
    query = asked.needed("query", "query is missing")
    count = asked.number("count", 5, least=1, most=MAX_RESULTS)
    caller = asking(request, "openwebui", Scope.SEARCH, noted=asked.noted("openwebui/search"))
    wanted = SearchRequest(query=query, max_results=count, max_tokens=count * PER_RESULT, max_tokens_per_url=PER_RESULT)
    reply = await actions(request).search(
        wanted,
        written(
            caller,
            lambda fields: told(
                [
                    {
                        "link": one["url"],
                        "title": one.get("title") or one["url"],
                        "snippet": shown(one),
                        "record": fields["record"],
                        "capture": one["capture"],
                        "passages": [passage["id"] for passage in one["passages"]],
                    }
                    for one in fields["results"]
                ]
            ),
        ),
    )
    return sent(reply)


@router.post("/openwebui/load")
async def load(request: Request) -> Response:
    """Give an array of `{page_content, metadata}`; a page that cannot be had is left out, and its record says why."""
    asked = Asked(json_of(await request.body()))
    urls = asked.texts("urls")
    if not urls:
        raise BadRequest("urls are missing")
    if len(urls) > MAX_LOADED:
        raise BadRequest(f"at most {MAX_LOADED} urls are taken")
    caller = asking(request, "openwebui", Scope.FETCH, noted=asked.noted("openwebui/load"))
    read = await pages(request, caller, [CaptureRequest(url=url, max_age=LOAD_AGE) for url in urls])
    body = [{"page_content": page.fields["text"], "metadata": _metadata(page)} for page in read if page.error is None]
    failing = "; ".join(f"{page.url[:100]}: {page.error}" for page in read if page.error is not None)
    response = await served_together(request, caller, [page.record for page in read], told(body))
    if failing:
        plain = "".join(char if char.isascii() and char.isprintable() else "?" for char in failing)
        response.headers["X-Evidence-Failed"] = plain[:1000]
    return response


def _metadata(page: Page) -> dict[str, object]:
    fields = page.fields
    return {
        "source": page.url,
        "title": fields.get("title") or page.url,
        "language": fields.get("language"),
        "record": page.record,
        "capture": fields["capture"],
        "document": fields["document"],
        "retrieved_at": fields["retrieved_at"],
        "passages": [passage["id"] for passage in fields["passages"]],
    }


@router.get("/retriever")
async def retriever(request: Request) -> Response:
    """Give an array of `{url, raw_content}`, with whole pages."""
    asked = Asked(dict(request.query_params))
    query = asked.needed("query", "query is missing")
    count = asked.number("max_results", RESEARCH_RESULTS, least=1, most=20)
    wanted = SearchRequest(
        query=query,
        max_results=count,
        include_domains=asked.domains("include_domains"),
        exclude_domains=asked.domains("exclude_domains"),
    )
    asking(request, "retriever", Scope.FETCH, noted={})
    caller = asking(request, "retriever", Scope.SEARCH, noted=asked.noted("retriever"))
    found = await searched(request, caller, wanted)
    read = await whole_results(request, caller, found)
    body = [
        {
            "url": one["url"],
            "title": one.get("title"),
            "raw_content": read[one["url"]].fields["text"] if read[one["url"]].error is None else shown(one),
            "record": found["record"],
            "capture": one["capture"],
            "passages": [passage["id"] for passage in one["passages"]],
        }
        for one in found["results"]
    ]
    records = [found["record"], *(page.record for page in read.values())]
    return await served_together(request, caller, records, told(body))
