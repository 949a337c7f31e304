"""What is told of crawls, as the OpenAPI document shows it."""

from typing import Any, Literal

from pydantic import Field

from service.replies import Told


class LeftTold(Told):
    """An estimate: more pages may be found."""

    pages: int
    seconds: int | None = Field(default=None, description="At the pace so far; null before the first page.")


class CrawlHeadTold(Told):
    """A crawl as it stands, in short."""

    id: str
    state: Literal["queued", "running", "paused", "interrupted", "done", "cancelled", "failed"]
    detail: str | None = None
    started_at: str
    seeds: list[str]
    follows: str | None = Field(default=None, description="The crawl of which this is a later round.")
    rounds: list[str] = Field(default=[], description="Its later rounds.")
    next_round: str | None = Field(default=None, description="When a page of it is due again.")
    counts: dict[str, int] | None = None


class CrawlTold(CrawlHeadTold):
    """A crawl as it stands."""

    errors: dict[str, int] = Field(default={}, description="How many pages failed for each reason.")
    left: LeftTold | None = None
    captures: list[dict[str, Any]] = Field(default=[])
    failures: list[dict[str, Any]] = Field(default=[], description="Each page that failed, and why.")


class CrawlsTold(Told):
    """Crawls, newest first."""

    crawls: list[CrawlHeadTold]
    next: str | None = Field(default=None, description="The `before` of the rest.")
