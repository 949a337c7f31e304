"""What happens between opening a page and writing it down: waiting, scrolling, closing notices, each within bounds."""

import asyncio
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from crawler.errors import NotRendered
from crawler.forwarding import REFUSED_HEADER, Forwarding
from crawler.page_scripts import CONSENT, CONSENT_ARGUMENT, DOCUMENT, MEASURE, SCROLL
from crawler.rendering import Navigation, Rendered, RenderSettings, Shot, Wanted

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Dialog, Page, Request, Response

QUIET: Final = ((100, 0.8), (600, 0.35))
QUIET_TEXT: Final = 0.15
"""Seconds without a request under way, and without the page changing, after which it counts as shown: the less there is
to read, the longer, by the number of characters below which that holds; then for a page with text."""
LASTING: Final = 1.5
"""Seconds after which a request that is still open is taken for one that never ends: a stream, a poll."""
LOADED: Final = 8.0
"""Seconds that are given to a page's first resources."""
SETTLED: Final = 5.0
"""Seconds that are given to what comes after them."""
SCROLL_STEPS: Final = 12
SCROLL_PAUSE: Final = 50
"""Screens that are scrolled, and milliseconds at each: 1 s at most, as no reader sees more of an endless page."""
MAX_NAVIGATIONS: Final = 6
"""Documents that the main frame may go to by itself; pages that reload for ever are stopped."""
MAX_SHOT: Final = 16_000
"""Pixels of height of a full screenshot: beyond that Chromium repeats or loses parts."""
SHOT_SECONDS: Final = 10.0
POLL: Final = 0.05
SMALL: Final = 0.5
"""Seconds that anything small may take, whatever the deadline says."""
HUNG: Final = 3.0
"""Seconds without an answer after which a page's script is taken for one that never ends."""


@dataclass
class Showing:
    """One open page. `actions` and `warnings` tell what was done to it and what it was not allowed."""

    page: "Page"
    settings: RenderSettings
    actions: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    _under_way: dict["Request", float] = field(default_factory=dict)
    _documents: list["Response"] = field(default_factory=list)
    _tools: "CDPSession | None" = None
    _begun_count: int = 0
    _scripted: bool = True
    _readable: int = 0
    _crashed: bool = False
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def listen(self, context: "BrowserContext") -> None:
        """Note what happens, and let nothing wait for an answer."""
        page = self.page
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("response", self._answered)
        page.on("dialog", lambda dialog: self._soon(self._dismiss(dialog)))
        page.on("download", lambda _: self.counts.update(("downloads_refused",)))
        page.on("crash", lambda _: setattr(self, "_crashed", True))
        context.on("page", self._popup)

    async def go(self, url: str, deadline: float) -> None:
        """Open the page; what it loads may fail or last."""
        from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`
        from playwright.async_api import TimeoutError as TooSlow  # noqa: PLC0415 - as above

        self._tools = await self.page.context.new_cdp_session(self.page)
        try:
            await self.page.goto(url, wait_until="commit", timeout=self._left(deadline, HUNG))
        except TooSlow:
            await self._end_script()
        except Error as error:
            if "interrupted by another navigation" not in str(error) and "ERR_ABORTED" not in str(error):
                raise
        try:
            await self.page.wait_for_load_state("domcontentloaded", timeout=self._left(deadline, LOADED / 2))
        except TooSlow:
            await self._measure(HUNG / 2)
        try:
            await self.page.wait_for_load_state("load", timeout=self._left(deadline, LOADED))
        except TooSlow:
            self.counts["slow"] = 1
            await self._measure(HUNG / 2)

    async def wait(self, deadline: float) -> None:
        """Wait until the page has become quiet; close a consent notice; look at all of it; wait once more."""
        await self._quiet(deadline, SETTLED)
        if await self._close_notice(deadline):
            await self._quiet(deadline, SETTLED / 2)
        begun = self._begun_count
        scrolled = await self._try(deadline, SCROLL, {"steps": SCROLL_STEPS, "pause": SCROLL_PAUSE})
        if scrolled and scrolled.get("steps"):
            if not scrolled.get("ended"):
                self.counts["not_scrolled_to_the_end"] += 1
            if scrolled.get("grown") or self._begun_count > begun:
                await self._quiet(deadline, SETTLED / 2)

    async def written_down(self, wanted: Wanted, proxy: Forwarding, browser: str) -> Rendered:
        """What is to be seen now."""
        refused = await self._refused_document(proxy)
        if self._crashed:
            raise NotRendered("render_crashed", "the page made its browser process crash")
        if refused is not None:
            raise NotRendered("render_refused", f"the page left for an address that is not asked ({refused})")
        found = await self.page.evaluate(DOCUMENT, self.settings.max_bytes)
        screenshot = await self._picture(wanted.screenshot) if wanted.screenshot else None
        pdf = await self.page.pdf(print_background=True, prefer_css_page_size=True) if wanted.pdf else None
        navigations = [await _navigation(response) for response in self._documents[1 : MAX_NAVIGATIONS + 1]]
        return Rendered(
            document=_utf8(found["html"]),
            url=self.page.url,
            browser=browser,
            navigations=tuple(navigations),
            actions=tuple(self.actions),
            warnings=tuple(self._warnings(proxy)),
            screenshot=screenshot,
            pdf=pdf,
            cut=bool(found["cut"]),
        )

    # --- waiting ---

    async def _quiet(self, deadline: float, seconds: float) -> None:
        """Wait until no request that may still end is under way and the page's length stays the same."""
        end = min(asyncio.get_running_loop().time() + seconds, deadline)
        length = -1
        since = asyncio.get_running_loop().time()
        while (now := asyncio.get_running_loop().time()) < end and not self._crashed:
            busy = any(time.monotonic() - begun < LASTING for begun in self._under_way.values())
            measured = await self._measure(end - now)
            if length == -1 and not busy and measured >= 0 and not self._scripted:
                return
            if busy or measured != length:
                since = now
            length = measured
            needed = next((seconds for below, seconds in QUIET if self._readable < below), QUIET_TEXT)
            if now - since >= needed and len(self._documents) <= MAX_NAVIGATIONS:
                return
            if len(self._documents) > MAX_NAVIGATIONS:
                await self._stop()
                return
            await asyncio.sleep(POLL)

    async def _measure(self, seconds: float) -> int:
        from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`

        try:
            async with asyncio.timeout(min(max(seconds, SMALL), HUNG)):
                found = await self.page.evaluate(MEASURE)
                self._scripted, self._readable = bool(found[1]), int(found[2])
                return int(found[0])
        except Error:
            return -2  # it is just going somewhere else
        except TimeoutError:
            await self._end_script()
            return -2

    async def _end_script(self) -> None:
        """End a script that does not let go; what it has put into the page stays."""
        from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`

        self.counts["scripts_ended"] += 1
        try:
            async with asyncio.timeout(SMALL * 4):
                assert self._tools is not None, "opened before the page was"
                await self._tools.send("Runtime.terminateExecution")
        except (Error, TimeoutError):
            pass  # then the deadline ends it

    async def _stop(self) -> None:
        """Keep a page that goes on and on where it is."""
        from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`

        self.counts["navigations_stopped"] += 1
        try:
            async with asyncio.timeout(SMALL * 2):
                await self.page.route("**/*", lambda route: self._soon(route.abort("aborted")))
                await self.page.wait_for_load_state("domcontentloaded")
        except (Error, TimeoutError):
            pass

    async def _close_notice(self, deadline: float) -> bool:
        for frame in self.page.frames[:4]:
            done = await self._try(deadline, CONSENT, CONSENT_ARGUMENT, frame=frame)
            if done:
                how = "refuses" if done.get("clicked") == "refuse" else "agrees"
                closed = "went away" if done.get("closed") else "stayed"
                self.actions.append(f"consent_dismissed: a click on the button that {how}; the notice {closed}")
                return True
        return False

    async def _try(self, deadline: float, script: str, argument: object, *, frame: Any = None) -> Any:
        """Run a script that may fail, as pages may leave while it runs."""
        from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`

        try:
            async with asyncio.timeout(max(deadline - asyncio.get_running_loop().time(), SMALL)):
                return await (frame or self.page).evaluate(script, argument)
        except (Error, TimeoutError):
            return None

    @staticmethod
    def _left(deadline: float, most: float) -> float:
        """Milliseconds until the deadline, at most `most` seconds."""
        return max(min(deadline - asyncio.get_running_loop().time(), most), SMALL) * 1000

    # --- what happens to the page ---

    def _begun(self, request: "Request") -> None:
        self._under_way[request] = time.monotonic()
        self._begun_count += 1

    def _ended(self, request: "Request") -> None:
        self._under_way.pop(request, None)

    def _answered(self, response: "Response") -> None:
        request = response.request
        try:
            main = request.is_navigation_request() and request.frame == self.page.main_frame
        except Exception:  # noqa: BLE001 - the frame of a request may not be there yet: then it is not ours
            return
        if main:
            self._documents.append(response)

    def _popup(self, page: "Page") -> None:
        if page != self.page:
            self.counts["popups_closed"] += 1
            self._soon(page.close())

    async def _dismiss(self, dialog: "Dialog") -> None:
        self.counts["dialogs_dismissed"] += 1
        await dialog.dismiss()

    def _soon(self, action: Any) -> None:
        task = asyncio.ensure_future(quietly(action))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- what is told ---

    async def _refused_document(self, proxy: Forwarding) -> str | None:
        """Why the main frame shows nothing of the page, if it went where it may not."""
        last = self._documents[-1] if self._documents else None
        if last is not None and (rule := await last.header_value(REFUSED_HEADER)) is not None:
            return rule
        if self.page.url.startswith("chrome-error:"):
            return next(iter(proxy.refused), "no answer")
        return None

    async def _picture(self, of: Shot) -> bytes:
        options: dict[str, Any] = {"type": "png", "animations": "disabled", "timeout": SHOT_SECONDS * 1000}
        if of == "viewport":
            return await self.page.screenshot(**options)
        height = int(await self.page.evaluate("document.documentElement ? document.documentElement.scrollHeight : 0"))
        if height <= MAX_SHOT:
            return await self.page.screenshot(full_page=True, **options)
        self.counts["screenshot_cut"] += 1
        clip: Any = {"x": 0, "y": 0, "width": self.settings.width, "height": MAX_SHOT}
        return await self.page.screenshot(full_page=True, clip=clip, **options)

    def _warnings(self, proxy: Forwarding) -> list[str]:
        told = [f"{name}: {REMARKS[name].format(n=n)}" for name, n in sorted(self.counts.items())]
        if proxy.refused:
            rules = ", ".join(f"{rule} {n}" for rule, n in sorted(proxy.refused.items()))
            told.append(f"requests_refused: what the page wanted from addresses that are not asked ({rules})")
        if proxy.cut:
            told.append(f"page_too_large: it wanted more than {proxy.max_bytes} bytes, and got no more")
        if self._under_way:
            told.append(f"requests_unfinished: {len(self._under_way)} were still open")
        return told


REMARKS: Final = {
    "slow": "it had not loaded everything in time",
    "downloads_refused": "it began {n} downloads, which were not taken",
    "dialogs_dismissed": "{n} dialogs were dismissed",
    "popups_closed": "{n} windows that it opened were closed",
    "not_scrolled_to_the_end": "it goes on below what was scrolled through",
    "navigations_stopped": "it went on to one document after the other",
    "scripts_ended": "a script that did not come to its end was stopped",
    "screenshot_cut": f"the picture ends after {MAX_SHOT} pixels",
}


async def _navigation(response: "Response") -> Navigation:
    from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`

    try:
        headers = tuple((h["name"], h["value"]) for h in await response.headers_array())
    except Error:
        headers = ()
    return Navigation(response.url, response.status, headers)


async def quietly(action: Any) -> None:
    """Do what may be too late: the page may be gone."""
    from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`

    with suppress(Error):
        await action


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
