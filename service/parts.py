"""The parts of a running service, opened by `service.build` and handed to every action."""

from dataclasses import dataclass

from crawler import Fetcher, ReaderPool
from service.clock import Clock
from service.following import Follower
from service.keyring import Keyring
from service.settings import Settings
from snapshots import Archive, Log, Store


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
    readers: ReaderPool
    clock: Clock
