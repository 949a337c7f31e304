"""Does the page still say so: the verdict on one quotation, by rule.

A quotation is there only if the page has the same words: after folding typography away, letter by letter. Likeness
only ever decides between `edited` and `absent`, and where the surroundings are known they speak first.
"""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from snapshots.quotes.cited import FULL_AGREEMENT, Cited, PageText, Where, agreement, sides
from snapshots.quotes.differing import SHOWN, Flag, compare
from snapshots.quotes.editing import ALIKE, Edited, edited
from snapshots.quotes.omission import find_pieces, pieces_of, turns_around
from snapshots.quotes.reading import Readable
from snapshots.quotes.surroundings import BOTH, place
from snapshots.quotes.words import Difference, difference

Verdict = Literal[
    "exact", "typography", "moved", "edited", "ambiguous", "absent", "page_gone", "redirected", "inconclusive"
]

_SPACE: Final = re.compile(r"[ \t\r\n\f\v]+")
TIE: Final = 0.02
"""Two places this close in likeness are not told apart by it."""
SAME: Final = 0.9999
"""All words are shared; what may be left is rounding."""
SURE: Final = 0.9
"""A passage of the main text this alike is not looked for in the rest of the page."""


@dataclass(frozen=True)
class Judgement:
    """What became of a quotation.

    `matched` is `text[start:end]` of the page's text that `where` names, in code points; None when nothing stands for
    the quotation. `occurrences` counts the places where it stands unchanged. `reason` is a sentence where the verdict
    needs one.
    """

    verdict: Verdict
    where: Where | None = None
    start: int | None = None
    end: int | None = None
    matched: str | None = None
    differences: tuple[Difference, ...] = ()
    differences_total: int = 0
    flags: tuple[Flag, ...] = ()
    occurrences: int = 0
    reason: str | None = None


def page_text(text: str, visible: str) -> PageText:
    """A page's main text and all its visible text, made ready for any number of quotations."""
    return PageText(Readable(text), Readable(visible))


def judge(quote: str, page: PageText, *, prefix: str = "", suffix: str = "", old: PageText | None = None) -> Judgement:
    """The verdict on QUOTE, which stood between PREFIX and SUFFIX on the page whose old texts are OLD, as far as known.

    Says nothing about the page's state: that a page is gone or could not be read is for the caller to judge.
    """
    cited = Cited(Readable(quote), prefix, suffix, old)
    if not cited.quote.folded.text:
        return Judgement("absent", reason="the quotation is empty")
    return _present(cited, page) or _in_pieces(cited, page) or _changed(cited, page)


def _present(cited: Cited, page: PageText) -> Judgement | None:
    """The verdict if the quotation stands on the page."""
    for where, text in page.both:
        found = text.occurrences(cited.quote, cited.prefix)
        if found:
            standing = _standing(cited, where, text, found)
            return _displaced(cited, page, standing) if _lost(cited, text, found) else standing
    for where, text in page.both:
        if not (text.labels or cited.quote.labels):
            continue
        found = text.unlabelled.occurrences(cited.quote.unlabelled, cited.prefix)
        if found:
            standing = _standing(cited, where, text.unlabelled, found)
            begin, end = standing.start or 0, standing.end or 0
            labels = [
                difference("delete", (cited.quote.text, one), (text.text, (begin, begin))) for one in cited.quote.labels
            ]
            labels += [
                difference("insert", (cited.quote.text, (0, 0)), (text.text, one))
                for one in text.labels
                if begin <= one[0] and one[1] <= end
            ]
            return replace(standing, differences=tuple(labels[:SHOWN]), differences_total=len(labels))
    return None


def _standing(cited: Cited, where: Where, text: Readable, found: list[tuple[int, int]]) -> Judgement:
    around = cited.around
    best = _best(cited, text, found)
    start, end = text.folded.span(*best)
    matched = text.text[start:end]
    before, after = sides(around, text, best)
    before_count = cited.taken_from[2] if cited.taken_from else 1
    same = _SPACE.sub(" ", matched.strip()) == _SPACE.sub(" ", cited.quote.text.strip())
    reason = None if same else "only typography differs"
    verdict: Verdict = "exact" if same else "typography"
    if _lost(cited, text, found) and (len(found) > 1 or before_count > len(found)):
        verdict = "ambiguous"
        reason = "it stands in other places than the one it was taken from, and nothing tells which"
    elif around.known and min(before, after) < FULL_AGREEMENT and _moved(cited, text, best):
        verdict = "moved"
        reason = f"it stands in another place than before{'' if same else ', and its typography differs'}"
    return Judgement(verdict, where, start, end, matched, occurrences=len(found), reason=reason)


def _best(cited: Cited, text: Readable, found: list[tuple[int, int]]) -> tuple[int, int]:
    """The place whose neighbours are most like those that the quotation had."""
    return max(found, key=lambda span: agreement(cited.around, text, span)) if cited.around.known else found[0]


def _lost(cited: Cited, text: Readable, found: list[tuple[int, int]]) -> bool:
    """Whether the quotation has lost its old neighbours: those right beside it, and those some way off."""
    if not cited.around.known:
        return False
    best = _best(cited, text, found)
    return max(sides(cited.around, text, best)) < FULL_AGREEMENT and place(cited.around, text).sides(*best) < BOTH


def _displaced(cited: Cited, page: PageText, standing: Judgement) -> Judgement:
    """The verdict on words that stand, but not where they were quoted from.

    If something else stands in that place now, that is what became of them: a comment or a note that repeats the old
    words does not make the article say them. Nor does anything outside the main text, once they stood in it.
    """
    for where, text in page.both:
        there = [one for one in edited(cited, text) if one.sides == BOTH and ALIKE <= one.likeness < SAME]
        if there:
            reason = "the passage in its place says something else; the old words stand elsewhere on the page"
            return _as_edited(cited, where, text, there[0], "edited", reason)
    taken = cited.taken_from
    of_main = cited.old is not None and taken is not None and taken[0] is cited.old.text
    if of_main and standing.where == "visible" and page.text.text:
        return replace(standing, verdict="ambiguous", reason="it stands outside the main text now")
    return standing


def _in_pieces(cited: Cited, page: PageText) -> Judgement | None:
    """The verdict on a quotation with dots whose pieces all stand on the page in order."""
    pieces = pieces_of(cited.quote)
    if not pieces:
        return None
    for where, text in page.both:
        found = find_pieces(pieces, text)
        if found is None:
            continue
        left_out = [text.folded.text[start:end] for start, end in found.gaps]
        start, end = text.folded.span(found.spans[0][0], found.spans[-1][1])
        around = any(turns_around(one) for one in left_out)
        shown = [
            difference("insert", (cited.quote.text, (0, 0)), (text.text, text.folded.span(*gap)))
            for gap in found.gaps
            if gap[0] < gap[1]
        ]
        return Judgement(
            "edited" if around else "exact",
            where,
            start,
            end,
            text.text[start:end],
            tuple(shown),
            len(shown),
            ("negation",) if around else (),
            occurrences=1,
            reason="what was left out turns the sentence around" if around else "its pieces stand in this order",
        )
    return None


def _moved(cited: Cited, text: Readable, span: tuple[int, int]) -> bool:
    """Whether what stood before the quotation now comes after it, or the other way round."""
    now = place(cited.around, text)
    if now.closed:
        return True
    return (now.begin is not None and now.begin > span[1]) or (now.end is not None and now.end < span[0])


def _changed(cited: Cited, page: PageText) -> Judgement:
    """The verdict on a quotation that does not stand on the page as it was taken."""
    where, text, found = _nearest(cited, page)
    if not found:
        return Judgement("absent", reason="nothing on the page says this")
    best = found[0]
    verdict: Verdict = "edited"
    reason = "a passage in its place says something else" if best.sides else "the passage most like it differs"
    if any(_rival(text, best, one) for one in found[1:]):
        verdict, reason = "ambiguous", "several passages are as much like it, and nothing tells which it became"
    return _as_edited(cited, where, text, best, verdict, reason)


def _as_edited(cited: Cited, where: Where, text: Readable, one: Edited, verdict: Verdict, reason: str) -> Judgement:
    """A passage of the page as what the quotation became, with the words that set them apart."""
    words = text.words[one.start : one.end]
    start, end = text.folded.span(words[0].start, words[-1].end)
    comparison = compare((cited.quote.folded, cited.quote.words), (text.folded, words))
    return Judgement(
        verdict, where, start, end, text.text[start:end],
        comparison.differences, comparison.total, comparison.flags, reason=reason,
    )  # fmt: skip


def _nearest(cited: Cited, page: PageText) -> tuple[Where, Readable, list[Edited]]:
    """The passages of the text in which the likeliest one stands."""
    main = edited(cited, page.text)
    if main and main[0].likeness >= SURE:
        return "text", page.text, main
    other = edited(cited, page.visible)
    if other and (not main or other[0].likeness > main[0].likeness + TIE):
        return "visible", page.visible, other
    return "text", page.text, main


def _rival(text: Readable, best: Edited, other: Edited) -> bool:
    """Whether another passage that says something else is as likely."""
    if best.sides == BOTH or other.sides != best.sides or best.likeness - other.likeness > TIE:
        return False
    if other.start < best.end and best.start < other.end:
        return False
    return text.encoded[other.start : other.end] != text.encoded[best.start : best.end]
