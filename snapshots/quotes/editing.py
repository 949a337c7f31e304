"""What became of a quotation that does not stand on the page any more: the passages that can be its edited form."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Final

from snapshots.quotes.candidates import Candidate, candidates
from snapshots.quotes.cited import Cited
from snapshots.quotes.reading import Readable
from snapshots.quotes.surroundings import BOTH, Place, place

ALIKE: Final = 0.6
"""From here on a passage is an edited form of the quotation wherever it stands, unless it stood there before."""
ALIKE_BESIDE: Final = 0.45
"""The same with the quotation's old neighbour on one side."""
ALIKE_BETWEEN: Final = 0.3
"""The same between its old neighbours."""
WIDEST: Final = 4
"""Old neighbours more than so many lengths of the quotation apart do not show its place."""
_EDGES: Final = " .,;:!?\"'()[]-•*"


@dataclass(frozen=True, slots=True)
class Edited:
    """A passage, `text.words[start:end]`, that can be what the quotation became.

    `sides` counts the old neighbours that it still has.
    """

    start: int
    end: int
    likeness: float
    sides: int


def edited(cited: Cited, text: Readable) -> list[Edited]:
    """The passages of one text that can be the quotation's edited form, the likeliest first."""
    if not text.words or not cited.quote.words:
        return []
    now = place(cited.around, text)
    found: dict[tuple[int, int], Candidate] = {}
    gap = _gap(cited, text, now)
    for one in (*candidates(cited.quote, text), *(candidates(cited.quote, text, gap) if gap else ())):
        found.setdefault((one.start, one.end), one)
    taken = [passage for one in found.values() if (passage := _accepted(cited, text, now, one))]
    return sorted(taken, key=lambda one: (-one.sides, -one.likeness) if one.likeness < ALIKE else (-2, -one.likeness))


def _gap(cited: Cited, text: Readable, now: Place) -> tuple[int, int] | None:
    """The words between the old neighbours, if they are near each other; or as many as the quotation beside one."""
    length = len(cited.quote.folded.text)
    begin, end = now.begin, now.end
    if begin is None and end is None:
        return None
    if begin is None:
        begin = max(0, (end or 0) - now.slack[1] - 2 * length)
    if end is None:
        end = begin + now.slack[0] + 2 * length
    if end - begin > sum(now.slack) + WIDEST * length:
        return None
    low = bisect_left(text.words, begin, key=lambda word: word.start)
    return low, bisect_right(text.words, end, lo=low, key=lambda word: word.end)


def _accepted(cited: Cited, text: Readable, now: Place, one: Candidate) -> Edited | None:
    begin, end = text.words[one.start].start, text.words[one.end - 1].end
    sides = now.sides(begin, end)
    enough = (ALIKE, ALIKE_BESIDE, ALIKE_BETWEEN)[sides]
    if one.likeness < enough or (now.closed and sides < BOTH):
        return None
    if cited.stood_elsewhere(text.folded.text[begin:end].strip(_EDGES)):
        return None
    return Edited(*_whole(cited, text, one), one.likeness, sides)


def _whole(cited: Cited, text: Readable, one: Candidate) -> tuple[int, int]:
    """The range of a candidate; with the words that make another of it, if it has those of the quotation itself."""
    start, end = one.start, one.end
    if [word.key for word in text.words[start:end]] != [word.key for word in cited.quote.words]:
        return start, end
    begins, ends = text.stands_alone(text.words[start].start, text.words[end - 1].end, cited.prefix)
    return start - (not begins and start > 0), end + (not ends and end < len(text.words))
