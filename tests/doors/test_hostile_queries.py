"""Whatever is typed, at whichever door: an answer, and never an error of ours. What people mean by it is found."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from service.requests import MAX_QUERY, UploadRequest
from tests.doors.standing import Standing, standing
from tests.service.opened import ME

CITATOR = str(Path(sys.executable).with_name("citator"))
HOW_MANY = 500
AT_ONCE = 8

DOCUMENTS = {
    "list": "The usb-c adapter list is at https://wiki.harbour.test/adapters and was checked on 2021-08-22.",
    "rules": "The rules say the following: boats over ten metres need a pilot.",
    "keys": "Press >>> to continue; the C++ build reads #include lines.",
    "prices": "Prices rose by +2 crowns, not -2.",
    "pier": "旧码头将于下周六重新开放，此前维修历时两年，首日免费。",  # noqa: RUF001 - the comma that is written there
    "fares": "把渡船票价写成收费标准是一种误解，票价为十二元。",  # noqa: RUF001 - as above
    "light": "北灯塔（灯塔）重建于一九三一年。",  # noqa: RUF001 - as above
}
MEANT: list[tuple[str, set[str], set[str]]] = [
    ("https://wiki.harbour.test/adapters", {"list"}, set()),
    ("following:", {"rules"}, set()),
    ('devices usb-c adapter""', {"list"}, set()),
    ('"usb-c adapter" ""', {"list"}, set()),
    ("+ 2", {"prices"}, set()),
    ("2021-08-22", {"list"}, set()),
    ("重新开放", {"pier"}, {"light"}),
    ("渡船票价", {"fares"}, {"pier"}),
    ("灯塔", {"light"}, {"pier", "fares"}),
    ('"十二元"', {"fares"}, {"pier"}),
    ("元十二", set(), {"pier", "fares"}),
    ("票", {"fares"}, {"pier"}),
]
SIGNS = [
    '"',
    "'",
    "-",
    "--",
    "+",
    "*",
    "?",
    "\\",
    "/",
    "//",
    ":",
    "~",
    "^",
    "^2",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#",
    "%",
]
OPERATORS = ["AND", "OR", "NOT", "||", "&&", "title:", "title:(", "-title:", 'title:"', "site:", "site:///", "lang:en"]
DAYS = ["before:", "before:2026", "after:9999", "before:0001-01-01", "after:2026-02-30", "before:99999"]
TRICKS = ["%00", "&q=x", "<script>", "' OR 1=1 --", "${x}", "{{x}}", "../../etc/passwd", "https://[", "1e999", "null"]
ODD = [
    "\x00",
    "\t",
    "\r\n",
    "\u202e",
    "\u200b",
    "\ufeff",
    "\ufffd",
    "é",
    "İ",
    "ß",
    "ﬃ",
    "渡",
    "票价",
    "ไทย",
    "🏳️\u200d🌈",
]
WORDS = ["boat", "pilot", "ten", "c++", "usb-c", "__x__", "a" * 300]
PIECES = st.sampled_from(SIGNS + OPERATORS + DAYS + TRICKS + ODD + WORDS)
QUERIES = st.text(max_size=80) | st.lists(PIECES | st.text(max_size=6), max_size=14).flatmap(
    lambda parts: st.sampled_from(["", " ", "  ", "\n"]).map(lambda gap: gap.join(parts))
)


def hostile() -> list[str]:
    """Queries that nobody should type, each once."""
    made = dict.fromkeys(["", " ", "-", "OR", '"', "a" * MAX_QUERY, '"' * 3000, "- " * 3000, "(" * 3000])

    @settings(
        max_examples=2 * HOW_MANY, derandomize=True, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(QUERIES)
    def gather(query: str) -> None:
        made[query] = None

    gather()
    return list(made)[:HOW_MANY]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    with standing(Path(tmp_path_factory.mktemp("hostile")), loopback_without_key=False) as running:
        for name, text in DOCUMENTS.items():
            given = UploadRequest(
                body=text.encode(), url=f"http://doc.test/{name}", media_type="text/plain; charset=utf-8"
            )
            running.ask(lambda actions, given=given: actions.upload(given, ME))
        yield running


Ask = Callable[[str], Awaitable[tuple[bool, list[str]]]]
"""Asks one query: whether it was answered without an error of ours, and the addresses found."""


async def api(http: httpx2.AsyncClient, query: str) -> tuple[bool, list[str]]:
    answer = await http.post("/api/v1/search", json={"query": query, "store": False, "max_results": 3})
    return answer.status_code == 200, [one["url"] for one in answer.json()["results"]]


async def searxng(http: httpx2.AsyncClient, query: str) -> tuple[bool, list[str]]:
    answer = await http.post("/searxng/search", data={"q": query, "format": "json"})
    refused = answer.status_code == 400 and not query.strip()
    return answer.status_code == 200 or refused, [one["url"] for one in answer.json().get("results", ())]


async def tavily(http: httpx2.AsyncClient, query: str) -> tuple[bool, list[str]]:
    answer = await http.post("/tavily/search", json={"query": query})
    refused = answer.status_code == 400 and not query.strip()
    return answer.status_code == 200 or refused, [one["url"] for one in answer.json().get("results", ())]


async def _each(queries: Sequence[str], ask: Ask) -> dict[str, tuple[bool, list[str]]]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(query: str) -> tuple[bool, list[str]]:
        async with gate:
            return await ask(query)

    return dict(zip(queries, await asyncio.gather(*map(one, queries)), strict=True))


async def over_http(here: Standing, door: Any, queries: Sequence[str]) -> dict[str, tuple[bool, list[str]]]:
    headers = {"Authorization": f"Bearer {here.key}"}
    async with httpx2.AsyncClient(base_url=here.url, headers=headers, timeout=120) as http:
        return await _each(queries, lambda query: door(http, query))


async def over_mcp(here: Standing, queries: Sequence[str]) -> dict[str, tuple[bool, list[str]]]:
    headers = {"Authorization": f"Bearer {here.key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as http,
        Client(streamable_http_client(here.url + "/mcp", http_client=http)) as mcp,
    ):

        async def ask(query: str) -> tuple[bool, list[str]]:
            result = await mcp.call_tool("search", {"query": query})
            return not result.is_error, [one["url"] for one in (result.structured_content or {})["results"]]

        return await _each(queries, ask)


def over_the_command(here: Standing, queries: Sequence[str]) -> dict[str, tuple[bool, list[str]]]:
    lines = "\n".join(json.dumps({"id": n, "query": query}) for n, query in enumerate(queries))
    env = {"PATH": os.environ["PATH"], "HOME": str(here.data), "CITATOR_DATA": str(here.data)}
    command = [CITATOR, "search", "--queries", "-", "--json"]
    ran = subprocess.run(command, input=lines.encode(), env=env, capture_output=True, check=False)
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [one["id"] for one in told] == list(range(len(queries))), ran.stderr.decode()
    return {
        query: ("results" in one, [result["url"] for result in one.get("results", ())])
        for query, one in zip(queries, told, strict=True)
    }


async def answers(here: Standing, door: str, queries: Sequence[str]) -> dict[str, tuple[bool, list[str]]]:
    if door == "mcp":
        return await over_mcp(here, queries)
    if door == "command":
        return await asyncio.to_thread(over_the_command, here, queries)
    return await over_http(here, {"api": api, "searxng": searxng, "tavily": tavily}[door], queries)


DOORS = ["api", "command", "mcp", "searxng", "tavily"]


@pytest.mark.parametrize("door", DOORS)
async def test_what_people_type_finds_what_they_mean(here: Standing, door: str) -> None:
    told = await answers(here, door, [query for query, _, _ in MEANT])

    for query, wanted, unwanted in MEANT:
        answered, urls = told[query]
        names = {url.removeprefix("http://doc.test/") for url in urls}
        assert answered, query
        assert names >= wanted, query
        assert names.isdisjoint(unwanted), query


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
async def test_no_query_is_an_error_of_ours(here: Standing, door: str) -> None:
    queries = hostile()
    told = await answers(here, door, queries)

    assert len(told) == HOW_MANY
    assert [query for query, (answered, _) in told.items() if not answered] == []
