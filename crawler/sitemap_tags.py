"""The entries of a sitemap that is no XML: bare ampersands, prefixes that nobody declared, control characters, a cut.

They are told by their tags alone. Nothing is expanded but the five names that XML has, and numbers.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from crawler.addresses import MAX_ADDRESS

TAG: Final = re.compile(
    r"<!--|<!doctype|<!entity|"
    r"<(?P<end>/?)(?:(?P<prefix>[A-Za-z_][\w.-]{0,30}):)?(?P<name>urlset|sitemapindex|url|sitemap|loc)"
    r"(?=[\s/>])[^<>]{0,1000}>",
    re.IGNORECASE,
)
CDATA: Final = "<![CDATA["
ESCAPE: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")
CONTROLS: Final = re.compile(r"[\x00-\x20\x7f]+")


def entries_by_tags(text: str, most: int) -> Iterator[tuple[str, str]]:
    """Give each location within a root, and the name of the element that it belongs to (`url` or `sitemap`).

    At most so many tags are looked at. Comments are passed over; nothing is read of what has a document type.
    """
    place = tags = 0
    rooted, owner = False, ("", "")
    while tags < most and (found := TAG.search(text, place)) is not None:
        tags, place = tags + 1, found.end()
        name = (found["name"] or "").lower()
        if not name:
            ended = text.find("-->", place) if found[0] == "<!--" else -1
            if ended < 0:
                return
            place = ended
        elif name in {"urlset", "sitemapindex"}:
            rooted = True
        elif name != "loc":
            owner = ("", "") if found["end"] else (name, found["prefix"] or "")
        elif rooted and owner[0] and not found["end"] and (found["prefix"] or "") == owner[1]:
            address = _content(text, place)
            if address:
                yield owner[0], address


def _content(text: str, start: int) -> str:
    """What stands up to the next tag, if that is an end: an address that is cut is none."""
    if text[start : start + 100].lstrip().startswith(CDATA):
        start = text.find(CDATA, start) + len(CDATA)
        end = text.find("]]>", start, start + MAX_ADDRESS)
        return CONTROLS.sub(" ", text[start:end]).strip() if end >= 0 else ""
    end = text.find("<", start, start + MAX_ADDRESS)
    if end < 0 or text[end + 1 : end + 2] != "/":
        return ""
    return CONTROLS.sub(" ", ESCAPE.sub(lambda found: unescape(found[0]), text[start:end])).strip()
