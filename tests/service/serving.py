"""A real server over a small Citator, in a thread with an event loop of its own, for tests that run commands."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from service.connect import answers
from service.server import FIRST_KEY, serve
from service.settings import Settings
from tests.postgres import free_port
from tests.service.small_citator import SmallCitator


@dataclass(frozen=True)
class Served:
    url: str
    key: str
    data: Path


@contextmanager
def served(citator: SmallCitator, data: Path) -> Iterator[Served]:
    settings = Settings(data=data, listen=f"127.0.0.1:{free_port()}")
    started = threading.Event()
    held: dict[str, object] = {}

    async def main() -> None:
        stop = asyncio.Event()
        held["stop"] = lambda: loop.call_soon_threadsafe(stop.set)
        loop = asyncio.get_running_loop()
        serving = asyncio.ensure_future(serve(citator, settings, stop))
        while not serving.done() and not answers(settings.socket_path):
            await asyncio.wait({serving}, timeout=0.01)
        started.set()
        await serving

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    started.wait(timeout=60)
    try:
        yield Served(f"http://{settings.listen}", (data / FIRST_KEY).read_text().strip(), data)
    finally:
        stop = held["stop"]
        assert callable(stop)
        stop()
        thread.join(timeout=60)
