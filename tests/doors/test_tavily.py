"""The Tavily door, with tavily-python and langchain-tavily."""

import json

import pytest
import requests
from langchain_tavily import TavilyExtract, TavilySearch
from tavily import BadRequestError, InvalidAPIKeyError, TavilyClient, UsageLimitExceededError
from tavily.errors import ForbiddenError

from tests.doors.standing import Standing
from tests.service.opened import TOLL
from tests.sites import Site


def client(server: Standing, key: str | None = None) -> TavilyClient:
    return TavilyClient(api_key=key or server.key, api_base_url=server.url + "/tavily", session_id="study-4")


def test_a_search_gives_results_with_their_evidence(server: Standing) -> None:
    told = client(server).search("toll swing bridge", max_results=2, search_depth="advanced")
    first = told["results"][0]

    assert TOLL in first["content"]
    assert first["score"] == 1.0
    assert first["raw_content"] is None
    assert json.loads(server.evidence(first["passages"][0]["id"]))["text"] in first["content"]
    assert (told["answer"], told["images"], told["request_id"]) == (None, [], told["record"])
    served = server.served(told["record"])
    assert (served.surface, served.session) == ("tavily", "study-4")
    assert json.loads(server.evidence(served.body)) == told


def test_raw_content_is_the_whole_page_and_on_record_as_a_fetch(server: Standing, harbour: Site) -> None:
    told = client(server).search("toll swing bridge", include_raw_content=True, include_answer=True)
    first = told["results"][0]

    assert first["url"] == harbour.url("/bridge")
    assert "quarter of an hour" in first["raw_content"]
    assert first["raw_content"] == server.evidence(first["capture"], "text").decode()
    assert server.record(told["record"]).options["door"]["ignored"] == ["include_answer"]
    assert json.loads(server.evidence(server.served(told["record"]).body)) == told


def test_pages_are_extracted_and_failures_stand_beside_them(server: Standing, harbour: Site) -> None:
    told = client(server).extract([harbour.url("/ferry"), harbour.url("/void"), "http://127.0.0.1:1/"])
    (page,) = told["results"]

    assert page["url"] == harbour.url("/ferry")
    assert "twelve crowns" in page["raw_content"]
    assert {failing["url"] for failing in told["failed_results"]} == {harbour.url("/void"), "http://127.0.0.1:1/"}
    assert all(failing["error"] and failing["record"] for failing in told["failed_results"])
    for record in (page["record"], *(failing["record"] for failing in told["failed_results"])):
        assert json.loads(server.evidence(server.served(record).body)) == told


def test_time_and_domains_are_honoured(server: Standing) -> None:
    told = client(server).search("toll", include_domains=["elsewhere.example"], time_range="week", topic="news")

    options = server.record(told["record"]).options
    assert told["results"] == []
    assert told["message"]
    assert options["include_domains"] == ["elsewhere.example"]
    assert "published_after" in options
    assert options["door"]["ignored"] == ["topic"]


def test_errors_are_those_that_the_client_knows(server: Standing) -> None:
    limited = client(server, server.made_key("search", rate=1))
    limited.search("toll")

    with pytest.raises(InvalidAPIKeyError):
        client(server, "tvly-wrong").search("toll")
    with pytest.raises(BadRequestError, match="Query is missing"):
        client(server).search("")
    with pytest.raises(ForbiddenError, match="scope"):
        client(server, server.made_key("search")).extract("http://site.test/")
    with pytest.raises(UsageLimitExceededError, match="1 times a minute"):
        limited.search("toll")


def test_old_clients_send_the_key_in_the_body(server: Standing) -> None:
    def ask(key: str) -> requests.Response:
        body = {"api_key": key, "query": "toll", "use_cache": True}
        return requests.post(server.url + "/tavily/search", json=body, timeout=60)

    good, wrong = ask(server.key), ask("tvly-wrong")

    assert (good.status_code, wrong.status_code) == (200, 401)
    assert server.key not in json.dumps(server.record(good.json()["record"]).options)


def test_langchain_searches_and_extracts(server: Standing, harbour: Site) -> None:
    address = {"tavily_api_key": server.key, "api_base_url": server.url + "/tavily"}

    found = TavilySearch(max_results=2, **address).invoke({"query": "toll swing bridge"})
    page = TavilyExtract(**address).invoke({"urls": [harbour.url("/ferry")]})
    nothing = TavilySearch(max_results=2, **address).invoke({"query": "toll", "include_domains": ["elsewhere.example"]})

    assert TOLL in found["results"][0]["content"]
    assert "twelve crowns" in page["results"][0]["raw_content"]
    assert "No search results" in str(nothing)
