"""Boxes that pages set into a text for those who read it there: to sign up for letters, to go to a section."""

from collections import Counter
from itertools import islice
from typing import Any, Final

from crawler.markup import cut_out
from crawler.page_signs import count_words

# A box to sign up says little, and not in long paragraphs.
MAX_BOX: Final = 70
PARAGRAPH: Final = 30
# One with more of a page's words is what the page is for: to write to somebody, to log in.
BOX_SHARE: Final = 0.2
# Fields looked at, and levels above each: a page has a few boxes, which are not built deep.
MAX_FIELDS: Final = 20
MAX_LEVELS: Final = 10
_NOT_A_BOX: Final = frozenset(("article", "body", "html", "main", "tbody", "td", "tr"))

# A list of at least so many links to places on its own page, with hardly a word beside, and what is said above it.
MIN_PLACES: Final = 2
MAX_LISTS: Final = 20
LINKED: Final = 0.9
LIST_SHARE: Final = 0.3
LABEL: Final = 5
_LABELS: Final = frozenset(("b", "div", "h2", "h3", "h4", "h5", "h6", "p", "span", "strong"))


def take_out_sign_ups(root: Any) -> None:
    """Take out boxes that ask for a mail address, with all that they say."""
    body = root.find("body")
    if body is None:
        return
    fields = list(islice(filter(_asks_for_mail, body.iter("input")), MAX_FIELDS))
    if not fields:
        return
    most = min(MAX_BOX, BOX_SHARE * _words(body))
    for field in fields:
        box = None
        for holder in islice(field.iterancestors(), MAX_LEVELS):
            if holder.tag in _NOT_A_BOX or _words(holder) > most:
                break
            box = holder
        if box is not None and not any(_words(p) > PARAGRAPH or p.tag == "h1" for p in box.iter("p", "h1")):
            cut_out(box)


def _asks_for_mail(field: Any) -> bool:
    if field.get("type") == "hidden":
        return False
    said = " ".join(field.get(name) or "" for name in ("type", "name", "placeholder", "id")).lower()
    return "mail" in said


def take_out_contents(root: Any) -> None:
    """Take out lists of the page's own sections, with the label above them."""
    body = root.find("body")
    if body is None:
        return
    lists = list(islice(filter(_leads_here, body.iter("ul", "ol")), MAX_LISTS))
    if not lists:
        return
    places = Counter(name for e in body.iter() if isinstance(e.tag, str) for name in {e.get("id"), e.get("name")})
    most = LIST_SHARE * _words(body)
    for found in lists:
        links = [link.get("href", "")[1:] for link in found.iter("a")]
        if _words(found) <= most and sum(name in places for name in links) >= len(links) / 2:
            label = found.getprevious()
            if label is None and (holder := found.getparent()).tag == "nav":
                label = holder.getprevious()
            if label is not None and label.tag in _LABELS and _words(label) <= LABEL:
                cut_out(label)
            cut_out(found)


def _leads_here(found: Any) -> bool:
    if next(found.iterancestors("ul", "ol"), None) is not None:
        return False
    links = list(found.iter("a"))
    if len(links) < MIN_PLACES or not all((link.get("href") or "").startswith("#") for link in links):
        return False
    return sum(map(_words, links)) >= LINKED * _words(found)


def _words(element: Any) -> int:
    return count_words("".join(element.itertext()))
