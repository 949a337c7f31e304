"""Standard input and output as MCP's wire: messages a line, and nothing else, whoever in the process prints what.

Both are moved to descriptors of their own before anything else runs. Afterwards descriptor 1 leads to stderr, so what a
library, a child process or a browser prints there never gets between two messages; descriptor 0 is empty.
"""

import asyncio
import fcntl
import json
import os
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final

import structlog
from anyio.to_thread import run_sync

from service.mending import mended

MAX_LINE: Final = 4 * 1024 * 1024
"""Bytes of one message, as over HTTP; a longer one is no call of a tool."""

FINISH_SECONDS: Final = 4.0
"""Seconds that calls get to finish when the host closes the wire; hosts kill after five."""

READY_SECONDS: Final = 30.0
"""Seconds that a Citator gets to open if the host closes the wire before: it asked and wants answers."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Wire:
    """The two ends, as bytes."""

    reading: BinaryIO
    writing: BinaryIO


def claim() -> Wire:
    """Take standard input and output away from everybody else in this process, and from its children."""
    reading = os.fdopen(fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3), "rb")
    writing = os.fdopen(fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3), "wb", buffering=0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return Wire(reading, writing)


@dataclass
class Lines:
    """What the protocol's transport reads and writes: an iterator over lines, and `write`.

    When the host closes its end, the last line is followed by the end only after all that was asked is answered, or
    FINISH_SECONDS after `ready` is set: a host that pipes its questions in still gets its answers.
    """

    wire: Wire
    ready: asyncio.Event
    _waiting: set[Any] = field(default_factory=set)
    _answered: asyncio.Event = field(default_factory=asyncio.Event)
    _lines: "asyncio.Queue[bytes]" = field(default_factory=asyncio.Queue)

    def start(self) -> None:
        """Begin to read, in a thread that holds up nobody: a read that waits for the host cannot be called off."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), daemon=True, name="citator-stdin").start()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        line = b" "
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            while line:
                line = self.wire.reading.readline(MAX_LINE)
                if len(line) == MAX_LINE and not line.endswith(b"\n"):
                    while (more := self.wire.reading.readline(MAX_LINE)) and not more.endswith(b"\n"):
                        pass
                    log.warning("a message is too long and is not read", limit=MAX_LINE)
                    continue
                loop.call_soon_threadsafe(self._lines.put_nowait, line)

    async def __aiter__(self) -> AsyncIterator[str]:
        """The lines, whole and as text."""
        while line := await self._lines.get():
            if not line.strip():
                continue
            whole = mended(line).decode("utf-8", "replace")
            self._asked(whole)
            yield whole
        self._check()
        with suppress(TimeoutError):
            if self._waiting:
                await asyncio.wait_for(self.ready.wait(), READY_SECONDS)
            await asyncio.wait_for(self._answered.wait(), FINISH_SECONDS)

    async def write(self, text: str) -> None:
        """Write one message with its end of line."""
        data = text.encode("utf-8", "replace")
        await run_sync(self._write, data)
        self._told(text)

    def _write(self, data: bytes) -> None:
        while data:
            data = data[self.wire.writing.write(data) or 0 :]

    async def flush(self) -> None:
        """Nothing is held back."""

    def _asked(self, line: str) -> None:
        message = _message(line)
        if message.get("method") == "notifications/cancelled":
            params = message.get("params")
            self._waiting.discard(str(params.get("requestId")) if isinstance(params, dict) else None)
        elif "method" in message and "id" in message:
            self._waiting.add(str(message["id"]))
            self._answered.clear()

    def _told(self, line: str) -> None:
        message = _message(line)
        if "method" not in message:
            self._waiting.discard(str(message.get("id")))
        self._check()

    def _check(self) -> None:
        if not self._waiting:
            self._answered.set()


def _message(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
