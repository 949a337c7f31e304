"""What can be asked of rules about how long captures are kept, what is answered, and what the doors ask for."""

from __future__ import annotations

from typing import Any, Final, Protocol, Self

from pydantic import Field, model_validator

from service.replies import Told
from service.requests import MAX_REASON, Asked, Caller, Text
from service.watch_requests import MAX_HELD, Pattern

LEAST_KEPT: Final = 60
"""Seconds that a rule keeps things at least: shorter ones would take a capture before its reply is read."""
MOST_KEPT: Final = 100 * 366 * 86_400
MOST_LAST: Final = 1_000_000


class RetentionRequest(Asked):
    """A rule: captures of these addresses go when they are so old, or when so many later ones are kept."""

    patterns: tuple[Pattern, ...] = Field(
        min_length=1,
        max_length=MAX_HELD,
        description="Addresses, asked for or arrived at; `*` stands for anything.",
        examples=[["https://www.example.org/*"]],
    )
    keep_seconds: int | None = Field(
        default=None, ge=LEAST_KEPT, le=MOST_KEPT, description="A capture goes once it was kept so long ago."
    )
    keep_last: int | None = Field(
        default=None,
        ge=1,
        le=MOST_LAST,
        description="A capture goes once so many later good ones of its address are kept.",
    )
    reason: Text | None = Field(default=None, max_length=MAX_REASON, description="Kept in the record.")

    @model_validator(mode="after")
    def _limited(self) -> Self:
        if self.keep_seconds is None and self.keep_last is None:
            raise ValueError("give `keep_seconds` or `keep_last`: a rule says when something goes")
        return self


class RetentionRound(Asked):
    """Have the rules applied now."""

    dry_run: bool = Field(default=False, description="Only count what would be removed.")


class RuleTold(Told):
    """A rule."""

    id: str
    set_at: str
    patterns: list[str]
    keep_seconds: int | None
    keep_last: int | None
    reason: str | None


class RulesTold(Told):
    """The rules in force, the newest first."""

    rules: list[RuleTold]


class RoundTold(Told):
    """What the rules took, or would take."""

    dry_run: bool
    rules: list[dict[str, Any]] = Field(
        description="Of each rule: `captures`, `counts`, `deletions`, `held`, `watched`."
    )


class Retaining(Protocol):
    """Everything that can be asked of rules."""

    async def add(self, request: RetentionRequest, caller: Caller, /) -> dict[str, Any]:
        """Set a rule: `{id, set_at, patterns, keep_seconds, keep_last, reason}`."""
        ...

    async def listed(self) -> dict[str, Any]:
        """`{rules: […]}`: those in force, the newest first."""
        ...

    async def lift(self, rule: str, caller: Caller, /) -> dict[str, Any]:
        """End a rule: as `add`, with `lifted_at`."""
        ...

    async def apply(self, request: RetentionRound, /) -> dict[str, Any]:
        """Remove what the rules say, or count it: `{dry_run, rules: [{rule, captures, counts, deletions, …}]}`."""
        ...
