"""How many tokens a text will cost a model: an estimate, and named as one wherever it is shown.

Tokenisers differ by model and need files that are not ours to ship. Counted are four characters a token for Latin
text, two for other alphabets, and one for scripts without spaces, which lies on the safe side for current models.
"""

from typing import Final

ESTIMATOR: Final = "characters-1"

_LATIN_PER_TOKEN = 4
_OTHER_PER_TOKEN = 2
_FIRST_OTHER = 0x0250  # the first code point after the Latin blocks
_FIRST_WIDE = 0x0E00  # Thai and beyond: scripts whose characters tend to be tokens of their own


def estimate(text: str) -> int:
    """The tokens of `text`, rounded up; 0 only for an empty text."""
    if text.isascii():
        return -(-len(text) // _LATIN_PER_TOKEN)
    wide = sum(1 for character in text if ord(character) >= _FIRST_WIDE)
    other = sum(1 for character in text if _FIRST_OTHER <= ord(character) < _FIRST_WIDE)
    latin = len(text) - wide - other
    return -(-latin // _LATIN_PER_TOKEN) + -(-other // _OTHER_PER_TOKEN) + wide


def fit(text: str, budget: int) -> int:
    """The greatest length of a beginning of `text` that costs at most `budget` tokens, in code points."""
    if estimate(text) <= budget:
        return len(text)
    low, high = 0, min(len(text), budget * _LATIN_PER_TOKEN)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    return low
