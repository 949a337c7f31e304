"""Where on a page a date stands, and what that says about whose date it is: the page's, or something else's."""

import re
from itertools import islice
from typing import Any, Final

from crawler.date_speech import ANNOUNCES, DATE, OCCASION, SAYS_WRITTEN
from crawler.scalars import one_line

ELSEWHERE: Final = re.compile(
    r"(?:^|[\s_-])(?:related|recommend|sidebar|side-bar|widget(?! Blog)|teaser|comment(?!ary)|repl(?:y|ies)|"
    r"popular|trending|latest|more-|recent|"
    r"archive|event|calendar|promo(?!te)|newsletter|navigation|breadcrumb|copyright|disqus|weather|ticker|read-?next|"
    r"most-?read|tweet|current-(?:time|date)|clock|today)",
    re.IGNORECASE,
)
DATE_NAMES: Final = re.compile(
    r"date|time(?!line)|publi[sc]|posted|byline|meta(?!d)|pub[-_]|stamp|fecha|datum|article-?info|post-?info|"
    r"entry-?info|created|submitted|erschienen|author|autor",
    re.IGNORECASE,
)
_OF_SOMETHING_ELSE: Final = re.compile(
    r"start|end(?:date|time)|birth|death|founding|door|expir|valid|avail|deadline|arrival|departure|check",
    re.IGNORECASE,
)
# A `time` with this many other words around it is part of what they say, unless they announce it.
WORDS_AROUND_TIME: Final = 4
# Characters of what a `time` stands in that are looked at: a byline has less, a paragraph of this length is the text.
MAX_AROUND: Final = 2_000
MAX_LABELLED_WORDS: Final = 8
"""Words around a `time` up to which one of them can tell what it is of; more are a text of its own."""

LEVELS_OF_TEASER: Final = 2
WORDS_OF_TEASER: Final = 2
"""How far up from its date a teaser has its link, and the words that the link has at least."""
WORDS_OF_HEADLINE: Final = 4
"""The words that a link in an item of a list has at least that is no author or section."""

ITEMS_BESIDE: Final = 4
"""Items of a list on each side that are looked at: in a list of dates the next ones have one too."""

MOST_WORDS_OF_LABEL: Final = 6
"""Words right before a date that are looked at: a label is no longer."""

_LINES: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "header", "hgroup", "section", "ul", "ol"))
"""Elements that stand on lines of their own: one before a date is a label of it only if it is short."""


def is_of_something_else(time: Any, title: Any | None) -> bool:
    """Whether a `time` is in no byline: it stands in a sentence, is labelled as an event's, or is one of many."""
    if _OF_SOMETHING_ELSE.search(time.get("itemprop") or ""):
        return True
    holder = next(time.iterancestors("p", "li", "td", "dd", "blockquote"), None)
    if holder is None:
        label, around, listed = " ".join(words_before(time, title).split()[-MOST_WORDS_OF_LABEL:]), "", False
    else:
        label = words_before(holder, title) if holder.tag in ("dd", "td") else ""
        around = _beginning(holder).replace(_beginning(time) or " ", " ")
        listed = holder.tag in ("li", "td", "dd") and _is_one_of_many(time, holder)
    words = len(around.split())
    said = f"{label} {around}"
    if SAYS_WRITTEN.search(said):
        return False
    if words <= MAX_LABELLED_WORDS and OCCASION.search(said):
        return True
    unnamed = holder is not None and not DATE_NAMES.search(f"{holder.get('class') or ''} {holder.get('id') or ''}")
    return unnamed and (listed or (words >= WORDS_AROUND_TIME and not ANNOUNCES.search(around)))


def _beginning(element: Any) -> str:
    """The first words in ELEMENT."""
    said, length = [], 0
    for piece in element.itertext():
        said.append(piece[:MAX_AROUND])
        length += len(piece)
        if length > MAX_AROUND:
            break
    return one_line("".join(said))


def _is_one_of_many(time: Any, holder: Any) -> bool:
    """Whether the list or table of which HOLDER is an item has a date in other items as well."""
    listing = next(holder.iterancestors("ul", "ol", "dl", "table"), None)
    return listing is not None and any(other is not time for other in listing.iter("time"))


def is_listed(element: Any) -> bool:
    """Whether ELEMENT is in an item of a list or table of which other items have such an element as well."""
    item = next(element.iterancestors("li", "tr", "dd"), None)
    if item is None:
        return False
    name = element.get("class")
    return any(
        other.tag == element.tag and other.get("class") == name
        for beside in (
            *islice(item.itersiblings(item.tag), ITEMS_BESIDE),
            *islice(item.itersiblings(item.tag, preceding=True), ITEMS_BESIDE),
        )
        for other in beside.iter(element.tag)
    )


def own_item(title: Any | None) -> Any | None:
    """The article, or the item of microdata, in which the page's main heading TITLE stands; None for none."""
    if title is None:
        return None
    return next((a for a in title.iterancestors() if _is_item(a)), None)


def is_of_another_item(element: Any, own: Any | None) -> bool:
    """Whether ELEMENT belongs to an article or item of microdata that OWN, the page's, does not hold."""
    if own is None:
        return False
    item = next((a for a in element.iterancestors() if _is_item(a)), None)
    return item is not None and item is not own and own not in item.iterancestors()


def is_beside_another_story(element: Any, own: Any | None, around: set[Any]) -> bool:
    """Whether ELEMENT, which OWN, the page's article, does not hold, stands beside a link of some words: a teaser."""
    if own is None or own in element.iterancestors():
        return False
    for holder in islice(element.iterancestors(), LEVELS_OF_TEASER):
        if holder in around:
            return False
        if any(len("".join(link.itertext()).split()) >= WORDS_OF_TEASER for link in holder.iter("a")):
            return True
    return False


def _is_item(element: Any) -> bool:
    return element.tag == "article" or (element.get("itemscope") is not None and element.tag not in ("html", "body"))


def is_elsewhere(element: Any, around: set[Any]) -> bool:
    """Whether ELEMENT is part of something else than the article. AROUND, what holds the title, is not."""
    for ancestor in (element, *element.iterancestors()):
        if ancestor in around:
            return False
        if ancestor.tag in ("nav", "form", "blockquote", "template", "svg", "pre", "code"):
            return True
        if ancestor.tag in ("footer", "aside"):
            # An article has its own; those of the page are about other things.
            return next(ancestor.iterancestors("article"), None) is None
        if ancestor.tag in ("body", "article", "main"):
            return False
        name = f"{ancestor.get('class') or ''} {ancestor.get('id') or ''}"
        if ELSEWHERE.search(_without_modules(name, around) if "widget" in name else name):
            return not _is_the_title_s_teaser(ancestor, around)
    return False


def _without_modules(name: str, around: set[Any]) -> str:
    """A NAME without "widget" where the title stands in one too: builders of pages make all of a page of them."""
    return (
        name.replace("widget", "")
        if any("widget" in (a.get("class") or "") for a in around if a.tag == "div")
        else name
    )


def _is_the_title_s_teaser(element: Any, around: set[Any]) -> bool:
    """Whether what is called a teaser is the line by the page's title: it stands beside it, with no other heading."""
    return (
        element.getparent() in around
        and "teaser" in (element.get("class") or "")
        and next(element.iter("h1", "h2", "h3", "h4", "h5", "h6"), None) is None
    )


def words_before(element: Any, title: Any | None) -> str:
    """The words right before an element: "Updated", "Published on".

    Neither the page's main heading TITLE is one of these, nor a line that says more than labels do.
    """
    before = element.getprevious()
    if before is not None and not (before.tail or "").strip() and before.tag in _LINES:
        said = one_line("".join(before.itertext()))
        is_title = title is not None and (before is title or before in title.iterancestors())
        if is_title or (len(said.split()) > MOST_WORDS_OF_LABEL and not said.endswith((":", "\uff1a"))):
            return ""
    parent = element.getparent()
    said = (
        (before.tail or "") + "".join(before.itertext())
        if before is not None
        else (parent.text or "")
        if parent is not None
        else ""
    )
    return said[-40:] if isinstance(said, str) else ""


def is_beside_a_headline(element: Any) -> bool:
    """Whether ELEMENT stands in an item of a list that has a link of many words: another page."""
    item = next((a for a in (element, *element.iterancestors("li")) if a.tag == "li"), None)
    return item is not None and any(
        len("".join(link.itertext()).split()) >= WORDS_OF_HEADLINE for link in item.iter("a")
    )


def is_a_row_of_something_else(element: Any) -> bool:
    """Whether ELEMENT is in a row of a table the heading of which calls it something else than a page's day."""
    cell = next((a for a in (element, *element.iterancestors("td")) if a.tag == "td"), None)
    heading = cell.getprevious() if cell is not None else None
    if heading is None or heading.tag != "th":
        return False
    said = "".join(heading.itertext())
    return not SAYS_WRITTEN.search(said) and not DATE.search(said)


def label_of(element: Any, title: Any | None) -> str:
    """What stands before a cell, or before the value in a list, and says what it is; empty for none.

    TITLE is the page's main heading, which labels nothing.
    """
    holder = next((a for a in (element, *element.iterancestors("dd", "td")) if a.tag in ("dd", "td")), None)
    if holder is None:
        return words_before(element, title)
    before = holder.getprevious()
    said = one_line("".join(before.itertext())) if before is not None else ""
    return said if len(said.split()) <= MAX_LABELLED_WORDS else ""
