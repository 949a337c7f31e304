"""`make soak`: 50 and 500 clients at once, over MCP and SearXNG's API beside the plain search, on the own index.

Each client keeps a connection and asks for its next search when it has the answer to the last. All are in one process
beside the server, so what they take of the machine lowers what is measured. At the end the server is killed, and every
reply that was received is looked for in what is left: its record, its serving, the bytes that were sent.
"""

import asyncio
import hashlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from snapshots import Serving
from tests.acceptance.installation import Installation, Server
from tests.eval.measure import line, memory_of_group, percentile
from tests.service.opened import opened

PAGES = 400
PARAGRAPHS = 6
CLIENTS = (50, 500)
CALLS = 2_000
"""Searches over each door with each number of clients."""
TITLE = "Clients at once"
MODERN = "2026-07-28"
LEGACY = "2025-06-18"


@dataclass(frozen=True)
class Got:
    """A reply that a client has: the record that it names, and its bytes as they were sent."""

    record: str
    body: bytes


@dataclass
class Seen:
    """What all clients of a run saw."""

    seconds: list[float] = field(default_factory=list)
    replies: list[Got] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Wire:
    """A kept connection that speaks as much HTTP as is needed here; any client library would be measured with it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: str, host: str) -> None:
        self._reader, self._writer = reader, writer
        self._always = f"Host: {host}\r\nAuthorization: Bearer {key}\r\n"
        self.session: str | None = None

    async def ask(self, line: str, body: bytes = b"", **headers: str) -> tuple[int, dict[str, str], bytes]:
        told = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        size = f"Content-Length: {len(body)}\r\n" if body else ""
        self._writer.write(f"{line} HTTP/1.1\r\n{self._always}{told}{size}\r\n".encode() + body)
        await self._writer.drain()
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        names = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in head[1:] if one)}
        return int(head[0].split()[1]), names, await self._body(names)

    async def _body(self, names: dict[str, str]) -> bytes:
        if "content-length" in names:
            return await self._reader.readexactly(int(names["content-length"]))
        pieces = []
        while size := int(await self._reader.readline(), 16):
            pieces.append(await self._reader.readexactly(size))
            await self._reader.readexactly(2)
        await self._reader.readexactly(2)
        return b"".join(pieces)

    def close(self) -> None:
        self._writer.close()


Asks = Callable[[Wire, str], Awaitable[Got]]


def right(status: int, body: bytes) -> None:
    if status != 200:
        raise RuntimeError(f"{status} {body[:200]!r}")


async def plain(wire: Wire, query: str) -> Got:
    asked = json.dumps({"query": query, "fetch": "never"}).encode()
    status, names, body = await wire.ask("POST /api/v1/search", asked, Content_Type="application/json")
    right(status, body)
    return Got(names["x-evidence-record"], body)


async def searxng(wire: Wire, query: str) -> Got:
    status, names, body = await wire.ask(f"GET /searxng/search?format=json&q={quote(query)}")
    right(status, body)
    return Got(names["x-evidence-record"], body)


MCP = {"Content_Type": "application/json", "Accept": "application/json, text/event-stream"}


def message(method: str, params: dict[str, Any], number: int | None = 1) -> bytes:
    numbered = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", **numbered, "method": method, "params": params}).encode()


def result_of(status: int, names: dict[str, str], body: bytes) -> Got:
    """The reply of a tool; what was kept of it is its text."""
    right(status, body)
    if names["content-type"].startswith("text/event-stream"):
        body = next(one for one in reversed(body.splitlines()) if one.startswith(b"data: {"))[6:]
    result = json.loads(body)["result"]
    if result.get("isError"):
        raise RuntimeError(result["content"][0]["text"])
    return Got(result["_meta"]["citator/record"], result["content"][0]["text"].encode())


async def mcp(wire: Wire, query: str) -> Got:
    """The newest protocol: each request for itself."""
    told = {"protocolVersion": MODERN, "clientInfo": {"name": "soak", "version": "1"}, "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in told.items()}
    asked = message("tools/call", {"name": "search", "arguments": {"query": query}, "_meta": meta})
    headers = MCP | {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": "search"}
    return result_of(*await wire.ask("POST /mcp", asked, **headers))


async def mcp_session(wire: Wire, query: str) -> Got:
    """The protocol before it: a session for each client, answers as events."""
    if wire.session is None:
        first = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}
        status, names, body = await wire.ask("POST /mcp", message("initialize", first), **MCP)
        right(status, body)
        wire.session = names["mcp-session-id"]
        ready = message("notifications/initialized", {}, None)
        await wire.ask("POST /mcp", ready, **MCP, Mcp_Session_Id=wire.session)
    asked = message("tools/call", {"name": "search", "arguments": {"query": query}}, 2)
    return result_of(*await wire.ask("POST /mcp", asked, **MCP, Mcp_Session_Id=wire.session))


DOORS: dict[str, Asks] = {
    "/api/v1/search": plain,
    "/searxng/search": searxng,
    "/mcp": mcp,
    "/mcp, a session each": mcp_session,
}


async def load(server: Server, asks: Asks, clients: int, queries: Sequence[str]) -> tuple[Seen, float]:
    """All queries, asked by so many clients; what they saw, and the seconds that it took."""
    seen, waiting, place = Seen(), iter(queries), urlsplit(server.url)

    async def client() -> None:
        wire = Wire(*await asyncio.open_connection(place.hostname, place.port), server.key, place.netloc)
        for query in waiting:
            begin = time.perf_counter()
            try:
                seen.replies.append(await asks(wire, query))
            except (OSError, EOFError, RuntimeError, ValueError, KeyError) as error:
                seen.errors.append(f"{type(error).__name__}: {error}")
                break
            seen.seconds.append(time.perf_counter() - begin)
        wire.close()

    begin = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return seen, time.perf_counter() - begin


def words(draw: random.Random) -> list[str]:
    return ["".join(draw.choices("eeeettaaooiinnsshhrrdlucmfwygpb", k=draw.randint(3, 9))) for _ in range(3_000)]


def lines(vocabulary: Sequence[str], draw: random.Random) -> str:
    """Pages of words, as `citator add --jsonl` takes them."""
    made = []
    for number in range(PAGES):
        paragraphs = (" ".join(draw.choices(vocabulary, k=120)) for _ in range(PARAGRAPHS))
        html = "".join(f"<p>{paragraph}.</p>" for paragraph in paragraphs)
        html = f"<html><title>Page {number}</title><body><main>{html}</main></body></html>"
        made.append(json.dumps({"url": f"https://soak.example/{number}", "html": html}))
    return "\n".join(made)


async def missing(data: Path, replies: Sequence[Got]) -> list[str]:
    """Those records of replies that are not in the log with a serving that has these bytes."""
    async with opened(data) as actions:
        archive, lost = actions.parts.archive, []
        for got in replies:
            served = [archive.record(one.id) for one in archive.catalogue.naming(got.record, kind="serving")]
            name = f"sha256:{hashlib.sha256(got.body).hexdigest()}"
            kept = any(isinstance(one, Serving) and one.body == name for one in served)
            if not kept or archive.catalogue.position_of(got.record) is None or archive.get(name) != got.body:
                lost.append(got.record)
        return lost


def run(calls: int = CALLS, numbers: Sequence[int] = CLIENTS) -> int:
    """All doors, all numbers of clients; 1 if there was an error or a reply without its record."""
    print(f"\n{TITLE}")
    draw = random.Random(5)
    vocabulary = words(draw)
    replies: list[Got] = []
    errors: list[str] = []
    with tempfile.TemporaryDirectory() as work:
        installation = Installation(Path(work) / "data")
        (Path(work) / "pages.jsonl").write_text(lines(vocabulary, draw))
        installation.run("add", "--jsonl", str(Path(work) / "pages.jsonl"))
        with installation.serving(CITATOR_LOG_LEVEL="warning") as server:
            for clients in numbers:
                for door, asks in DOORS.items():
                    queries = [" ".join(draw.choices(vocabulary, k=3)) for _ in range(calls)]
                    seen, wall = asyncio.run(load(server, asks, clients, queries))
                    replies += seen.replies
                    errors += seen.errors
                    times = [percentile(seen.seconds, share) * 1000 for share in (0.5, 0.99)] if seen.seconds else []
                    figures = ", ".join(f"{took:,.0f} ms" for took in times)
                    line(
                        f"{clients} clients, {door}",
                        f"{len(seen.replies) / wall:.0f} a second",
                        f"median and p99 {figures}",
                        f"{len(seen.errors)} errors",
                    )
            memory = memory_of_group(server.process.pid)
            line("memory of the server at the end", f"{memory['rss']:.0f} MB", "resident")
            server.kill()
        lost = asyncio.run(missing(Path(work) / "data", replies))
    line("replies without their durable record", f"{len(lost)}", f"of {len(replies)}, after kill -9", "aim 0")
    for error in errors[:5]:
        print(f"    {error}")
    return 1 if lost or errors or len({one.record for one in replies}) != calls * len(numbers) * len(DOORS) else 0


if __name__ == "__main__":
    sys.exit(run())
