"""Labels that a page adds to its links for those who hear it: seen by nobody, and no part of what a sentence says."""

import re
from functools import cache
from typing import Final

from snapshots.quotes.folding import Folded, fold, without
from snapshots.quotes.lexicon import lexicon

_PLAIN_WORDS: Final = 4
"""A label of so many words is one without brackets too; shorter ones may be what a sentence speaks of."""


@cache
def _pattern() -> "re.Pattern[str]":
    labels = sorted((fold(label).text for label in lexicon().labels), key=len, reverse=True)
    every = "|".join(map(re.escape, labels))
    plain = "|".join(re.escape(label) for label in labels if label.count(" ") >= _PLAIN_WORDS - 1)
    return re.compile(rf" ?[(\[] ?(?:{every}) ?[)\]]| (?:{plain})(?!\w)", re.IGNORECASE)


def without_labels(folded: Folded) -> tuple[Folded, tuple[tuple[int, int], ...]]:
    """A folded text without labels, and where they stood in the source."""
    found = list(_pattern().finditer(folded.text))
    if not found:
        return folded, ()
    return without(folded, iter(found)), tuple(folded.span(*one.span()) for one in found)
