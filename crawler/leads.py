"""The lead of an article: what a page sets between title and text, and says again as its description.

Leads mostly stand in a header of their own, which extractors leave out. Dates, names and notices stand there too, so a
paragraph is taken for the lead only if the page describes itself with the same words.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from crawler.blocks import BLOCK_GAP, text_with_blocks
from crawler.head import Head
from crawler.main_text import MainText
from crawler.page_signs import count_words
from crawler.trimming import folded

# Fewer words are a label; leads of more are paragraphs of the text.
MIN_WORDS: Final = 8
MAX_WORDS: Final = 120

# Descriptions are cut, and leads end in a link to more: the beginnings have to be equal, in so many letters.
SAME: Final = 40
MIN_BEGIN: Final = 12
MIN_LETTERS: Final = 20

# A lead may have a link in it; one that is a link is a teaser.
MAX_LINKED: Final = 0.5

_HOLDERS: Final = frozenset(
    (
        "address", "article", "aside", "blockquote", "center", "dd", "details", "div", "dl", "dt", "fieldset",
        "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "li", "main",
        "nav", "ol", "p", "pre", "section", "table", "tbody", "td", "th", "tr", "ul",
    )
)  # fmt: skip
_NOT_IN: Final = frozenset(
    (
        "a", "address", "aside", "button", "dialog", "figcaption", "figure", "footer", "form", "label", "li", "nav",
        "noscript", "ol", "script", "style", "table", "template", "ul",
    )
)  # fmt: skip
# What such a text is called that is no lead: the words below a picture are mostly the description of it.
_NOT_CALLED: Final = re.compile(
    r"caption|credit|author|byline|\bbio|share|social|comment|related|newsletter|subscri|promo|breadcrumb|cookie|consent|"
    r"recommend|sidebar|widget|advert|banner|popup|modal|notice|disclaim|disclosure|tags?\b|menu|toolbar|gallery|slider|"
    r"carousel|copyright|login|paywall|image|photo|picture|video|player|media",
    re.IGNORECASE,
)
CALLED_LEVELS: Final = 3

_DESCRIPTIONS: Final = ("description", "og:description", "twitter:description", "dc.description")


def with_lead(main: MainText, root: Any, head: Head, title: str | None) -> MainText:
    """MAIN with the page's lead before it; MAIN itself if it has it, or if there is none.

    ROOT is what is left of the page after its main text was found, HEAD its head, TITLE its title.
    """
    described = [own for text in _descriptions(head) if len(own := folded(text)) >= MIN_LETTERS]
    body = root.find("body")
    if not described or not main.blocks or body is None:
        return main
    titles = [folded(text) for text in (title, head.title) if text]
    begin = next((own[:SAME] for b in main.blocks if len(own := folded(main.text[b.start : b.end])) >= MIN_BEGIN), "")
    lead = _find(body, described, titles, begin, folded(main.text)) if begin else None
    if lead is None:
        return main
    text, blocks = text_with_blocks([lead])
    if not text:
        return main
    shift = len(text) + len(BLOCK_GAP)
    return replace(
        main,
        text=text + BLOCK_GAP + main.text,
        # It may be written as a heading, and is none: nothing stands below it.
        blocks=(
            *(replace(b, type="paragraph", level=None) for b in blocks),
            *(replace(b, start=b.start + shift, end=b.end + shift) for b in main.blocks),
        ),
    )


def _descriptions(head: Head) -> Iterator[str]:
    for name in _DESCRIPTIONS:
        yield from head.meta.get(name, ())
    for thing in head.data:
        if isinstance(thing.get("description"), str):
            yield thing["description"]


def _find(body: Any, described: list[str], titles: list[str], begin: str, have: str) -> Any | None:
    """The last element before the main text that says a description; None without one, or without the text.

    BEGIN are the first letters of the main text, HAVE is all of it.
    """
    found = None
    for element in body.iter(*_HOLDERS):
        if any(child.tag in _HOLDERS for child in element.iterdescendants()):
            continue
        own = folded("".join(element.itertext()))
        if not own:
            continue
        if own.startswith(begin):
            return found
        if (
            own not in have
            and any(_says(own, text) for text in described)
            and not any(own in text for text in titles)
            and _may_be_lead(element, own)
        ):
            found = element
    return None


def _says(own: str, description: str) -> bool:
    if len(own) < MIN_LETTERS:
        return False
    return own[:SAME] == description[:SAME] or own in description or description in own


def _may_be_lead(element: Any, own: str) -> bool:
    if not MIN_WORDS <= count_words("".join(element.itertext())) <= MAX_WORDS:
        return False
    linked = sum(len(folded("".join(a.itertext()))) for a in element.iter("a"))
    holders = [element, *element.iterancestors()]
    names = " ".join(f"{e.get('class') or ''} {e.get('id') or ''}" for e in holders[:CALLED_LEVELS] if e.tag != "body")
    return (
        linked <= MAX_LINKED * len(own)
        and not any(e.tag in _NOT_IN for e in holders)
        and _NOT_CALLED.search(names) is None
    )
