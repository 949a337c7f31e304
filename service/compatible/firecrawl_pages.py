"""Pages as Firecrawl's clients know them: which formats are wanted, how fresh, and the document that is sent."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

import orjson
from fastapi import Request

from service.api_answers import actions
from service.clock import system_clock
from service.compatible.answering import Fields, Page
from service.compatible.asking import Asked, seconds
from service.failures import BadRequest, ServiceError
from service.requests import MAX_AGE, CaptureRequest

V1_AGE: Final = 0
V2_AGE: Final = 172_800_000
"""Milliseconds: how old a page may be if the request says nothing, in either version of the API."""

MADE: Final = frozenset({"markdown", "html", "rawHtml", "links", "screenshot"})
"""Formats that can be given; the others are named in `warning` and in the record."""

MAX_RAW: Final = 20 * 1024 * 1024
"""Bytes of a page's source in a reply: the largest page that is fetched."""

QUIET: Final = frozenset(
    {"origin", "integration", "fastMode", "timeout", "blockAds", "removeBase64Images", "onlyMainContent", "proxy"}
    | {"parsers", "parsePDF", "storeInCache"}
)


class NotKept(ServiceError):
    """Only a kept copy was wanted, and there is none. `code` is Firecrawl's word for it."""

    def __init__(self, url: str, code: str) -> None:
        self.code = code
        super().__init__(f"no copy of {url} is kept that would do")


@dataclass(frozen=True)
class Wanted:
    """What a scrape asks for. `warnings` are said in the reply."""

    formats: frozenset[str]
    max_age: int
    only_kept: str | None
    min_age: int
    store: bool
    warnings: tuple[str, ...]
    whole_picture: bool = False

    def without_picture(self) -> "Wanted":
        """The same where no picture can be taken."""
        return replace(
            self, formats=self.formats - {"screenshot"}, warnings=(*self.warnings, "there is no browser here")
        )

    def capture(self, url: str) -> CaptureRequest:
        """The request for one page."""
        max_age = MAX_AGE if self.only_kept else self.max_age
        pictured = "screenshot" in self.formats
        of: Literal["full", "viewport"] = "viewport" if pictured and not self.whole_picture else "full"
        return CaptureRequest(url=url, max_age=max_age, screenshot=pictured, screenshot_of=of, store=self.store)


def wanted(asked: Asked, *, default_age: int) -> Wanted:
    """What the options of a scrape mean here.

    Raises:
        BadRequest: an option makes no sense.
    """
    formats, unmade = _formats(asked)
    warnings = [f"not made here: {', '.join(sorted(unmade))}"] if unmade else []
    for name in sorted(unmade):
        asked.aside(f"formats.{name}")
    if asked.given.get("onlyMainContent") is False:
        asked.aside("onlyMainContent=false")
    age = asked.number("maxAge", default_age, least=0, most=MAX_AGE * 1000)
    least = asked.number("minAge", 0, least=0, most=MAX_AGE * 1000)
    only_kept = None
    if asked.flag("lockdown"):
        only_kept = "SCRAPE_LOCKDOWN_CACHE_MISS"
    elif asked.value("minAge") is not None:
        only_kept = "SCRAPE_NO_CACHED_DATA"
    return Wanted(
        formats=frozenset(formats),
        max_age=seconds(age / 1000),
        only_kept=only_kept,
        min_age=seconds(least / 1000),
        store=not asked.flag("zeroDataRetention"),
        warnings=tuple(warnings),
        whole_picture=any(_is_whole_picture(one) for one in asked.given.get("formats") or ()),
    )


def _is_whole_picture(one: Any) -> bool:
    return one == "screenshot@fullPage" or (isinstance(one, Mapping) and bool(one.get("fullPage")))


def _formats(asked: Asked) -> tuple[set[str], set[str]]:
    """The formats that are made, and those that are not."""
    given = asked.value("formats")
    if given is None:
        return {"markdown"}, set()
    if not isinstance(given, list):
        raise BadRequest("formats is a list")
    names = {_name(one) for one in given[:50]}
    return names & MADE, names - MADE


def _name(one: Any) -> str:
    name = one.get("type") if isinstance(one, Mapping) else one
    if not isinstance(name, str) or not name.isprintable():
        raise BadRequest("a format is a name or has a type")
    return {"content": "markdown", "screenshot@fullPage": "screenshot", "rawhtml": "rawHtml"}.get(name, name)[:40]


async def require_kept(request: Request, url: str, asked: Wanted, caller: Any) -> None:
    """Let pass only what is kept, where nothing else is wanted.

    Raises:
        NotKept: there is none that would do.
    """
    if asked.only_kept is None:
        return
    listed = await actions(request).captures(url, limit=1, before=None, caller=caller)
    newest = next((one for one in listed["captures"] if one["outcome"] == "ok"), None)
    age = (system_clock() - datetime.fromisoformat(newest["retrieved_at"])).total_seconds() if newest else -1
    if age < asked.min_age:
        raise NotKept(url, asked.only_kept)


async def document(request: Request, page: Page, asked: Wanted) -> Fields:
    """A page as Firecrawl's clients read it, with the formats that were wanted."""
    fields = page.fields
    made: Fields = {}
    if "markdown" in asked.formats:
        made["markdown"] = fields["text"]
    warnings = list(asked.warnings)
    more = asked.formats - {"markdown"}
    if more and asked.store:
        capture = orjson.loads((await actions(request).evidence(fields["capture"])).body)
        if more & {"html", "rawHtml"} and capture["body"]:
            raw = (await actions(request).evidence(capture["body"])).body[:MAX_RAW].decode("utf-8", "replace")
            made |= {name: raw for name in ("html", "rawHtml") if name in more}
            warnings += ["html is the source as it came"] if "html" in more else []
        if "links" in more:
            made["links"] = await links_of(request, capture.get("document"))
        if "screenshot" in more:
            if capture.get("screenshot"):
                made["screenshot"] = f"{str(request.base_url).rstrip('/')}/api/v1/evidence/{capture['screenshot']}"
            else:
                warnings.append("no screenshot was made")
    elif more:
        warnings.append("nothing is kept, so only the text can be given")
    made["metadata"] = _metadata(page)
    return made | ({"warning": "; ".join(warnings)} if warnings else {})


async def links_of(request: Request, name: str | None) -> list[str]:
    """The addresses that a document links to, each once."""
    if name is None:
        return []
    read = orjson.loads((await actions(request).evidence(name)).body)
    return list(dict.fromkeys(link["url"] for link in read["links"]))


def _metadata(page: Page) -> Fields:
    fields = page.fields
    cached = bool(fields.get("from_store"))
    published = fields.get("published")
    told = {
        "title": fields.get("title"),
        "language": fields.get("language"),
        "author": fields.get("author"),
        "publishedTime": published["value"] if published else None,
        "sourceURL": page.url,
        "url": fields["final"],
        "statusCode": fields.get("http_status"),
        "contentType": fields.get("media_type"),
        "error": f"page state {fields['page_state']}" if fields["page_state"] not in ("ok", "unknown") else None,
        "cacheState": "hit" if cached else "miss",
        "cachedAt": fields["retrieved_at"] if cached else None,
        "scrapeId": page.record,
        "evidenceRecord": page.record,
        "evidenceCapture": fields["capture"],
        "evidenceDocument": fields["document"],
        "evidenceRetrievedAt": fields["retrieved_at"],
        "evidencePassages": [
            {name: passage[name] for name in ("id", "cite", "start", "end")} for passage in fields["passages"]
        ],
    }
    return {name: value for name, value in told.items() if value is not None}
