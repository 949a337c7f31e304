"""Whatever is sent to an imitated API, the answer is one of that API: never a fault, and in its shape."""

import asyncio
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.api import application
from service.gate import Rules
from tests.service.asking import Answer, Asker
from tests.service.small_citator import SmallCitator

WORDS = st.sampled_from(
    ["bread", "http://site.test/a", "http://site.test/none", "2026-11-29", "qdr:w", "cdr:1,cd_min:13/45/2026", "day",
     "markdown", "summary", "", "\x00", "é" * 300, "a.org,b.org", "true", "-1", "1e999"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["query", "url", "urls", "limit", "count", "max_results", "include_domains", "excludeDomains", "time_range", "tbs",
     "days", "start_date", "end_date", "max_age_hours", "chunks_per_source", "include_raw_content", "formats", "maxAge",
     "minAge", "lockdown", "zeroDataRetention", "scrapeOptions", "sources", "search", "sitemap", "includeSubdomains",
     "language", "filter_by_language", "include_domains_mode", "other", "ö"]
)  # fmt: skip
BODIES = st.dictionaries(NAMES, VALUES, max_size=6) | st.fixed_dictionaries(
    {"query": st.just("bread"), "url": st.just("http://site.test/a"), "urls": st.just(["http://site.test/a"])},
    optional={"limit": VALUES, "formats": VALUES, "scrapeOptions": VALUES, "sources": VALUES, "days": VALUES,
              "max_results": VALUES, "time_range": VALUES, "include_domains": VALUES, "maxAge": VALUES},
) | VALUES  # fmt: skip
SHAPES: dict[str, Callable[[Any], bool]] = {
    "/tavily/search": lambda told: isinstance(told["detail"]["error"], str),
    "/tavily/extract": lambda told: isinstance(told["detail"]["error"], str),
    "/v2/scrape": lambda told: told["success"] is False and isinstance(told["error"], str),
    "/v1/scrape": lambda told: told["success"] is False and isinstance(told["error"], str),
    "/v2/search": lambda told: told["success"] is False and isinstance(told["error"], str),
    "/v1/search": lambda told: told["success"] is False and isinstance(told["error"], str),
    "/v2/map": lambda told: told["success"] is False and isinstance(told["error"], str),
    "/openwebui/search": lambda told: isinstance(told["detail"], str),
    "/openwebui/load": lambda told: isinstance(told["detail"], str),
}


@pytest.fixture(scope="module")
def answer() -> Callable[..., Answer]:
    """Asks one application again and again: making one costs more than a hundred answers."""
    citator = SmallCitator()
    app = application(citator, Rules(hosts=frozenset(), loopback_without_key=False, max_request=1 << 20))
    asker = Asker(app, citator.key("admin"))
    return lambda *request, **more: asyncio.run(asker(*request, **more))


@pytest.mark.parametrize("path", SHAPES)
@settings(max_examples=40)
@given(body=BODIES)
def test_any_json_is_answered_in_the_shape_of_the_api(answer: Callable[..., Answer], path: str, body: Any) -> None:
    told = answer("POST", path, body)

    site_failed = told.status == 500 and told.json.get("code", "").startswith("SCRAPE")
    assert told.status < 500 or site_failed
    if told.status >= 400:
        assert SHAPES[path](told.json)


@pytest.mark.parametrize("path", SHAPES)
@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"query": "\\ud83d bread", "url": "\\ud83d"}', b"[" * 5000])
def test_any_bytes_are_answered_in_the_shape_of_the_api(answer: Callable[..., Answer], path: str, body: bytes) -> None:
    told = answer("POST", path, body=body)

    assert told.status < 500 or told.json["code"].startswith("SCRAPE")
    json.loads(told.body)


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.sampled_from(["q", "pageno", "time_range", "language", "format", "categories", "engines", "safesearch"]),
        WORDS | st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20),
    )
)
def test_any_query_is_answered_as_searxng_would(answer: Callable[..., Answer], query: dict[str, str]) -> None:
    asked = answer("GET", "/searxng/search?" + urlencode(query))
    form = answer("POST", "/search", body=urlencode(query).encode())

    assert asked.status == form.status
    assert asked.status in {200, 400}
    assert ("results" if asked.status == 200 else "error") in asked.json
