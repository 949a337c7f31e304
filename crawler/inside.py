"""Our scripts inside a page, in a world of their own: they see the document, and nothing that the page has redefined.

In the page's own world a page may put its own functions in the place of the browser's, by accident or to tell us
something else than its readers. Scripts of the page that do not end are ended from here too.
"""

import asyncio
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

WORLD: Final = "citator"
TRIES: Final = 5
"""Times that a script is tried: a page that goes from one document to the next takes our world away each time."""
BETWEEN: Final = 0.05
"""Seconds between two attempts to end a page's scripts."""


class Inside:
    """The main frame of one page, as our scripts see it."""

    def __init__(self, tools: "CDPSession") -> None:
        self._tools = tools
        self._frame: str | None = None
        self._world: int | None = None

    async def run(self, script: str, argument: object = None) -> Any:
        """Call the function that `script` is; gives what it returns, as a value.

        Raises:
            playwright.async_api.Error: it threw, or the page has just gone elsewhere.
        """
        from playwright.async_api import Error  # noqa: PLC0415 - see `crawler.renderer`

        asked = {
            "functionDeclaration": script,
            "arguments": [] if argument is None else [{"value": argument}],
            "returnByValue": True,
            "awaitPromise": True,
        }
        answer: dict[str, Any] = {}
        for attempt in range(1, TRIES + 1):
            try:
                answer = await self._call(asked)
                break
            except Error:
                self._world = None  # the document that it was made for is gone
                if attempt == TRIES:
                    raise
        if "exceptionDetails" in answer:
            raise Error(str(answer["exceptionDetails"].get("text", "a script of ours failed")))
        return answer["result"].get("value")

    async def end_scripts(self, *, for_good: bool) -> None:
        """End the script that runs in the page; `for_good`: no other one begins.

        Raises:
            playwright.async_api.Error: the page is gone.
        """
        await self._tools.send("Runtime.terminateExecution")
        if not for_good:
            return
        # It is heard between two scripts, so those that begin meanwhile are ended too.
        heard = asyncio.ensure_future(self._tools.send("Emulation.setScriptExecutionDisabled", {"value": True}))
        try:
            while not heard.done():
                await self._tools.send("Runtime.terminateExecution")
                await asyncio.wait({heard}, timeout=BETWEEN)
            heard.result()
        finally:
            heard.cancel()

    async def _call(self, asked: dict[str, Any]) -> dict[str, Any]:
        if self._world is None:
            self._world = await self._made()
        return dict(await self._tools.send("Runtime.callFunctionOn", {**asked, "executionContextId": self._world}))

    async def _made(self) -> int:
        if self._frame is None:
            tree = await self._tools.send("Page.getFrameTree")
            self._frame = str(tree["frameTree"]["frame"]["id"])
        made = await self._tools.send("Page.createIsolatedWorld", {"frameId": self._frame, "worldName": WORLD})
        return int(made["executionContextId"])
