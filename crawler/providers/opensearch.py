"""Any site that answers OpenSearch: by the address with `{searchTerms}` in it, or by its description, which names that.

Read are the shapes that are about: `{"items" | "results" | "hits" | "data": [{"url" | "link" | "href", …}]}`, a plain
list of such objects, JSON Feed, Atom and RSS.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote, urljoin

import orjson

from crawler.endpoint import Answered, Endpoint
from crawler.errors import CrawlError, TimedOut
from crawler.providers.asking import MAX_SNIPPET, MAX_TITLE, Read, Request, day, listed, text
from crawler.providers.contract import LANGUAGE, Found, Provider, ProviderFailed, ProviderReply, Query
from crawler.providers.feeds import results, template_of

LISTS: Final = ("results", "items", "hits", "data", "documents")
URLS: Final = ("url", "link", "href", "external_url")
SNIPPETS: Final = ("content", "snippet", "description", "summary", "content_text", "excerpt")
MAX_DESCRIPTION: Final = 256 * 1024  # bytes of a description: they have a page, with a picture inside at most
HTTP_OK: Final = 200
_UNKNOWN: Final = re.compile(r"\{[A-Za-z:]{1,60}\?\}")  # parameters that need not be given
DATES: Final = ("published", "publishedDate", "published_date", "date_published", "date", "pubDate")


class OpenSearch:
    """`template` is the path and query of the operator's address with `{searchTerms}`, `{count}`, `{language}`."""

    def __init__(self, template: str) -> None:
        self._template = template
        self.honours = frozenset({LANGUAGE} if "{language" in template else ())

    def parse(self, raw: bytes) -> Any:
        """Its reply's values: of JSON, Atom or RSS. Raises ValueError."""
        return results(raw) if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else orjson.loads(raw)

    def request(self, query: Query, path: str) -> Request:  # noqa: ARG002 - the template holds the path
        """GET what the template says."""
        values = {"searchTerms": query.text, "count": str(query.limit), "language": query.language or "*",
                  "startIndex": "1", "startPage": "1"}  # fmt: skip
        filled = self._template
        for name, value in values.items():
            filled = filled.replace(f"{{{name}}}", quote(value, safe="")).replace(f"{{{name}?}}", quote(value, safe=""))
        return Request(_UNKNOWN.sub("", filled))

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


class Described:
    """A provider by its OpenSearch description, which is read when it is first asked.

    `described` makes the provider from the address with `{searchTerms}` that the description names.
    """

    def __init__(self, name: str, description: Endpoint, described: Callable[[str], Provider]) -> None:
        self._name = name
        self._description = description
        self._described = described
        self._provider: Provider | None = None

    @property
    def name(self) -> str:
        """The name under which records speak of it."""
        return self._name

    async def search(self, query: Query, *, seconds: float) -> ProviderReply:
        """Ask, within `seconds`. See `Provider`."""
        ends = asyncio.get_running_loop().time() + seconds
        if self._provider is None:
            self._provider = self._described(await self._template(seconds))
        return await self._provider.search(query, seconds=max(0.001, ends - asyncio.get_running_loop().time()))

    async def _template(self, seconds: float) -> str:
        address = self._description.address
        try:
            answer = await self._description.ask(address, (), limit=MAX_DESCRIPTION, seconds=seconds)
        except TimedOut as error:
            raise ProviderFailed("timeout", str(error)) from error
        except CrawlError as error:
            raise ProviderFailed("unreachable", str(error)) from error
        if answer.status != HTTP_OK:
            raise ProviderFailed("refused", f"its description is answered with status {answer.status}", answer.body)
        try:
            template = urljoin(address.href, template_of(answer.body))
        except ValueError as error:
            raise ProviderFailed("bad_reply", f"its description: {error}", answer.body) from error
        if not template.startswith(f"{address.origin}/"):
            raise ProviderFailed("bad_reply", f"its description leads elsewhere; set that address: {template}")
        return template

    def close(self) -> None:
        """Give back what the endpoints hold."""
        self._description.close()
        if self._provider is not None:
            self._provider.close()
