"""Sitemaps (sitemaps.org): which pages a site names itself. Hostile until shown otherwise.

No entity is expanded, no document type is accepted, nothing is loaded from elsewhere, and sizes are bounded.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Final

from lxml import etree

from crawler.addresses import MAX_ADDRESS, canonical
from crawler.decode import Decoder
from crawler.errors import BadSitemap, CutShort, TooLarge
from crawler.inflate import GZIP_MAGIC

MAX_SITEMAP: Final = 50 * 1024 * 1024
"""Bytes of one sitemap after unpacking, as the protocol allows."""
MAX_ENTRIES: Final = 50_000
"""Entries of one sitemap, as the protocol allows; further ones are left out."""
MAX_ELEMENTS: Final = 1_000_000
"""Elements of one sitemap: 20 for each entry. Reading them takes a few seconds, so more are refused."""
MAX_DEPTH: Final = 50
"""Elements inside each other; a sitemap needs four."""
SNIFFED: Final = 4096
"""Bytes looked at to tell text from XML."""
ROOT: Final = re.compile(rb"(?:<[?!][^>]{0,2000}>\s*)*<([a-z0-9_.:-]{1,60})")
"""The name of the first element, after declarations and comments."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What one sitemap names, in its order, each once and canonical: pages, or (of an index) further sitemaps.

    `cut`: it has more entries than are read, or is damaged behind those that were.
    """

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    cut: bool = False


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """Read the sitemap that lies at `url`: XML, an index, or a list of addresses as text; each also gzipped.

    A large one takes a second or more of CPU: in an event loop, run it in a thread.

    Raises:
        BadSitemap: it is none of these, too large, or holds what a sitemap has no need for.
    """
    plain = _unpacked(body)
    head = plain[:SNIFFED].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"<") or b"\0" in head:  # UTF-16 and UTF-32 have zero bytes in their markup
        return _from_xml(plain, url)
    return _from_text(plain, url)


def is_sitemap(body: bytes) -> bool:
    """Whether a body is one, by how its root is called; a list of addresses as text is told by nothing."""
    try:
        plain = _unpacked(body)
    except BadSitemap:
        return False
    head = plain[:SNIFFED].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").lower()
    root = ROOT.match(head) if head.startswith(b"<") else None
    return root is not None and root[1].rpartition(b":")[2] in {b"urlset", b"sitemapindex"}


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(GZIP_MAGIC):
        if len(body) > MAX_SITEMAP:
            raise BadSitemap(f"the sitemap is larger than {MAX_SITEMAP} bytes")
        return body
    decoder = Decoder(["gzip"], MAX_SITEMAP)
    try:
        decoder.feed(body)
        decoder.finish()
    except TooLarge as error:
        raise BadSitemap(f"the sitemap is larger than {MAX_SITEMAP} bytes") from error
    except CutShort as error:
        raise BadSitemap("the sitemap's gzip stream is not whole") from error
    return decoder.body


def _from_text(plain: bytes, url: str) -> Sitemap:
    lines = plain.decode("utf-8-sig", "replace").splitlines()
    found = [link for line in lines[:MAX_ENTRIES] if line.strip() and (link := canonical(line.strip()))]
    if not found:
        raise BadSitemap(f"what lies at {url[:MAX_ADDRESS]} names no page")
    return Sitemap(pages=tuple(dict.fromkeys(found)), cut=len(lines) > MAX_ENTRIES)


def _from_xml(plain: bytes, url: str) -> Sitemap:
    pages: dict[str, None] = {}
    sitemaps: dict[str, None] = {}
    cut = False
    try:
        for count, (owner, text) in enumerate(_locations(plain)):
            if count >= MAX_ENTRIES:
                cut = True
                break
            link = canonical(text, url)
            if link is not None:
                (sitemaps if owner == "sitemap" else pages).setdefault(link)
    except etree.XMLSyntaxError as error:
        if not pages and not sitemaps:
            raise BadSitemap(f"what lies at {url} is no sitemap: {error.msg}") from error
        cut = True
    if not pages and not sitemaps:
        raise BadSitemap(f"what lies at {url} names no page")
    return Sitemap(tuple(pages), tuple(sitemaps), cut=cut)


def _locations(plain: bytes) -> Iterator[tuple[str, str]]:
    """Give each location and the local name of the element that it belongs to (`url` or `sitemap`)."""
    events = etree.iterparse(
        BytesIO(plain),
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    depth = elements = 0
    for event, element in events:
        if event == "start":
            if depth == 0 and element.getroottree().docinfo.internalDTD is not None:
                raise BadSitemap("the sitemap has a document type, which it has no need for")
            depth += 1
            elements += 1
            if depth > MAX_DEPTH:
                raise BadSitemap("the sitemap is nested too deeply")
            if elements > MAX_ELEMENTS:
                raise BadSitemap(f"the sitemap has more than {MAX_ELEMENTS} elements")
            continue
        depth -= 1
        parent = element.getparent()
        if _local(element) == "loc" and parent is not None and _local(parent) in {"url", "sitemap"}:
            text = (element.text or "").strip()
            if text and len(text) <= MAX_ADDRESS:
                yield _local(parent), text
        element.clear()  # what has been read is freed, with what lies before it
        while parent is not None and element.getprevious() is not None:
            del parent[0]


def _local(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""
