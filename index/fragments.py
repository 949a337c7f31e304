"""What two texts have in common although no word is the same, and words that stand next to each other. Pure.

* *Pieces*: four letters in a row of each word, its edges marked. They bring together the forms of a word and the parts
  of compounds, in languages that inflect and compound richly. English does neither, and has none.
* *Neighbours*: two stems in a row, as one of 65,536 numbers. Words of a question that stand together in a passage say
  more than the same words scattered over it. Most pairs occur once: as terms of their own they would take as much
  room as all else. One passage in six hundred has a number by chance.

Both only say whether something is there, not how often.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from index.sketch import word_hashes

if TYPE_CHECKING:
    from collections.abc import Sequence

# Letters of a piece. Three are in too many words; five miss short stems.
PIECE = 4
# Languages whose words are found by their stems alone: little inflection, and compounds are written apart.
PLAIN = frozenset({"en"})
# Words whose pieces are remembered: some 15 MB when full, and nine of ten words of a text are among them.
_REMEMBERED = 50_000
# Bits of a pair's number; what parts "a b" from "b a", and what mixes the result.
_BITS = 16
_SPREAD = 0x9E3779B1
_MIX = 0x9E3779B97F4A7C15
# Longer words are no words of a language; their pieces would fill the memory above.
_LONGEST = 60


def has_pieces(language: str | None) -> bool:
    """Whether passages in this language are indexed by the pieces of their words."""
    return bool(language) and language not in PLAIN


@lru_cache(maxsize=_REMEMBERED)
def pieces(word: str) -> str:
    """The pieces of a word in lower case, parted by spaces; empty for a single letter."""
    marked = f"_{word[:_LONGEST]}_"
    return " ".join(marked[at : at + PIECE] for at in range(len(marked) - PIECE + 1))


@cache
def _terms() -> list[str]:
    """The terms of all numbers. No word has this sign in it."""
    return [f"={number:x}" for number in range(1 << _BITS)]


def neighbours(texts: Sequence[str]) -> list[list[str]]:
    """The terms of each two words in a row, for each text of words parted by spaces."""
    import numpy as np  # noqa: PLC0415 -- takes a while and 20 MB, and commands that search nothing need it not

    if not texts:
        return []
    hashes, text = word_hashes(texts)
    mixed = hashes[:-1] * np.uint64(_SPREAD) + hashes[1:]
    numbers = ((mixed * np.uint64(_MIX)) >> np.uint64(64 - _BITS)).astype(np.int64)
    terms = _terms()
    found: list[list[str]] = [[] for _ in texts]
    inside = text[:-1] == text[1:]
    ends = np.searchsorted(text[:-1][inside], np.arange(len(texts) + 1)).tolist()
    listed = numbers[inside].tolist()
    for place in range(len(texts)):
        found[place] = [terms[number] for number in listed[ends[place] : ends[place + 1]]]
    return found


def fragments(words: str, pairs: Sequence[str], language: str | None) -> str:
    """Everything of a passage that is looked for by fragments: `words` in lower case, `pairs` of its stems."""
    if has_pieces(language):
        pairs = [*pairs, *map(pieces, dict.fromkeys(words.split()))]
    return " ".join(pairs)
