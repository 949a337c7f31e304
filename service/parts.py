"""The parts of a running service, opened by `service.build` and handed to every action."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crawler import Fetcher, Provider, Reading, Renderer
from service.clock import Clock
from service.following import Follower
from service.keyring import Keyring
from service.ranking import Ranker
from service.settings import Settings
from service.spool import Spool
from service.stamping import Stamper
from snapshots import Archive, Log, Store


class Readers(Protocol):
    """Reads pages; `ReaderPool` is one, with limits on time and memory."""

    async def read(
        self,
        body: bytes,
        *,
        media_type: str | None,
        charset: str | None,
        url: str,
        at: datetime,
        status: int | None = None,
        asked: str | None = None,
        headers: tuple[tuple[str, str], ...] = (),
        glance: bool = False,
    ) -> Reading:
        """Read a body, or with `glance` tell only what it is. What goes wrong is told by the outcome, never raised."""
        ...


@dataclass(frozen=True)
class Parts:
    """Everything an action may use. Blocking parts (archive, index, keyring) are called from threads."""

    settings: Settings
    store: Store
    log: Log
    archive: Archive
    keyring: Keyring
    follower: Follower
    fetcher: Fetcher
    readers: Readers
    renderer: Renderer
    clock: Clock
    stamper: Stamper
    spool: Spool
    providers: tuple[Provider, ...] = ()
    ranker: Ranker | None = None
