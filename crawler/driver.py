"""Playwright's driver: a Node.js process below ours that speaks with the browsers.

Now and then one stands still as it starts, and says nothing for ever; one that is lost on its way may never say that it
has ended. Neither may hold up a capture or a server that wants to stop, so waiting has a limit here, and after it the
process is killed. Playwright gives no way to do that: its process is found among those below ours.
"""

import asyncio
import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from crawler.errors import NoBrowser

if TYPE_CHECKING:
    from playwright.async_api import Playwright
    from playwright.async_api._context_manager import PlaywrightContextManager

START_SECONDS: Final = 30.0
STOP_SECONDS: Final = 5.0
DYING_SECONDS: Final = 30.0
PROCESSES: Final = Path("/proc")


@dataclass(frozen=True)
class Driver:
    """A driver that runs; `processes` are its numbers, none where the system does not tell."""

    playwright: "Playwright"
    processes: frozenset[int]

    @classmethod
    async def start(cls, *, patience: float = START_SECONDS) -> Self:
        """Start one.

        Raises:
            NoBrowser: it says nothing for so many seconds, or ends; another may start all the same.
        """
        from playwright.async_api import async_playwright  # noqa: PLC0415 - loading it takes a third of a second

        before = _drivers()
        manager = async_playwright()
        starting = asyncio.ensure_future(manager.start())
        try:
            done, _ = await asyncio.wait({starting}, timeout=patience)
        finally:
            await _ended(starting, _drivers() - before)
        if not done:
            raise NoBrowser(f"the driver of the browser said nothing for {patience:g} s")
        if (error := starting.exception()) is not None:
            raise NoBrowser(f"the driver of the browser cannot be started: {str(error)[:200]}") from error
        _read_its_end(manager)
        return cls(starting.result(), _drivers() - before)

    async def stop(self, *, patience: float = STOP_SECONDS) -> None:
        """End it and what it has started, by force after so many seconds; it may be gone already."""
        stopping = asyncio.ensure_future(self.playwright.stop())
        try:
            await asyncio.wait({stopping}, timeout=patience)
        finally:
            await _ended(stopping, self.processes & _drivers())


def _read_its_end(manager: "PlaywrightContextManager") -> None:
    """Read what Playwright tells nobody when the driver is lost; it is logged as a fault of ours otherwise."""
    with suppress(AttributeError):  # another version may keep it elsewhere: then there is the line in the log
        client: Any = manager._client  # noqa: SLF001 - handed to nobody
        client._transport.on_error_future.add_done_callback(  # noqa: SLF001 - as above
            lambda lost: lost.cancelled() or lost.exception()
        )


async def _ended(what: "asyncio.Future[Playwright] | asyncio.Future[None]", processes: frozenset[int]) -> None:
    """End what is not done, by killing these processes first: so it leaves nothing open."""
    if not what.done():
        for process in processes:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        await asyncio.wait({what}, timeout=DYING_SECONDS)
    what.cancel()
    await asyncio.gather(what, return_exceptions=True)


def _drivers() -> frozenset[int]:
    """The drivers directly below this process, as Linux tells; none elsewhere."""
    found = set()
    for folder in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):  # it may end while it is looked at
            parent = (folder / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[1]
            if parent == str(os.getpid()) and b"run-driver" in (folder / "cmdline").read_bytes().split(b"\0"):
                found.add(int(folder.name))
    return frozenset(found)
