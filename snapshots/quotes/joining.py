"""Texts that differ in nothing but where words are set apart: lost spaces at the edge of markup, hyphens at line ends.

Letters run together or apart are compared without any gaps first; then each gap that only one side has must be one
that cannot change what is said. `4 0` is not `40`, and `now here` is not `nowhere`.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import regex

from snapshots.quotes.folding import WRAP, Folded
from snapshots.quotes.letters import UNSPACED

_GAP: Final = re.compile(rf"[ {WRAP}]+|(?<=[^\W\d_])-(?=[^\W\d_])")
_UNSPACED: Final = re.compile(rf"[{UNSPACED}\u3000-\u3004\u3008-\u3020]")
_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}_]")
_IN_NUMBERS: Final = frozenset("-+.,:/<>=*^~±×÷−'")
"""Beside a digit these are part of what the number says."""


@dataclass(frozen=True, slots=True)
class Joined:
    """`text` is the folded text without gaps; `gaps[i]` stood before its character `places[i]`, ascending.

    `back[i]` is the place in the folded text of its character `i`.
    """

    text: str
    back: "array[int]"
    places: "list[int]"
    gaps: "list[str]"

    def gaps_within(self, start: int, end: int) -> dict[int, str]:
        """The gaps strictly inside a range, by their distance from its start."""
        first = bisect_left(self.places, start + 1)
        last = bisect_left(self.places, end)
        return {self.places[i] - start: self.gaps[i] for i in range(first, last)}


def join(folded: Folded) -> Joined:
    """A folded text without the gaps between its words."""
    parts: list[str] = []
    back = array("I")
    places: list[int] = []
    gaps: list[str] = []
    at = length = 0
    for found in _GAP.finditer(folded.text):
        begin, end = found.span()
        parts.append(folded.text[at:begin])
        back.extend(range(at, begin))
        length += begin - at
        places.append(length)
        gaps.append(found[0])
        at = end
    parts.append(folded.text[at:])
    back.extend(range(at, len(folded.text)))
    return Joined("".join(parts), back, places, gaps)


def find_joined(quote: Joined, page: Joined) -> Iterator[tuple[int, int]]:
    """Where the page says the same as the quote but for harmless gaps: ranges of the page's folded text."""
    length = len(quote.text)
    if not length:
        return
    wanted = quote.gaps_within(0, length)
    at = page.text.find(quote.text)
    while at >= 0:
        given = page.gaps_within(at, at + length)
        if all(
            _harmless(wanted.get(i, ""), given.get(i, ""), quote.text[i - 1], quote.text[i])
            for i in wanted.keys() | given.keys()
        ):
            yield page.back[at], page.back[at + length - 1] + 1
        at = page.text.find(quote.text, at + 1)


def _harmless(one: str, other: str, before: str, after: str) -> bool:
    if one == other:
        return True
    if WRAP in one or WRAP in other:  # nobody can tell whether the word has a hyphen of its own
        return {one.replace(WRAP, ""), other.replace(WRAP, "")} <= {"", "-"}
    if {one, other} != {"", " "}:
        return False
    return _loose(before, after)


def _loose(before: str, after: str) -> bool:
    """Whether a space between two characters can come or go without changing what is said."""
    if _UNSPACED.match(before) or _UNSPACED.match(after):
        return not (before.isdigit() and after.isdigit())
    if before.isnumeric() or after.isnumeric():
        beside = after if before.isnumeric() else before
        return not (_WORD.match(beside) or beside in _IN_NUMBERS)
    if _WORD.match(before) and _WORD.match(after):
        return before.islower() and after.isupper()  # the space was lost where one element ends and another begins
    return True
