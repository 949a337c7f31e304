"""Whatever is sent, the answer is one that the API describes: never a fault, never a surprise."""

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.api import application
from service.gate import Rules
from tests.service.asking import Answer, Asker
from tests.service.small_citator import SmallCitator

WORDS = st.sampled_from(
    ["bread", "http://site.test/a", "2026-11-29", "never", "admin", "", "\x00", "é" * 300, "sha256:"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["query", "url", "urls", "ids", "name", "scopes", "max_results", "max_tokens", "fetch", "store", "session",
     "max_pages", "as_of", "language", "include_domains", "pattern", "since", "dry_run", "path", "other",
     "quotations", "of_session", "text", "format"]
)  # fmt: skip
BODIES = st.dictionaries(NAMES, VALUES, max_size=5) | VALUES
POSTS = ["search", "captures", "crawls", "rechecks", "citations/check", "removals", "keys", "maintenance/backup"]


@pytest.fixture(scope="module")
def answer() -> Callable[..., Answer]:
    """Asks one application again and again: making one costs more than a hundred answers."""
    citator = SmallCitator()
    app = application(citator, Rules(hosts=frozenset(), loopback_without_key=False, max_request=1 << 20))
    asker = Asker(app, citator.key("admin"))
    return lambda *request: asyncio.run(asker(*request))


@pytest.mark.parametrize("path", POSTS)
@settings(max_examples=60)
@given(body=BODIES)
def test_any_json_is_answered_by_what_it_is(answer: Callable[..., Answer], path: str, body: Any) -> None:
    told = answer("POST", f"/api/v1/{path}", body)

    assert told.status < 500 or (path == "captures" and told.json["outcome"] != "ok")
    if told.status >= 400:
        assert told.problem


@settings(max_examples=150)
@given(text=st.text(min_size=1, max_size=90))
def test_any_text_may_stand_where_an_id_is_expected(answer: Callable[..., Answer], text: str) -> None:
    told = answer("GET", "/api/v1/evidence/" + quote(text, safe=""))

    assert told.status in {400, 404, 422}
    assert told.problem
