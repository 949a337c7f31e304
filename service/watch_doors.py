"""What the doors ask for of watches and holds."""

from typing import Any, Literal, Protocol

from service.requests import Caller
from service.watch_requests import HoldRequest, WatchRequest

Json = dict[str, Any]


class Watching(Protocol):
    """Everything that can be asked of watches. Ids may be given as unique prefixes."""

    async def add(self, request: WatchRequest, caller: Caller, /) -> Json:
        """Begin a watch: as `show`, with `secret`, which is shown this once; null without a webhook."""
        ...

    async def listed(self) -> Json:
        """`{watches: [{id, name, state, urls, alarms, next_visit, …}]}`, the newest first."""
        ...

    async def show(self, watch: str, /) -> Json:
        """A watch with its `sources`, `alarms_shown` and `deliveries`."""
        ...

    async def change(self, watch: str, phase: Literal["paused", "resumed", "ended"], caller: Caller, /) -> Json:
        """Pause a watch, let it go on, or end it for good: as `show`."""
        ...

    async def feed(self, watch: str | None, /) -> bytes:
        """The alarms of one watch, or of all, as Atom."""
        ...


class Holding(Protocol):
    """Everything that can be asked of holds."""

    async def add(self, request: HoldRequest, caller: Caller, /) -> Json:
        """Hold something: `{id, held_at, reason, ids, urls, patterns}`."""
        ...

    async def listed(self) -> Json:
        """`{holds: […]}`: those in force, the newest first."""
        ...

    async def release(self, hold: str, caller: Caller, /) -> Json:
        """End a hold: as `add`, with `released_at`."""
        ...
