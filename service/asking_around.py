"""Asks the search providers of this installation at once, each within its time; who fails is told by name."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from crawler import Found, Provider, ProviderFailed, Query

Tell = Callable[[dict[str, Any]], None]
"""Hears how a search goes on, an event at a time. Called from the loop's thread."""


@dataclass(frozen=True)
class Said:
    """What came of one provider. `state` is `ok` or why not; `raw` its reply as it is kept, if there was one."""

    name: str
    state: str
    found: tuple[Found, ...] = ()
    raw: bytes | None = None
    media_type: str | None = None
    notes: tuple[str, ...] = ()
    detail: str | None = None
    milliseconds: int = 0

    @property
    def told(self) -> str | None:
        """What a reader should know of it: why it failed, what it said of itself."""
        return self.detail or "; ".join(self.notes) or None


async def ask_around(
    providers: Sequence[Provider], query: Query, seconds: float, tell: Tell = lambda _: None
) -> list[Said]:
    """What each provider says to `query` within `seconds`, in their order. Never raises for one of them."""

    async def one(provider: Provider) -> Said:
        said = await _ask(provider, query, seconds)
        told = {"name": said.name, "state": said.state, "candidates": len(said.found), "ms": said.milliseconds}
        tell({"type": "provider"} | told)
        return said

    return list(await asyncio.gather(*map(one, providers)))


async def _ask(provider: Provider, query: Query, seconds: float) -> Said:
    begun = time.perf_counter()

    def took() -> int:
        return round((time.perf_counter() - begun) * 1000)

    try:
        async with asyncio.timeout(seconds):
            reply = await provider.search(query, seconds=seconds)
    except TimeoutError:
        return Said(provider.name, "timeout", detail=f"no answer within {seconds:g} seconds", milliseconds=took())
    except ProviderFailed as error:
        return Said(provider.name, error.reason, raw=error.raw, detail=str(error), milliseconds=took())
    return Said(
        provider.name,
        "ok",
        found=reply.found,
        raw=reply.raw,
        media_type=reply.media_type,
        notes=reply.notes,
        milliseconds=took(),
    )
