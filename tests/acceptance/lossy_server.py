"""`citator serve` on a disk that forgets: what was not synced is gone when this process is killed."""

import asyncio
from pathlib import Path

from service.build import build
from service.server import serve, stopped_by_signals
from service.settings import load_settings
from snapshots import open_store
from tests.lossy import LossyFiles


async def main() -> None:
    """As the command does, with another store."""
    settings = load_settings()
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    files = LossyFiles(Path(settings.data).with_name("scratch"))
    store = open_store(settings.bucket_address, files=files)
    stop = asyncio.Event()
    with stopped_by_signals(stop):
        async with build(settings, store=store, resume=True) as actions:
            await serve(actions, settings, stop)


if __name__ == "__main__":
    asyncio.run(main())
