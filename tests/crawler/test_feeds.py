"""Feeds of all kinds as text, blocks and links."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import Reading, read_page

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
