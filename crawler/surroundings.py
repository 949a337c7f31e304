"""What stands around an article and extractors take for its text: comments of readers, cards that lead elsewhere."""

import re
from collections import Counter
from typing import Any, Final

from crawler.markup import cut_out

# What sections of comments are called, in the languages in which makers of sites name their elements.
_COMMENTS: Final = re.compile(
    r"(?:^|\s)(?:(?:user|reader|leser|view|post|article|blog|entry|all|the)[-_]?)?"
    r"(?:comments?|kommentar(?:e|er|en)?|commentaires?|coment[aá]rios?|commenti|reacties|komentarze|komentar|yorumlar|"
    r"disqus)"
    r"(?:[-_]?(?:list|liste|section|area|bereich|wrapper|container|block|box|content|thread|template|modul))?(?=$|\s)",
    re.IGNORECASE,
)
_SECTIONS: Final = ("div", "section", "ol", "ul", "aside")

# The page's text is what is said above the comments if it has this share of all words in paragraphs.
OWN_SHARE: Final = 0.3

# A card: a link around blocks, of so many words. Fewer are a button, more are a page that is one link.
MIN_CARD: Final = 3
MAX_CARD: Final = 80
_CARD_PARTS: Final = (
    "article", "div", "figure", "h2", "h3", "h4", "h5", "h6", "header", "li", "p", "section", "ul",
)  # fmt: skip

# A link to a picture shows it larger.
_PICTURE: Final = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)(?:$|[?#])", re.IGNORECASE)

# "You might also like": what is left of a box of cards is a label of so many words.
LABEL: Final = 8
MIN_CARDS: Final = 2
_BOXES: Final = frozenset(("aside", "div", "li", "nav", "ol", "section", "ul"))


def take_out_comments(root: Any) -> None:
    """Take sections of comments out of the page ROOT, which is no discussion, unless they are most of it."""
    named = [e for e in root.iter(*_SECTIONS) if _is_comments(e)]
    if not named:
        return
    total = _words_of_paragraphs(root)
    for element in named:
        if _words_of_paragraphs(element) <= (1 - OWN_SHARE) * total and next(element.iter("h1"), None) is None:
            cut_out(element)


def _is_comments(element: Any) -> bool:
    return any(_COMMENTS.search(name) for name in (element.get("class"), element.get("id")) if name)


def _words_of_paragraphs(element: Any) -> int:
    return sum(_words(e) for e in element.iter("p", "blockquote"))


def take_out_cards(root: Any) -> None:
    """Take out links that hold blocks (a picture, a heading, a line of text): each shows another page.

    A page that says more in cards than beside them is an index of pages, and is left as it is.
    """
    cards = [a for a in root.iter("a") if _is_card(a)]
    if not cards:
        return
    inside = sum(map(_words_of_paragraphs, cards))
    if inside > _words_of_paragraphs(root) - inside:
        return
    boxes = Counter(box for card in cards for box in card.iterancestors())
    for card in cards:
        box = card.getparent()
        if box is None:
            continue
        cut_out(card)
        while box.tag in _BOXES and _words(box) <= LABEL and box.getparent() is not None:
            emptied, box = box, box.getparent()
            if boxes[emptied] >= MIN_CARDS or not _words(emptied):
                cut_out(emptied)


def _is_card(link: Any) -> bool:
    address = link.get("href")
    if (
        not address
        or address.startswith("#")
        or _PICTURE.search(address)
        or next(link.iterdescendants(*_CARD_PARTS), None) is None
    ):
        return False
    if not MIN_CARD <= _words(link) <= MAX_CARD:
        return False
    return next(link.iterdescendants("h1"), None) is None and next(link.iterancestors("h1"), None) is None


def _words(element: Any) -> int:
    return len("".join(element.itertext()).split())
