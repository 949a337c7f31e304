"""The links of a page and its base address."""

import itertools
from typing import Any, Final

import ada_url

from crawler.reading import Link
from crawler.scalars import one_line, scalars

# Real pages rarely have more; what is cut is told by the total.
MAX_LINKS: Final = 2_000
MAX_LINK_TEXT: Final = 200
MAX_ADDRESS: Final = 4_096

# Lines of links are short; how much of one has to be links, and how long a label before them may be.
MAX_LINE: Final = 400
LINE_LINKED: Final = 0.8
LABEL_WORDS: Final = 4
LABELLED_WORDS: Final = 4
_LINE_TAGS: Final = ("p", "li", "h2", "h3", "h4", "h5", "h6", "div", "td", "dd", "section", "blockquote")


def resolve(address: str | None, base: str) -> str | None:
    """ADDRESS as an absolute http(s) address by the WHATWG rules, None if it is none."""
    if not address or len(address) > MAX_ADDRESS:
        return None
    try:
        found = str(ada_url.URL(scalars(address), base=base or None).href)
    except ValueError:
        return None
    return found if found.startswith(("http://", "https://")) else None


def find_links(root: Any, base: str) -> tuple[tuple[Link, ...], int]:
    """The page's links in order, each page once, at most MAX_LINKS; and to how many pages there are links.

    A page is named without the place in it that a link leads to (its fragment), and with the first text that a link to
    it has: indexes and menus repeat an address dozens of times. The page itself is left out.
    """
    here = base.partition("#")[0]
    found: dict[str, str] = {}
    resolved: dict[str, str | None] = {}
    for element in root.iter("a", "area"):
        href = element.get("href")
        if not href or href.startswith("#"):
            continue
        if href not in resolved:
            resolved[href] = resolve(href, base)
        address = resolved[href]
        if address is None:
            continue
        url, place, _ = address.partition("#")
        if (place and url == here) or found.get(url):
            continue
        found[url] = _text(element)
    links = tuple(Link(url, text) for url, text in itertools.islice(found.items(), MAX_LINKS))
    return links, len(found)


def link_lines(root: Any, base: str) -> tuple[Link, ...]:
    """Blocks that are nothing but links to other pages, perhaps behind a label as "Read also:", each with all its text.

    The address is that of the block's first link.
    """
    here = base.partition("#")[0]
    blocks: dict[Any, list[Any]] = {}
    for link in root.iter("a"):
        href = link.get("href")
        if href and not href.startswith("#") and (block := next(link.iterancestors(*_LINE_TAGS), None)) is not None:
            blocks.setdefault(block, []).append(link)
    lines = []
    for block, links in blocks.items():
        text = one_line(scalars("".join(block.itertext())))
        if len(text) > MAX_LINE or not _is_links(text, sum(map(_squeezed, links))):
            continue
        address = resolve(links[0].get("href"), base)
        if address is not None and address.partition("#")[0] != here:
            lines.append(Link(address, text))
    return tuple(lines)


def _squeezed(element: Any) -> int:
    return len("".join("".join(element.itertext()).split()))


def _is_links(text: str, inside: int) -> bool:
    label, colon, rest = text.partition(":")
    if colon and len(label.split()) <= LABEL_WORDS and len(rest.split()) >= LABELLED_WORDS:
        text = rest
    return 0 < inside >= LINE_LINKED * len("".join(text.split()))


def _text(element: Any) -> str:
    """What a link says, or what it is called where it shows a picture."""
    text = one_line(scalars("".join(element.itertext())))[:MAX_LINK_TEXT].rstrip()
    return text or one_line(element.get("aria-label") or element.get("title") or "")[:MAX_LINK_TEXT]
