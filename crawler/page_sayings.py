"""What one title, heading or sentence says of the page that it stands on: it is missing, closed, to be paid for.

Texts are as in `page_signs.Signs`; which words say what stands in `page_words.py`.
"""

import re
from collections.abc import Iterable
from typing import Final

from crawler import page_words as words
from crawler.page_signs import LABEL, count_words

HEADING: Final = 14
"""Words of a heading that may be one sentence about the page; longer ones are told in prose."""
SENTENCE: Final = 15
"""Words of a sentence that tells a visitor something, rather than a reader."""
LEFT: Final = 3
"""Words that have to follow a subject and its colon to be what is told of it, or that a question has."""

_ASKS: Final = re.compile(r"[?？؟]$")  # noqa: RUF001 - question marks of other scripts are meant
_SUBJECT: Final = re.compile(r"^(.{2,}?)\s?[:：]\s*(.+)$")  # noqa: RUF001 - and their colons
_CODE: Final = re.compile(r"(?<!\d)(?:404|410)(?!\d)")
_YEAR: Final = re.compile(r"(?<![\d.,/:-])(?:1[1-9]|20)\d\d(?![\d.,/:-]\d|\d)")
_NUMBER: Final = re.compile(r"\d")


def is_missing(text: str) -> bool:
    """A heading that says so as a whole, or in one sentence."""
    if count_words(text) > HEADING or _ASKS.search(text) or names_a_subject(text):
        return False
    rest = words.FILLER.sub(" ", text).strip()
    if not rest:
        return _CODE.search(text) is not None
    return words.MISSING_ALONE.fullmatch(rest) is not None or (
        words.MISSING.search(text) is not None
        and words.THINGS.search(text) is not None
        and (_CODE.search(text) is not None or is_about_a_page(text))
    )


def is_about_a_page(text: str) -> bool:
    """Of what was found missing, the page itself is one: in a headline, other things go missing too."""
    found = words.PAGE_ITSELF.search(text)
    return found is not None or words.ASKED_FOR.search(text) is not None


def is_missing_to_you(text: str) -> bool:
    """It is not there, said to the visitor who asked for it."""
    told = words.MISSING.search(text) is not None and words.THINGS.search(text) is not None
    return told and words.ASKED_FOR.search(text) is not None


def is_missing_itself(text: str) -> bool:
    """A short sentence that says of the page itself that it is not there."""
    told = words.MISSING.search(text) is not None and words.THINGS.search(text) is not None
    if not told or count_words(text) > SENTENCE or words.PAGE_ITSELF.search(text) is None or is_broken(text):
        return False
    return _NUMBER.search(_CODE.sub("", text)) is None  # where it was moved to, and when, is told to readers


def is_turning_away(text: str) -> bool:
    """It closes the door, or asks to prove that one is a person."""
    return words.TURNED_AWAY.search(text) is not None


def is_turning_you_away(text: str) -> bool:
    """What is told of a year is history, and what happens if one does something is told to readers."""
    return is_turning_away(text) and _YEAR.search(text) is None and words.CONDITION.match(text) is None


def speaks_to_visitor(text: str) -> bool:
    """It is about what the visitor asked for, or about something missing: a wall's word, and not a story's."""
    if words.ASKED_FOR.search(text) is not None:
        return True
    return words.MISSING.search(text) is not None and words.THINGS.search(text) is not None


def is_asking_for_consent(text: str) -> bool:
    """It asks to agree to something before anything is shown."""
    return words.CONSENT_FIRST.search(text) is not None


def is_log_in(text: str) -> bool:
    """What forms and pages for logging in are called."""
    return count_words(text) <= HEADING and words.LOG_IN.search(text) is not None


def is_log_in_first(text: str) -> bool:
    """One has to log in to see it, not only to answer or to buy."""
    return words.LOG_IN_FIRST.search(text) is not None and words.TO_ANSWER.search(text) is None


def is_broken(text: str) -> bool:
    """Something failed, or is being maintained."""
    return words.BROKEN.search(text) is not None


def is_broken_itself(text: str) -> bool:
    """What only programs say; roads and locks are under maintenance too."""
    return words.BROKEN.search(text) is not None and words.FOR_NOW.search(text) is None


def names_a_day(text: str) -> bool:
    """It tells a day of a month."""
    return words.DAY.search(text) is not None


def is_of_the_site(text: str) -> bool:
    """It speaks of a site, a server, a shop."""
    return words.THE_SITE.search(text) is not None


def is_paying(text: str) -> bool:
    """A call to pay in order to read on."""
    return is_label(text) and words.PAY_TO_READ.search(text) is not None


def is_offer(text: str) -> bool:
    """What stands where one is asked to pay, and elsewhere."""
    return words.OFFERS.search(text) is not None


def is_label(text: str) -> bool:
    """Few words, and no quotation."""
    return count_words(text) <= LABEL and not text.startswith(('"', "“", "„", "«"))


def tells_how(texts: Iterable[str]) -> bool:
    """Whether one of them is the heading of a text about such things."""
    return any(words.TELLS_HOW.search(text) is not None or asks_about(text) for text in texts)


def asks_about(text: str) -> bool:
    """A question that names an error: a wall may ask what one looks for, and never what it is itself."""
    return _ASKS.search(text) is not None and count_words(text) >= LEFT and _CODE.search(text) is not None


def names_a_subject(text: str) -> bool:
    """A subject, a colon and what is told of it: what a wall says is no subject."""
    parts = _SUBJECT.match(text)
    if parts is None or count_words(parts[2]) < LEFT:
        return False
    return not (words.MISSING.search(parts[2]) or words.ASKED_FOR.search(parts[2]) or "/" in parts[2])
