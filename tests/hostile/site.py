"""The hostile site as a whole: its start page, robots.txt and sitemaps, and every address that they lead to."""

import gzip
from collections.abc import Sequence
from dataclasses import replace

from tests.crawler.reading_pages import page
from tests.hostile import markup, redirects, scripts, states, transport
from tests.hostile.address import ARTICLE, Address
from tests.sites import Route, robots

ENTRY = "<url><loc>{}</loc></url>"
BOMB = gzip.compress(b"<urlset>" + ENTRY.format("http://127.0.0.2/x").encode() * 400_000)


def every(inner: str, name: str) -> list[Address]:
    """All addresses. INNER is the origin of the canary, NAME one whose name leads to it."""
    return [
        *transport.addresses(),
        *redirects.addresses(inner, name),
        *markup.addresses(inner),
        *states.addresses(inner),
        *scripts.addresses(inner, name),
    ]


def routes(addresses: Sequence[Address], inner: str) -> list[Route]:
    """What answers at them, and leads to them."""
    own = [
        replace(route, path=address.path) if route.path == "/" else route
        for address in addresses
        for route in address.routes
    ]
    return [*_entrance(addresses, inner), *own]


def _entrance(addresses: Sequence[Address], inner: str) -> list[Route]:
    """A start page that leads to all of them and inwards, and sitemaps that lead in circles, inwards, and nowhere."""
    elsewhere = [
        f"{inner}/link",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "mailto:a@b",
        "//",
        "http://",
    ]
    links = "".join(f'<li><a href="{link}">{link}</a></li>' for link in [*(one.path for one in addresses), *elsewhere])
    sitemaps = ["/map-of-maps", f"{inner}/map", "/map-bomb.gz", "/map-of-laughs", "/map-never", "/missing"]
    rules = "User-agent: *\nDisallow: /disallowed\n" + "".join(
        f"Sitemap: {one if '://' in one else 'http://127.0.0.2:{port}' + one}\n" for one in sitemaps
    )
    index = "".join(f"<sitemap><loc>{one}</loc></sitemap>" for one in ("/map-of-maps", "/map-round", f"{inner}/map"))
    return [
        robots(rules + "# " + "x" * 600_000),
        Route("/", body=page(f"{ARTICLE}<ul>{links}</ul>")),
        Route("/map-of-maps", body=f"<sitemapindex>{index}</sitemapindex>"),
        Route("/map-round", body=f"<sitemapindex>{index}</sitemapindex>"),
        Route("/map-bomb.gz", body=BOMB),
        Route("/map-of-laughs", body=markup.LAUGHS + "<urlset><url><loc>&a9;</loc></url></urlset>"),
        Route("/map-never", raw=b"HTTP/1.1 200 OK\r\n\r\n<urlset>", then="hold"),
    ]  # fmt: skip
