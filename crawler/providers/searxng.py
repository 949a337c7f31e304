"""SearXNG: a metasearch engine that one runs oneself. Its results may be kept: they are what its engines answered."""

from collections.abc import Mapping
from typing import Any

from crawler.endpoint import Answered
from crawler.providers.asking import InJson, Read, Request, found, listed, target, within
from crawler.providers.contract import DOMAINS, LANGUAGE, TIME, Found, Query

FORBIDDEN = 403
RANGES = (("day", 1), ("month", 28), ("year", 364))


class Searxng(InJson):
    """The JSON form of its search API. Of times it knows the last day, month and year."""

    honours = frozenset({LANGUAGE, TIME, DOMAINS})

    def request(self, query: Query, path: str) -> Request:
        """GET `/search?format=json`."""
        options = {
            "q": within(query), "format": "json", "language": query.language or "all", "pageno": 1,
            "time_range": _time_range(query),
        }  # fmt: skip
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


def _time_range(query: Query) -> str | None:
    """The shortest of its ranges that holds all that is asked for; what is too much is filtered afterwards."""
    if query.published_after is None or query.today is None:
        return None
    days = (query.today - query.published_after).days
    return next((name for name, longest in RANGES if days <= longest), None)


def _one(item: Mapping[str, Any], rank: int) -> Found | None:
    return found(item, rank, published=item.get("publishedDate"))
