"""What in a text no reader sees, or is meant for a model rather than a reader. Pure, and light to import."""

import re
from typing import Final, Literal, NamedTuple

ZERO_WIDTH: Final = re.compile("[\u200b\u2060\ufeff]|(?<=[A-Za-z])[\u200c\u200d](?=[A-Za-z])|[\U000e0000-\U000e007f]")
BIDI: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_TO_A_MODEL: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+)?(?:of\s+)?(?:the\s+|your\s+|my\s+)?"
    r"(?:previous|prior|above|earlier|preceding|foregoing)\s+(?:instructions?|prompts?|directions?|rules?|"
    r"context|messages?)"
    r"|\bif\s+you\s+are\s+(?:an?\s+)?(?:ai|llm|large\s+language\s+model|language\s+model|chatbot|ai\s+(?:agent|"
    r"assistant))\b"
    r"|\byou\s+are\s+(?:now\s+)?(?:an?\s+)?(?:ai|helpful|large\s+language|language)\s+(?:assistant|model|agent)\b"
    r"|\b(?:attention|note|instructions?|message|important)\s*(?:to|for|:)\s*(?:all\s+)?(?:ai|llms?|"
    r"language\s+models?|chatbots?)\b"
    r"|<\|im_start\|>|<\|system\|>|\[/?INST\]|\breveal\s+your\s+(?:system\s+)?prompt\b",
    re.IGNORECASE,
)
_NEEDED_WORDS: Final = (
    "previous", "prior ", "above ", "earlier ", "preceding", "foregoing", "you are", "if you", " ai", "llm",
    "language model",
    "chatbot", "<|", "inst]", "system prompt", "your prompt",
)  # fmt: skip


class Sign(NamedTuple):
    """`text[start:end]` is a run of characters that nobody sees, or words that speak to a language model."""

    start: int
    end: int
    kind: Literal["unseen", "addresses_model"]


def speaks_to_a_model(text: str) -> bool:
    """Whether words in it speak to a language model."""
    # The words without which the pattern cannot match: looking for them first is twenty times faster.
    lowered = text.lower()
    return any(w in lowered for w in _NEEDED_WORDS) and _TO_A_MODEL.search(text) is not None


def signs_in(text: str) -> list[Sign]:
    """All of them, in order; none overlaps another."""
    found = [] if text.isascii() else [Sign(*one.span(), "unseen") for sign in _UNSEEN for one in sign.finditer(text)]
    if speaks_to_a_model(text):
        found += [Sign(*one.span(), "addresses_model") for one in _TO_A_MODEL.finditer(text)]
    apart: list[Sign] = []
    for sign in sorted(found):
        if not apart or sign.start >= apart[-1].end:
            apart.append(sign)
    return apart


_UNSEEN: Final = (ZERO_WIDTH, BIDI)
