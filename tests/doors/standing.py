"""A whole Citator behind a real server, in a thread with an event loop of its own, for clients that know addresses."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from crawler import Resolver
from service.actions import Actions
from service.build import build
from service.connect import answers
from service.requests import KeyRequest, Scope
from service.server import FIRST_KEY, serve
from snapshots import Serving, Serving2
from tests.postgres import free_port
from tests.service.opened import ReadersHere, settings_for

T = TypeVar("T")


@dataclass(frozen=True)
class Standing:
    """A running server. `key` may do everything; `ask` runs a coroutine in the server's loop."""

    url: str
    key: str
    data: Path
    actions: Actions
    loop: asyncio.AbstractEventLoop

    def ask(self, work: Callable[[Actions], Awaitable[T]]) -> T:
        async def asking() -> T:
            return await work(self.actions)

        return asyncio.run_coroutine_threadsafe(asking(), self.loop).result(timeout=60)

    def made_key(self, *scopes: str, **limits: int) -> str:
        request = KeyRequest(name="test", scopes=tuple(Scope(scope) for scope in scopes), **limits)
        return str(self.ask(lambda actions: actions.keys_create(request))["key"])

    def evidence(self, text: str, view: str | None = None) -> bytes:
        return self.ask(lambda actions: actions.evidence(text, view=view)).body

    def record(self, text: str) -> Any:
        archive = self.actions.parts.archive
        return archive.record(archive.resolve(text))

    def servings(self, record: str) -> list[Serving]:
        """What was served for a record."""
        archive = self.actions.parts.archive
        named = [archive.record(one.id) for one in archive.catalogue.naming(archive.resolve(record), kind="serving")]
        return [one for one in named if isinstance(one, Serving)]

    def served(self, record: str) -> Serving2:
        """The one serving of a record, with all it can say."""
        (one,) = self.servings(record)
        assert isinstance(one, Serving2)
        return one


@contextmanager
def standing(data: Path, *, resolver: Resolver | None = None, **given: object) -> Iterator[Standing]:
    """Start, give, stop. `resolver` answers for the world's names."""
    settings = settings_for(data, listen=f"127.0.0.1:{free_port()}", **given)
    started = threading.Event()
    held: dict[str, Any] = {}

    async def main() -> None:
        held["loop"], stop = asyncio.get_running_loop(), asyncio.Event()
        held["stop"] = lambda: held["loop"].call_soon_threadsafe(stop.set)
        async with build(settings, readers=ReadersHere(), resolver=resolver) as actions:
            held["actions"] = actions
            serving = asyncio.ensure_future(serve(actions, settings, stop))
            while not serving.done() and not answers(settings.socket_path):
                await asyncio.wait({serving}, timeout=0.01)
            started.set()
            await serving

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    started.wait(timeout=60)
    try:
        key = (data / FIRST_KEY).read_text().strip()
        yield Standing(f"http://{settings.listen}", key, data, held["actions"], held["loop"])
    finally:
        held["stop"]()
        thread.join(timeout=60)
