"""A whole Citator opened in the test's own process, over a site that the test plays."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from crawler import Reading, read_page
from crawler import glance as kind_only
from service.actions import Actions
from service.build import build
from service.crawl_requests import CrawlRequest
from service.requests import Caller, CaptureRequest, Reply, Scope, SearchRequest
from service.settings import Settings, load_settings
from snapshots import Store
from tests.sites import HTML, Route, robots

ME = Caller(key=None, name="test", scopes=frozenset({Scope.ADMIN}), surface="cli")

TOLL = "The toll at the swing bridge ends on Friday."


def page(title: str, *paragraphs: str, links: tuple[str, ...] = ()) -> str:
    """A page as small sites have them, long enough that nobody takes it for empty."""
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    ways = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><nav><ul>{ways}</ul></nav><main><article><h1>{title}</h1>{body}</article></main></body></html>"
    )


FERRY = page(
    "Ferry to the islands",
    "The ferry leaves the northern pier every hour between six in the morning and ten in the evening.",
    "A single ticket costs twelve crowns; children under six travel free when an adult carries them aboard.",
    "Bicycles are taken if there is room on the lower deck, which the boatman alone decides.",
)
BRIDGE = page(
    "Notice on the swing bridge",
    f"{TOLL} From Saturday on everybody crosses without paying, in both directions and at any hour.",
    "The keeper opens the bridge for ships on demand, except in the quarter of an hour before each full hour.",
)
HARBOUR = [
    robots("User-agent: *\nDisallow: /private\n"),
    Route(
        "/",
        body=page(
            "Harbour office", "The harbour office keeps all notices to skippers. " * 4, links=("/ferry", "/bridge")
        ),
    ),
    Route("/ferry", body=FERRY),
    Route("/bridge", body=BRIDGE),
    Route("/private", body=page("Private", "Nobody should read this. " * 10)),
    Route("/picture", 200, (("Content-Type", "image/png"),), b"\x89PNG\r\n\x1a\n" + bytes(200)),
    Route("/void", 200, (HTML,), "<!DOCTYPE html><html><head><title></title></head><body></body></html>"),
    Route("/*", 404, (HTML,), page("Not found", "There is no such page here.")),
]


class ReadersHere:
    """Reads in a thread of this process: as the worker processes do, without their start and their limits."""

    async def read(
        self,
        body: bytes,
        *,
        media_type: str | None,
        charset: str | None,
        url: str,
        at: datetime,
        status: int | None = None,
        asked: str | None = None,
        headers: tuple[tuple[str, str], ...] = (),
        glance: bool = False,
    ) -> Reading:
        """Read a body."""
        if glance:
            return kind_only(body, media_type=media_type, charset=charset)
        return await asyncio.to_thread(
            read_page, body, media_type=media_type, charset=charset, url=url, at=at, status=status, asked=asked,
            headers=headers,
        )  # fmt: skip


def settings_for(data: Path, **given: object) -> Settings:
    """Settings that let loopback be asked, in no hurry to be polite to it."""
    return load_settings(
        **{"data": data, "allow_addresses": ("127.0.0.0/8",), "host_delay": 0, "readers": 1, "fetch_retries": 0} | given
    )


@asynccontextmanager
async def opened(
    data: Path, *, store: Store | None = None, resume: bool = False, **given: object
) -> AsyncIterator[Actions]:
    """All of it, closed again afterwards."""
    async with build(settings_for(data, **given), store=store, readers=ReadersHere(), resume=resume) as actions:
        yield actions


def told(reply: Reply) -> dict[str, Any]:
    """What a reply says."""
    return dict(json.loads(reply.body))


async def captured(actions: Actions, url: str, **options: Any) -> dict[str, Any]:
    """Capture a page and give what the reply says."""
    return told(await actions.capture(CaptureRequest(url=url, **options), ME))


async def searched(actions: Actions, query: str, **options: Any) -> dict[str, Any]:
    """Search and give what the reply says."""
    return told(await actions.search(SearchRequest(query=query, **options), ME))


async def crawled(actions: Actions, url: str, **options: Any) -> dict[str, Any]:
    """Crawl to the end and give the last event."""
    crawl = await actions.crawl_start(CrawlRequest(url=url, **options), ME)
    last: dict[str, Any] = {}
    async for event in actions.crawl_events(crawl["id"]):
        last = event
    return last
