"""Each provider's way of being asked, and its replies as its public documentation shows them."""

import json
from datetime import date
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import Query
from crawler.providers.asking import MAX_FOUND, MAX_SNIPPET, Form
from crawler.providers.brave import Brave
from crawler.providers.choosing import ProviderSettings, chosen
from crawler.providers.mediawiki import MediaWiki
from crawler.providers.openalex import OpenAlex
from crawler.providers.opensearch import OpenSearch
from crawler.providers.searxng import Searxng
from crawler.providers.tavily import Tavily

FORMS: list[Form] = [
    Searxng(),
    Brave("k"),
    Tavily("k"),
    MediaWiki("https://w.test/wiki/$1"),
    OpenAlex(None),
    OpenSearch("/?q={searchTerms}"),
]

WHEN = Query("tolls & bridges", 10, "en-GB", date(2026, 1, 1), date(2026, 2, 1), ("a.test",), ("b.test",))


def asked(form: Form, path: str = "") -> tuple[str, dict[str, list[str]]]:
    parts = urlsplit(form.request(WHEN, path).target)
    return parts.path, parse_qs(parts.query)


def test_searxng_is_asked_for_json_and_tells_which_engines_failed() -> None:
    path, options = asked(Searxng(), "/sx")
    read = Searxng().read(
        {
            "results": [
                {"url": "https://a.test/", "title": "A", "content": "text", "publishedDate": "2026-01-02T00:00:00"},
                {"title": "no address"},
                {"url": "https://b.test/", "title": None, "content": ""},
            ],
            "unresponsive_engines": [["google", "timeout"]],
        }
    )

    assert path == "/sx/search"
    assert options["format"] == ["json"]
    assert [(one.url, one.rank) for one in read.found] == [("https://a.test/", 1), ("https://b.test/", 2)]
    assert read.found[0].published == "2026-01-02"
    assert read.found[1].title is None
    assert read.notes == ("google: timeout",)


def test_brave_is_asked_within_its_limits_and_gives_further_snippets() -> None:
    long = Query("word " * 100, 50)
    target = parse_qs(urlsplit(Brave("secret").request(long, "").target).query)
    path, options = asked(Brave("secret"))
    read = Brave("k").read(
        {
            "query": {"original": "tols", "altered": "tolls"},
            "web": {"results": [{"url": "https://a.test/", "title": "A", "description": "d", "extra_snippets": ["e"]}]},
        }
    )

    assert path == "/res/v1/web/search"
    assert options["freshness"] == ["2026-01-01to2026-02-01"]
    assert options["search_lang"] == ["en"]
    assert target["count"] == ["20"]
    assert len(target["q"][0].split()) == 50
    assert read.found[0].snippet == "d\ne"
    assert "tolls" in read.notes[0]
    assert Brave("k").read({"type": "search"}).found == ()


def test_tavily_is_asked_by_post_with_its_key_in_a_header() -> None:
    request = Tavily("secret").request(WHEN, "/t")
    body = json.loads(request.body or b"")

    assert request.target == "/t/search"
    assert ("Authorization", "Bearer secret") in request.headers
    assert "secret" not in str(body)
    assert body["include_domains"] == ["a.test"]
    assert (
        Tavily("k").read({"results": [{"url": "https://a.test/", "title": "A", "content": "c"}]}).found[0].snippet
        == "c"
    )


def test_a_wiki_gives_the_addresses_of_its_pages() -> None:
    form = MediaWiki("https://w.test/wiki/$1")
    path, options = asked(form, "/w/api.php")
    hit = {
        "title": "Swing bridge (Ülm)",
        "snippet": "a <span class='m'>toll</span> &amp; more",
        "timestamp": "2026-01-02T03:04:05Z",
    }

    read = form.read({"query": {"search": [hit]}})

    assert path == "/w/api.php"
    assert options["srsearch"] == ["tolls & bridges"]
    assert read.found[0].url == "https://w.test/wiki/Swing_bridge_(%C3%9Clm)"
    assert read.found[0].snippet == "a toll & more"
    with pytest.raises(ValueError, match="badvalue"):
        form.read({"error": {"code": "badvalue"}})


def test_openalex_puts_abstracts_together_and_names_where_a_work_is_read() -> None:
    path, options = asked(OpenAlex("me@a.test"))
    works = [
        {
            "id": "https://openalex.org/W1",
            "doi": "https://doi.org/10.1/x",
            "title": "T",
            "publication_date": "2026-01-02",
            "primary_location": {"landing_page_url": "https://a.test/p"},
            "abstract_inverted_index": {"tolls": [1], "On": [0]},
        },
        {"id": "https://openalex.org/W2", "doi": "https://doi.org/10.1/y", "title": None, "primary_location": None},
    ]

    read = OpenAlex(None).read({"results": works})

    assert path == "/works"
    assert options["filter"] == ["from_publication_date:2026-01-01,to_publication_date:2026-02-01,language:en"]
    assert options["mailto"] == ["me@a.test"]
    assert [one.url for one in read.found] == ["https://a.test/p", "https://doi.org/10.1/y"]
    assert read.found[0].snippet == "On tolls"


@pytest.mark.parametrize(
    "reply",
    [
        [{"link": "https://a.test/", "title": "A"}],
        {"items": [{"url": "https://a.test/", "summary": "s"}]},
        {"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "https://a.test/"}]},
        {"hits": [{"href": "https://a.test/"}, {"name": "no address"}]},
    ],
)
def test_opensearch_fills_its_template_and_reads_the_usual_shapes(reply: Any) -> None:
    request = OpenSearch("/find?q={searchTerms}&n={count}&l={language?}").request(WHEN, "")

    assert request.target == "/find?q=tolls%20%26%20bridges&n=10&l=en-GB"
    assert [one.url for one in OpenSearch("/").read(reply).found] == ["https://a.test/"]


def test_a_reply_of_any_length_gives_no_more_than_a_record_holds() -> None:
    results = [{"url": f"https://a.test/{n}", "title": "t", "content": "x" * 100_000} for n in range(1000)]

    read = Searxng().read({"results": results})

    assert len(read.found) == MAX_FOUND
    assert len(read.found[0].snippet or "") == MAX_SNIPPET + 1


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda one: (
        st.lists(one, max_size=3)
        | st.dictionaries(
            st.sampled_from(["results", "web", "query", "search", "url", "title", "items", "error"]), one, max_size=3
        )
    ),
)


@given(JSON_VALUES)
def test_no_reply_whatever_its_shape_breaks_a_provider(reply: Any) -> None:
    for form in FORMS:
        try:
            read = form.read(reply)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            continue
        assert all(isinstance(one.url, str) for one in read.found)


def test_only_what_is_set_up_is_there_and_each_has_a_name_of_its_own() -> None:
    none = chosen(ProviderSettings())
    some = chosen(
        ProviderSettings(
            searxng_url="http://127.0.0.1:8080/",
            brave_key="k",
            mediawiki={"https://a.test/w/api.php": "x", "https://a.test/api.php": "y"},
            opensearch=("https://b.test/find?q={searchTerms}",),
        )
    )
    for one in some:
        one.close()

    assert none == ()
    assert [one.name for one in some] == [
        "searxng",
        "brave",
        "mediawiki.a.test",
        "mediawiki.a.test-2",
        "opensearch.b.test",
    ]
