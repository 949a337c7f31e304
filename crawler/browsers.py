"""Browsers: finding a Chromium, starting it when first needed, renewing it, and leaving none behind.

Whatever is not a page of ours goes to a dead proxy: should Chromium want to ask the web on its own, it gets nothing.
"""

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.driver import Driver
from crawler.errors import NoBrowser
from crawler.rendering import RenderSettings

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserType

NAMES: Final = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome",
)  # fmt: skip
"""Programs that are looked for, the lightest first."""
PAGES_PER_BROWSER: Final = 60
"""Pages after which a browser is replaced by a fresh one: what pages leave behind in it does not add up."""
IDLE_SECONDS: Final = 60.0
"""Seconds without work after which the browser, some 150 MB, is closed."""
START_SECONDS: Final = 30.0
CLOSE_SECONDS: Final = 5.0
DEAD_PROXY: Final = "http://127.0.0.1:1"
FEATURES_OFF: Final = (
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "MediaRouter",
    "DialMediaRouteProvider",
    "Translate",
    "SpeculationRulesPrefetchFuture",
    "Prerender2",
    "AutofillServerCommunication",
    "InterestFeedContentSuggestions",
    "CertificateTransparencyComponentUpdater",
    "AsyncDns",
    "DnsOverHttps",
    "WebTransport",
)
ARGUMENTS: Final = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-client-side-phishing-detection",
    "--no-pings",
    "--dns-prefetch-disable",
    "--no-first-run",
    "--mute-audio",
    "--disable-dev-shm-usage",
    # no look-up and no connection of the browser's own: the one number is that of our proxies
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=512",
    "--disable-features=" + ",".join(FEATURES_OFF),
)


def find_chromium() -> str | None:
    """The system's Chromium, or the one that Playwright has downloaded; None if there is none."""
    for name in NAMES:
        if (found := shutil.which(name)) is not None:
            return found
    cache = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    patterns = ("chromium_headless_shell-*/*/*headless*shell*", "chromium-*/chrome-linux*/chrome")
    for pattern in patterns:
        found_here = sorted(path for path in cache.glob(pattern) if path.is_file() and os.access(path, os.X_OK))
        if found_here:
            return str(found_here[-1])
    return None


@dataclass
class _Running:
    """One browser, how many pages it has begun, and how many are open.

    `last`: it takes no further page. `dead`: nothing comes of those that are open in it either.
    """

    browser: "Browser"
    remote: bool
    name: str
    pages: int = 0
    open: int = 0
    last: bool = False
    dead: bool = False


@dataclass
class Browsers:
    """Gives a browser for one page at a time, up to `settings.pages` at once. For one event loop; close it at the end.

    A browser that has had its share of pages, or that does not let go of one, is closed as soon as its other pages are
    done.
    """

    settings: RenderSettings
    _driver: Driver | None = None
    _running: _Running | None = None
    _open: int = 0
    _slots: asyncio.Semaphore = field(init=False)
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _idle: asyncio.Task[None] | None = None
    _closing: set[asyncio.Task[None]] = field(default_factory=set)
    _used: float = 0.0
    sandboxed: bool | None = None

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.settings.pages)

    @property
    def program(self) -> str | None:
        """The Chromium that is used: a program or an address; None if there is none."""
        wanted = self.settings.chromium
        if wanted == "off":
            return None
        if wanted is None:
            return find_chromium()
        return wanted if is_remote(wanted) or shutil.which(wanted) is not None else None

    @asynccontextmanager
    async def one(self, *, alone: bool = False) -> AsyncIterator[_Running]:
        """A browser for one page; `alone`: in which no other page is open.

        Raises:
            NoBrowser: there is none, or it does not start.
        """
        async with self._slots:
            running = await self._take(alone=alone)
            running.pages += 1
            running.open += 1
            self._open += 1
            try:
                yield running
            finally:
                running.open -= 1
                self._open -= 1
                self._used = time.monotonic()
                running.dead |= not running.browser.is_connected()
                if running.dead or running.last or running.pages >= PAGES_PER_BROWSER:
                    self._retire(running)
                if self._idle is None or self._idle.done():
                    self._idle = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Close everything; waits until the processes are gone."""
        if self._idle is not None:
            self._idle.cancel()
            await asyncio.gather(self._idle, return_exceptions=True)
        async with self._starting:
            if self._running is not None:
                running, self._running = self._running, None
                await _close(running)
            await asyncio.gather(*self._closing)
            await self._stop_driver()

    async def _take(self, *, alone: bool) -> _Running:
        async with self._starting:
            if alone:
                running = await self._start()
                running.last = True
                return running
            if self._running is not None and not self._running.browser.is_connected():
                self._running = None
            if self._running is None:
                self._running = await self._start()
            return self._running

    def _retire(self, running: _Running) -> None:
        if self._running is running:
            self._running = None
        if running.open == 0 or running.dead:
            task = asyncio.create_task(_close(running))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _watch(self) -> None:
        """Close the browser and its driver when nobody has needed them for a while."""
        while True:
            await asyncio.sleep(IDLE_SECONDS / 4)
            async with self._starting:
                running = self._running
                if self._open:
                    continue
                if time.monotonic() - self._used < IDLE_SECONDS or self._closing:
                    continue
                self._running = None
                if running is not None:
                    await _close(running)
                await self._stop_driver()
                return

    async def _stop_driver(self) -> None:
        driver, self._driver = self._driver, None
        if driver is not None:
            await driver.stop()

    async def _start(self) -> _Running:
        program = self.program
        if program is None:
            raise NoBrowser(_missing(self.settings.chromium))
        with suppress(NoBrowser):
            return await self._started(program)
        await self._stop_driver()  # it may be the driver that is lost, and pages that are open go with it
        return await self._started(program)

    async def _started(self, program: str) -> _Running:
        from playwright.async_api import Error  # noqa: PLC0415 - loading it takes a third of a second

        if self._driver is None:
            self._driver = await Driver.start()
        try:
            async with asyncio.timeout(START_SECONDS):
                browser = await self._browser(self._driver.playwright.chromium, program)
        except (Error, OSError, TimeoutError) as error:
            said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise NoBrowser(f"the browser cannot be started: {said[:200]}") from error
        return _Running(browser, is_remote(program), f"Chromium {browser.version}")

    async def _browser(self, chromium: "BrowserType", program: str) -> "Browser":
        from playwright.async_api import Error  # noqa: PLC0415 - as above

        if is_remote(program):
            return await chromium.connect_over_cdp(program)
        wanted = self.settings.sandbox
        tries = (
            [wanted]
            if wanted is not None
            else [True, False]
            if os.geteuid() and self.sandboxed is None
            else [bool(self.sandboxed)]
        )
        for place, sandbox in enumerate(tries, 1):
            try:
                browser = await chromium.launch(
                    executable_path=program,
                    headless=True,
                    chromium_sandbox=sandbox,
                    args=list(ARGUMENTS),
                    proxy={"server": DEAD_PROXY, "bypass": "<-loopback>"},
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                )
            except Error:
                if place == len(tries):
                    raise
            else:
                self.sandboxed = sandbox
                return browser
        raise AssertionError("the last try raises")  # pragma: no cover


def is_remote(program: str) -> bool:
    """Whether this is an address of a browser rather than a program."""
    return program.startswith(("http://", "https://", "ws://", "wss://"))


def _missing(wanted: str | None) -> str:
    if wanted == "off":
        return "rendering is switched off by CITATOR_CHROMIUM"
    return f"{wanted} is no program" if wanted else "no Chromium was found on this machine"


async def _close(running: _Running) -> None:
    """Close a browser; of a remote one, only our connection ends."""
    with suppress(Exception):  # what cannot be closed is gone, or ends with the driver
        async with asyncio.timeout(CLOSE_SECONDS):
            await running.browser.close()
