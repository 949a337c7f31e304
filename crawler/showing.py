"""What happens between opening a page and writing it down: waiting, scrolling, closing notices, each within bounds."""

import asyncio
import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from crawler.errors import NotRendered
from crawler.forwarding import REFUSED_HEADER, Forwarding
from crawler.inside import Inside
from crawler.page_events import LASTING, MAX_NAVIGATIONS, PageEvents
from crawler.page_scripts import CONSENT, CONSENT_ARGUMENT, DOCUMENT, MEASURE, SCROLL, SIZE, STILL
from crawler.rendering import Navigation, Rendered, RenderSettings, Shot, Wanted

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page, Response

READABLE: Final = 600
"""Characters from which on a page counts as one with text."""
QUIET: Final = ((1, 2.0), (100, 0.8), (READABLE, 0.35))
QUIET_TEXT: Final = 0.15
"""Seconds without a request under way, and without the page changing, after which it counts as shown: the less there is
to read, the longer, by the number of characters below which that holds; then for a page with text."""
LOADED: Final = 8.0
"""Seconds that are given to a page's first resources."""
SETTLED: Final = 5.0
"""Seconds that are given to what comes after them."""
WATCHED: Final = 7.5
"""Seconds for all that happens to a page once it is loaded: one that changes for ever is as good then as later."""
SCROLL_STEPS: Final = 12
SCROLL_PAUSE: Final = 50
"""Screens that are scrolled, as no reader sees more of an endless page, and milliseconds in which each is drawn."""
LOOKS: Final = 2
"""Times that a page is looked through: again if it has changed since it was."""
MAX_SHOT: Final = 16_000
"""Pixels of height of a full screenshot: beyond that Chromium repeats or loses parts."""
SHOT_SECONDS: Final = 10.0
DRAWN: Final = 0.1
"""How large a page is drawn, as nobody looks at it; a picture is taken in full size. The page is not told: what it can
measure, and what it loads, is that of a whole screen."""
POLL: Final = 0.05
SHORT: Final = 0.005  # seconds between two looks at a page, at most and at least
LOOKED: Final = 0.5
"""Seconds between two looks that count at most as time in which a page stayed the same: a machine that was too busy to
look was too busy to let the page go on."""
SMALL: Final = 0.5
"""Seconds that anything small may take, whatever the deadline says."""
HUNG: Final = 3.0
"""Seconds without an answer after which a page's script is taken for one that never ends."""
TRIED: Final = 5.0
FRAMED: Final = 1.5
"""Seconds that one of our own scripts may take in a page, and in a frame of it."""
BLOCKED: Final = 2
"""Times that a page may wait for styles or scripts that never come before any of its text is there; and that requests
may hold all of it until they are answered, after which it is given nothing more."""
ENDED: Final = 2
"""Scripts of a page that are ended; after so many no further ones are begun, as they would not end either."""


@dataclass
class Showing:
    """One open page. `actions` tell what was done to it, `events` what happened to it."""

    page: "Page"
    tools: "CDPSession"
    settings: RenderSettings
    events: PageEvents
    actions: list[str] = field(default_factory=list)
    _inside: Inside = field(init=False)
    _proxy: Forwarding | None = None
    _scripted: bool = False
    _lazy: bool = False
    _readable: int = 0
    _length: int = -1
    _looked: float = 0.0
    _still: float = 0.0
    _held: int = 0

    def __post_init__(self) -> None:
        self._inside = Inside(self.tools)

    async def go(self, url: str, deadline: float, proxy: Forwarding) -> None:
        """Open the page; what it loads may fail or last."""
        from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`
        from playwright.async_api import TimeoutError as TooSlow  # noqa: PLC0415 - as above

        self._proxy = proxy
        await self._draw_small()
        try:
            await self.page.goto(url, wait_until="commit", timeout=self._left(deadline, HUNG))
        except TooSlow:
            await self._end_script()
        except Error as error:
            if "interrupted by another navigation" not in str(error) and "ERR_ABORTED" not in str(error):
                raise
        for _ in range(BLOCKED):
            try:
                await self._reached("domcontentloaded", self._left(deadline, LOADED / 2))
                break
            except TooSlow:
                await self._measure(HUNG / 2)
                self.events.counts["requests_ended"] += proxy.end_lasting(LASTING)
        try:
            await self._reached("load", self._left(deadline, LOADED))
        except TooSlow:
            self.events.counts["slow"] = 1
            await self._measure(HUNG / 2)

    async def _draw_small(self) -> None:
        width, height = self.settings.width, self.settings.height
        screen = {"width": width, "height": height, "screenWidth": width, "screenHeight": height}
        kind = {"deviceScaleFactor": 1, "mobile": False, "dontSetVisibleSize": True}
        await self.tools.send("Emulation.setDeviceMetricsOverride", {**screen, **kind, "scale": DRAWN})

    async def _reached(self, state: "Literal['domcontentloaded', 'load']", milliseconds: float) -> None:
        """Wait until the page has come so far, or comes no further."""
        reaching = asyncio.ensure_future(self.page.wait_for_load_state(state, timeout=milliseconds))
        while not reaching.done() and not self.events.restless and not self.events.stopped:
            open_for = self.events.open_for
            if state == "load" and open_for and min(open_for) > HUNG:
                break  # what is still to come never comes: text and layout wait for none of it
            await asyncio.wait({reaching}, timeout=POLL)
        if not reaching.done():
            reaching.cancel()
        elif (failed := reaching.exception()) is not None:
            raise failed

    async def wait(self, deadline: float) -> None:
        """Close a consent notice, look at all of the page, and wait until it has become quiet."""
        deadline = min(deadline, asyncio.get_running_loop().time() + WATCHED)
        for look in range(LOOKS):
            await self._quiet(deadline, SETTLED / (look + 1), readable=True)
            if await self._close_notice(deadline):
                await self._quiet(deadline, SETTLED / 2)
            before, begun = self._length, self.events.begun
            await self._scroll(deadline)
            await self._quiet(deadline, SETTLED / (look + 1))
            if (self._length, self.events.begun) == (before, begun):
                return

    async def _scroll(self, deadline: float) -> None:
        """Go down the page, so that what loads when it is seen is loaded; where nothing would, it is left as it is."""
        if not (self._scripted or self._lazy) or self._silenced:
            return
        scrolled = await self._try(deadline, SCROLL, {"steps": SCROLL_STEPS, "pause": SCROLL_PAUSE})
        self.events.counts["not_scrolled_to_the_end"] = int(
            bool(scrolled and scrolled["steps"] and not scrolled["ended"])
        )

    async def written_down(self, wanted: Wanted, proxy: Forwarding, browser: str) -> Rendered:
        """What is to be seen now."""
        refused = await self._refused_document(proxy)
        if self.events.crashed:
            raise NotRendered("render_crashed", "the page made its browser process crash")
        if refused is not None:
            raise NotRendered("render_refused", f"the page left for an address that is not asked ({refused})")
        try:
            async with asyncio.timeout(TRIED):
                found = await self._run(DOCUMENT, self.settings.max_bytes)
        except TimeoutError:
            await self._end_script()
            found = await self._run(DOCUMENT, self.settings.max_bytes)
        if found["broken"]:
            raise NotRendered("render_ill_formed", "it is no well-formed XML, and browsers show an error in its place")
        screenshot = await self._picture(wanted.screenshot) if wanted.screenshot else None
        pdf = await self.page.pdf(print_background=True, prefer_css_page_size=True) if wanted.pdf else None
        navigations = [await _navigation(response) for response in self.events.documents[1 : MAX_NAVIGATIONS + 1]]
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

    async def _quiet(self, deadline: float, seconds: float, *, readable: bool = False) -> None:
        """Wait until no request that may still end is under way and the page's length has stayed the same for a while.

        That while began with the last change that was seen, in whichever wait. `readable`: a page with text need not
        have stayed the same yet.
        """
        loop = asyncio.get_running_loop()
        end = min(loop.time() + seconds, deadline)
        while (now := loop.time()) < end and not self.events.crashed:
            busy = self.events.busy(readable=self._readable >= READABLE)
            measured = await self._measure(end - now)
            # what began meanwhile too: the page was asked after it had begun that
            busy |= self.events.busy(readable=self._readable >= READABLE)
            changed = busy or measured != self._length
            self._still = 0.0 if changed else self._still + min(now - self._looked, LOOKED)
            self._length, self._looked = measured, now
            if self.events.beyond and not self._silenced:
                self.events.counts["navigations_stopped"] += 1
                self.events.counts["scripts_ended"] = ENDED - 1
                await self._end_script()
            needed = next((seconds for below, seconds in QUIET if self._readable < below), QUIET_TEXT)
            still = measured >= 0 and (not self._scripted or (readable and needed == QUIET_TEXT))
            if not busy and (still or self._still >= needed):
                return
            await asyncio.sleep(POLL if busy else min(POLL, max(needed - self._still, SHORT)))

    async def _measure(self, seconds: float) -> int:
        from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`

        try:
            async with asyncio.timeout(min(max(seconds, SMALL), HUNG)):
                found = await self._run(MEASURE, self.events.counts["scripts_ended"])
                # Once scripts ran, the page may still be on its way to another document, which has none yet.
                self._scripted |= bool(found[1])
                self._readable, self._lazy = int(found[2]), bool(found[3])
                return int(found[0])
        except Error:
            return -2  # it is just going somewhere else
        except TimeoutError:
            await self._end_script()
            return -2

    async def _run(self, script: str, argument: object = None) -> Any:
        return await self._inside.run(script, argument)

    @property
    def _silenced(self) -> bool:
        """Whether no script begins any more in the page: then what waits, as ours do, waits for ever."""
        return self.events.counts["scripts_ended"] >= ENDED

    async def _end_script(self) -> None:
        """End a script that does not let go; what it has put into the page stays."""
        from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`

        self.events.counts["scripts_ended"] += 1
        try:
            async with asyncio.timeout(SMALL * 4):
                await self._inside.end_scripts(for_good=self._silenced)
        except Error:
            pass  # then the deadline ends it
        except TimeoutError:
            # It is no script that runs, but one that holds the page until an answer comes: a synchronous request.
            if self._proxy is not None and (ended := self._proxy.end_lasting(LASTING)):
                self.events.counts["requests_ended"] += ended
                self.events.counts["scripts_ended"] -= 1
                self._held += 1
                self._proxy.closed = self._held >= BLOCKED  # it would ask for the next one, and be held again

    async def _close_notice(self, deadline: float) -> bool:
        if self._silenced:
            return False
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

        main = frame is None or frame == self.page.main_frame
        try:
            async with asyncio.timeout(self._left(deadline, TRIED if main else FRAMED) / 1000):
                return await (self._run(script, argument) if main else frame.evaluate(script, argument))
        except Error:
            return None
        except TimeoutError:
            if main:  # a frame may have no document yet, and never get one
                await self._end_script()
            return None

    @staticmethod
    def _left(deadline: float, most: float) -> float:
        """Milliseconds until the deadline, at most `most` seconds."""
        return max(min(deadline - asyncio.get_running_loop().time(), most), SMALL) * 1000

    # --- what is told ---

    async def _refused_document(self, proxy: Forwarding) -> str | None:
        """Why the main frame shows nothing of the page, if it went where it may not."""
        last = self.events.documents[-1] if self.events.documents else None
        if last is not None and (rule := await last.header_value(REFUSED_HEADER)) is not None:
            return rule
        if self.page.url.startswith("chrome-error:"):
            return next(iter(proxy.refused), "no answer")
        return None

    async def _picture(self, of: Shot) -> bytes:
        """A PNG. Asked of the browser itself, packed for speed: a quarter larger, in half the time."""
        options: dict[str, Any] = {"format": "png", "optimizeForSpeed": True}
        try:
            async with asyncio.timeout(SHOT_SECONDS):
                width, height = await self._run(SIZE if self._silenced else STILL)
                if of == "full":
                    self.events.counts["screenshot_cut"] = int(height > MAX_SHOT)
                    clip = {"x": 0, "y": 0, "width": width, "height": min(height, MAX_SHOT), "scale": 1}
                    options |= {"captureBeyondViewport": True, "clip": clip}
                taken = await self.tools.send("Page.captureScreenshot", options)
        except TimeoutError as error:
            raise NotRendered("render_failed", f"no picture could be taken within {SHOT_SECONDS:g} seconds") from error
        return base64.b64decode(taken["data"])

    def _warnings(self, proxy: Forwarding) -> list[str]:
        told = [f"{name}: {REMARKS[name].format(n=n)}" for name, n in sorted(self.events.counts.items()) if n]
        if proxy.refused:
            rules = ", ".join(f"{rule} {n}" for rule, n in sorted(proxy.refused.items()))
            told.append(f"requests_refused: what the page wanted from addresses that are not asked ({rules})")
        if proxy.cut:
            told.append(f"page_too_large: it wanted more than {proxy.max_bytes} bytes, and got no more")
        if unfinished := len(self.events.open_for):
            told.append(f"requests_unfinished: {unfinished} were still open")
        return told


REMARKS: Final = {
    "requests_ended": "{n} requests that its text waited for were ended, as no answer came",
    "slow": "it had not loaded everything in time",
    "downloads_refused": "it began {n} downloads, which were not taken",
    "dialogs_dismissed": "{n} dialogs were dismissed",
    "popups_closed": "{n} windows that it opened were closed",
    "not_scrolled_to_the_end": "it goes on below what was scrolled through",
    "navigations_stopped": "it went on to one document after the other",
    "frames_stopped": "its frames went to more and more documents, of which {n} were not asked for",
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


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
