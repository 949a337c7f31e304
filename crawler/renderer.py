"""Rendering one page: the answer that was fetched is shown in a browser, and what it shows is written down.

The first document is not asked for again: the browser is handed the answer that the fetch got, with its address and
headers. Everything else that the page wants goes through the page's own guarded proxy.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from crawler.browsers import Browsers
from crawler.dialling import Dialler
from crawler.errors import NotRendered
from crawler.forwarding import Forwarding
from crawler.navigations import Navigations
from crawler.page_events import PageEvents
from crawler.page_scripts import BEFORE_ALL
from crawler.rendering import Rendered, RenderSettings, Wanted
from crawler.showing import Showing
from crawler.visit import Visit

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

T = TypeVar("T")

PERHAPS_OF_OTHERS: Final = frozenset({"render_failed", "render_crashed"})
"""Failures that may be the doing of pages that were open in the same browser; alone, a page has itself to blame."""
GOODBYE: Final = 3.0
"""Seconds that closing a page may take; then its browser takes no further one."""
RESERVE: Final = 4.0
"""Seconds beyond the deadline in which a page that is not done is written down as it stands."""


class Renderer:
    """Shows fetched pages in a browser. An async context manager, for many tasks of one event loop."""

    def __init__(self, dialler: Dialler, settings: RenderSettings) -> None:
        self.settings = settings
        self.browsers = Browsers(settings)
        self._dialler = dialler

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all browsers; none of their processes is left."""
        await self.browsers.close()

    @property
    def available(self) -> bool:
        """Whether there is a Chromium; whether it starts, only starting it tells."""
        return self.browsers.program is not None

    async def version(self) -> str:
        """Start a browser if none runs, and say which it is.

        Raises:
            NoBrowser: there is none, or it does not start.
        """
        async with self.browsers.one() as running:
            return running.name

    async def render(self, visit: Visit, wanted: Wanted, *, charset: str | None = None) -> Rendered:
        """Show the answer of `visit` and give what was to be seen; `charset` is what its body was read in.

        Raises:
            NoBrowser: there is no browser, or it does not start.
            NotRendered: the page could not be shown: it crashed, took too long, or left for where it may not go.
        """
        try:
            return await self._once(visit, wanted, charset)
        except NotRendered as error:
            if error.reason not in PERHAPS_OF_OTHERS:
                raise
            first = error
        rendered = await self._once(visit, wanted, charset, alone=True)
        told = f"rendered_again: alone in a browser, as it could not be shown beside other pages ({first})"
        return replace(rendered, warnings=(*rendered.warnings, told))

    async def _once(self, visit: Visit, wanted: Wanted, charset: str | None, *, alone: bool = False) -> Rendered:
        from playwright.async_api import Error  # noqa: PLC0415 - loading it takes a third of a second

        async with self.browsers.one(alone=alone) as running:
            proxy = Forwarding(self._dialler, self.settings.max_bytes)
            async with proxy.running() as address:
                context: BrowserContext | None = None
                try:
                    async with asyncio.timeout(self.settings.deadline + RESERVE):
                        context = await running.browser.new_context(**self._options(address, visit))
                        return await self._shown(context, visit, wanted, proxy, running.name, charset)
                except TimeoutError as error:
                    running.dead |= context is None and not running.remote
                    raise NotRendered(
                        "render_timeout", f"not shown within {self.settings.deadline:g} seconds"
                    ) from error
                except Error as error:
                    raise NotRendered("render_failed", _first_line(error)) from error
                finally:
                    if context is not None and not await _within(GOODBYE, context.close):
                        running.last |= not running.remote

    async def _shown(
        self,
        context: "BrowserContext",
        visit: Visit,
        wanted: Wanted,
        proxy: Forwarding,
        browser: str,
        charset: str | None,
    ) -> Rendered:
        await context.add_init_script(BEFORE_ALL)
        page = await context.new_page()
        tools = await context.new_cdp_session(page)
        events = PageEvents(page)
        showing = Showing(page, tools, self.settings, events)
        await Navigations(tools, events, visit, charset).watch()
        events.listen(context)
        deadline = asyncio.get_running_loop().time() + self.settings.deadline
        await showing.go(visit.final, deadline, proxy)
        await showing.wait(deadline)
        return await showing.written_down(wanted, proxy, browser)

    def _options(self, proxy: str, visit: Visit) -> dict[str, Any]:
        used = self.settings
        cookies = _cookies(visit)
        return {
            "proxy": {"server": proxy, "bypass": "<-loopback>"},
            "user_agent": used.user_agent or visit.user_agent,
            "locale": used.locale,
            "timezone_id": used.time_zone,
            "viewport": {"width": used.width, "height": used.height},
            "service_workers": "block",
            "accept_downloads": False,
            "reduced_motion": "reduce",
            **({"storage_state": {"cookies": cookies, "origins": []}} if cookies else {}),
        }


def _cookies(visit: Visit) -> Sequence[dict[str, Any]]:
    """The cookies that the fetch had at its end."""
    return [
        {
            "name": cookie.name,
            "value": cookie.value,
            "domain": cookie.domain if cookie.host_only else f".{cookie.domain}",
            "path": cookie.path,
            "secure": cookie.secure,
            "httpOnly": False,
            "sameSite": "Lax",
            "expires": -1,
        }
        for cookie in visit.cookies
        if cookie.name and cookie.name.isascii() and cookie.value.isascii()
    ]


async def _within(seconds: float, action: Callable[[], Awaitable[object]]) -> bool:
    """Whether `action` came to its end in time, well or not."""
    with suppress(Exception):
        async with asyncio.timeout(seconds):
            await action()
            return True
    return False


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
