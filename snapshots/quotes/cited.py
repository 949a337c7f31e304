"""A quotation as it was taken: its words, its surroundings, and the page it was taken from."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rapidfuzz import fuzz

from snapshots.quotes.reading import Readable
from snapshots.quotes.surroundings import REACH, Surroundings, surroundings

Where = Literal["text", "visible"]
FULL_AGREEMENT = 90.0
"""Two contexts this alike are the same but for small changes."""


@dataclass(frozen=True)
class PageText:
    """A page's texts made ready. `visible` is all that a reader can see, `text` the main text."""

    text: Readable
    visible: Readable

    @property
    def both(self) -> tuple[tuple[Where, Readable], ...]:
        """Both texts, the main text first."""
        return (("text", self.text), ("visible", self.visible))


@dataclass(frozen=True)
class Cited:
    """`prefix` and `suffix` are what stood around the quotation, `old` is the page it was taken from, if known."""

    quote: Readable
    prefix: str = ""
    suffix: str = ""
    old: PageText | None = None

    @cached_property
    def taken_from(self) -> tuple[Readable, tuple[int, int], int] | None:
        """The old text that holds the quotation, the range in its folded form, and in how many places it stands."""
        if self.old is None:
            return None
        for _, text in self.old.both:
            found = text.occurrences(self.quote, self.prefix)
            if found:
                around = surroundings(self.prefix, self.suffix, self.quote.folded.text)
                best = max(found, key=lambda span: agreement(around, text, span))
                return text, best, len(found)
        return None

    @cached_property
    def around(self) -> Surroundings:
        """What stood around it: on the old page where that is known, which reaches farther than a prefix."""
        taken = self.taken_from
        if taken is None:
            return surroundings(self.prefix, self.suffix, self.quote.folded.text)
        text, (start, end), _ = taken
        folded = text.folded.text
        return surroundings(folded[max(0, start - REACH) : start], folded[end : end + REACH], self.quote.folded.text)

    def stood_elsewhere(self, words: str) -> bool:
        """Whether a folded text stood on the old page beside the quotation, and so is not what became of it."""
        if self.old is None:
            return False
        taken = self.taken_from
        for _, text in self.old.both:
            at = text.folded.text.find(words)
            while at >= 0:
                inside = taken is not None and text is taken[0] and at < taken[1][1] and at + len(words) > taken[1][0]
                if not inside and not (self.quote.folded.text.find(words) >= 0):
                    return True
                at = text.folded.text.find(words, at + 1)
        return False


def agreement(around: Surroundings, page: Readable, span: tuple[int, int]) -> tuple[float, float]:
    """How alike, from 0 to 100, what stands right before and right after a range is to what stood there.

    The sum decides between places; a side that is not known counts as alike.
    """
    before, after = sides(around, page, span)
    return (before + after, before)


def sides(around: Surroundings, page: Readable, span: tuple[int, int]) -> tuple[float, float]:
    """The likeness of the neighbours on each side, from 0 to 100."""
    text = page.folded.text
    length = 40
    prefix, suffix = around.prefix.strip()[-length:], around.suffix.strip()[:length]
    before = text[max(0, span[0] - length - 1) : span[0]].strip()[-len(prefix) :] if prefix else ""
    after = text[span[1] : span[1] + length + 1].strip()[: len(suffix)] if suffix else ""
    return (
        fuzz.ratio(prefix, before) if prefix else 100.0,
        fuzz.ratio(suffix, after) if suffix else 100.0,
    )
