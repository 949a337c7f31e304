"""Sitemaps as they lie on servers: with blanks, warnings and faults in them, packed twice, or feeds."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import BadSitemap, is_sitemap, read_sitemap

HERE = "https://example.org/maps/all.xml"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
END = "</urlset>"
PIERS = ("https://example.org/pier?a=1&b=2", "https://example.org/maps/quay")
ENTRIES = "<url><loc>https://example.org/pier?a=1&amp;b=2</loc></url><url><loc>quay</loc></url>"
BARE = ENTRIES.replace("&amp;", "&")


@pytest.mark.parametrize(
    "body",
    [
        f"\n\n  {HEAD}{ENTRIES}{END}".encode(),
        b"\xef\xbb\xbf\r\n" + f"{HEAD}{ENTRIES}{END}".encode(),
        gzip.compress(gzip.compress(f"{HEAD}{ENTRIES}{END}".encode(), mtime=0), mtime=0),
        f"{PIERS[0]}\n{PIERS[1]}\n".encode("utf-16"),
        f"{PIERS[0]}\t2026-01-01\n{PIERS[1]}\tweekly\n".encode(),
    ],
)
def test_what_stands_around_a_sitemap_does_no_harm(body: bytes) -> None:
    sitemap = read_sitemap(body, HERE)

    assert (sitemap.pages, sitemap.cut) == (PIERS, False)


@pytest.mark.parametrize(
    "body",
    [
        f"{HEAD}{BARE}{END}",
        f"Warning: undefined index in map.php on line 3\n{HEAD}{ENTRIES}{END}",
        f"<br />\n<b>Notice</b>: undefined index in <b>map.php</b><br />\n{HEAD}{ENTRIES}{END}",
        f"{HEAD}{ENTRIES}".replace("<url", "<sm:url").replace("</url", "</sm:url").replace("loc>", "sm:loc>"),
        f"{HEAD}<url><image:image><image:loc>/no.png</image:loc></image:image></url>{BARE}{END}",
        f"{HEAD}<!-- <url><loc>/was</loc></url> -->{BARE}{END}",
        f"{HEAD}<url><loc><![CDATA[ {PIERS[0]} ]]></loc>&nbsp;</url><url><loc>quay</loc></url>{END}",
        f"{HEAD}<url>\x0b</url>{ENTRIES}{END}",
        f"{HEAD}{BARE}<url><loc>https://example.org/cu",
        f"{HEAD}{BARE}<url><loc>https://example.org/cu<url>",
        f"{HEAD}{ENTRIES[:53]}</url>{END}\n{HEAD}{ENTRIES[53:]}{END}",
        f"{HEAD}{ENTRIES}{END}".replace("UTF-8", "x-martian"),
    ],
)
def test_of_a_damaged_sitemap_every_whole_entry_counts_wherever_the_damage_is(body: str) -> None:
    sitemap = read_sitemap(body.encode(), HERE)

    assert (sitemap.pages, sitemap.cut) == (PIERS, True)


MANY = tuple(f"https://example.org/pier/{number:04d}-{number * 7919 % 9973}" for number in range(2_000))


@pytest.mark.parametrize(
    "body",
    [
        HEAD + "".join(f"<url><loc>{page}</loc></url>\n" for page in MANY) + END,
        "\n".join(MANY),
        "<rss version='2.0'><channel>" + "".join(f"<item><link>{page}</link></item>" for page in MANY),
    ],
)
@pytest.mark.parametrize("packed", [True, False])
def test_of_a_sitemap_that_was_cut_on_its_way_the_entries_that_came_count(body: str, *, packed: bool) -> None:
    sent = gzip.compress(body.encode(), mtime=0) if packed else body.encode()

    sitemap = read_sitemap(sent[: len(sent) // 2], HERE, whole=packed)

    assert sitemap.cut
    assert 500 < len(sitemap.pages) < 1500
    assert sitemap.pages == MANY[: len(sitemap.pages)]


def test_a_packed_sitemap_of_which_nothing_came_is_none() -> None:
    with pytest.raises(BadSitemap, match="not whole"):
        read_sitemap(gzip.compress(f"{HEAD}{ENTRIES}{END}".encode(), mtime=0)[:12], HERE)


def test_a_damaged_index_names_sitemaps_and_a_byte_of_another_charset_is_read_in_it() -> None:
    index = "<sitemapindex><sitemap><loc>/a.xml?x=1&y=2</loc></sitemap></sitemapindex>"
    latin = f"{HEAD}<url><loc>/brücke</loc></url>{END}"

    assert read_sitemap(index.encode(), HERE).sitemaps == ("https://example.org/a.xml?x=1&y=2",)
    assert read_sitemap(latin.encode("latin-1"), HERE).pages == ("https://example.org/br%C3%BCcke",)


ATOM = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='/self'/><entry>{}<link href='/one'/></entry></feed>"


@pytest.mark.parametrize(
    "body",
    [
        "<rss version='2.0'><channel><link>/home</link><item><link>/one</link></item></channel></rss>",
        ATOM.format("<link rel='edit' href='/no'/>"),
        ATOM.format("").replace("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"),
    ],
)
def test_a_feed_is_a_sitemap_too(body: str) -> None:
    assert read_sitemap(body.encode(), HERE).pages == ("https://example.org/one",)


@pytest.mark.parametrize(
    "body",
    [
        "<!doctype html><html><title>Not found</title><body><br><p>No sitemap & nothing else.</body></html>",
        f"<!DOCTYPE urlset [<!ENTITY a '&b'><!ENTITY b 'c'>{HEAD[39:]}<url><loc>/&a;</loc></url>{END}",
        f"{HEAD}<url><loc>https://example.org/" + "x" * 9000 + f"</loc></url>&{END}",
        f"{HEAD}<!-- {ENTRIES}",
    ],
)
def test_nothing_is_made_of_what_is_no_sitemap(body: str) -> None:
    with pytest.raises(BadSitemap):
        read_sitemap(body.encode(), HERE)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (f"<?xml version='1.0'?><!-- a > b -->{HEAD[39:]}", True),
        (f"Warning: line 3\n{HEAD}", True),
        ("<!---->" * 500 + "<x", False),
        ("<html><body>&lt;urlset> <urlset> is what a sitemap begins with</body></html>", False),
    ],
)
def test_a_sitemap_to_start_from_is_told_by_its_root_wherever_it_stands(body: str, *, told: bool) -> None:
    assert is_sitemap(body.encode()) is told


@pytest.mark.parametrize(
    "piece", ["<url><loc><![CDATA[", "<url><loc>", "<url ", "<!-- ", "<loc>x</loc>", "<url>" + "x" * 900, "<sm:loc"]
)
def test_what_is_made_to_be_slow_comes_to_an_end(piece: str) -> None:
    body = (HEAD + "&" + piece * (4_000_000 // len(piece))).encode()

    with pytest.raises(BadSitemap):
        read_sitemap(body, HERE)


@given(st.text(alphabet="<>/&;![]-ulrocsetxip:?CDATA\"'= \n", max_size=300))
def test_any_text_behind_a_root_is_read_or_refused(text: str) -> None:
    try:
        sitemap = read_sitemap(f"{HEAD}&{text}".encode(), HERE)
    except BadSitemap:
        return

    assert sitemap.cut
    assert sitemap.pages or sitemap.sitemaps
