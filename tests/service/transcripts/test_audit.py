"""What an audit says of transcripts of every format, held against replies that a real Citator has served."""

import io
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.mcp_tools.calling import ToolsHere
from service.transcripts.auditing import audit
from tests.service.opened import HARBOUR, ME, captured, opened
from tests.service.transcripts import making
from tests.service.transcripts.making import MAKERS, TRAPS, Exchange
from tests.sites import Site

QUERY = "when does the toll at the swing bridge end"


@pytest.fixture
async def actions(tmp_path: Path) -> AsyncIterator[Actions]:
    async with opened(tmp_path / "data") as behind:
        yield behind


@pytest.fixture
async def exchange(actions: Actions, site: Callable[..., Site]) -> Exchange:
    """A search over MCP that showed a passage."""
    await captured(actions, site(*HARBOUR).url("/bridge"))
    reply = await ToolsHere(actions).call("search", {"query": QUERY}, ME)
    assert reply.structured is not None
    assert "Friday" in reply.text
    return Exchange(QUERY, reply.text, dict(reply.structured), reply.text)


async def audited(actions: Actions, transcript: bytes) -> dict[str, Any]:
    return await audit(actions, io.BytesIO(transcript), name="transcript")


@pytest.mark.parametrize("maker", MAKERS)
async def test_each_trap_gets_its_verdict_in_each_format(actions: Actions, exchange: Exchange, maker: str) -> None:
    form, make = MAKERS[maker]
    wrong: list[Any] = []

    for name, trap, expected in TRAPS:
        report = await audited(actions, make(exchange.showing(trap(exchange))))
        found = [(one["tool"], one["verdict"]) for one in report["results"]]
        if (report["file"]["format"], found) != (form, [(making.TOOL, expected)]):
            wrong.append((name, report["file"]["format"], found, [one["reason"] for one in report["results"]]))
        if report["holds"] is (expected in ("altered", "unknown_hash")) or report["unread"]:
            wrong.append((name, report["holds"], report["unread"]))

    assert wrong == []
