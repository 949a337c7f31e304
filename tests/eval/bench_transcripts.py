"""How fast transcripts are audited, beside parsing the same lines with the standard library."""

import asyncio
import io
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from service.actions import Actions
from service.mcp_tools.calling import ToolsHere
from service.transcripts.auditing import audit
from service.transcripts.reading import read_transcript
from tests.eval.measure import line
from tests.service.opened import BRIDGE, ME, captured, opened
from tests.service.transcripts import making
from tests.service.transcripts.making import Exchange
from tests.sites import Route, Site, robots

SIZE = 100_000_000
"""Bytes of each transcript."""

FORMATS: dict[str, Callable[[Exchange], bytes]] = {
    "Pi": making.pi,
    "Codex": making.codex,
    "Claude Code": making.claude_code,
}


def filled(make: Callable[[Exchange], bytes], one: Exchange) -> Iterator[bytes]:
    """A session in which the model reads and writes a lot, and searches each time it has done 200 KB of that."""
    head, *rest = make(one).splitlines(keepends=True)
    other = make(one.showing("A line of output of a program that was run. " * 100))
    between = other.replace(making.TOOL.encode(), b"bash").splitlines(keepends=True)[1:]
    size = len(head)
    yield head
    while size < SIZE:
        for part in (*rest, *(between * 40)):
            size += len(part)
            yield part


async def exchange(actions: Actions, site: Site) -> Exchange:
    """A search over MCP."""
    await captured(actions, site.url("/bridge"))
    reply = await ToolsHere(actions).call("search", {"query": "when does the toll end"}, ME)
    assert reply.structured is not None
    return Exchange("toll", reply.text, dict(reply.structured), reply.text)


async def measure() -> None:
    """Make one transcript of each format, read it, audit it, and parse its lines."""
    with tempfile.TemporaryDirectory() as work, Site([robots(), Route("/bridge", body=BRIDGE)]) as site:
        async with opened(Path(work) / "data") as actions:
            one = await exchange(actions, site)
            for name, make in FORMATS.items():
                path = Path(work) / "transcript"
                with path.open("wb") as file:
                    file.writelines(filled(make, one))
                begin = time.perf_counter()
                with path.open("rb") as lines:
                    for text in lines:
                        json.loads(text)
                parsed = time.perf_counter() - begin
                begin = time.perf_counter()
                with path.open("rb") as file:
                    events = sum(1 for _ in read_transcript(file).events)
                read = time.perf_counter() - begin
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                begin = time.perf_counter()
                with path.open("rb") as file:
                    report = await audit(actions, file)
                audited = time.perf_counter() - begin
                grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
                size = path.stat().st_size / 1e6
                line(
                    f"{name}, read and audited",
                    f"{size / audited:.0f} MB/s",
                    f"read alone {size / read:.0f} MB/s ({events} events), json.loads {size / parsed:.0f} MB/s",
                    f"{report['counts']['results']} results, {grown:.0f} MB more memory",
                )
            document = json.dumps(
                {"messages": [{"role": "user", "content": "word " * 1000}] * (SIZE // 5_000)}, indent=1
            )
            data = document.encode()
            begin = time.perf_counter()
            json.loads(data)
            parsed = time.perf_counter() - begin
            begin = time.perf_counter()
            sum(1 for _ in read_transcript(io.BytesIO(data)).events)
            read = time.perf_counter() - begin
            size = len(data) / 1e6
            line("one JSON document, read", f"{size / read:.0f} MB/s", f"json.loads of all {size / parsed:.0f} MB/s")


def run() -> None:
    """Print the figures."""
    print("\nTranscripts of 100 MB")
    asyncio.run(measure())


if __name__ == "__main__":
    run()
