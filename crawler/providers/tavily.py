"""Tavily. Its terms leave the storing of results to the plan: the operator's to know."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from crawler.endpoint import Answered
from crawler.providers.asking import InJson, Read, Request, found, listed, text
from crawler.providers.contract import DOMAINS, TIME, Found, Query

MOST: Final = 20
"""Results of one request."""


class Tavily(InJson):
    """Its search call."""

    honours = frozenset({TIME, DOMAINS})

    def __init__(self, key: str) -> None:
        self._key = key

    def request(self, query: Query, path: str) -> Request:
        """POST `/search`."""
        options = {
            "query": query.text,
            "max_results": min(query.limit, MOST),
            "start_date": query.published_after.isoformat() if query.published_after else None,
            "end_date": query.published_before.isoformat() if query.published_before else None,
            "include_domains": list(query.include_domains) or None,
            "exclude_domains": list(query.exclude_domains) or None,
        }
        body = orjson.dumps({name: value for name, value in options.items() if value is not None})
        return Request(f"{path}/search", (("Authorization", f"Bearer {self._key}"),), body)

    def read(self, reply: Any) -> Read:
        """Its results in their order."""
        return Read(listed(reply["results"], _one))

    def refusal(self, status: int, answer: Answered) -> str | None:
        """Its error's sentence."""
        try:
            return f"it answered with status {status}: {text(orjson.loads(answer.body)['detail']['error'], 300)}"
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return None


def _one(item: Mapping[str, Any], rank: int) -> Found | None:
    return found(item, rank, published=item.get("published_date"))
