"""A forward proxy on loopback through which a browser asks the web: every connection is dialled by our own dialler.

The browser resolves no name and opens no connection of its own, so that what the guard refuses it cannot have, whatever
asked for it: images, frames, scripts, service workers, WebSockets, prefetching, redirects. Each rendered page has a
proxy of its own, which therefore knows what that page asked for and what it was refused.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

import httpcore2

from crawler.addresses import Address, parse_address
from crawler.dialling import Dialler
from crawler.errors import AddressRefused, BadAddress, CrawlError
from crawler.stream import Stream

MAX_HEAD: Final = 65_536
"""Bytes of a request's head; Chromium's own are far shorter."""
HEAD_SECONDS: Final = 20.0
"""Seconds that a connection may be silent before its request is whole."""
PIECE: Final = 65_536
MAX_INTERIM: Final = 16
"""Interim answers (1xx) before an answer; servers send one or two."""
MAX_OPEN: Final = 100
"""Connections of one page at a time; browsers open six for each host."""
HOP_BY_HOP: Final = frozenset(
    {b"connection", b"proxy-connection", b"keep-alive", b"proxy-authorization", b"te", b"trailer"}
)
REFUSED_HEADER: Final = "X-Citator-Refused"
"""Tells our refusals from answers of the web."""


class Readable(Protocol):
    """What gives bytes."""

    async def read(self, max_bytes: int, /) -> bytes:
        """Give what has come; nothing at the end."""
        ...


@dataclass
class Forwarding:
    """One page's proxy.

    `refused` counts by rule what it did not let through; `received` are bytes from outside, of which there may be
    `max_bytes`: then it is `cut`. Once it is `closed` nothing more is asked for.
    """

    dialler: Dialler
    max_bytes: int
    port: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    received: int = 0
    cut: bool = False
    closed: bool = False
    _tasks: dict[asyncio.Task[None], float] = field(default_factory=dict)
    """What is open, and since when."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """Listen until the end of the block; gives the proxy's address."""
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield f"http://127.0.0.1:{self.port}"
        finally:
            server.close()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._attend(reader, writer))
        self._tasks[task] = asyncio.get_running_loop().time()
        task.add_done_callback(self._tasks.pop)

    def end_lasting(self, seconds: float) -> int:
        """End what has been open for so long; the browser takes it for failed. Gives how many that were."""
        now = asyncio.get_running_loop().time()
        lasting = [task for task, since in self._tasks.items() if now - since >= seconds]
        for task in lasting:
            task.cancel()
        return len(lasting)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if len(self._tasks) > MAX_OPEN:
                self.refused["too_many_connections"] += 1
            else:
                await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError):
            pass  # the browser went away, or sent what no browser sends
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(HEAD_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        line, *fields = head[:-4].split(b"\r\n")
        method, target, _ = line.split(b" ", 2)
        try:
            address = _asked(method, target)
            self._refuse_more()
            stream = await self.dialler.dial(address)
        except CrawlError as error:
            await self._refuse(writer, error)
            return
        try:
            first = b"HTTP/1.1 200 Connection established\r\n\r\n"
            if method != b"CONNECT":
                await stream.write(_rewritten(method, address, fields), HEAD_SECONDS)
            await self._pipe(reader, writer, stream, first if method == b"CONNECT" else b"")
        finally:
            await stream.aclose()

    def _refuse_more(self) -> None:
        if self.cut or self.closed:
            raise CrawlError("the page has had all that it may")

    async def _pipe(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, stream: Stream, first: bytes
    ) -> None:
        """Hand bytes on in both directions until one side has ended; without `first`, an answer's head comes first."""

        async def outwards() -> None:
            while piece := await reader.read(PIECE):
                await stream.write(piece, HEAD_SECONDS)

        async def inwards() -> None:
            head = first or await _answer_head(stream)
            self.received += 0 if first else len(head)
            writer.write(head)
            while not self.cut and (piece := await stream.read(PIECE)):
                self.received += len(piece)
                self.cut = self.received > self.max_bytes
                writer.write(piece)
                await writer.drain()

        ways = [asyncio.create_task(outwards()), asyncio.create_task(inwards())]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for result in await asyncio.gather(*ways, return_exceptions=True):
                if isinstance(result, Exception) and not isinstance(
                    result, OSError | httpcore2.NetworkError | httpcore2.TimeoutException
                ):
                    raise result

    async def _refuse(self, writer: asyncio.StreamWriter, error: CrawlError) -> None:
        rule = error.rule if isinstance(error, AddressRefused) else error.reason
        if isinstance(error, AddressRefused | BadAddress):
            self.refused[rule] += 1
        status = b"403 Forbidden" if isinstance(error, AddressRefused | BadAddress) else b"502 Bad Gateway"
        writer.write(
            b"HTTP/1.1 "
            + status
            + b"\r\n"
            + f"{REFUSED_HEADER}: {rule}\r\n".encode()
            + b"Content-Length: 0\r\nConnection: close\r\n\r\n"
        )
        await writer.drain()


def _asked(method: bytes, target: bytes) -> Address:
    """Read where a request is to go: `host:port` of CONNECT, else a whole address."""
    text = target.decode("ascii", "replace")
    if method == b"CONNECT":
        return parse_address(f"http://{text}/")
    if not text.startswith("http://"):
        raise BadAddress(text, "scheme", "a proxy is asked for http addresses only")
    return parse_address(text, drop_credentials=True)


def _rewritten(method: bytes, address: Address, fields: list[bytes]) -> bytes:
    """Write a request as its server expects it: one exchange, then the connection ends.

    A protocol switch keeps its headers, else it would be none.
    """
    kept = [f for f in fields if f.partition(b":")[0].strip().lower() not in HOP_BY_HOP]
    upgrading = any(f.partition(b":")[0].strip().lower() == b"upgrade" for f in fields)
    closing = b"Connection: Upgrade" if upgrading else b"Connection: close"
    return b"\r\n".join([b" ".join((method, address.target.encode(), b"HTTP/1.1")), *kept, closing]) + b"\r\n\r\n"


async def _answer_head(stream: Readable) -> bytes:
    """The head of an answer, saying that the connection ends after it; with what came behind it.

    The browser would otherwise send its next request, for whatever host, down the same connection. Interim answers are
    left out, as the browser can do without; of a server that has too many, nothing is handed on.
    """
    data, size = b"", 0
    for _ in range(MAX_INTERIM + 1):
        while b"\r\n\r\n" not in data:
            piece = await stream.read(PIECE)
            data += piece
            size += len(piece)
            if not piece or size > MAX_HEAD * 2:
                return data
        head, _, rest = data.partition(b"\r\n\r\n")
        status, *fields = head.split(b"\r\n")
        code = status.split(b" ", 2)[1:2]
        if code == [b"101"]:
            return data
        if not (code and code[0].startswith(b"1")):
            kept = [f for f in fields if f.partition(b":")[0].strip().lower() not in HOP_BY_HOP]
            return b"\r\n".join([status, *kept, b"Connection: close"]) + b"\r\n\r\n" + rest
        data = rest
    return b""
