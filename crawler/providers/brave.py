"""Brave Search. Its terms allow results to be stored only under plans with storage rights: the operator's to know."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import orjson

from crawler.endpoint import Answered
from crawler.providers.asking import InJson, Read, Request, found, listed, target, text, within
from crawler.providers.contract import DOMAINS, LANGUAGE, TIME, Found, Query

MOST: Final = 20
"""Results of one request."""
MAX_QUERY: Final = 400  # characters it takes
MAX_WORDS: Final = 50  # words it takes
MAX_EXTRA: Final = 2_000  # characters of each further snippet


class Brave(InJson):
    """Web search, version 1."""

    honours = frozenset({LANGUAGE, TIME, DOMAINS})

    def __init__(self, key: str) -> None:
        self._key = key

    def request(self, query: Query, path: str) -> Request:
        """GET `/res/v1/web/search`."""
        sites = within(replace(query, text=""))
        room = MAX_WORDS - len(sites.split())
        words = " ".join(query.text.split()[:room])[: MAX_QUERY - len(sites) - 1]
        options = {
            "q": f"{words} {sites}".strip(),
            "count": min(query.limit, MOST),
            "search_lang": query.language.partition("-")[0] if query.language else None,
            "freshness": _freshness(query),
            "extra_snippets": "true",
            "text_decorations": "false",
        }
        return Request(target(f"{path}/res/v1/web/search", options), (("X-Subscription-Token", self._key),))

    def read(self, reply: Any) -> Read:
        """The web results; a reply without any has no `web`."""
        altered = reply.get("query", {}).get("altered")
        notes = (f"it searched for {altered!r} instead",) if isinstance(altered, str) and altered else ()
        return Read(listed(reply.get("web", {}).get("results", []), _one), notes)

    def refusal(self, status: int, answer: Answered) -> str | None:
        """Its error's code and detail."""
        try:
            error = orjson.loads(answer.body)["error"]
            return f"it answered with status {status}: {error['code']}: {text(error.get('detail'), 300)}"
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return None


def _freshness(query: Query) -> str | None:
    if query.published_after is None and query.published_before is None:
        return None
    first = query.published_after.isoformat() if query.published_after else "1990-01-01"
    last = query.published_before.isoformat() if query.published_before else "2100-01-01"
    return f"{first}to{last}"


def _one(item: Mapping[str, Any], rank: int) -> Found | None:
    one = found(item, rank, snippet="description", published=item.get("page_age"))
    extra = [part for part in (text(one, MAX_EXTRA) for one in item.get("extra_snippets", ())[:5]) if part]
    if one is None or not extra:
        return one
    return Found(one.url, one.rank, one.title, "\n".join([one.snippet or "", *extra]).strip(), one.published)
