"""Any MediaWiki, by its API. Texts of the Wikimedia projects are free and may be kept with attribution."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any, Final
from urllib.parse import quote

from crawler.endpoint import Answered
from crawler.providers.asking import MAX_SNIPPET, MAX_TITLE, InJson, Read, Request, day, listed, target, text
from crawler.providers.contract import Found, Query

MOST: Final = 50
"""Results of one request without an account."""

_MARKUP: Final = re.compile(r"<[^<>]{0,200}>")


class MediaWiki(InJson):
    """`list=search` of one wiki; `pages` is the address below which its pages lie, `$1` standing for the title."""

    honours: frozenset[str] = frozenset()

    def __init__(self, pages: str) -> None:
        self._pages = pages

    def request(self, query: Query, path: str) -> Request:
        """GET `api.php?action=query&list=search`."""
        options = {
            "action": "query", "list": "search", "format": "json", "formatversion": 2, "srsearch": query.text,
            "srlimit": min(query.limit, MOST), "srprop": "snippet|timestamp",
        }  # fmt: skip
        return Request(target(path if path.endswith(".php") else f"{path}/api.php", options))

    def read(self, reply: Any) -> Read:
        """Its hits in their order. The time is that of the page's last change, not of its publication."""
        if "error" in reply:
            raise ValueError(str(reply["error"].get("code")))
        return Read(listed(reply["query"]["search"], self._one))

    def refusal(self, status: int, answer: Answered) -> str | None:
        """It has no way of its own."""

    def _one(self, item: Mapping[str, Any], rank: int) -> Found | None:
        title = text(item.get("title"), MAX_TITLE)
        if title is None:
            return None
        url = self._pages.replace("$1", quote(title.replace(" ", "_"), safe="/:(),;@$!*~'"))
        snippet = unescape(_MARKUP.sub("", str(item.get("snippet", ""))))
        return Found(url, rank, title, text(snippet, MAX_SNIPPET), day(item.get("timestamp")))
