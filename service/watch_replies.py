"""What answers about watches and holds look like, for the OpenAPI document."""

from typing import Any, Literal

from pydantic import Field

from service.replies import Told


class WatchLineTold(Told):
    """A watch in a list. `standing` counts what is not as it was cited now."""

    id: str
    name: str | None
    state: Literal["active", "paused", "ended"]
    urls: list[str]
    alarms: int
    standing: int
    next_visit: str | None


class WatchesTold(Told):
    """All watches, the newest first."""

    watches: list[WatchLineTold]


class WatchTold(WatchLineTold):
    """A watch as it stands."""

    sources: list[dict[str, Any]]
    alarms_shown: list[dict[str, Any]] = Field(description="The newest alarms, the newest first.")
    webhook_lost: bool = Field(description="The state was lost, and the webhook's address and secret with it.")
    deliveries: list[dict[str, Any]]


class NewWatchTold(WatchTold):
    """A watch that was just begun."""

    secret: str | None = Field(description="Checks the webhook's signatures; shown this once.")


class HoldTold(Told):
    """A hold."""

    id: str
    held_at: str
    reason: str | None
    ids: list[str]
    urls: list[str]
    patterns: list[str]


class HoldsTold(Told):
    """The holds in force, the newest first."""

    holds: list[HoldTold]
