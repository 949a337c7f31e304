"""What happens to an open page: what it asks for, where it goes, what it opens. Noted; nothing waits for an answer."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Dialog, Page, Request, Response

LASTING: Final = 1.5
"""Seconds after which a request that is still open is taken for one that never ends: a stream, a poll."""
SLOW: Final = 4.0
"""The same, on a page with little to read, for what its scripts ask for and has no answer at all yet."""
BY_SCRIPTS: Final = frozenset({"fetch", "xhr", "script"})
POLLED: Final = (3, 12)
"""Times that a page asks for one address, and for one but for its query: then it is a poll, and not waited for."""
MAX_NAVIGATIONS: Final = 6
"""Documents that the main frame may go to by itself, redirects counted; pages that reload for ever are kept there."""


@dataclass
class PageEvents:
    """What happened to one page until now.

    `counts` are things that records tell, `documents` the answers that the main frame was given, `begun` how many
    requests were made that may end. `stopped`: the browser loads no further, as the page is there, or as it wanted to
    go where nothing is shown (another program, a download), which ends its loading without a word.
    """

    page: "Page"
    counts: Counter[str] = field(default_factory=Counter)
    documents: list["Response"] = field(default_factory=list)
    begun: int = 0
    crashed: bool = False
    stopped: bool = False
    clock: Callable[[], float] = time.monotonic
    _under_way: dict["Request", float] = field(default_factory=dict)
    _unanswered: set["Request"] = field(default_factory=set)
    _asked: Counter[str] = field(default_factory=Counter)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def listen(self, context: "BrowserContext") -> None:
        """Note what happens from now on."""
        page = self.page
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("response", self._answered)
        page.on("dialog", lambda dialog: self._soon(self._dismiss(dialog)))
        page.on("download", lambda _: self.counts.update(("downloads_refused",)))
        page.on("crash", lambda _: setattr(self, "crashed", True))
        context.on("page", self._popup)

    @property
    def open_for(self) -> list[float]:
        """For how many seconds each request that may end has been under way."""
        now = self.clock()
        return [now - begun for begun in self._under_way.values()]

    @property
    def restless(self) -> bool:
        """Whether the page wants to go on from one document to the next, beyond what is followed."""
        return self.counts["navigations_stopped"] > 0 or self.beyond

    @property
    def beyond(self) -> bool:
        """Whether refusing does not keep it: it asks over and over, or makes up documents, asked of nobody."""
        return len(self.documents) > 1 + MAX_NAVIGATIONS or self.counts["navigations_stopped"] > MAX_NAVIGATIONS

    def busy(self, *, readable: bool) -> bool:
        """Whether something is still to come: for less time to a `readable` page than to one with little to read."""
        now = self.clock()
        return any(
            now - begun < (SLOW if not readable and request in self._unanswered else LASTING)
            for request, begun in self._under_way.items()
        )

    def _begun(self, request: "Request") -> None:
        alike = (request.url, request.url.partition("?")[0] + "?*")
        self._asked.update(alike)
        if any(self._asked[address] > most for address, most in zip(alike, POLLED, strict=True)):
            return
        self._under_way[request] = self.clock()
        if request.resource_type in BY_SCRIPTS:
            self._unanswered.add(request)
        self.begun += 1

    def _ended(self, request: "Request") -> None:
        self._under_way.pop(request, None)
        self._unanswered.discard(request)

    def _answered(self, response: "Response") -> None:
        request = response.request
        self._unanswered.discard(request)
        try:
            main = request.is_navigation_request() and request.frame == self.page.main_frame
        except Exception:  # noqa: BLE001 - the frame of a request may not be there yet: then it is not ours
            return
        if main:
            self.documents.append(response)

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


async def quietly(action: Any) -> None:
    """Do what may be too late: the page may be gone."""
    from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`

    with suppress(Error):
        await action
