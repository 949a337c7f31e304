"""Where on a page an edited form of a quotation may stand. Similarity proposes; it never decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from snapshots.quotes.reading import Readable
from snapshots.quotes.words import Word

PROPOSED: Final = 4
"""Places looked at closely: the right one is hardly ever farther down."""
LEAST_SCORE: Final = 30.0
"""Below, nothing is alike."""
LONGEST: Final = 5_000
"""Words of a quotation that are compared one by one; the rest of a longer one is left to its beginning."""
_LIGHT: Final = 0.2
_SHORT: Final = 0.5
_SHORT_WORD: Final = 3
_SENTENCE_END: Final = frozenset(".!?。！？…:;")
_GAP_COST: Final = 0.25
"""What a word between two shared words costs: four of them weigh as much as the word that was reached."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """`page.words[start:end]`; `likeness` from 0 to 1 is the weight of shared words, in order, on both sides."""

    start: int
    end: int
    likeness: float


def weight(word: Word) -> float:
    """How much it says that two texts share a word."""
    if word.kind == "mark":
        return _LIGHT
    return _SHORT if word.kind == "word" and word.key.isascii() and len(word.key) <= _SHORT_WORD else 1.0


def candidates(quote: Readable, page: Readable, within: tuple[int, int] | None = None) -> list[Candidate]:
    """The places most like a quotation, the best first; `within` is a range of words to look in."""
    low, high = within or (0, len(page.words))
    wanted = page.encode(quote.words[:LONGEST])
    if not wanted or low >= high:
        return []
    found: dict[tuple[int, int], Candidate] = {}
    likely = [seen for seen in [_likeliest(wanted, page.encoded, low, high)] if seen]
    while likely and len(found) < PROPOSED:
        likely.sort()
        _, begin, end, low_now, high_now = likely.pop()
        near = (max(low, begin - len(wanted)), min(high, end + len(wanted) + 1))
        one = _refined(quote.words[:LONGEST], page.words, near)
        if one is not None:
            found.setdefault((one.start, one.end), one)
        for piece in ((low_now, begin), (end, high_now)):
            seen = _likeliest(wanted, page.encoded, *piece)
            if seen:
                likely.append(seen)
    return sorted(found.values(), key=lambda one: -one.likeness)


def _likeliest(wanted: str, text: str, low: int, high: int) -> tuple[float, int, int, int, int] | None:
    """The score and place of what is most like the words in a range of words, and that range; None if nothing is."""
    if high <= low or 3 * (high - low) < len(wanted):
        return None
    if len(wanted) >= high - low:
        score = fuzz.ratio(wanted, text[low:high], score_cutoff=LEAST_SCORE)
        return (score, low, high, low, high) if score else None
    found = fuzz.partial_ratio_alignment(wanted, text[low:high], score_cutoff=LEAST_SCORE)
    if found is None or found.dest_end <= found.dest_start:
        return None
    return found.score, low + found.dest_start, low + found.dest_end, low, high


def _refined(quote: Sequence[Word], page: Sequence[Word], near: tuple[int, int]) -> Candidate | None:
    """The run of words near a place that has most of the quotation's words and least of others."""
    shown = page[near[0] : near[1]]
    pairs = [
        (code.src_start + i, code.dest_start + i)
        for code in LCSseq.opcodes([one.key for one in quote], [one.key for one in shown])
        if code.tag == "equal"
        for i in range(code.src_end - code.src_start)
    ]
    core = _densest(quote, pairs)
    if not core:
        return None
    (q_first, p_first), (q_last, p_last) = core[0], core[-1]
    start = _back(shown, p_first, q_first)
    end = _on(shown, p_last + 1, len(quote) - q_last - 1)
    return Candidate(near[0] + start, near[0] + end, likeness(quote, shown[start:end]))


def likeness(quote: Sequence[Word], shown: Sequence[Word]) -> float:
    """The weight of the words that two runs share in order, as a part of what both weigh."""
    total = sum(map(weight, quote)) + sum(map(weight, shown))
    if not total:
        return 0.0
    shared = 0.0
    codes = LCSseq.opcodes([one.key for one in quote], [one.key for one in shown])
    for code in codes:
        if code.tag == "equal":
            shared += sum(map(weight, quote[code.src_start : code.src_end]))
    return 2 * shared / total


def _densest(quote: Sequence[Word], pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The run of shared words that gains most when each word between them costs something."""
    best, best_sum = (0, 0), 0.0
    begin, running = 0, 0.0
    for at, (q, p) in enumerate(pairs):
        if at:
            running -= _GAP_COST * max(p - pairs[at - 1][1] - 1, q - pairs[at - 1][0] - 1)
        if running <= 0:
            begin, running = at, 0.0
        running += weight(quote[q])
        if running > best_sum:
            best, best_sum = (begin, at + 1), running
    return pairs[best[0] : best[1]]


def _back(shown: Sequence[Word], first: int, missing: int) -> int:
    """Takes in words before a run, as many as the quotation has there, up to where the sentence begins."""
    while missing > 0 and first > 0 and shown[first - 1].text not in _SENTENCE_END:
        first, missing = first - 1, missing - 1
    return first


def _on(shown: Sequence[Word], last: int, missing: int) -> int:
    while missing > 0 and last < len(shown):
        last, missing = last + 1, missing - 1
        if shown[last - 1].text in _SENTENCE_END:
            break
    return last
