"""What one address of the hostile site does, and what is to come of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tests.crawler.reading_pages import PROSE, page, paragraphs
from tests.sites import HTML, Header, Route

ARTICLE = f"<article><h1>Lock gates</h1>{paragraphs()}</article>"
SAYS = PROSE[2]
"""A sentence of the article."""
SECRET = "what only the inner network may know"
"""What the canary would say, were it asked."""
LIMIT = 200_000
"""Bytes of a body that are taken."""
TEXT: Header = ("Content-Type", "text/plain; charset=utf-8")
GZIP: Header = ("Content-Encoding", "gzip")


@dataclass(frozen=True)
class Found:
    """What is to be found of an address: outcome, state, reason; a warning that begins so; text that is in it."""

    outcome: str = "ok"
    state: str = "ok"
    reason: str | None = None
    warning: str | None = None
    says: str | None = None


@dataclass(frozen=True)
class Address:
    """One address: the routes that answer, the first of them at `path`; what is found without and with a browser.

    `browser` None: the same in both. `links`: it is linked to from the start page; else something else leads there.
    """

    path: str
    routes: Sequence[Route]
    http: Found
    browser: Found | None = None
    linked: bool = True

    def found(self, mode: Literal["never", "always"]) -> Found:
        """What is to be found in a mode of rendering."""
        return self.browser if self.browser is not None and mode == "always" else self.http


OK = Found(says=SAYS)
SHORT = Found()
"""A page of its own few words."""


def failed(outcome: str, reason: str | None = None, warning: str | None = None) -> Found:
    """Nothing that could be judged."""
    return Found(outcome, "unknown", reason, warning)


def judged(state: str) -> Found:
    """A whole answer that is no page."""
    return Found("ok", state)


def warned(warning: str, says: str | None = SAYS) -> Found:
    """A page, with a remark."""
    return Found(warning=warning, says=says)


def titled(title: str, body: str) -> str:
    """A page with a title."""
    return page(body, f"<title>{title}</title>")


def scripted(script: str, body: str = ARTICLE) -> str:
    """A page with a script behind its text."""
    return page(f"{body}<script>{script}</script>")


def html(body: str | bytes = "", *headers: Header, **more: object) -> Route:
    """An answer of HTML with further headers."""
    return Route(headers=(HTML, *headers), body=body, **more)  # type: ignore[arg-type]  # a table of tests


def typed(media_type: str, body: str | bytes, *headers: Header) -> Route:
    """An answer of another type."""
    return Route(headers=(("Content-Type", media_type), *headers), body=body)


def raw(answer: bytes | str, then: Literal["close", "reset", "hold", "drip"] = "close") -> Route:
    """An answer whose every byte is written here."""
    return Route(raw=answer if isinstance(answer, bytes) else answer.encode(), then=then)
