"""The title of a page."""

import re
from collections.abc import Iterator
from typing import Any, Final

from crawler.head import Head, site_of, text_of, words_of
from crawler.scalars import one_line, scalars

# Longer than any title; what is longer is a page that put its text there.
MAX_TITLE: Final = 500

# A heading is the title if this share of it also stands in what the head calls the title. Headlines on the page are
# often longer than those for search engines; the only h1 of a page needs less likeness than one of several.
HEADING_ALIKE: Final = 0.75
ONLY_HEADING_ALIKE: Final = 0.5

_SEPARATOR: Final = re.compile(
    r"\s+[|\u2013\u2014\-\u00bb\u00ab\u203a\u2039·•/:~]+\s+|\s*[|\uff5c\u00bb\u00ab·•_]+\s*|(?<=\w): "
)

_WORD: Final = re.compile(r"\w")

_TITLE_META: Final = (
    "og:title",
    "twitter:title",
    "citation_title",
    "dc.title",
    "dcterms.title",
    "parsely-title",
    "sailthru.title",
    "headline",
    "title",
)


def find_title(root: Any, head: Head) -> str | None:
    """The title of what the page holds, without the site's name where that can be told."""
    said = [t for t in (_said_title(head), head.title, _from_data(head)) if t]
    site = site_of(head)
    headings = []
    for element in root.iter("h1"):
        text = _heading(element)
        if text and len(text) <= MAX_TITLE and text not in headings and not _names_site(text, site, head, root):
            headings.append(text)
    if not said:
        return headings[0] if headings else _first_h2(root)
    if headings:
        best = max(headings, key=lambda h: max(_alike(h, t) for t in said))
        alike = max(_alike(best, t) for t in said)
        if alike >= (ONLY_HEADING_ALIKE if len(headings) == 1 else HEADING_ALIKE):
            return best
    return (_from_data(head) or _without_site(said[0], site))[:MAX_TITLE]


def _names_site(heading: str, site: str, head: Head, root: Any) -> bool:
    """Whether HEADING is the site's name: said so, or the lesser part of the title.

    Sites sign at the end of a title. One that signs at its beginning has the rest in a lesser heading.
    """
    plain = words_of(heading)
    if plain == site:
        return True
    parts = [words for p in _SEPARATOR.split(head.title or "") if (words := words_of(p))]
    if not parts or 2 * len(plain) >= max(map(len, parts)):
        return False
    if plain == parts[-1] or plain.startswith(parts[-1] + " "):
        return True
    if plain != parts[0]:
        return False
    rest = max(parts, key=len)
    return any(rest in words_of(_heading(lesser)) for lesser in root.iter("h2", "h3"))


def _heading(element: Any) -> str:
    """The words of a heading on one line, without the sign that links to the heading itself.

    Words of different elements are kept apart; what is only a sign stays where it is written.
    """
    text = ""
    for piece in _pieces(element):
        text += " " + piece if _WORD.match(piece) and text and _WORD.match(text[-1]) else piece
    return one_line(scalars(text))


def _pieces(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        is_link_to_itself = child.tag == "a" and (child.get("href") or "").startswith("#")
        if isinstance(child.tag, str) and not (is_link_to_itself and not _WORD.search("".join(child.itertext()))):
            yield " " if child.tag == "br" else ""
            yield from _pieces(child)
        yield child.tail or ""


def _first_h2(root: Any) -> str | None:
    second = next((one_line(scalars("".join(h.itertext()))) for h in root.iter("h2")), None)
    return second[:MAX_TITLE] if second else None


def _alike(heading: str, title: str) -> float:
    """The share of HEADING's pairs of letters that stand in TITLE too; right for every script."""
    inner, outer = words_of(heading), words_of(title)
    pairs = {inner[i : i + 2] for i in range(len(inner) - 1)} or {inner}
    return sum(p in outer for p in pairs) / len(pairs)


def _said_title(head: Head) -> str | None:
    found = head.first(*_TITLE_META)
    return found[1] if found else None


def _from_data(head: Head) -> str | None:
    for thing in head.data:
        headline = text_of(thing.get("headline"))
        if headline and len(headline) <= MAX_TITLE:
            return headline
    return None


def _without_site(title: str, site: str) -> str:
    parts = [p for p in _SEPARATOR.split(title) if p.strip()]
    if len(parts) < 2:  # noqa: PLR2004 - one part is the whole
        return title
    if site and words_of(parts[-1]) == site:
        return title[: title.rindex(parts[-1])].rstrip(" |\u2013\u2014-\u00bb\u00ab\u203a\u2039·•/:~_\uff5c") or title
    if site and words_of(parts[0]) == site:
        return (
            title[title.index(parts[0]) + len(parts[0]) :].lstrip(" |\u2013\u2014-\u00bb\u00ab\u203a\u2039·•/:~_\uff5c")
            or title
        )
    longest = max(parts, key=len)
    return longest.strip() if 2 * len(longest) >= len(title) else title
