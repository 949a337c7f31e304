"""A text made ready for being searched: its forms are made when they are first needed, and kept."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

import regex

from snapshots.quotes.folding import Folded, fold
from snapshots.quotes.joining import Joined, find_joined, join
from snapshots.quotes.labels import without_labels
from snapshots.quotes.letters import UNSPACED
from snapshots.quotes.lexicon import lexicon
from snapshots.quotes.words import Word, words_of

_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_EASTERN_NUMBERS: Final = frozenset("〇零一二三四五六七八九十百千万萬亿億")
_EASTERN_NOT: Final = frozenset("不没沒未勿")
_SIGNS: Final = frozenset("-+±")
_INNER: Final = frozenset(".,:/")
_UNITS: Final = frozenset("%‰°")
FIRST_WORD: Final = 0x10000
"""Words become single characters from here on, so that rapidfuzz can work on them."""
NO_WORD: Final = "\uffff"
MOST_FOUND: Final = 1000
"""Places at which one quotation is looked at; a page can repeat a word without end."""


class Readable:
    """A text and its forms."""

    def __init__(self, text: str, folded: Folded | None = None) -> None:
        self.text = text
        self._folded = folded

    @cached_property
    def folded(self) -> Folded:
        """Without what is typography."""
        return self._folded or fold(self.text)

    @cached_property
    def labels(self) -> tuple[tuple[int, int], ...]:
        """Where in the text there are labels of links that nobody sees."""
        return without_labels(self.folded)[1]

    @cached_property
    def unlabelled(self) -> "Readable":
        """The same text read without these labels."""
        return Readable(self.text, without_labels(self.folded)[0]) if self.labels else self

    @cached_property
    def joined(self) -> Joined:
        """Without gaps between words."""
        return join(self.folded)

    @cached_property
    def words(self) -> list[Word]:
        """Its words, with places in the folded text."""
        return words_of(self.folded)

    @cached_property
    def vocabulary(self) -> dict[str, str]:
        """A character for each distinct word."""
        return {key: chr(FIRST_WORD + n) for n, key in enumerate(dict.fromkeys(word.key for word in self.words))}

    @cached_property
    def encoded(self) -> str:
        """The text with a character for each word."""
        vocabulary = self.vocabulary
        return "".join([vocabulary[word.key] for word in self.words])

    def encode(self, words: list[Word]) -> str:
        """Other words with the characters of this text's; `NO_WORD` for those that it does not have."""
        return "".join([self.vocabulary.get(word.key, NO_WORD) for word in words])

    def occurrences(self, quote: "Readable", before: str = "") -> list[tuple[int, int]]:
        """Where a quotation stands but for typography: ranges of the folded text.

        `before` is what stood before it when it was taken. A place where it would begin or end inside a word or a
        number is none; nor one where a word before it that turns it around was not there.
        """
        if not quote.folded.text:
            return []
        found = [span for span in self._all(quote.folded.text) if all(self.stands_alone(*span, before))]
        if not found:
            found = [span for span in self._joined(quote) if all(self.stands_alone(*span, before))]
        return found

    def _all(self, wanted: str) -> Iterator[tuple[int, int]]:
        at = self.folded.text.find(wanted)
        for _ in range(MOST_FOUND):
            if at < 0:
                return
            yield at, at + len(wanted)
            at = self.folded.text.find(wanted, at + 1)

    def _joined(self, quote: "Readable") -> Iterator[tuple[int, int]]:
        for number, span in enumerate(find_joined(quote.joined, self.joined)):
            if number == MOST_FOUND:
                return
            yield span

    def stands_alone(self, start: int, end: int, before: str) -> tuple[bool, bool]:
        """Whether a quotation that was preceded by `before` can begin and end where a range of the folded text does."""
        text = self.folded.text
        return (start == 0 or _begins(text, start, before.rstrip())), (end == len(text) or _ends(text, end))


def _begins(text: str, at: int, before: str) -> bool:
    """Whether a quotation that was preceded by `before` can begin here."""
    last, first = text[at - 1], text[at]
    if _UNSPACED.match(first):
        counts = last in _EASTERN_NUMBERS and first in _EASTERN_NUMBERS
        return not counts and (last not in _EASTERN_NOT or before.endswith(last))
    inside_word = _WORD.match(first) and _WORD.match(last) and not _UNSPACED.match(last)
    return not inside_word and not (first.isnumeric() and _in_number(text, at)) and not _turned(text, at)


def _in_number(text: str, at: int) -> bool:
    """Whether what stands before a digit belongs to its number: a sign, or a point after another digit."""
    last, earlier = text[at - 1], text[at - 2 : at - 1]
    return (last in _SIGNS and not _WORD.match(earlier)) or (last in _INNER and earlier.isnumeric())


def _turned(text: str, at: int) -> bool:
    """Whether a word has a beginning before a hyphen that makes it its opposite."""
    if text[at - 1] != "-" or not _WORD.match(text[at]):
        return False
    return text[text.rfind(" ", 0, at) + 1 : at].casefold() in lexicon().opposites


def _ends(text: str, at: int) -> bool:
    """Whether a quotation can end here."""
    last, first = text[at - 1], text[at]
    if _UNSPACED.match(last):
        return not (last in _EASTERN_NUMBERS and first in _EASTERN_NUMBERS)
    if _WORD.match(last) and _WORD.match(first) and not _UNSPACED.match(first):
        return False
    if last.isnumeric():
        return first not in _UNITS and not (first in _INNER and text[at + 1 : at + 2].isnumeric())
    return text[at : at + 2] != "'t"
