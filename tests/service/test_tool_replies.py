"""Replies of tools: how large they get, that both forms say the same, and how arguments are understood."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.assembling import Offer, pack
from service.failures import BadRequest
from service.forms import Shown
from service.mcp_tools import structures, texts
from service.mcp_tools.arguments import understand
from service.mcp_tools.definitions import FETCH, GET_EVIDENCE, SEARCH
from service.mcp_tools.replies import ToolForm

RECORD = "sha256:" + "a1" * 32
TIME = "2026-11-29T19:28:36.123Z"
# What takes much room: quotes and line ends in JSON, three bytes a character outside Latin, four beyond.
WORDS = st.text(alphabet='ab "\\\n\t\x01é漢字🚢', max_size=700)


def fields_of(query: str, pages: list[tuple[str, str, list[str]]], message: str, relaxed: list[str]) -> dict[str, Any]:
    results = [
        {"rank": rank, "url": url, "title": title, "capture": RECORD, "retrieved_at": TIME, "published": "2026-01-01",
         "passages": [{"id": RECORD, "start": 0, "end": len(text), "text": text} for text in shown]}
        for rank, (url, title, shown) in enumerate(pages, 1)
    ]  # fmt: skip
    return {"record": RECORD, "query": query, "state": "ok", "message": message, "retrieved_at": TIME,
            "results": results, "dropped": [{"reason": "near_duplicate"}] * 3, "relaxed": relaxed}  # fmt: skip


@settings(max_examples=150)
@given(
    query=WORDS,
    message=WORDS,
    relaxed=st.lists(WORDS, max_size=12),
    pages=st.lists(st.tuples(WORDS, WORDS, st.lists(WORDS.filter(bool), max_size=5)), max_size=20),
    tokens=st.integers(500, 6000),
)
def test_a_reply_stays_within_its_budget_in_both_forms(
    query: str, message: str, relaxed: list[str], pages: list[tuple[str, str, list[str]]], tokens: int
) -> None:
    form = ToolForm(structures.searched, texts.search_text, tokens, ["a note"], subject=structures.cut(query, 300))
    offers = [Offer(place, 1.0, text) for place, (_, _, shown) in enumerate(pages) for text in shown]
    chosen, _ = pack(offers, form.room([Shown(url, title) for url, title, _ in pages], None), None, form.cost)
    packed = [(url, title, list[str]()) for url, title, _ in pages]
    for place in sorted(chosen):
        packed[offers[place].page][2].append(offers[place].text)

    served = form.write(fields_of(query, packed, message, relaxed))

    assert served.structured is not None
    assert len(served.body) <= tokens * 4
    assert len(served.structured) <= tokens * 4
    told = json.loads(served.structured)
    text = served.body.decode()
    assert text.startswith(f"Citator record {RECORD}\n")
    assert text.endswith(f"\nCitator record {RECORD}")
    assert [p["text"] for one in told["results"] for p in one["passages"]] == [
        text for one in packed for text in one[2]
    ]
    for one in told["results"]:
        assert one["url"] in text
        assert all(passage["text"] in text for passage in one["passages"])
    assert all(note in text for note in told["notes"])


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        ({"query": "x", "max_results": "5"}, {"query": "x", "max_results": 5}),
        ({"query": "x", "max_results": 5.0}, {"query": "x", "max_results": 5}),
        ({"query": "x", "max_results": " 7.0 "}, {"query": "x", "max_results": 7}),
        ({"query": "x", "max_results": None, "language": "null"}, {"query": "x"}),
        ({"query": 42}, {"query": "42"}),
        ({"query": ""}, {"query": ""}),
        ({"query": "x", "include_domains": "a.org, b.org"}, {"query": "x", "include_domains": ["a.org", "b.org"]}),
        ({"query": "x", "include_domains": '["a.org"]'}, {"query": "x", "include_domains": ["a.org"]}),
        ({"query": "x", "include_domains": []}, {"query": "x"}),
        ({"q": "x"}, {"query": "x"}),
        ({"query": None, "q": "x"}, {"query": "x"}),
        ({"query": "x", "max_tokens": 1}, {"query": "x", "max_tokens": 500}),
    ],
)
def test_an_argument_is_taken_where_its_meaning_is_plain(given: dict[str, Any], understood: dict[str, Any]) -> None:
    assert understand(SEARCH, given).given == understood


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        (SEARCH, {}, "search needs query"),
        (SEARCH, {"query": ["a"]}, "query is a text"),
        (SEARCH, {"query": True}, "query is a text"),
        (SEARCH, {"query": "x" * 70_000}, "70000 characters"),
        (SEARCH, {"query": "x", "max_results": "1e3"}, "max_results is a whole number"),
        (SEARCH, {"query": "x", "max_results": float("inf")}, "max_results is a whole number"),
        (SEARCH, {"query": "x", "max_results": True}, "max_results is a whole number"),
        (SEARCH, {"query": "x", "include_domains": {"a": 1}}, "include_domains is a list"),
        (FETCH, {"uri": None}, "fetch needs url"),
        (GET_EVIDENCE, {"id": "0" * 12, "view": "picture"}, "view is one of bytes, text"),
    ],
)
def test_an_argument_without_a_plain_meaning_is_refused_in_words(tool: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        understand(tool, given)


@settings(max_examples=200)
@given(
    st.dictionaries(
        st.sampled_from(["query", "q", "max_results", "max_tokens", "include_domains", "language", "x"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.lists(st.text(max_size=4)),
    )
)
def test_whatever_a_model_writes_is_understood_or_refused(given_arguments: dict[str, Any]) -> None:
    try:
        found = understand(SEARCH, given_arguments)
    except BadRequest:
        return

    assert isinstance(found.given["query"], str)
    assert 1 <= found.given.get("max_results", 1) <= 20
