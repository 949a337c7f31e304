"""Puts a page's text where extractors look for it, before they do.

Extractors go by the names of elements. A text that stands in elements of other names (a column called `aside`, a body
cut into pieces, paragraphs that are `div`) is lost to them; here these elements get the names that fit.
"""

from typing import Any, Final

from lxml import etree

from crawler.page_signs import count_words
from crawler.threads import OTHER_THINGS

# Elements that extractors leave out unread. One that holds most of a page's paragraphs is its main column.
_FURNITURE: Final = ("aside", "footer", "form", "nav", "header", "figure")
MAIN_SHARE: Final = 0.5

# The column of an article holds this share of a page's prose; the rest is what stands in margins.
COLUMN_SHARE: Final = 0.8

# A paragraph of this many words is prose, not a caption or a teaser.
PROSE_WORDS: Final = 15

# Parts of one text have a common holder within as many levels: modules of editors have three wrappers at most.
MAX_LEVELS: Final = 4
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")

# How far up from its text a card has its linked heading.
CARD_LEVELS: Final = 2

# What makes an element a holder of blocks, so that it is no paragraph.
_HOLDS_BLOCKS: Final = (
    "article", "aside", "blockquote", "button", "div", "dl", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "iframe", "input", "nav", "ol", "p", "pre", "section", "table", "ul",
)  # fmt: skip

# Elements that are no paragraphs, and in which prose may stand all the same.
_BARE: Final = frozenset({"article", "center", "fieldset", "label", "section"})

# A paragraph with more of it in links is a list of links.
MAX_LINKED: Final = 0.3


def free_main_columns(root: Any) -> None:
    """Make an element that is named as furniture but holds most of the page's paragraphs a `div`."""
    paragraphs = [(p, len("".join(p.itertext()).split())) for p in root.iter("p")]
    total = sum(words for _, words in paragraphs)
    if not total:
        return
    held: dict[Any, int] = {}
    for paragraph, words in paragraphs:
        for ancestor in paragraph.iterancestors(*_FURNITURE):
            held[ancestor] = held.get(ancestor, 0) + words
    for element, words in held.items():
        if words > MAIN_SHARE * total or (element.tag == "aside" and element.find(".//h1") is not None):
            element.tag = "div"


def name_main_column(root: Any) -> None:
    """Say of the element that holds the page's prose that it is the article, if the page names none as one.

    Of a page without a name that they know extractors take single paragraphs, and lose lists and headings.
    """
    from trafilatura.xpaths import BODY_XPATH  # noqa: PLC0415 - half a second to load, needed in workers only

    if next(root.iter("article", "main"), None) is not None or any(names(root) for names in BODY_XPATH):
        return
    held: dict[Any, int] = {}
    total = 0
    for paragraph in root.iter("p", "blockquote", "pre", "li"):
        words = count_words("".join(paragraph.itertext()))
        if words >= PROSE_WORDS and next(paragraph.iterancestors(*_FURNITURE), None) is None:
            total += words
            for ancestor in paragraph.iterancestors():
                held[ancestor] = held.get(ancestor, 0) + words
    column = None
    for element, words in held.items():
        if words >= COLUMN_SHARE * total and (column is None or column in element.iterancestors()):
            column = element
    if column is not None and column.tag in ("div", "section"):
        column.set("role", "article")


def join_split_bodies(root: Any) -> None:
    """Put together a text that a page cuts into several containers of one name, mostly to set advertisements between.

    Extractors take one of them, the first or the longest, and lose the others.
    """
    parts: dict[tuple[str, str], dict[Any, int]] = {}
    total = 0
    for paragraph in root.iter("p"):
        words = len("".join(paragraph.itertext()).split())
        parent = paragraph.getparent()
        if words < PROSE_WORDS or parent is None:
            continue
        total += words
        name = parent.get("class")
        if name and parent.tag in ("div", "section") and not OTHER_THINGS.search(name):
            held = parts.setdefault((parent.tag, name), {})
            held[parent] = held.get(parent, 0) + words
    for held in parts.values():
        first, *others = held
        if others and sum(held.values()) >= MAIN_SHARE * total and (_near(first, others) or _modules(first, others)):
            for other in others:
                first.extend(list(other))


def _near(first: Any, others: list[Any]) -> bool:
    """Whether all have the same parent or grandparent as FIRST, and none is inside another."""
    ancestors = [a for a in (first.getparent(), first.getparent().getparent()) if a is not None]
    return any(all(a in (o.getparent(), o.getparent().getparent()) for o in others) for a in ancestors)


def _modules(first: Any, others: list[Any]) -> bool:
    """Whether all are modules of one text, as editors build it: further apart, none inside another, and no cards."""
    every = [first, *others]
    above = {one: list(one.iterancestors())[:MAX_LEVELS] for one in every}
    shared = [a for a in above[first] if a.tag not in ("body", "html") and all(a in above[o] for o in others)]
    if not shared or any(one in above[other] for one in every for other in every):
        return False
    return not any(_is_card(one, every) for one in every)


def _is_card(container: Any, every: list[Any]) -> bool:
    """Whether CONTAINER, alone of EVERY, stands with a heading that is a link: another story's beginning."""
    for holder in list(container.iterancestors())[:CARD_LEVELS]:
        if any(holder in other.iterancestors() for other in every if other is not container):
            return False
        for heading in holder.iter(*_HEADINGS):
            if heading.find(".//a[@href]") is not None or next(heading.iterancestors("a"), None) is not None:
                return True
    return False


def name_paragraphs(root: Any) -> None:
    """Make `div` without a name `p` where they are the paragraphs of a text beside others that are `p`.

    Editors in browsers write both, as somebody types; extractors take such a `div` for a holder of something else. The
    same goes for prose that stands bare in a section, a form's part or an element of the page's own making.
    """
    holding: dict[Any, bool] = {}  # each holder is asked once: it may have tens of thousands of children
    every = (e for e in root.iter(etree.Element) if _is_nameless(e) or e.tag in _BARE or "-" in e.tag)
    found = [
        e for e in every if _is_paragraph(e) and _beside_paragraphs(e, holding) and (_is_nameless(e) or _is_prose(e))
    ]
    for element in found:
        element.tag = "p"


def _is_nameless(element: Any) -> bool:
    return element.tag == "div" and not element.get("class") and not element.get("id")


def _is_prose(element: Any) -> bool:
    return count_words("".join(element.itertext())) >= PROSE_WORDS


def _beside_paragraphs(element: Any, holding: dict[Any, bool]) -> bool:
    parent = element.getparent()
    if parent is None:
        return False
    holder = parent.getparent() if _is_nameless(parent) else None
    return _holds_paragraph(parent, holding) or (holder is not None and _holds_paragraph(holder, holding))


def _holds_paragraph(element: Any, holding: dict[Any, bool]) -> bool:
    if element not in holding:
        holding[element] = any(child.tag == "p" and "".join(child.itertext()).strip() for child in element)
    return holding[element]


def _is_paragraph(element: Any) -> bool:
    own = (element.text or "") + "".join(child.tail or "" for child in element)
    if not own.strip() or next(element.iterdescendants(*_HOLDS_BLOCKS), None) is not None:
        return False
    linked = sum(len("".join(a.itertext())) for a in element.iter("a"))
    return linked <= MAX_LINKED * len("".join(element.itertext()))
