"""Any site that answers suggestions-free OpenSearch in JSON: an address with `{searchTerms}` in it.

Read are the shapes that are about: `{"items" | "results" | "hits" | "data": [{"url" | "link" | "href", …}]}`, a plain
list of such objects, and JSON Feed.
"""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from crawler.endpoint import Answered
from crawler.providers.asking import MAX_SNIPPET, MAX_TITLE, Read, Request, day, listed, text
from crawler.providers.contract import Found, Query

LISTS: Final = ("results", "items", "hits", "data", "documents")
URLS: Final = ("url", "link", "href", "external_url")
SNIPPETS: Final = ("content", "snippet", "description", "summary", "content_text", "excerpt")
DATES: Final = ("published", "publishedDate", "published_date", "date_published", "date", "pubDate")


class OpenSearch:
    """`template` is the path and query of the operator's address with `{searchTerms}`, `{count}`, `{language}`."""

    def __init__(self, template: str) -> None:
        self._template = template

    def request(self, query: Query, path: str) -> Request:  # noqa: ARG002 - the template holds the path
        """GET what the template says."""
        values = {"searchTerms": query.text, "count": str(query.limit), "language": query.language or "*",
                  "startIndex": "1", "startPage": "1"}  # fmt: skip
        filled = self._template
        for name, value in values.items():
            filled = filled.replace(f"{{{name}}}", quote(value, safe="")).replace(f"{{{name}?}}", quote(value, safe=""))
        return Request(filled)

    def read(self, reply: Any) -> Read:
        """The first list of objects with addresses."""
        items = reply if isinstance(reply, list) else next((reply[name] for name in LISTS if name in reply), None)
        return Read(listed(items, _one))

    def refusal(self, status: int, answer: Answered) -> str | None:
        """It has no way of its own."""


def _one(item: Mapping[str, Any], rank: int) -> Found | None:
    url = next((item[name] for name in URLS if isinstance(item.get(name), str)), None)
    if url is None:
        return None
    snippet = next((item[name] for name in SNIPPETS if isinstance(item.get(name), str)), None)
    published = next((day(item.get(name)) for name in DATES if day(item.get(name))), None)
    return Found(url, rank, text(item.get("title"), MAX_TITLE), text(snippet, MAX_SNIPPET), published)
