"""What can be asked of watches and holds."""

from __future__ import annotations

from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from service.requests import MAX_AGE, MAX_REASON, MAX_SESSION, MAX_URL, Asked, IdText, Text, Url

MAX_WATCHED: Final = 200
"""Ids or addresses in one watch; a larger collection is several watches, each with its feed."""
LEAST_SECONDS: Final = 60
"""A page that is asked more often than each minute is a load, not a source."""
DEFAULT_LEAST: Final = 3_600
DEFAULT_MOST: Final = 7 * 86_400
MAX_HELD: Final = 1_000
"""Ids, addresses or patterns in one hold: they are listed whole in each refusal."""

Pattern = Annotated[Text, Field(min_length=1, max_length=MAX_URL)]


class WatchRequest(Asked):
    """What to visit again from time to time. An address that is not kept yet is captured first."""

    ids: tuple[IdText, ...] = Field(
        default=(),
        max_length=MAX_WATCHED,
        description="Passages, captures, searches, fetches or rechecks: ids, or unique prefixes.",
    )
    urls: tuple[Url, ...] = Field(
        default=(), max_length=MAX_WATCHED, description="Pages: all passages of the last good capture of each."
    )
    name: Text | None = Field(default=None, max_length=MAX_SESSION, description="What you call it.")
    min_interval: int = Field(
        default=DEFAULT_LEAST, ge=LEAST_SECONDS, le=MAX_AGE, description="Seconds between two visits at least."
    )
    max_interval: int = Field(
        default=DEFAULT_MOST, ge=LEAST_SECONDS, le=MAX_AGE, description="Seconds between two visits at most."
    )
    webhook: Url | None = Field(default=None, description="Where alarms are posted to, signed.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.ids and not self.urls:
            raise ValueError("give `ids` or `urls`: a watch watches something")
        if self.min_interval > self.max_interval:
            raise ValueError("`min_interval` is longer than `max_interval`")
        return self


class HoldRequest(Asked):
    """What must not be removed for now, captured already or not."""

    ids: tuple[IdText, ...] = Field(default=(), max_length=MAX_HELD, description="Ids, or unique prefixes of them.")
    urls: tuple[Url, ...] = Field(default=(), max_length=MAX_HELD, description="All captures of these pages.")
    patterns: tuple[Pattern, ...] = Field(
        default=(), max_length=MAX_HELD, description="All captures whose address matches; `*` stands for anything."
    )
    reason: Text | None = Field(default=None, max_length=MAX_REASON, description="Kept in the record.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.ids or self.urls or self.patterns):
            raise ValueError("give `ids`, `urls` or `patterns`: a hold holds something")
        return self
