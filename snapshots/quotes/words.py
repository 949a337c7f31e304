"""Texts as words, and what sets two runs of words apart."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from rapidfuzz.distance import Levenshtein

from snapshots.quotes.folding import WRAP, Folded
from snapshots.quotes.letters import UNSPACED, marks, numbers

Kind = Literal["number", "word", "sign", "mark"]
Change = Literal["insert", "delete", "replace"]

_SIGNS: Final = r"%‰°€$£¥₹₽₺₩¢<>=≤≥≠±×÷^*/~&@#"
_PLUS_MINUS: Final = "-+±"


@cache
def _pattern() -> "re.Pattern[str]":
    n, m = numbers(), marks()
    return re.compile(
        rf"(?P<number>(?:(?<![\w{m})])[{_PLUS_MINUS}])?[{n}]+(?:[.,:/'\u066b\u066c][{n}]+)*)"
        rf"|(?P<east>[{UNSPACED}])"
        rf"|(?P<word>[^\W_{n}{UNSPACED}](?:[^\W{UNSPACED}]|[{m}]|['{WRAP}-](?=[^\W\d_]))*)"
        rf"|(?P<sign>[{_SIGNS}])"
        r"|(?P<mark>\S)"
    )


@dataclass(frozen=True, slots=True)
class Word:
    """`text` as folded, `key` without case: what words are compared by; `start` and `end` in the folded text."""

    text: str
    key: str
    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Difference:
    """What the quotation has (`quote`) and what stands in its place (`page`); empty where there is nothing.

    Both are slices, of the quotation as it was given and of the page's text.
    """

    change: Change
    quote: str
    page: str
    quote_start: int
    quote_end: int
    page_start: int
    page_end: int


def words_of(folded: Folded) -> list[Word]:
    """The words of a folded text: numbers with signs, words, single characters of unspaced scripts, signs, marks."""
    found = []
    for one in _pattern().finditer(folded.text):
        group = one.lastgroup
        text = one[0]
        kind: Kind = "word" if group == "east" else group  # type: ignore[assignment] # the pattern's own names
        key = text.replace(WRAP, "-") if WRAP in text else text
        found.append(Word(text, key if text.isdigit() else key.casefold(), kind, *one.span()))
    return found


@dataclass(frozen=True, slots=True)
class Step:
    """One step from the quote to the page: `quote[q1:q2]` became `page[p1:p2]`; `same` if the words are alike."""

    same: bool
    q1: int
    q2: int
    p1: int
    p2: int


def steps_between(quote: Sequence[Word], page: Sequence[Word]) -> list[Step]:
    """The shortest way from one run of words to another. Runs of changes come as one step."""
    steps: list[Step] = []
    for code in Levenshtein.opcodes([one.key for one in quote], [one.key for one in page]):
        step = Step(code.tag == "equal", code.src_start, code.src_end, code.dest_start, code.dest_end)
        if steps and not step.same and not steps[-1].same:
            last = steps.pop()
            step = Step(False, last.q1, step.q2, last.p1, step.p2)  # noqa: FBT003 - a field, named above
        steps.append(step)
    return steps


def range_of(folded: Folded, words: Sequence[Word], first: int, last: int) -> tuple[int, int]:
    """The range of the source in which `words[first:last]` stand; an empty one after the word before, if none do."""
    if first < last:
        return folded.span(words[first].start, words[last - 1].end)
    at = folded.span(words[first - 1].start, words[first - 1].end)[1] if first else 0
    if not first and words:
        at = folded.span(words[0].start, words[0].end)[0]
    return at, at


def difference(change: Change, quote: tuple[str, tuple[int, int]], page: tuple[str, tuple[int, int]]) -> Difference:
    """A difference between ranges of a quotation and of a page's text."""
    (quoted, (q1, q2)), (shown, (p1, p2)) = quote, page
    return Difference(change, quoted[q1:q2], shown[p1:p2], q1, q2, p1, p2)
