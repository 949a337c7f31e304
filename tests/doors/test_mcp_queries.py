"""Plain text that looks like the syntax of a search engine, over MCP."""

import pytest

from tests.doors.standing import Standing
from tests.doors.test_mcp_http import client, structured_of, text_of

TYPED = [
    "https://x.test/toll",
    "toll:",
    'toll bridge""',
    '"toll" ""',
    "-toll",
    ">>>",
    "\\>",
    "+ 2",
    "a:\nb",
    "*",
    "",
    "(OR",
    "[x TO",
]


@pytest.mark.parametrize("typed", TYPED)
async def test_whatever_people_type_is_answered(server: Standing, typed: str) -> None:
    async with client(server) as mcp:
        result = await mcp.call_tool("search", {"query": typed})

    assert not result.is_error
    assert bool(server.record(structured_of(result)["record"]).relaxed) == ("not taken as it stands" in text_of(result))
