"""OpenAlex: an index of scholarly works. Its data is in the public domain (CC0) and may be kept."""

from collections.abc import Mapping
from typing import Any, Final

from crawler.endpoint import Answered
from crawler.providers.asking import MAX_SNIPPET, MAX_TITLE, InJson, Read, Request, day, listed, target, text
from crawler.providers.contract import LANGUAGE, TIME, Found, Query

MOST: Final = 100
"""Results of one request."""
MAX_WORDS: Final = 400  # words of an abstract that are put together again


class OpenAlex(InJson):
    """Its `works`; `email` is how it wants to know who asks."""

    honours = frozenset({LANGUAGE, TIME})

    def __init__(self, email: str | None) -> None:
        self._email = email

    def request(self, query: Query, path: str) -> Request:
        """GET `/works?search=`."""
        limits = []
        if query.published_after:
            limits.append(f"from_publication_date:{query.published_after.isoformat()}")
        if query.published_before:
            limits.append(f"to_publication_date:{query.published_before.isoformat()}")
        if query.language:
            limits.append(f"language:{query.language.partition('-')[0]}")
        options = {
            "search": query.text, "per-page": min(query.limit, MOST), "filter": ",".join(limits) or None,
            "mailto": self._email,
            "select": "id,doi,title,publication_date,primary_location,abstract_inverted_index",
        }  # fmt: skip
        return Request(target(f"{path}/works", options))

    def read(self, reply: Any) -> Read:
        """Its works in their order; each by the page it can be read at, else its DOI, else its entry."""
        return Read(listed(reply["results"], _one))

    def refusal(self, status: int, answer: Answered) -> str | None:
        """It has no way of its own."""


def _one(item: Mapping[str, Any], rank: int) -> Found | None:
    place = item.get("primary_location") or {}
    url = place.get("landing_page_url") or item.get("doi") or item.get("id")
    if not isinstance(url, str):
        return None
    title = text(item.get("title"), MAX_TITLE)
    return Found(
        url,
        rank,
        title,
        text(_abstract(item.get("abstract_inverted_index")), MAX_SNIPPET),
        day(item.get("publication_date")),
    )


def _abstract(index: object) -> str | None:
    """The text of an abstract that is given as places of words."""
    if not isinstance(index, Mapping):
        return None
    words: dict[int, str] = {}
    for word, places in index.items():
        for place in places if isinstance(places, list) else ():
            if isinstance(place, int) and 0 <= place < MAX_WORDS:
                words[place] = str(word)
    return " ".join(words[place] for place in sorted(words)) or None
