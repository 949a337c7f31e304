"""Search services as tests play them: their addresses, and replies in their shapes."""

import json
from collections.abc import Sequence
from typing import Any

from tests.sites import Route, Site

JSON_TYPE = ("Content-Type", "application/json")
SHAPES = {"searxng": "/sx/search*", "brave": "/res/v1/web/search*", "tavily": "/tv/search"}


def settings_of(site: Site) -> dict[str, Any]:
    """The settings under which all three lead to this site, in no hurry to be polite to it."""
    rates = dict.fromkeys(SHAPES, 0.0)
    brave = {"brave_url": site.url(""), "brave_key": "brave-key-0123456789"}
    tavily = {"tavily_url": site.url("/tv"), "tavily_key": "tvly-key-0123456789"}
    return {"searxng_url": site.url("/sx"), "provider_rates": rates} | brave | tavily


def reply_of(name: str, urls: Sequence[str]) -> str:
    """What a service answers that finds these pages."""
    said = [{"url": url, "title": f"Page {n}", "content": f"Snippet {n}"} for n, url in enumerate(urls, 1)]
    if name == "brave":
        found = [{"url": one["url"], "title": one["title"], "description": one["content"]} for one in said]
        return json.dumps({"type": "search", "query": {"original": "q"}, "web": {"type": "search", "results": found}})
    if name == "tavily":
        return json.dumps({"query": "q", "answer": None, "images": [], "results": said, "response_time": 0.4})
    return json.dumps({"query": "q", "number_of_results": 0, "results": said, "unresponsive_engines": []})


def finding(name: str, urls: Sequence[str], **more: Any) -> Route:
    """The service with its right answer; `more` is how it is given."""
    return Route(SHAPES[name], headers=(JSON_TYPE,), body=reply_of(name, urls), **more)
