"""The links of a page and its base address."""

from typing import Any, Final

import ada_url

from crawler.reading import Link
from crawler.scalars import one_line, scalars

# Real pages rarely have more; what is cut is told by the total.
MAX_LINKS: Final = 2_000
MAX_LINK_TEXT: Final = 200
MAX_ADDRESS: Final = 4_096


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
    """The page's links in order, each address and text once, at most MAX_LINKS; and how many there are.

    Links to places in the page itself are left out: they lead nowhere else.
    """
    here = base.partition("#")[0]
    found: dict[Link, None] = {}
    resolved: dict[str, str | None] = {}
    for element in root.iter("a", "area"):
        href = element.get("href")
        if not href or href.startswith("#"):
            continue
        if href not in resolved:
            resolved[href] = resolve(href, base)
        url = resolved[href]
        if url is None or ("#" in url and url.partition("#")[0] == here):
            continue
        text = one_line(scalars("".join(element.itertext())))[:MAX_LINK_TEXT].rstrip()
        found[Link(url, text or one_line(element.get("aria-label") or element.get("title") or "")[:MAX_LINK_TEXT])] = (
            None
        )
    return tuple(found)[:MAX_LINKS], len(found)
