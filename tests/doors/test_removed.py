"""A page that was shown at every door and is removed leaves no byte of its text."""

import asyncio
from pathlib import Path
from typing import Any

import requests

from service.requests import RemovalRequest
from tests.acceptance.traces import traces
from tests.doors.standing import Standing, standing
from tests.doors.test_mcp_http import client, structured_of
from tests.service.opened import HARBOUR, ME, TOLL
from tests.sites import Site


def post(server: Standing, path: str, body: dict[str, Any]) -> requests.Response:
    headers = {"Authorization": f"Bearer {server.key}"}
    answer = requests.post(server.url + path, json=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    assert TOLL in answer.text
    return answer


async def shown_over_mcp(server: Standing, url: str) -> None:
    async with client(server) as mcp:
        await mcp.call_tool("fetch", {"url": url})
        found = await mcp.call_tool("search", {"query": "toll swing bridge"})
        structured = structured_of(found)
        passage = structured["results"][0]["passages"][0]["id"]
        assert found.meta is not None
        serving = found.meta["citator/serving"]
        for arguments in (
            {"id": passage},
            {"id": structured["record"], "view": "context"},
            {"id": structured["record"], "view": "reply"},
            {"id": serving, "view": "structured"},
            {"id": structured["results"][0]["capture"], "view": "text"},
        ):
            again = await mcp.call_tool("get_evidence", arguments)
            assert TOLL in structured_of(again)["text"]
            assert again.meta is not None
            await mcp.call_tool("get_evidence", {"id": again.meta["citator/serving"], "view": "reply"})


def test_no_byte_of_it_stays(tmp_path: Path) -> None:
    with Site(HARBOUR) as site, standing(tmp_path) as server:
        url = site.url("/bridge")
        asyncio.run(shown_over_mcp(server, url))
        post(server, "/tavily/search", {"query": "toll swing bridge", "include_raw_content": True})
        post(server, "/tavily/extract", {"urls": [url]})
        post(server, "/v2/scrape", {"url": url, "formats": ["markdown", "rawHtml"]})
        post(server, "/v2/search", {"query": "toll swing bridge", "scrapeOptions": {"formats": ["markdown"]}})
        post(server, "/v1/search", {"query": "toll swing bridge"})
        post(server, "/openwebui/search", {"query": "toll swing bridge", "count": 2})
        post(server, "/openwebui/load", {"urls": [url]})
        post(server, "/api/v1/tools/search", {"arguments": {"query": "toll swing bridge"}})
        headers = {"x-api-key": server.key}
        for path in ("/searxng/search?q=toll+swing+bridge", "/retriever?query=toll+swing+bridge"):
            assert TOLL in requests.get(server.url + path, headers=headers, timeout=60).text
        before = traces([TOLL.encode()], tmp_path)
        server.ask(lambda actions: actions.remove(RemovalRequest(url=url), ME))

    assert before != {}
    assert traces([TOLL.encode()], tmp_path) == {}
