import gzip
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import BadSitemap, is_sitemap, read_sitemap
from crawler.sitemap import MAX_ENTRIES, MAX_SITEMAP

HERE = "https://example.org/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
GOOD = f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<urlset {NS} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://example.org/a?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod></url>
  <url><image:image><image:loc>https://example.org/a.png</image:loc></image:image><loc>/b#part</loc></url>
  <url><loc><![CDATA[https://example.org/ü]]></loc></url>
  <url><loc>https://example.org/a?x=1&amp;y=2</loc></url>
  <url><loc>mailto:a@example.org</loc></url>
  <url><loc></loc></url>
</urlset>"""
PAGES = ("https://example.org/a?x=1&y=2", "https://example.org/b", "https://example.org/%C3%BC")
INDEX = f"<sitemapindex {NS}><sitemap><loc>https://example.org/1.xml.gz</loc></sitemap></sitemapindex>"


def packed(data: bytes) -> bytes:
    """Packed without the time of packing: tests are named after these bytes, in each process the same."""
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize(
    "body",
    [
        GOOD.encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
        b"\n\n  " + GOOD.partition("?>\n")[2].encode(),
        GOOD.replace('encoding="UTF-8"', 'encoding="UTF-16"').encode("utf-16"),
        GOOD.replace(NS, "").encode(),
        packed(GOOD.encode()),
        packed(GOOD.encode()[:300]) + packed(GOOD.encode()[300:]),
    ],
)
def test_pages_are_read_in_order_each_once_in_any_wrapping(body: bytes) -> None:
    sitemap = read_sitemap(body, HERE)

    assert (sitemap.pages, sitemap.sitemaps, sitemap.cut) == (PAGES, (), False)


def test_an_index_names_sitemaps() -> None:
    sitemap = read_sitemap(INDEX.encode(), HERE)

    assert (sitemap.pages, sitemap.sitemaps) == ((), ("https://example.org/1.xml.gz",))


def test_a_list_of_lines_is_a_sitemap_too() -> None:
    sitemap = read_sitemap(b"\xef\xbb\xbfhttps://example.org/a\r\n\r\nnonsense\nhttps://example.org/b\n", HERE)

    assert sitemap.pages == ("https://example.org/a", "https://example.org/b")


def test_of_a_damaged_one_the_whole_entries_count_and_the_rest_is_told() -> None:
    sitemap = read_sitemap(GOOD[: GOOD.index("</urlset>") - 60].encode(), HERE)

    assert sitemap.pages == PAGES
    assert sitemap.cut


def test_of_too_many_entries_the_first_count_and_the_rest_is_told() -> None:
    entries = "".join(f"<url><loc>/{n}</loc></url>" for n in range(MAX_ENTRIES + 5))

    sitemap = read_sitemap(f"<urlset>{entries}</urlset>".encode(), HERE)

    assert (len(sitemap.pages), sitemap.cut) == (MAX_ENTRIES, True)


def test_empty_lines_of_a_list_are_no_entries() -> None:
    sitemap = read_sitemap(b"\r\n" * (MAX_ENTRIES + 5) + b"https://example.org/a\n", HERE)

    assert (sitemap.pages, sitemap.cut) == (("https://example.org/a",), False)


def test_a_list_with_millions_of_lines_takes_no_more_memory_than_its_text_and_entries() -> None:
    body = b"ab\n" * 2_000_000 + b"\n"
    tracemalloc.start()

    with pytest.raises(BadSitemap, match="names no page"):
        read_sitemap(body, HERE)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < 6 * len(body)


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]><urlset><url><loc>/&l8;</loc></url></urlset>', "document type"),
        (f'<!DOCTYPE x [<!ENTITY a "{"a" * 90_000}">]><urlset>{"&a;" * 9000}</urlset>', "document type"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><urlset><url><loc>/&a;</loc></url></urlset>', "document type"),
        ('<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd"><urlset><url><loc>/a</loc></url></urlset>', "document type"),
        (
            '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>&f;</loc></url></urlset>',
            "document type",
        ),
        (
            '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><urlset><url><loc>/a</loc></url></urlset>',
            "document type",
        ),
        ("<urlset><url><loc>/a</loc>" + "<a/>" * 1_000_001 + "</url></urlset>", "elements"),
        ("<urlset>" + "<a>" * 5000 + "</a>" * 5000 + "</urlset>", "nested"),
        ("<html><body><a href='/a'>no sitemap</a></body></html>", "names no page"),
        ("<urlset></urlset>", "names no page"),
        ("<urlset", "no sitemap"),
        ("just some words", "names no page"),
        ("", "names no page"),
    ],
)
def test_what_a_sitemap_has_no_need_for_is_refused(body: str, said: str) -> None:
    with pytest.raises(BadSitemap, match=said):
        read_sitemap(body.encode(), HERE)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (packed(b"<urlset>" + b" " * (MAX_SITEMAP + 1)), "larger"),
        (b"\x1f\x8b\x08nonsense", "not whole"),
    ],
)
def test_a_packed_one_is_unpacked_within_limits(body: bytes, said: str) -> None:
    with pytest.raises(BadSitemap, match=said):
        read_sitemap(body, HERE)


@given(st.binary(max_size=400) | st.text(alphabet="<>/&;![]ul rocsetp\"'=\n", max_size=200).map(str.encode))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    try:
        sitemap = read_sitemap(body, HERE)
    except BadSitemap:
        return

    assert sitemap.pages or sitemap.sitemaps


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (GOOD.encode(), True),
        (packed(GOOD.encode()), True),
        (INDEX.encode("utf-16"), True),
        (b"<?xml version='1.0'?><?xml-stylesheet href='x'?>\n<!-- made\nby hand --><sm:urlset xmlns:sm='x'/>", True),
        (b"<rss version='2.0'><channel/></rss>", False),
        (b"<html><body>urlset</body></html>", False),
        (b"https://example.org/\n", False),
        (packed(b"x" * 100)[:30], False),
        (b"", False),
    ],
)
def test_a_sitemap_is_told_by_its_root(body: bytes, told: bool) -> None:  # noqa: FBT001 - a table
    assert is_sitemap(body) is told
