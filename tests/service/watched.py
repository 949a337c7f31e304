"""A Citator whose watches go round when the test says so, under a clock that the test turns."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from service.actions import Actions
from service.build import build
from service.watch_book import WatchBook
from service.watch_requests import WatchRequest
from service.watch_rounds import WatchRounds
from service.webhooks import Webhooks
from tests.service.opened import ME, ReadersHere, settings_for

HOUR = 3_600


@dataclass
class TurnedForward:
    """A clock that begins now and goes on only when it is turned."""

    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __call__(self) -> datetime:
        return self.now

    def turn(self, **by: float) -> None:
        """Turn it forward."""
        self.now += timedelta(**by)


@dataclass
class Watching:
    """Actions, the clock, and the rounds."""

    actions: Actions
    clock: TurnedForward
    rounds: WatchRounds

    async def add(self, **asked: Any) -> dict[str, Any]:
        """Begin a watch."""
        return await self.actions.watches.add(WatchRequest(**asked), ME)

    async def later(self, **by: float) -> None:
        """Turn the clock and go round."""
        self.clock.turn(**by)
        assert await self.rounds.go_round()

    async def show(self, watch: str) -> dict[str, Any]:
        """A watch."""
        return await self.actions.watches.show(watch)


@asynccontextmanager
async def watching(data: Path, clock: TurnedForward | None = None, **given: object) -> AsyncIterator[Watching]:
    """All of it, closed again afterwards."""
    turned = clock or TurnedForward()
    settings = settings_for(data, **given)
    async with build(settings, readers=ReadersHere(), clock=turned) as actions:
        rounds = WatchRounds(actions.parts, WatchBook(actions.parts.archive), Webhooks(settings, None))
        yield Watching(actions, turned, rounds)
