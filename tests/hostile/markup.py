# ruff: noqa: E501 - tables, an address a line
"""Markup that is deep, giant, damaged, or expands; and documents that are no pages."""

import gzip
import zlib

from tests.crawler.reading_pages import page
from tests.hostile.address import ARTICLE, OK, SAYS, SECRET, SHORT, TEXT, Address, Found, html, judged, typed, warned
from tests.sites import Route
from tests.small_pdf import linked_pdf

TOLL = "The toll at the swing bridge ends on Friday."
DEEP = Found(state="unknown", warning="reading_too_large: ", says=SAYS)
UNREADABLE = Found(state="unknown", warning="reading_unreadable: ")
AS_IT_CAME = warned("not_rendered: ")
LAUGHS = (
    "<!DOCTYPE d [<!ENTITY a0 'ha '>" + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10)) + "]>"
)
FEED = "<item><title>Toll</title><link>{}</link><description>{}</description></item>"


def addresses(inner: str) -> list[Address]:
    """All of them. INNER is the canary's origin."""
    return [*_markup(inner), *_xml(inner), *_pdf(), *_others(inner)]


def _markup(inner: str) -> list[Address]:
    deep = "<div>" * 30_000
    return [
        Address("/deep", [html(page(ARTICLE + deep + "down here"))], DEEP, OK),
        Address("/deep-in-spans", [html(page(ARTICLE + "<b><i>" * 15_000))], DEEP, OK),
        Address("/deep-tables", [html(page(ARTICLE + "<table><tr><td>" * 4_000))], DEEP, OK),
        Address("/deep-lists", [html(page(ARTICLE + "<ul><li>" * 15_000))], DEEP, OK),
        Address("/giant-attribute", [html(page(f'<p title="{"x" * 180_000}"></p>' + ARTICLE))], OK),
        Address("/many-attributes", [html(page(f"<p {' '.join(f'a{n}=b' for n in range(15_000))}></p>" + ARTICLE))], OK),
        Address("/one-word", [html(page(ARTICLE + f"<p>{'x' * 180_000}</p>"))], OK),
        Address("/many-tags", [html(page(ARTICLE + "<br>" * 40_000))], OK),
        Address("/wide-cells", [html(page(ARTICLE + "<table><tr><td colspan=99999999 rowspan=99999999>x</td></tr></table>"))], OK),
        Address("/many-links", [html(page(ARTICLE + "".join(f"<a href='#{n}'>{n}</a>" for n in range(5_000))))], OK),
        Address("/never-closed", [html(page(ARTICLE) + "<!-- " + "x" * 1000)], OK),
        Address("/script-never-closed", [html(page(ARTICLE + "<script>let x = '"))], OK),
        Address("/style-never-closed", [html(page(ARTICLE + "<style>p { color: "))], OK),
        Address("/nul-bytes", [html(page(ARTICLE).encode().replace(b"The ", b"The\0 "))], Found(says="eastern lock")),
        Address("/half-characters", [html(page(ARTICLE).encode() + b"<p>\xf0\x9f\x98 \xed\xa0\x80 \xff\xfe</p>")], OK),
        Address("/lone-surrogates", [html(page(ARTICLE + "<p>&#xD800; &#x110000; &#0; &#x80;</p>"))], OK),
        Address("/piled-up", [html(page(ARTICLE + f"<p>Z{'̍' * 20_000}</p>"))], OK),
        Address("/turned-round", [html(page(ARTICLE + "<p>\u202egnitaob\u202c \u200b\u2066</p>"))], OK),
        Address("/base-inwards", [html(page(ARTICLE + "<a href=secret>x</a><img src=secret>", f"<base href='{inner}/'>"))], OK),
        Address("/data-without-end", [html(page(ARTICLE, f'<script type="application/ld+json">{"[" * 90_000}</script>'))], OK),
        Address("/data-of-nonsense", [html(page(ARTICLE, '<script type="application/ld+json">{"@type":"Article","datePublished":{"a":[1e999]}}</script>'))], OK),
        Address("/title-without-end", [html(f"<title>{'Harbour ' * 20_000}</title>" + ARTICLE)], OK),
        Address("/dates-without-end", [html(page(ARTICLE + f"<time>{'2024-01-' * 20_000}</time>"))], OK),
        Address("/plaintext", [html(page(ARTICLE + "<plaintext>the rest"))], OK),
        Address("/frameset", [html(f"<frameset><frame src='{inner}/secret'><noframes>{ARTICLE}</noframes></frameset>")], judged("empty"), Found(state="empty", warning="requests_refused: ")),
    ]  # fmt: skip


def _xml(inner: str) -> list[Address]:
    outside = f"<!DOCTYPE d [<!ENTITY x SYSTEM '{inner}/secret'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>"
    sheet = f"<?xml-stylesheet type='text/xsl' href='{inner}/secret'?>"
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg'><script>fetch('{inner}/svg')</script>"
        f"<image href='{inner}/svg'/><text>{TOLL}</text></svg>"
    )
    channel = (
        f"<rss version='2.0'><channel><title>News</title>{FEED.format(inner + '/entry', TOLL * 3)}</channel></rss>"
    )
    return [
        Address("/laughs", [typed("application/xml", f"<?xml version='1.0'?>{LAUGHS}<d>{TOLL} &a9;</d>")], Found(says=TOLL)),
        Address("/laughs-as-a-page", [typed("application/xhtml+xml", LAUGHS + page(ARTICLE + "<p>&a9;</p>"))], OK, AS_IT_CAME),
        Address("/entities-outside", [typed("application/xml", f"<?xml version='1.0'?>{outside}<d>{TOLL} &x; &f;</d>")], Found(says=TOLL)),
        Address("/sheet-outside", [typed("application/xml", f"<?xml version='1.0'?>{sheet}<d>{TOLL}</d>")], Found(says=TOLL)),
        Address("/deep-xml", [typed("application/xml", "<?xml version='1.0'?>" + "<a>" * 40_000)], judged("empty")),
        Address("/picture.xml", [typed("image/svg+xml", svg)], Found(says=TOLL)),
        Address("/feed", [typed("application/rss+xml", channel)], Found(says=TOLL)),
        Address("/feed-that-is-cut", [typed("application/rss+xml", channel[:-40])], Found(says=TOLL)),
    ]  # fmt: skip


def pdf(*parts: bytes, root: int = 1) -> bytes:
    """A PDF of these objects, numbered from 1."""
    out, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(parts) + 1
    end = b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (count, root, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % count + table + end


CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
ONE_PAGE = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
PAPER = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>"
)


def stream(data: bytes, more: bytes = b"") -> bytes:
    """A stream of a PDF."""
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), more, data)


def _pdf() -> list[Address]:
    sentence = linked_pdf([TOLL])
    flate = b"/Filter /FlateDecode"
    bomb = pdf(CATALOG, ONE_PAGE, PAPER, stream(zlib.compress(b"0 0 m " * 20_000_000, 9), flate))
    picture = b"/Type /XObject /Subtype /Image /Width 600 /Height 800 /ColorSpace /DeviceGray /BitsPerComponent 8 "
    scan = pdf(CATALOG, ONE_PAGE, PAPER, stream(b"q 600 0 0 800 0 0 cm /I Do Q"), stream(zlib.compress(b"\xc8" * 480_000), picture + flate))  # fmt: skip
    ring = pdf(CATALOG, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 99999999 >>")
    scripted = sentence.replace(
        b"/Type /Catalog", b"/Type /Catalog /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
    )
    kind = "application/pdf"
    return [
        Address("/paper.pdf", [typed(kind, sentence)], Found(says=TOLL)),
        Address("/paper-without-a-type", [Route(headers=(), body=sentence)], Found(says=TOLL)),
        Address("/paper-called-a-page", [html(sentence)], Found(says=TOLL)),
        Address("/paper-as-a-download", [typed(kind, sentence, ("Content-Disposition", "attachment; filename=x.pdf"))], Found(says=TOLL)),
        Address("/scripted.pdf", [typed(kind, scripted)], Found(says=TOLL)),
        Address("/scan.pdf", [typed(kind, scan)], judged("empty")),
        Address("/bomb.pdf", [typed(kind, bomb)], judged("empty")),
        Address("/ring.pdf", [typed(kind, ring)], UNREADABLE),
        Address("/cut.pdf", [typed(kind, sentence[:300])], UNREADABLE),
        Address("/no-paper.pdf", [typed(kind, page(ARTICLE))], UNREADABLE),
        Address("/noise.pdf", [typed(kind, b"%PDF-1.7\n" + bytes(range(256)) * 100)], UNREADABLE),
    ]  # fmt: skip


def _others(inner: str) -> list[Address]:
    attached = ("Content-Disposition", "attachment; filename=../../etc/passwd")
    markdown = f"# Toll\n\n{TOLL}\n\n![x]({inner}/md)\n"
    return [
        Address("/words.txt", [Route(headers=(TEXT,), body=f"{TOLL}\n" * 20)], Found(says=TOLL)),
        Address("/page-called-text", [Route(headers=(TEXT,), body=page(ARTICLE))], Found(says=SAYS)),
        Address("/words.md", [typed("text/markdown", markdown)], Found(says=TOLL)),
        Address("/data.json", [typed("application/json", f'{{"note": "{TOLL}"}}')], Found(says=TOLL)),
        Address("/deep.json", [typed("application/json", "[" * 90_000)], SHORT),
        Address("/file", [typed("application/octet-stream", bytes(range(256)), attached)], judged("unknown")),
        Address("/page-as-a-download", [typed("text/html", page(ARTICLE), attached)], OK, AS_IT_CAME),
        Address("/packed", [typed("application/x-tar", gzip.compress(SECRET.encode()))], judged("unknown")),
        Address("/picture", [typed("image/png", b"\x89PNG\r\n\x1a\n" + bytes(300))], judged("unknown")),
        Address("/page-called-picture", [typed("image/png", page(ARTICLE))], judged("unknown")),
        Address("/page-called-nothing", [typed("application/x-unheard-of", page(ARTICLE))], UNREADABLE),
        Address("/stream-of-events", [typed("text/event-stream", f"data: {TOLL}\n\n")], Found(says=TOLL)),
    ]  # fmt: skip
