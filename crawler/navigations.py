"""Which documents a page may go to: first the one that was fetched, then some of the web's, then no more."""

import base64
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from crawler.page_events import MAX_NAVIGATIONS, PageEvents, quietly
from crawler.visit import Visit

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

LEFT_OUT: Final = frozenset(
    {
        "content-encoding",
        "content-length",
        "transfer-encoding",
        "connection",
        "keep-alive",
        "refresh",
        "link",
        "alt-svc",
    }
)
"""Headers of the fetched answer that are not handed on: they describe bytes on a wire, or ask for prefetching."""
MAX_FRAMED: Final = 200
"""Documents that its frames may go to: frames that hold frames, and so on, would take all the time there is."""
REGISTERED: Final = frozenset(HTTPStatus)


class Navigations:
    """Stands between one page and its documents, before any of them is asked for.

    Asked of the browser itself: what Playwright lets through, it learns of when the browser is several documents on,
    and of requests that begin when it ceases to stand between, never.
    """

    def __init__(self, tools: "CDPSession", events: PageEvents, visit: Visit, charset: str | None) -> None:
        status = visit.status or HTTPStatus.OK
        self._tools = tools
        self._events = events
        self._answer = {
            "responseCode": status,
            "responsePhrase": HTTPStatus(status).phrase if status in REGISTERED else "Unknown",  # some are sites' own
            "responseHeaders": [{"name": name, "value": value} for name, value in _headers(visit, charset).items()],
            "body": base64.b64encode(visit.body or b"").decode("ascii"),
        }
        self._frame: str | None = None
        self._asked = 0
        self._framed = 0

    async def watch(self) -> None:
        """From now on, hand the fetched answer to the first request for a document, and count those that follow it."""
        self._tools.on("Fetch.requestPaused", self._paused)
        self._tools.on("Page.frameStartedLoading", lambda told: self._loads(told, now=True))
        self._tools.on("Page.frameStoppedLoading", lambda told: self._loads(told, now=False))
        await self._tools.send("Page.enable")
        await self._tools.send("Fetch.enable", {"patterns": [{"urlPattern": "*", "resourceType": "Document"}]})

    def _loads(self, told: dict[str, Any], *, now: bool) -> None:
        if told["frameId"] == self._frame:
            self._events.stopped = not now

    async def _paused(self, request: dict[str, Any]) -> None:
        which = {"requestId": request["requestId"]}
        if self._frame is None:
            self._frame = request["frameId"]
            await quietly(self._tools.send("Fetch.fulfillRequest", which | self._answer))
            self._answer = {}
            return
        main = request["frameId"] == self._frame
        self._asked += main
        self._framed += not main
        if (self._asked <= MAX_NAVIGATIONS) if main else (self._framed <= MAX_FRAMED):
            await quietly(self._tools.send("Fetch.continueRequest", which))
            return
        self._events.counts["navigations_stopped" if main else "frames_stopped"] += 1
        await quietly(self._tools.send("Fetch.failRequest", which | {"errorReason": "Aborted"}))


def _headers(visit: Visit, charset: str | None) -> dict[str, str]:
    """The fetched answer's headers as the browser is to see them; `Set-Cookie` went into the cookie jar."""
    said: dict[str, str] = {}
    for name, value in visit.hops[-1].response_headers if visit.hops else ():
        low = name.lower()
        if low not in LEFT_OUT and low != "set-cookie":
            said[low] = f"{said[low]}, {value}" if low in said else value
    if charset is not None:
        said["content-type"] = f"{visit.media_type or 'text/html'}; charset={charset}"
    return said
