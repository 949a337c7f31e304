"""Feeds of all kinds as text, blocks and links."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import Reading, read_page
from crawler.feeds import MAX_ENTRIES

AT = datetime(2026, 11, 29, tzinfo=UTC)
HERE = "http://site.example/feeds/all.xml"
RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Harbour &amp;amp; bridge</title>
<link>http://site.example/</link><description>All &lt;b&gt;news&lt;/b&gt;</description>
<item><title>One</title>
<link>/one#top</link><pubDate>Mon, 2 Mar 2026</pubDate><dc:creator>Ann</dc:creator>
<description>&lt;p&gt;Hello &lt;i&gt;you&lt;/i&gt;&lt;/p&gt;
&lt;ul&gt;&lt;li&gt;a&lt;li&gt;b&lt;/ul&gt;</description></item>
<item><title>Two</title><guid>http://site.example/two</guid><description>short</description>
<content:encoded><![CDATA[<p>in full</p><pre>x  y</pre>]]></content:encoded></item>
<item><title>Three</title><guid isPermaLink="false">http://site.example/no</guid></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://other.example/x/"><title>A &lt; B</title>
<author><name>Bo</name></author><entry><title type="html">E&amp;amp;1</title><link rel="edit" href="edit"/>
<link rel="alternate" href="e1"/><updated>2026-03-01T10:00:00Z</updated><content type="xhtml">
<div xmlns="http://www.w3.org/1999/xhtml"><p>para <b>bold</b></p><p>second</p></div></content></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="x"><title>T</title></channel><item><title>i</title><link>http://a.example/i</link>
<description>d</description></item></rdf:RDF>"""


def read(body: str, media_type: str = "application/rss+xml") -> Reading:
    return read_page(body.encode(), media_type=media_type, charset=None, url=HERE, at=AT)


def test_an_rss_feed_is_its_entries_with_their_addresses() -> None:
    reading = read(RSS)

    assert (reading.title, reading.page_state) == ("Harbour & bridge", "ok")
    assert [(block.type, reading.text[block.start : block.end]) for block in reading.blocks] == [
        ("heading", "Harbour & bridge"),
        ("paragraph", "All news"),
        ("heading", "One"),
        ("paragraph", "Ann, Mon, 2 Mar 2026"),
        ("paragraph", "Hello you"),
        ("list", "a"),
        ("list", "b"),
        ("heading", "Two"),
        ("paragraph", "in full"),
        ("code", "x  y"),
        ("heading", "Three"),
    ]
    assert [(link.url, link.text) for link in reading.links] == [
        ("http://site.example/one", "One"),
        ("http://site.example/two", "Two"),
    ]


def test_an_atom_feed_is_read_under_any_name_with_its_own_base() -> None:
    for media_type in ("application/atom+xml", "text/xml", "text/html", "text/plain"):
        reading = read(ATOM, media_type)

        assert (reading.title, reading.author) == ("A < B", "Bo")
        assert reading.text.split("\n\n") == ["A < B", "E&1", "2026-03-01T10:00:00Z", "para bold", "second"]
        assert [link.url for link in reading.links] == ["http://other.example/x/e1"]


def test_an_rdf_feed_is_read_and_other_xml_is_no_feed() -> None:
    feed, other = read(RDF), read("<note><title>x</title><item>abc</item></note>", "text/xml")

    assert ([link.url for link in feed.links], feed.text) == (["http://a.example/i"], "T\n\ni\n\nd")
    assert (other.links, other.text) == ((), "x\n\nabc")
    assert ("main-text", "feed") in feed.extractors
    assert ("main-text", "feed") not in other.extractors


@pytest.mark.parametrize("cut", range(60, len(RSS), 120))
def test_a_feed_that_breaks_off_is_read_as_far_as_it_goes(cut: int) -> None:
    reading = read(RSS[:cut])

    assert reading.outcome in {"ok", "empty"}
    assert all(0 <= block.start < block.end <= len(reading.text) for block in reading.blocks)


@given(st.lists(st.sampled_from(["<item>", "</item>", "<title>", "<link>", "x", "&lt;p&gt;", "<channel>", "]]>", "&"])))
def test_no_arrangement_of_its_elements_breaks_the_reader(pieces: list[str]) -> None:
    reading = read("<rss>" + "".join(pieces))

    assert reading.outcome in {"ok", "empty"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Caf&eacute;&nbsp;&euro; 2", "Café € 2"),
        ("Fish & chips &cie;", "Fish & chips &cie;"),
        ("5 &lt; 6 &#233; &#xe9;", "5 < 6 é é"),
        ("<![CDATA[Caf&eacute; & co]]>", "Café & co"),
        ("&harbour; &7", "&harbour; &7"),
    ],
)
def test_references_that_xml_does_not_know_cost_a_feed_no_letter(written: str, said: str) -> None:
    head = '<!DOCTYPE rss PUBLIC "-//X//DTD RSS 0.91//EN" "http://dtd.example/rss.dtd"><rss version="0.91"><channel>'
    item = f"<item><title>{written}</title><link>/a?b=1&c=2</link></item>"
    reading = read(f"{head}<title>x</title>{item}</channel></rss>")

    assert reading.text == f"x\n\n{said}"
    assert reading.links[0].url == "http://site.example/a?b=1&c=2"


def test_references_that_a_document_type_defines_are_not_expanded() -> None:
    laughs = '<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b.b "&a;&a;&a;">]><rss><channel><title>x &b.b; &a; y</title>'

    assert read(f"{laughs}<item><title>c</title></item></channel></rss>").text == "x &b.b; &a; y\n\nc"


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("<guid isPermaLink='true'>/three</guid>", "http://site.example/three"),
        ("<guid>three</guid>", None),
        ("<guid isPermaLink='false'>http://site.example/three</guid>", None),
        ("<guid xml:base='http://far.example/x/' isPermaLink='true'>three</guid>", "http://far.example/x/three"),
    ],
)
def test_the_name_of_an_entry_is_its_address_where_the_feed_says_so(entry: str, url: str | None) -> None:
    reading = read(f"<rss version='2.0'><channel><title>x</title><item><title>a</title>{entry}</item></channel></rss>")

    assert [link.url for link in reading.links] == [url] * (url is not None)


def test_an_entry_in_rdf_is_named_by_what_it_is_about() -> None:
    item = '<item rdf:about="http://a.example/about"><title>i</title></item>'
    about = f"{RDF.partition('<item>')[0]}{item}</rdf:RDF>"

    assert [link.url for link in read(about).links] == ["http://a.example/about"]


JSON = """{"version": "https:\\/\\/jsonfeed.org\\/version\\/1.1", "title": "Harbour", "description": "All news",
"authors": [{"name": "Bo"}, 7], "items": [
{"id": "1", "url": "/one#top", "title": "One", "content_html": "<p>Hello <b>you</b></p><ul><li>a</ul>",
 "authors": [{"name": "Ann"}], "date_published": "2026-03-02T10:00:00Z"},
{"id": "http://site.example/two", "content_text": "first\\n\\nsecond", "external_url": 4},
{"id": "3", "title": "Three", "summary": "in short", "url": "http://a b"}, "no entry", {}]}"""


@pytest.mark.parametrize("media_type", ["application/feed+json", "application/json"])
def test_a_feed_in_json_is_its_entries_with_their_addresses(media_type: str) -> None:
    reading = read(JSON, media_type)

    assert (reading.title, reading.author, reading.outcome) == ("Harbour", "Bo", "ok")
    assert reading.text.split("\n\n") == [
        "Harbour", "All news", "One", "Ann, 2026-03-02T10:00:00Z", "Hello you", "a", "first", "second", "Three",
        "in short",
    ]  # fmt: skip
    assert [(link.url, link.text) for link in reading.links] == [
        ("http://site.example/one", "One"),
        ("http://site.example/two", ""),
    ]


@pytest.mark.parametrize(
    "text",
    [
        '{"version": "https://jsonfeed.org/version/1"}',
        '{"version": 1, "about": "https://jsonfeed.org/version/1", "items": []}',
        '["https://jsonfeed.org/version/1"]',
        '{"version": "https://jsonfeed.org/version/1", "items": [',
        '{"version": "https://jsonfeed.org/version/1", "items": ' + "[" * 100_000,
    ],
)
def test_other_json_stays_what_it_is(text: str) -> None:
    reading = read(text, "application/json")

    assert (reading.text, reading.links) == (text, ())


MEMBERS = st.sampled_from(["items", "title", "url", "id", "authors", "author", "name", "content_html", "content_text"])
VALUES = st.recursive(
    st.none() | st.text(max_size=9) | st.integers(),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(MEMBERS, one, max_size=5),
    max_leaves=12,
)


@given(VALUES)
def test_whatever_stands_in_a_feed_in_json_it_is_read(items: object) -> None:
    text = json.dumps({"version": "https://jsonfeed.org/version/1", "items": items})

    assert read(text, "application/json").outcome in {"ok", "empty"}


@pytest.mark.parametrize("media_type", ["application/rss+xml", "application/feed+json"])
@pytest.mark.parametrize("more", [0, 1])
def test_of_a_feed_with_too_many_entries_the_first_are_read_and_the_rest_is_told(media_type: str, more: int) -> None:
    total = MAX_ENTRIES + more
    items = "".join(f"<item><title>{n}</title><link>/{n}</link></item>" for n in range(total))
    text = f"<rss version='2.0'><channel><title>x</title>{items}</channel></rss>"
    if "json" in media_type:
        entries = [{"title": str(n), "url": f"/{n}"} for n in range(total)]
        text = json.dumps({"version": "https://jsonfeed.org/version/1", "title": "x", "items": entries})

    reading = read(text, media_type)

    assert (reading.outcome, len(reading.links)) == ("ok", MAX_ENTRIES)
    assert reading.detail == (f"of {total} entries the first {MAX_ENTRIES} are read" if more else None)
