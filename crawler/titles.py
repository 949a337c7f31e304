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

# Letters of no script, in the place of quotation marks.
_AS_LETTERS: Final = {0xBB: 0xE000, 0xAB: 0xE001}
_AS_MARKS: Final = {letter: mark for mark, letter in _AS_LETTERS.items()}
_NOT_COLON: Final = re.compile(_SEPARATOR.pattern.rpartition("|")[0])

_WORD: Final = re.compile(r"\w")

# Between the name of a site and the title of a page there is no paragraph of so many words: less is a motto.
WORDS_OF_TEXT: Final = 12

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
        # Of two that stand in the title, the shorter one is the site's name or a section's.
        alike, _, best = max((max(_alike(h, t) for t in said), len(h), h) for h in headings)
        if alike >= (ONLY_HEADING_ALIKE if len(headings) == 1 else HEADING_ALIKE):
            return best
        if len(headings) == 1 and words_of(best).startswith(_parts(said[0])[0] + " "):
            return best
    elif (lesser := title_element(root, head)) is not None and lesser.tag != "h1":
        return _heading(lesser)[:MAX_TITLE]
    return (_from_data(head) or _without_site(said[0], site))[:MAX_TITLE]


def title_element(root: Any, head: Head) -> Any | None:
    """The heading that says what the head calls the title, or most of it; else the first `h1`; None for neither."""
    titles = [t for t in (_said_title(head), head.title) if t]
    said = [words for t in titles if (words := words_of(t))]
    begins = {parts[0] for t in titles if (parts := _parts(t))}
    first = beginning = None
    for element in root.iter("h1", "h2", "h3", "h4"):
        if element.tag == "h1" and first is None:
            first = element
        words = words_of(_heading(element))
        most = words and any(words == title or (words in title and 2 * len(words) >= len(title)) for title in said)
        if most and not (element.tag == "h1" and _is_above(words, _parts(head.title or ""), root)):
            return element
        if beginning is None and words in begins:
            beginning = element
    return beginning if beginning is not None else first


def _names_site(heading: str, site: str, head: Head, root: Any) -> bool:
    """Whether HEADING is the site's name: said so, or the lesser part of the title.

    Sites sign at the end of a title. One that signs at its beginning has the rest in a lesser heading.
    """
    plain = words_of(heading)
    if plain == site:
        return True
    parts = _parts(head.title or "")
    if _is_above(plain, parts, root):
        return True
    if not parts or 2 * len(plain) >= max(map(len, parts)):
        return False
    if plain == parts[-1] or plain.startswith(parts[-1] + " "):
        return True
    if plain != parts[0]:
        return False
    rest = max(parts, key=len)
    return any(rest in words_of(_heading(lesser)) for lesser in root.iter("h2", "h3"))


def _parts(title: str) -> list[str]:
    """What TITLE says between its separators, as `words_of` has it."""
    return [words for p in _split(title) if (words := words_of(p))]


def _split(title: str, *, colons: bool = True) -> list[str]:
    """TITLE between its separators. Marks that point both ways are quotation marks, and may be within a part."""
    quotes = "\u00bb" in title and "\u00ab" in title
    if quotes:
        title = title.translate(_AS_LETTERS)
    parts = (_SEPARATOR if colons else _NOT_COLON).split(title)
    return [part.translate(_AS_MARKS) for part in parts] if quotes else parts


def _is_above(plain: str, parts: list[str], root: Any) -> bool:
    """Whether a title of PARTS ends with PLAIN, and begins with a lesser heading below it, before any text."""
    if len(parts) <= 1 or not (plain.startswith(parts[-1]) or parts[-1].startswith(plain)):
        return False
    above = False
    for element in root.iter("h1", "h2", "h3", "p"):
        if element.tag == "p":
            if above and len("".join(element.itertext()).split()) >= WORDS_OF_TEXT:
                return False
        elif element.tag == "h1":
            above = words_of(_heading(element)) == plain
        elif above and words_of(_heading(element)) == parts[0]:
            return True
    return False


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
    parts = [p for p in _split(title) if p.strip()]
    if len(parts) < 2:  # noqa: PLR2004 - one part is the whole
        return title
    if site and words_of(parts[-1]) == site:
        return title[: title.rindex(parts[-1])].rstrip(" |\u2013\u2014-\u00bb\u00ab\u203a\u2039·•/:~_\uff5c") or title
    if site and words_of(parts[0]) == site:
        return (
            title[title.index(parts[0]) + len(parts[0]) :].lstrip(" |\u2013\u2014-\u00bb\u00ab\u203a\u2039·•/:~_\uff5c")
            or title
        )
    longest = max(_split(title, colons=False), key=len)
    return longest.strip() if 2 * len(longest) >= len(title) else title
