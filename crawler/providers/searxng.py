"""SearXNG: a metasearch engine that one runs oneself. Its results may be kept: they are what its engines answered."""

from collections.abc import Mapping
from typing import Any

from crawler.endpoint import Answered
from crawler.providers.asking import Read, Request, found, listed, target
from crawler.providers.contract import Found, Query

FORBIDDEN = 403


class Searxng:
    """The JSON form of its search API."""

    def request(self, query: Query, path: str) -> Request:
        """GET `/search?format=json`."""
        options = {"q": query.text, "format": "json", "language": query.language or "all", "pageno": 1}
        place = path if path.endswith("/search") else f"{path}/search"
        return Request(target(place, options))

    def read(self, reply: Any) -> Read:
        """Its results in their order; engines that did not answer become notes."""
        notes = tuple(f"{engine[0]}: {engine[1]}" for engine in reply.get("unresponsive_engines", ())[:50])
        return Read(listed(reply["results"], _one), notes)

    def refusal(self, status: int, answer: Answered) -> str | None:  # noqa: ARG002 - the status says it all
        """An instance as it is installed speaks HTML only."""
        if status == FORBIDDEN:
            return "it answered with status 403: its settings must list json in search.formats"
        return None


def _one(item: Mapping[str, Any], rank: int) -> Found | None:
    return found(item, rank, published=item.get("publishedDate"))
