"""What two texts have in common although no word is the same, and words that stand next to each other. Pure.

* *Pieces*: four letters in a row of each word, its edges marked. They bring together the forms of a word and the parts
  of compounds, in languages that inflect and compound richly. English does neither, and has none.
* *Neighbours*: two stems in a row. Words of a question that stand together in a passage say more than the same words
  scattered over it.

Both only say whether something is there, not how often.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

# Letters of a piece. Three are in too many words; five miss short stems.
PIECE = 4
# Languages whose words are found by their stems alone: little inflection, and compounds are written apart.
PLAIN = frozenset({"en"})
# Words whose pieces are remembered: some 15 MB when full, and nine of ten words of a text are among them.
_REMEMBERED = 50_000
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


def neighbour(first: str, second: str) -> str:
    """Two words in a row as one term. No word has this sign in it."""
    return f"{first}={second}"


def fragments(words: str, stemmed: str, language: str | None) -> str:
    """Everything of a passage that is looked for by fragments: `words` in lower case, `stemmed` in stems."""
    found = [neighbour(first, second) for first, second in pairwise(stemmed.split())]
    if has_pieces(language):
        found += map(pieces, dict.fromkeys(words.split()))
    return " ".join(found)
