"""Sitemaps (sitemaps.org): which pages a site names itself. Hostile until shown otherwise.

Feeds count as sitemaps too, as the protocol says. Of a damaged one the entries are told by their tags. No entity is
expanded, no document type is accepted, nothing is loaded from elsewhere, and sizes are bounded.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice
from typing import Final

from lxml import etree

from crawler.addresses import MAX_ADDRESS, canonical
from crawler.charset import decode
from crawler.decode import Decoder
from crawler.errors import BadSitemap, CutShort, TooLarge
from crawler.inflate import GZIP_MAGIC
from crawler.sitemap_tags import entries_by_tags

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
MAX_WRAPPINGS: Final = 3
"""Times that one is gzipped; a server that packs what lies there packed makes it two."""
BLANK: Final = b" \t\r\n"
UTF8_MARK: Final = b"\xef\xbb\xbf"
ROOTS: Final = frozenset({b"urlset", b"sitemapindex"})
ROOT_SOMEWHERE: Final = re.compile(rb"<(?:[a-z0-9_.-]{1,30}:)?(?:urlset|sitemapindex)[ \t\r\n>]")
"""A root that does not stand in front: a program's warning, or nothing but line ends, came before."""
LINE: Final = re.compile(r"[^\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
"""A line that is not empty, by the ends that `str.splitlines` knows."""
NAME: Final = re.compile(rb"<([a-z0-9_.:-]{1,60})")
ENTRIES: Final = {"url": "url", "sitemap": "sitemap", "item": "url", "entry": "url"}
"""What holds an address, in sitemaps and in feeds, and what the address is of."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What one sitemap names, in its order, each once and canonical: pages, or (of an index) further sitemaps.

    `cut`: it has more entries than are read, or is damaged, so that some may be missing.
    """

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    cut: bool = False


def read_sitemap(body: bytes, url: str, *, whole: bool = True) -> Sitemap:
    """Read the sitemap that lies at `url`: XML, an index, or a list of addresses as text; each also gzipped.

    Of one that is not `whole`, or whose packing was cut, the entries that came are given, and it counts as cut. A large
    one takes a second or more of CPU: in an event loop, run it in a thread.

    Raises:
        BadSitemap: it is none of these, too large, or holds what a sitemap has no need for.
    """
    plain, unpacked = _unpacked(body)
    whole &= unpacked
    head = plain[:SNIFFED].replace(b"\0", b"").lstrip(UTF8_MARK + b"\xff\xfe" + BLANK)
    if head.startswith(b"<") or ROOT_SOMEWHERE.search(head.lower()):
        found = _from_xml(plain, url)
    else:
        found = _from_text(plain, url, whole=whole)
    return found if whole else replace(found, cut=True)


def is_sitemap(body: bytes) -> bool:
    """Whether a body is one, by how its root is called; a list of addresses as text is told by nothing."""
    try:
        plain, _ = _unpacked(body)
    except BadSitemap:
        return False
    head = plain[:SNIFFED].replace(b"\0", b"").lstrip(UTF8_MARK + b"\xff\xfe" + BLANK).lower()
    first = _first_element(head)
    return first in ROOTS or (b"<html" not in head and ROOT_SOMEWHERE.search(head) is not None)


def _first_element(head: bytes) -> bytes:
    """The local name of the first element, behind declarations and comments; nothing if there is none."""
    while head.startswith((b"<?", b"<!")):
        _, ended, head = head.partition(b"-->" if head.startswith(b"<!--") else b">")
        head = head.lstrip(BLANK) if ended else b""
    found = NAME.match(head)
    return found[1].rpartition(b":")[2] if found else b""


def _unpacked(body: bytes) -> tuple[bytes, bool]:
    """What was packed, and whether all of it is there."""
    whole = True
    for _ in range(MAX_WRAPPINGS):
        if not body.startswith(GZIP_MAGIC):
            break
        decoder = Decoder(["gzip"], MAX_SITEMAP)
        try:
            decoder.feed(body)
            decoder.finish()
        except TooLarge as error:
            raise BadSitemap(f"the sitemap is larger than {MAX_SITEMAP} bytes") from error
        except CutShort as error:
            whole = False
            if not decoder.body:
                raise BadSitemap("the sitemap's gzip stream is not whole, and nothing of it can be read") from error
        body = decoder.body
    if len(body) > MAX_SITEMAP:
        raise BadSitemap(f"the sitemap is larger than {MAX_SITEMAP} bytes")
    return body, whole


def _from_text(plain: bytes, url: str, *, whole: bool) -> Sitemap:
    text = decode(plain, None, markup=False).text.lstrip("\ufeff")
    # An address that is cut is another one, or none. There may be millions of lines, so they are not all made.
    given = (line[0] for line in LINE.finditer(text) if whole or line.end() < len(text))
    lines = list(islice(given, MAX_ENTRIES + 1))
    texts = [line.partition("\t")[0].strip() for line in lines[:MAX_ENTRIES]]  # some add dates in further columns
    found = [link for text in texts if text and (link := canonical(text))]
    if not found:
        raise BadSitemap(f"what lies at {url[:MAX_ADDRESS]} names no page")
    return Sitemap(pages=tuple(dict.fromkeys(found)), cut=len(lines) > MAX_ENTRIES)


def _from_xml(plain: bytes, url: str) -> Sitemap:
    found: dict[str, dict[str, None]] = {"url": {}, "sitemap": {}}
    fault: etree.XMLSyntaxError | None = None
    cut = False
    try:
        cut = _take(found, _locations(_without_blanks(plain)), url)
    except etree.XMLSyntaxError as error:
        fault = error
        cut = _take(found, entries_by_tags(decode(plain, None, markup=True).text, MAX_ELEMENTS), url)
    if not found["url"] and not found["sitemap"]:
        if fault is not None:
            raise BadSitemap(f"what lies at {url} is no sitemap: {fault.msg}") from fault
        raise BadSitemap(f"what lies at {url} names no page")
    return Sitemap(tuple(found["url"]), tuple(found["sitemap"]), cut=cut or fault is not None)


def _take(found: dict[str, dict[str, None]], locations: Iterator[tuple[str, str]], url: str) -> bool:
    """Keep the canonical form of locations by what they belong to; whether there are more of them than are read."""
    for count, (owner, text) in enumerate(locations):
        if count >= MAX_ENTRIES:
            return True
        link = canonical(text, url)
        if link is not None:
            found[owner].setdefault(link)
    return False


def _without_blanks(plain: bytes) -> bytes:
    """Drop what a program put out in front of the declaration, where XML allows nothing."""
    mark = UTF8_MARK if plain.startswith(UTF8_MARK) else b""
    rest = plain[len(mark) :]
    return mark + rest.lstrip(BLANK) if rest[:1] in BLANK and rest[1:2] != b"\0" else plain


def _locations(plain: bytes) -> Iterator[tuple[str, str]]:
    """Give each location and what it is of (`url` or `sitemap`)."""
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
        owner = ENTRIES.get(_local(parent)) if parent is not None else None
        text = _address(element, feed=_local(parent) in {"item", "entry"}) if owner and parent is not None else ""
        if owner and text and len(text) <= MAX_ADDRESS:
            yield owner, text
        element.clear()  # what has been read is freed, with what lies before it
        while parent is not None and element.getprevious() is not None:
            del parent[0]


def _address(element: etree._Element, *, feed: bool) -> str:
    """The address that an element within an entry holds; nothing if it holds none."""
    if not feed:
        return (element.text or "").strip() if _local(element) == "loc" else ""
    if _local(element) != "link" or (element.get("rel") or "alternate").lower() != "alternate":
        return ""
    return (element.get("href") or element.text or "").strip()


def _local(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""
