"""The SearXNG door, with LangChain's wrapper and the requests that Open WebUI and LibreChat send."""

import json
from typing import Any

import pytest
import requests
from langchain_community.utilities import SearxSearchWrapper

from service.requests import KeyRequest, Scope
from tests.doors.standing import Standing
from tests.service.opened import TOLL

# What Open WebUI sends with every search.
OPEN_WEBUI = {
    "q": "toll swing bridge", "format": "json", "pageno": 1, "safesearch": "1", "language": "all", "time_range": "",
    "categories": "", "theme": "simple", "image_proxy": 0,
}  # fmt: skip


def get(server: Standing, path: str = "/searxng/search", key: str | None = None, **params: Any) -> requests.Response:
    headers = {"X-API-Key": key or server.key}
    return requests.get(server.url + path, params=params, headers=headers, timeout=60)


def test_langchains_wrapper_searches_with_a_key_in_the_path(server: Standing) -> None:
    key = server.made_key("search")
    searx = SearxSearchWrapper(searx_host=f"{server.url}/searxng/k/{key}/search")

    results = searx.results("toll swing bridge", num_results=3)

    assert TOLL in results[0]["snippet"]
    assert results[0]["engines"] == ["citator"]
    assert TOLL in searx.run("toll swing bridge")


@pytest.mark.parametrize("ending", ["", "/", "/search"])
def test_the_address_of_the_instance_is_enough(server: Standing, ending: str) -> None:
    searx = SearxSearchWrapper(searx_host=f"{server.url}/searxng/k/{server.made_key('search')}{ending}")
    form = requests.post(
        f"{server.url}/searxng{ending}", data={"q": "toll"}, headers={"X-API-Key": server.key}, timeout=60
    )

    assert TOLL in searx.results("toll swing bridge", num_results=3)[0]["snippet"]
    assert form.json()["results"]


def test_langchains_wrapper_is_told_of_a_wrong_key(server: Standing) -> None:
    searx = SearxSearchWrapper(searx_host=f"{server.url}/searxng/k/nothing/search")

    with pytest.raises(ValueError, match="A key is needed") as raised:
        searx.results("toll", num_results=3)

    assert "error" in str(raised.value)


def test_a_reply_has_what_clients_of_searxng_read_and_the_evidence_beside_it(server: Standing) -> None:
    answer = get(server, **OPEN_WEBUI)
    told = answer.json()
    first = told["results"][0]

    assert answer.headers["content-type"] == "application/json"
    assert {"url", "title", "content", "engine", "engines", "positions", "score", "category", "parsed_url", "template",
            "publishedDate"} <= set(first)  # fmt: skip
    assert told["number_of_results"] == len(told["results"])
    assert {"answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines"} <= set(told)
    assert answer.headers["x-evidence-record"] == told["record"]
    passage = json.loads(server.evidence(first["passages"][0]["id"]))
    assert passage["text"] in first["content"]
    assert server.evidence(told["record"], "reply") == answer.content


@pytest.mark.parametrize("path", ["/searxng/search", "/search"])
def test_a_form_is_answered_like_a_query(server: Standing, path: str) -> None:
    posted = requests.post(
        server.url + path, data={"q": "toll", "format": "json"}, headers={"X-API-Key": server.key}, timeout=60
    )

    assert posted.json()["results"][0]["url"] == get(server, path, q="toll").json()["results"][0]["url"]


def test_json_at_the_bare_path_is_refused_in_words(server: Standing) -> None:
    posted = requests.post(
        server.url + "/search", json={"query": "toll"}, headers={"X-API-Key": server.key}, timeout=60
    )

    assert (posted.status_code, "/tavily/search" in posted.json()["error"]) == (400, True)


def test_errors_have_searxngs_shape(server: Standing) -> None:
    nothing = get(server, q="")
    format_ = get(server, q="x", format="csv")
    keyless = requests.get(server.url + "/searxng/search?q=x", timeout=60)

    assert (nothing.status_code, "No query" in nothing.json()["error"]) == (400, True)
    assert format_.status_code == 400
    assert (keyless.status_code, list(keyless.json())) == (401, ["error"])


def test_a_key_in_the_path_only_searches_and_may_do_nothing_else(server: Standing) -> None:
    strong = requests.get(f"{server.url}/searxng/k/{server.key}/search?q=toll", timeout=60)
    elsewhere = requests.get(f"{server.url}/searxng/k/{server.made_key('search')}/config", timeout=60)

    assert (strong.status_code, "scope search" in strong.json()["error"]) == (403, True)
    assert elsewhere.status_code == 200


def test_what_is_not_honoured_is_named_in_the_record(server: Standing) -> None:
    told = get(server, q="toll", categories="images", engines="google", language="de", time_range="fortnight").json()

    noted = server.record(told["record"]).options["door"]
    assert noted == {"api": "searxng/search", "ignored": ["time_range", "language", "categories", "engines"]}


def test_a_time_range_is_honoured(server: Standing) -> None:
    told = get(server, q="toll", time_range="day").json()

    options = server.record(told["record"]).options
    assert "published_after" in options
    assert told["results"] == []
    assert told["message"]


def test_the_second_page_goes_on_after_the_first(server: Standing) -> None:
    first, second = get(server, q="harbour"), get(server, q="harbour", pageno=2)

    assert first.json()["results"]
    assert second.json()["results"] == []


def test_the_chat_is_kept_as_the_claim_of_the_reply(server: Standing) -> None:
    headers = {"X-API-Key": server.key, "X-OpenWebUI-Chat-Id": "chat-17", "X-OpenWebUI-Message-Id": "m1"}
    told = requests.get(server.url + "/searxng/search?q=toll", headers=headers, timeout=60).json()

    served = server.served(told["record"])
    assert (served.surface, served.session) == ("searxng", "chat-17")
    assert served.claims == {"x-openwebui-chat-id": "chat-17", "x-openwebui-message-id": "m1"}


def test_a_key_asks_as_often_as_it_may(server: Standing) -> None:
    request = KeyRequest(name="slow", scopes=(Scope.SEARCH,), rate=2)
    key = server.ask(lambda actions: actions.keys_create(request))["key"]

    statuses = [get(server, key=key, q="toll").status_code for _ in range(3)]
    last = get(server, key=key, q="toll")

    assert statuses == [200, 200, 429]
    assert 1 <= int(last.headers["retry-after"]) <= 60
    assert "2 times a minute" in last.json()["error"]
