"""Lines that are dates: beside the page's main heading, or saying when it was published. What they give is a guess."""

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final

from crawler.article_header import Header
from crawler.date_places import (
    is_a_row_of_something_else,
    is_beside_a_headline,
    is_elsewhere,
    is_of_another_item,
    label_of,
)
from crawler.date_speech import (
    CHANGED,
    OCCASION,
    OF_OTHERS,
    SAYS_WRITTEN,
    TELLS,
    is_of_occasion,
    is_of_something_else,
    parts_of_publication,
)
from crawler.date_values import Judge
from crawler.page_signs import count_words
from crawler.scalars import one_line

# A line that is a date has few other words: a weekday, a place, an author.
LINE_WORDS: Final = 7
# One that begins with the date has more: the time, a source, a section.
MORE_WORDS: Final = 16
# Words between a date above the title and the title: a section, an author.
WORDS_ABOVE: Final = 16
LEVELS_ABOVE: Final = 3
FEWEST_DIGITS: Final = 3
# A date at the end of a text has little more than a place before it.
SIGNED_WORDS: Final = 5
_NO_LINES: Final = frozenset(
    ("script", "style", "noscript", "template", "nav", "form", "aside", "footer", "figure", "svg", "pre", "code")
)
_OF_A_LIST: Final = ("li", "dt", "dd", "td", "h2", "h3", "h4", "h5", "h6")
"""Elements that come in rows: where several of them say a day, as in a chronicle, none is the page's."""
BESIDE: Final = 3
"""Elements on each side of such a one that are looked at."""

_TEXT_TAGS: Final = (
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "div", "span", "li", "td", "dd", "time", "small", "em", "i", "b", "strong",
    "a", "font", "section", "header",
)  # fmt: skip
_DIGITS: Final = re.compile(r"\d")
# Where a date that a paragraph begins with ends: "Berlin, 4 May 2021 - The council", "4 May 2021. The council".
_END_OF_DATELINE: Final = re.compile(
    r"\s[\u201e\u201c\u00ab\"]|\s[-\u2010-\u2015|/]+\s|[:\uff1a)\uff09]|\.\s(?=[^\W\d_a-zà-ÿ])|\s\(|$"
)


def after_title(root: Any, title: Any | None, judge: Judge) -> str | None:
    """The date in a line between TITLE and the article's text."""
    if title is None:
        return None
    around = set(title.iterancestors())
    header = Header(title)
    for element in root.iter(*_TEXT_TAGS):
        header.pass_over(element)
        if not header.titled or element is title:
            continue
        for line in _lines(element):
            value = _date_of(line, judge)
            if value and not (
                is_elsewhere(element, around)
                or is_beside_a_headline(element)
                or _is_labelled_otherwise(element, title)
                or _is_in_a_row(element, judge)
            ):
                return value
        if header.ended:
            return _date_of(one_line("".join(element.itertext())), judge)
    return None


def above_title(title: Any | None, judge: Judge) -> str | None:
    """The date in a line right above TITLE, in what holds both. The day of the fetch is none: pages show a calendar."""
    if title is None:
        return None
    words = 0
    around = set(title.iterancestors())
    below = title
    for holder in list(title.iterancestors())[:LEVELS_ABOVE]:
        if holder.tag in ("body", "html", "nav", "aside", "form", "footer"):
            return None
        for before in below.itersiblings(preceding=True):
            for element, line in _upwards(before):
                value = _date_of(line, judge)
                if value and value != judge.today and not is_elsewhere(element, around):
                    return value
                words += count_words(line)
                if words > WORDS_ABOVE:
                    return None
        if holder.tag in ("article", "main"):
            return None
        below = holder
    return None


def signed(title: Any | None, judge: Judge) -> str | None:
    """The date that the article ends with, after a place or not: letters and statements are dated so."""
    if title is None:
        return None
    whole = next((a for a in title.iterancestors() if a.tag in ("article", "main")), None)
    lines = islice(_upwards(whole), 2) if whole is not None else ()
    found = [_date_of(line, judge) if count_words(line) <= SIGNED_WORDS else None for _, line in lines]
    return found[0] if len(found) > 1 and found[1] is None else None


def _upwards(element: Any) -> Iterator[tuple[Any, str]]:
    """The lines in ELEMENT from the last to the first, each with the element that it stands in."""
    if not isinstance(element.tag, str) or element.tag in _NO_LINES:
        return
    for child in reversed(element):
        if child.tail and (line := one_line(child.tail)):
            yield element, line
        yield from _upwards(child)
    if element.text and (line := one_line(element.text)):
        yield element, line


def says_published(root: Any, title: Any | None, own: Any | None, judge: Judge) -> str | None:
    """The date in a line of the page's own part that says it was published; None if several say several."""
    around = set(title.iterancestors()) if title is not None else set()
    found: set[str] = set()
    for element in root.iter(*_TEXT_TAGS):
        for line in _lines(element):
            said = f"{label_of(element, title)} {line}"
            said = parts_of_publication(said)[0] or said
            if not SAYS_WRITTEN.search(said) or CHANGED.search(said) or OF_OTHERS.search(said):
                continue
            if count_words(line) > MORE_WORDS or is_elsewhere(element, around) or is_of_another_item(element, own):
                continue
            value = judge.words(parts_of_publication(line)[0] or line)
            if value:
                found.add(value)
    return found.pop() if len(found) == 1 else None


def _lines(element: Any) -> Iterator[str]:
    for text in (element.text, *(child.tail for child in element)):
        if text and len(_DIGITS.findall(text)) >= FEWEST_DIGITS:
            yield one_line(text)


def _is_in_a_row(element: Any, judge: Judge) -> bool:
    """Whether ELEMENT is one of several of a list, a table or a chapter's headings that say a day."""
    one = next((e for e in (element, *element.iterancestors()) if e.tag in _OF_A_LIST), None)
    if one is None:
        return False
    if one.tag == "td":
        one = one.getparent()
    beside = chain(islice(one.itersiblings(one.tag), BESIDE), islice(one.itersiblings(one.tag, preceding=True), BESIDE))
    cells = (cell for other in beside for cell in (other.iter("td") if one.tag == "tr" else (other,)))
    said = (one_line("".join(cell.itertext())) for cell in cells)
    return any(len(_DIGITS.findall(s)) >= FEWEST_DIGITS and judge.words(s) is not None for s in said)


def _is_labelled_otherwise(element: Any, title: Any) -> bool:
    if is_a_row_of_something_else(element):
        return True
    label = label_of(element, title)
    return bool(CHANGED.search(label)) or is_of_occasion(label)


def _date_of(line: str, judge: Judge) -> str | None:
    """The date that LINE is, or that a paragraph begins with."""
    line = parts_of_publication(line)[0] or line
    words = count_words(line)
    if words > LINE_WORDS:
        starts = (line[: m.start()] for m in _END_OF_DATELINE.finditer(line))
        start = next((start for start in starts if len(_DIGITS.findall(start)) >= FEWEST_DIGITS), line)
        if count_words(start) > LINE_WORDS or TELLS.search(start):
            return None
        if words <= MORE_WORDS and OCCASION.search(line):
            return None
        line = start
    if is_of_something_else(line):
        return None
    return judge.words(line)
