"""Dates that the markup of a page names as such: `time` elements, microdata, elements called a date."""

import re
from collections.abc import Iterator
from typing import Any, Final

from crawler.article_header import Header
from crawler.date_places import (
    DATE_NAMES,
    is_beside_another_story,
    is_elsewhere,
    is_listed,
    is_of_another_item,
    is_of_something_else,
    label_of,
    own_item,
    words_before,
)
from crawler.date_speech import CHANGED, OF_OTHERS, is_of_occasion, parts_of_publication
from crawler.date_values import Judge
from crawler.reading import Dated
from crawler.scalars import one_line

# A line with a date has few words beside it: author, section, "updated at".
MAX_DATE_LINE_WORDS: Final = 16
MAX_DATE_LINE: Final = 120
NEAR_TITLE: Final = "text near the title"
_DIGITS: Final = re.compile(r"\d")
_STAMP: Final = re.compile(r"\s*(?:19|20)\d\d-\d\d-\d\d")


def marked_dates(
    named: list[tuple[Any, str]], title: Any | None, judge: Judge, *, below: bool
) -> Iterator[tuple[Dated, bool]]:
    """In the order of the page, each with whether it is of a change; NAMED as `named_elements` has them.

    They are firm where a `time` element in the header or microdata says them, else guesses. Without BELOW those below
    the header of the article are left out.
    """
    for element, name, header in _dated_elements(named, title, below=below):
        marked = (element.get("itemprop") or "").lower()
        if element.tag == "time" or marked.startswith("date"):
            yield from _time(element, f"{name} {words_before(element, title)}", marked, judge, header=header)
        elif value := _stamp(element, judge):
            yield Dated(value, "abbr title" if element.tag == "abbr" else "title of a date", firm=header), False
        elif len(element) < MAX_DATE_LINE_WORDS:
            yield from _text(element, label_of(element, title), judge, header=header)


def _stamp(element: Any, judge: Judge) -> str | None:
    """The day that ELEMENT says in its title, for machines, beside "an hour ago"."""
    said = element.get("title") or ""
    return judge.read(said) if element.tag == "abbr" or _STAMP.match(said) else None


def _time(element: Any, around: str, marked: str, judge: Judge, *, header: bool) -> Iterator[tuple[Dated, bool]]:
    text = one_line("".join(element.itertext()))
    value = judge.read(element.get("datetime") or element.get("content") or text) or judge.words(text)
    if value is None:
        return
    said = "" if marked.startswith("datepublished") else around
    changed = "modif" in marked or bool(CHANGED.search(said))
    known = marked.startswith("date") or element.get("pubdate") is not None or header
    how = "time in the header" if header else "time element"
    shown = judge.words(text) if header and not changed else None
    if shown and not value.startswith(shown):
        yield Dated(shown, NEAR_TITLE, firm=False), changed
    yield Dated(value, f"microdata {marked}" if marked.startswith("date") else how, firm=known), changed


def _text(element: Any, label: str, judge: Judge, *, header: bool) -> Iterator[tuple[Dated, bool]]:
    text = one_line(" ".join(element.itertext()))
    said = f"{label} {text}"
    if len(text) > MAX_DATE_LINE or not _DIGITS.search(text) or OF_OTHERS.search(said) or is_of_occasion(said):
        return
    if not header and is_listed(element):
        return
    how = NEAR_TITLE if header else "text named a date"
    came_out, changed = parts_of_publication(text)
    for part, is_change in ((came_out or text, not came_out and bool(CHANGED.search(said))), (changed, True)):
        if value := judge.words(part):
            yield Dated(value, how, firm=False), is_change


def _dated_elements(named: list[tuple[Any, str]], title: Any | None, *, below: bool) -> Iterator[tuple[Any, str, bool]]:
    """The elements that are marked or named as dates, with whether they stand in the header of the article.

    So does what the first paragraph begins with.
    """
    around = set(title.iterancestors()) if title is not None else set()
    own = own_item(title)
    header = Header(title)
    for element, name in named:
        header.pass_over(element)
        if header.ended and not below and header.last not in (element, *element.iterancestors()):
            return
        known = (element.get("itemprop") or "").lower().startswith("date")
        stamped = element.tag == "abbr" and element.get("title") and header.titled and not header.ended
        marked = known or (element.tag == "time" and not is_of_something_else(element, title))
        if (marked or stamped or (element.tag != "time" and DATE_NAMES.search(name))) and not (
            is_elsewhere(element, around)
            or is_of_another_item(element, own)
            or (header.titled and not known and is_beside_another_story(element, own, around))
        ):
            within = header.titled or next(element.iterancestors("article"), None) is not None
            first = not marked and header.last is not None and _begins(element, header.last)
            yield element, name, within and (not header.ended or first)


def _begins(element: Any, paragraph: Any) -> bool:
    """Whether PARAGRAPH begins with ELEMENT."""
    text = one_line("".join(element.itertext()))
    return paragraph in element.iterancestors() and one_line("".join(paragraph.itertext())).startswith(text)
