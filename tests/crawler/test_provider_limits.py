"""What providers are asked to keep to, what they say that they do not know, and how often they are asked."""

import asyncio
import json
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest

from crawler import ProviderFailed, Query
from crawler.endpoint import Endpoint
from crawler.providers.asking import Form, HttpProvider
from crawler.providers.brave import MAX_QUERY, MAX_WORDS, Brave
from crawler.providers.choosing import ProviderSettings, chosen
from crawler.providers.contract import Provider
from crawler.providers.feeds import results, template_of
from crawler.providers.mediawiki import MediaWiki
from crawler.providers.openalex import OpenAlex
from crawler.providers.opensearch import OpenSearch
from crawler.providers.searxng import Searxng
from crawler.providers.tavily import Tavily
from tests.sites import Route, Site

JSON_TYPE = ("Content-Type", "application/json")
XML_TYPE = ("Content-Type", "application/opensearchdescription+xml")
TODAY = date(2026, 11, 30)

DESCRIPTION = """<?xml version="1.0"?>
<!DOCTYPE OpenSearchDescription [<!ENTITY far SYSTEM "http://127.0.0.1:1/secret">]>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>Harbour</ShortName>
  <Url type="text/html" template="/pages?q={searchTerms}"/>
  <Url type="application/rss+xml" template="/feed.rss?q={searchTerms}&amp;n={count?}&amp;from={custom:start?}"/>
  <Url type="application/atom+xml" template="%s/feed.atom?q={searchTerms}"/>
</OpenSearchDescription>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:os="http://a9.com/-/spec/opensearch/1.1/"><title>Results</title>
<os:totalResults>2</os:totalResults>
<entry><title>Toll</title><link rel="self" href="https://a.test/feed/1"/><link href="https://a.test/toll"/>
<updated>2026-02-03T04:05:06Z</updated><summary>Ends on <b>Friday</b>.</summary></entry>
<entry><title>No address</title></entry></feed>"""
RSS = """<rss version="2.0"><channel><title>Results</title><item><title>Ferry</title><link> https://a.test/ferry </link>
<pubDate>Tue, 03 Feb 2026 04:05:06 GMT</pubDate><description>Every hour.</description></item></channel></rss>"""


def whole(**more: object) -> Query:
    return Query(
        "toll", 10, "de", date(2026, 11, 20), date(2026, 11, 29), ("a.test", "b.test"), ("c.test",), today=TODAY, **more
    )  # type: ignore[arg-type]  # a table of tests


def q(form: Form, query: Query) -> dict[str, list[str]]:
    return parse_qs(urlsplit(form.request(query, "").target).query)


def test_domains_are_written_into_the_words_where_engines_take_them() -> None:
    assert q(Searxng(), whole())["q"] == ["toll site:a.test OR site:b.test -site:c.test"]
    assert q(Brave("k"), whole())["q"] == ["toll site:a.test OR site:b.test -site:c.test"]


def test_a_long_query_leaves_room_for_its_domains() -> None:
    long = Query("word " * 200, 10, include_domains=("a.test",))

    asked = q(Brave("k"), long)["q"][0]

    assert asked.endswith(" site:a.test")
    assert len(asked) <= MAX_QUERY
    assert len(asked.split()) == MAX_WORDS


@pytest.mark.parametrize(
    ("after", "expected"),
    [(TODAY, ["day"]), (date(2026, 11, 20), ["month"]), (date(2026, 1, 2), ["year"]), (date(2020, 1, 1), None)],
)
def test_a_time_becomes_the_shortest_range_that_holds_it(after: date, expected: list[str] | None) -> None:
    assert q(Searxng(), Query("toll", 10, published_after=after, today=TODAY)).get("time_range") == expected


REPLIES: list[tuple[Form, object, str | None]] = [
    (Searxng(), {"results": []}, None),
    (Brave("k"), {}, None),
    (Tavily("k"), {"results": []}, "it knows no language"),
    (OpenAlex(None), {"results": []}, "it knows no domains"),
    (MediaWiki("https://w.test/$1"), {"query": {"search": []}}, "it knows no domains, no language, no time window"),
    (OpenSearch("/?q={searchTerms}"), [], "it knows no domains, no language, no time window"),
    (OpenSearch("/?q={searchTerms}&l={language?}"), [], "it knows no domains, no time window"),
]


@pytest.mark.parametrize(("form", "reply", "note"), REPLIES)
async def test_what_a_provider_cannot_keep_to_is_told(form: Form, reply: object, note: str | None) -> None:
    with Site([Route("/*", headers=(JSON_TYPE,), body=json.dumps(reply))]) as site:
        provider = HttpProvider("one", form, Endpoint(site.url(""), user_agent="test"))
        said = await provider.search(whole(), seconds=5)
        plain = await provider.search(Query("toll", 10), seconds=5)
        provider.close()

    assert said.notes == ((note,) if note else ())
    assert plain.notes == ()


async def test_a_provider_is_asked_no_more_often_than_its_rate() -> None:
    with Site([Route("/*", headers=(JSON_TYPE,), body='{"results": []}')]) as site:
        provider = HttpProvider("one", Searxng(), Endpoint(site.url(""), user_agent="test"), rate=5)
        await asyncio.gather(*(provider.search(Query("toll", 1), seconds=5) for _ in range(4)))
        with pytest.raises(ProviderFailed, match="may be asked again") as late:
            await asyncio.gather(*(provider.search(Query("toll", 1), seconds=0.3) for _ in range(4)))
        provider.close()

    times = sorted(request.at for request in site.requests)[:4]
    assert late.value.reason == "quota"
    assert all(second - first > 0.1 for first, second in pairwise(times))


async def test_a_provider_that_asks_for_a_rest_gets_it() -> None:
    busy = Route("/*", 429, (JSON_TYPE, ("Retry-After", "50")), "{}", hit=1)
    with Site([busy, Route("/*", headers=(JSON_TYPE,), body='{"results": []}')]) as site:
        provider = HttpProvider("one", Searxng(), Endpoint(site.url(""), user_agent="test"))
        with pytest.raises(ProviderFailed, match="status 429") as first:
            await provider.search(Query("toll", 1), seconds=5)
        with pytest.raises(ProviderFailed, match=r"again in (50|49) seconds"):
            await provider.search(Query("toll", 1), seconds=5)
        provider.close()

    assert first.value.reason == "quota"
    assert len(site.requests) == 1


def made(addresses: Sequence[str]) -> Provider:
    (one,) = chosen(ProviderSettings(opensearch=tuple(addresses), rates={"opensearch.127.0.0.1": 0}))
    return one


async def test_a_search_is_found_by_its_description_which_is_read_once() -> None:
    with Site([]) as site:
        site.routes = [
            Route("/osd.xml", headers=(XML_TYPE,), body=DESCRIPTION % site.url("")),
            Route("/feed.atom*", headers=(("Content-Type", "application/atom+xml"),), body=ATOM),
        ]
        provider = made([site.url("/osd.xml")])
        first = await provider.search(Query("toll & bridge", 5), seconds=5)
        await provider.search(Query("toll", 5), seconds=5)
        provider.close()

    assert provider.name == "opensearch.127.0.0.1"
    assert [(one.url, one.title, one.published) for one in first.found] == [
        ("https://a.test/toll", "Toll", "2026-02-03")
    ]
    assert first.found[0].snippet == "Ends on Friday ."[:14] + "."
    assert [request.path for request in site.requests] == [
        "/osd.xml",
        "/feed.atom?q=toll%20%26%20bridge",
        "/feed.atom?q=toll",
    ]


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (DESCRIPTION % "https://elsewhere.test", 200, "bad_reply"),
        ("<html><body>Log in</body></html>", 200, "bad_reply"),
        ("{}", 200, "bad_reply"),
        ("<OpenSearchDescription/>", 200, "bad_reply"),
        ("gone", 404, "refused"),
    ],
)
async def test_a_description_that_cannot_be_used_is_a_failure_by_name(body: str, status: int, reason: str) -> None:
    with Site([Route("/osd.xml", status, (XML_TYPE,), body)]) as site:
        provider = made([site.url("/osd.xml")])
        with pytest.raises(ProviderFailed) as failed:
            await provider.search(Query("toll", 5), seconds=5)
        provider.close()

    assert failed.value.reason == reason


def test_rss_is_read_and_its_days_are_understood() -> None:
    read = OpenSearch("/").read(results(RSS.encode()))

    assert [(one.url, one.published, one.snippet) for one in read.found] == [
        ("https://a.test/ferry", "2026-02-03", "Every hour.")
    ]


def test_parameters_that_need_not_be_given_are_left_out_of_a_template() -> None:
    rss = template_of((DESCRIPTION % "").replace("application/atom+xml", "text/plain").encode())

    assert OpenSearch(rss).request(Query("toll", 5), "").target == "/feed.rss?q=toll&n=5&from="
