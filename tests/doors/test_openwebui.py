"""The doors that answer with bare arrays: Open WebUI's search and loader by the requests that it sends, a retriever."""

from typing import Any

import requests

from tests.doors.standing import Standing
from tests.service.opened import TOLL
from tests.sites import Site


def post(server: Standing, path: str, body: Any, key: str | None = None, **headers: str) -> requests.Response:
    sent = {"Authorization": f"Bearer {key or server.key}", "User-Agent": "Open WebUI", **headers}
    return requests.post(server.url + path, json=body, headers=sent, timeout=60)


def test_a_search_gives_links_titles_and_snippets(server: Standing) -> None:
    answer = post(
        server, "/openwebui/search", {"query": "toll swing bridge", "count": 2}, **{"X-OpenWebUI-Chat-Id": "c9"}
    )
    first = answer.json()[0]

    assert len(answer.json()) <= 2
    assert TOLL in first["snippet"]
    assert first["title"] == "Notice on the swing bridge"
    assert {"link", "passages", "record"} <= set(first)
    served = server.served(first["record"])
    assert (served.surface, served.session, server.evidence(served.body)) == ("openwebui", "c9", answer.content)


def test_the_loader_gives_pages_and_leaves_out_what_cannot_be_had(server: Standing, harbour: Site) -> None:
    answer = post(server, "/openwebui/load", {"urls": [harbour.url("/ferry"), harbour.url("/void")]})
    (page,) = answer.json()

    assert "twelve crowns" in page["page_content"]
    assert page["metadata"]["source"] == harbour.url("/ferry")
    assert page["metadata"]["passages"]
    assert harbour.url("/void") in answer.headers["x-evidence-failed"]
    assert page["page_content"] == server.evidence(page["metadata"]["capture"], "text").decode()
    (served,) = server.servings(page["metadata"]["record"])
    assert server.evidence(served.body) == answer.content


def test_what_cannot_be_answered_is_said(server: Standing) -> None:
    assert post(server, "/openwebui/search", {"query": ""}).status_code == 422
    assert "urls are missing" in post(server, "/openwebui/load", {"urls": []}).json()["detail"]
    assert post(server, "/openwebui/load", {"urls": ["http://x.test/"] * 21}).status_code == 422
    assert "known" in post(server, "/openwebui/search", {"query": "x"}, key="wrong").json()["detail"]
    assert post(server, "/openwebui/load", {"urls": "http://x.test/"}, key=server.made_key("search")).status_code == 403


def test_an_empty_answer_is_an_empty_array_that_is_on_record(server: Standing) -> None:
    answer = post(server, "/openwebui/search", {"query": "zeppelin hangar roof", "count": 3})

    assert answer.json() == []
    assert server.evidence(answer.headers["x-evidence-serving"])
    assert server.record(answer.headers["x-evidence-record"]).state == "no_provider"


def test_a_retriever_gets_whole_pages(server: Standing, harbour: Site) -> None:
    headers = {"x-api-key": server.key, "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
    answer = requests.get(server.url + "/retriever?query=toll+bridge&max_results=1", headers=headers, timeout=60)
    (first,) = answer.json()

    assert first["url"] == harbour.url("/bridge")
    assert "quarter of an hour" in first["raw_content"]
    assert server.served(first["record"]).session == "4bf92f3577b34da6a3ce929d0e0e4736"
    assert "query is missing" in requests.get(server.url + "/retriever", headers=headers, timeout=60).json()["error"]


def test_an_address_with_line_ends_adds_no_header(server: Standing) -> None:
    answer = post(server, "/openwebui/load", {"urls": ["nowhere\r\nX-Injected: yes"]})

    assert "x-injected" not in answer.headers
    assert "nowhere??X-Injected" in answer.headers["x-evidence-failed"]
