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

    import numpy as np
    from numpy.typing import NDArray

# Letters of a piece. Three are in too many words; five miss short stems.
PIECE = 4
# Languages whose words are found by their stems alone: little inflection, and compounds are written apart.
PLAIN = frozenset({"en"})
# Words whose pieces are remembered: some 15 MB when full, and nine of ten words of a text are among them.
_REMEMBERED = 50_000
# Bits of a pair's number; what parts "a b" from "b a", and what mixes the result.
_BITS = 16
_DIGITS = _BITS // 4
_WIDTH = _DIGITS + 2
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
def _terms() -> NDArray[np.uint8]:
    """The term of each number, and a space behind it, as bytes: a row each. No word has this sign in it."""
    import numpy as np  # noqa: PLC0415 -- see `neighbours`

    text = "".join(f"={number:0{_DIGITS}x} " for number in range(1 << _BITS))
    return np.frombuffer(text.encode(), np.uint8).reshape(1 << _BITS, _WIDTH)


def neighbours(texts: Sequence[str]) -> list[str]:
    """The terms of each two words in a row, parted by spaces, for each text of words parted by spaces."""
    import numpy as np  # noqa: PLC0415 -- takes a while and 20 MB, and commands that search nothing need it not

    if not texts:
        return []
    hashes, text = word_hashes(texts)
    mixed = hashes[:-1] * np.uint64(_SPREAD) + hashes[1:]
    numbers = (mixed * np.uint64(_MIX)) >> np.uint64(64 - _BITS)
    inside = text[:-1] == text[1:]
    ends = (np.searchsorted(text[:-1][inside], np.arange(len(texts) + 1)) * _WIDTH).tolist()
    # All terms are written at once: a string for each would be half of what it costs to index a passage.
    written = _terms()[numbers[inside]].tobytes().decode("ascii")
    return [written[ends[place] : ends[place + 1]].rstrip() for place in range(len(texts))]


def fragments(words: str, pairs: str, language: str | None) -> str:
    """Everything of a passage that is looked for by fragments: `words` in lower case, `pairs` of its stems."""
    return " ".join([pairs, *map(pieces, dict.fromkeys(words.split()))]) if has_pieces(language) else pairs
