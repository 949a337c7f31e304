"""What can be asked of crawls."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from service.requests import (
    MAX_AGE,
    MAX_AGE_DOC,
    MAX_LIST,
    MAX_URL,
    SESSION_DOC,
    Asked,
    Position,
    Seconds,
    Session,
    Text,
    Url,
)

MAX_SEEDS: Final = 10_000
"""Addresses in one crawl request; with MAX_URL this stays within the size limit of a request in practice."""

MAX_PAGES: Final = 1_000_000
"""Pages of one crawl."""

DEFAULT_PAGES: Final = 100
"""Enough for a small site; whoever wants more says so."""

LEAST_SECONDS: Final = 60
"""A site that is walked more often than each minute is under load, not watched."""

Pattern = Annotated[Text, Field(min_length=1, max_length=MAX_URL)]


class CrawlRequest(Asked):
    """Capture a site: the pages that links, sitemaps and feeds lead to, within the sites of the addresses given."""

    url: Url | None = Field(
        default=None, description="Where to start: a page, a sitemap or a feed.", examples=["https://www.example.org/"]
    )
    urls: tuple[Url, ...] = Field(
        default=(), max_length=MAX_SEEDS, description="Several places to start, or with `max_depth` 0 a list of pages."
    )
    max_pages: int = Field(
        default=DEFAULT_PAGES,
        ge=1,
        le=MAX_PAGES,
        description="Pages asked for at most. None given: 100, or as many as there are addresses to start from.",
    )
    max_depth: Position | None = Field(
        default=None, description="Links followed from a start at most; 0 captures only the addresses given."
    )
    max_seconds: Seconds | None = Field(
        default=None, ge=1, description="Seconds after its start at which the crawl ends with what it has."
    )
    scope: Literal["origin", "path", "site"] = Field(
        default="origin",
        description="Where links may lead: the starts' own scheme, host and port; below their folders; their domains.",
    )
    include: tuple[Pattern, ...] = Field(
        default=(),
        max_length=MAX_LIST,
        description="Only links to such addresses; `*` stands for anything. From `/` on: of path and query.",
        examples=[["/docs/*"]],
    )
    exclude: tuple[Pattern, ...] = Field(default=(), max_length=MAX_LIST, description="No links to such addresses.")
    sitemap: bool = Field(default=True, description="Take addresses from the site's sitemap too.")
    render: Literal["auto", "never", "always"] | None = Field(
        default=None, description="Whether a browser renders the pages; `auto`: those that need it. None given: as set."
    )
    max_age: Seconds | None = Field(default=None, description=MAX_AGE_DOC)
    min_interval: int | None = Field(
        default=None,
        ge=LEAST_SECONDS,
        le=MAX_AGE,
        description="Visit the pages again from time to time: seconds between two visits of a page at least, …",
    )
    max_interval: int | None = Field(
        default=None,
        ge=LEAST_SECONDS,
        le=MAX_AGE,
        description="… and at most. A page that changes often is visited more often. Give both or neither.",
    )
    session: Session | None = Field(default=None, description=SESSION_DOC)

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if not self.seeds:
            raise ValueError("give `url` or `urls`: a crawl starts somewhere")
        if (self.min_interval is None) != (self.max_interval is None):
            raise ValueError("give both `min_interval` and `max_interval`, or neither")
        if self.min_interval is not None and self.max_interval is not None and self.min_interval > self.max_interval:
            raise ValueError("`min_interval` is longer than `max_interval`")
        return self

    @property
    def seeds(self) -> tuple[str, ...]:
        """All starts, in the order given, each once."""
        return tuple(dict.fromkeys(([self.url] if self.url else []) + list(self.urls)))

    @property
    def pages(self) -> int:
        """Pages asked for at most: a list of addresses that nobody limited is not cut."""
        return self.max_pages if "max_pages" in self.model_fields_set else max(self.max_pages, len(self.seeds))
