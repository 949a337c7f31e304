"""What hostile bytes reach first, each as a function of bytes that must not break.

A target returns, or raises AssertionError where a promise does not hold; any other exception is a fault.
"""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from crawler import (
    BadAddress,
    BadArchive,
    BadSitemap,
    Reading,
    is_sitemap,
    open_archive,
    parse_address,
    read_page,
    read_sitemap,
)
from crawler.charset import decode
from crawler.cookies import Jar
from crawler.decode import Decoder
from crawler.errors import CrawlError
from crawler.pace import retry_after
from crawler.patterns import matches
from crawler.robots import RobotsAnswer, read_robots
from crawler.singlefile import saved_page

AT: Final = datetime(2026, 11, 29, tzinfo=UTC)
HERE: Final = "https://site.example/a/page"
CODINGS: Final = ("gzip", "deflate", "br", "zstd", "identity")
LIMIT: Final = 1 << 20


def _whole(reading: Reading) -> None:
    """Blocks are slices of the text, in order; no string holds what has no UTF-8."""
    end = 0
    for block in reading.blocks:
        assert end <= block.start < block.end <= len(reading.text), block
        end = block.end
    for text in (reading.text, reading.visible, reading.title or "", reading.author or ""):
        text.encode("utf-8")
        assert "\0" not in text
    assert all(link.url.startswith(("http://", "https://")) for link in reading.links)


def _read(media_type: str | None) -> Callable[[bytes], None]:
    def target(data: bytes) -> None:
        _whole(read_page(data, media_type=media_type, charset=None, url=HERE, at=AT, status=200))

    return target


def decoded(data: bytes) -> None:
    """Content codings, at most so many bytes, whatever the label."""
    coding, rest = CODINGS[data[0] % len(CODINGS)] if data else "gzip", data[1:]
    decoder = Decoder([coding], LIMIT)
    with suppress(CrawlError):
        for start in range(0, len(rest), 97):
            decoder.feed(rest[start : start + 97])
        decoder.finish()
    assert len(decoder.body) <= LIMIT


def charset(data: bytes) -> None:
    """Text of any bytes, and only what has UTF-8."""
    name, _, body = data.partition(b"\n")
    decode(body, name.decode("latin-1") or None, markup=True).text.encode("utf-8", "surrogatepass")


def sitemap(data: bytes) -> None:
    """Addresses that may be asked, or a named refusal."""
    is_sitemap(data)
    with suppress(BadSitemap):
        found = read_sitemap(data, HERE)
        assert all(one.startswith(("http://", "https://")) for one in (*found.pages, *found.sitemaps))


def robots(data: bytes) -> None:
    """Rules of any bytes, which say yes or no."""
    rules, _ = read_robots(RobotsAnswer("answered", HERE, 200, data), "Citator")
    rules.ruling(parse_address(HERE), "Citator")


def address(data: bytes) -> None:
    """A canonical address stays as it is when it is read again."""
    with suppress(BadAddress):
        href = parse_address(data.decode("utf-8", "replace"), HERE).href
        assert parse_address(href).href == href


def cookies(data: bytes) -> None:
    """What is sent back can stand in a header."""
    jar = Jar()
    jar.take(parse_address(HERE), data.decode("latin-1").split("\n"), AT)
    header = jar.header(parse_address(HERE)) or ""
    assert "\n" not in header
    assert "\r" not in header


def headers(data: bytes) -> None:
    """Times that a site asks for; patterns of addresses."""
    text = data.decode("latin-1")
    assert (retry_after(text, AT) or 0) >= 0
    first, _, rest = text.partition("\n")
    matches(first, rest)


def archive(data: bytes) -> None:
    """WARC and WACZ files of others: whole responses, or a named refusal."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        with suppress(BadArchive):
            opened = open_archive(path)
            if opened is not None:
                for one in opened.responses(max_body=LIMIT):
                    assert one is not None
    saved_page(data)


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "html": _read("text/html"),
    "xml": _read("application/xml"),
    "feed": _read("application/rss+xml"),
    "markdown": _read("text/markdown"),
    "json": _read("application/json"),
    "pdf": _read("application/pdf"),
    "any": _read(None),
    "decoded": decoded,
    "charset": charset,
    "sitemap": sitemap,
    "robots": robots,
    "address": address,
    "cookies": cookies,
    "headers": headers,
    "archive": archive,
}

HTML: Final = b"""<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title><base href=/x/></head><body>
<main><h1>H</h1><p>one two <b>three</b></p><ul><li>a<li>b</ul><table><tr><th colspan=2>x<td rowspan=2>y</table>
<pre>x  y</pre><blockquote>q</blockquote><a href='../l'>l</a></main><script type='application/ld+json'>{}</script>"""
RSS: Final = b"""<rss version='2.0'><channel><title>T</title><item><title>i</title><link>/i</link>
<description>&lt;p&gt;x</description></item></channel></rss>"""
ATOM: Final = b"""<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='e'/><content type='xhtml'><div>x</div>"""
PDF: Final = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj trailer<</Root 1 0 R>>"""
WARC: Final = b"""WARC/1.1
WARC-Type: response
WARC-Target-URI: http://a.example/
WARC-Date: 2026-01-01T00:00:00Z
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>
Content-Type: application/http
Content-Length: 40

HTTP/1.1 200 OK
Content-Length: 2

hi

""".replace(b"\n", b"\r\n")

SEEDS: Final[dict[str, tuple[bytes, ...]]] = {
    "html": (HTML,),
    "feed": (RSS, ATOM),
    "xml": (b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a><title>t</title>&b;</a>",),
    "markdown": (b"# T\n\n* a\n  1. b\n\n> q\n\n```\ncode\n```\nT\n=\n",),
    "json": (b'{"a": [1, "b"]}',),
    "pdf": (PDF,),
    "sitemap": (b"<urlset><url><loc>https://site.example/a</loc></url></urlset>", b"https://site.example/a\n"),
    "robots": (b"User-agent: *\nDisallow: /a*b$\nCrawl-delay: 2\nSitemap: /s.xml\n",),
    "address": (b"http://user@host.example:80/a/../b?c#d", b"//[::1]/%zz"),
    "cookies": (b"a=b; Path=/; Domain=site.example; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Secure",),
    "headers": (b"Wed, 21 Oct 2026 07:28:00 GMT", b"120", b"/a*b*\n/axxb"),
    "archive": (WARC, b"PK\x05\x06" + bytes(18)),
}
"""Where the search begins, beside nothing."""
