"""How many tokens a text will cost a model: an estimate, and named as one wherever it is shown.

Tokenisers differ by model and need files that are not ours to ship. Four UTF-8 bytes a token are a fifth too many for
English, about right for code and newer models, and half of what older ones take for Greek or Chinese:
docs/quality.md has it by language and model.
"""

from typing import Final

ESTIMATOR: Final = "utf8-bytes-1"

BYTES_PER_TOKEN: Final = 4


def estimate(text: str) -> int:
    """The tokens of `text`, rounded up; 0 only for an empty text."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def fit(text: str, budget: int) -> int:
    """The greatest length of a beginning of `text` that costs at most `budget` tokens, in code points."""
    # A character that the cut goes through is left out whole.
    return len(text.encode()[: budget * BYTES_PER_TOKEN].decode(errors="ignore"))
