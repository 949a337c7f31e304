"""Typographic clean-ups: what an editor's tool does to a text without changing what it says."""

import re
import unicodedata
from collections.abc import Callable

QUOTES = {
    "en": ("\u201c", "\u201d"),
    "de": ("\u201e", "\u201c"),
    "fr": ("\u00ab\u202f", "\u202f\u00bb"),
    "es": ("\u00ab", "\u00bb"),
    "zh": ("\u201c", "\u201d"),
    "ja": ("\u201c", "\u201d"),
    "ar": ("\u00ab", "\u00bb"),
    "ru": ("\u00ab", "\u00bb"),
    "hi": ("\u201c", "\u201d"),
    "tr": ("\u201c", "\u201d"),
}
LETTER = r"[^\W\d_]"


def _outside_tags(change: Callable[[str], str], body: str) -> str:
    return "".join(part if part.startswith("<") else change(part) for part in re.split(r"(<[^>]*>)", body))


def quotation_marks(body: str, language: str) -> str:
    """Straight double quotation marks become the language's own, apostrophes become curly."""
    opening, closing = QUOTES[language]

    def change(text: str) -> str:
        text = re.sub(r'"([^"\n]*)"', rf"{opening}\1{closing}", text)
        return re.sub(rf"({LETTER})'({LETTER})", "\\1\u2019\\2", text)

    return _outside_tags(change, body)


def spaces_and_dashes(body: str, language: str) -> str:
    """No-break spaces after numbers, dashes for spaced hyphens, one character for an ellipsis."""

    def change(text: str) -> str:
        text = re.sub(rf"(\d) ({LETTER}|[%€°])", "\\1\u00a0\\2", text)
        text = text.replace(" - ", " \u2013 ").replace("...", "\u2026")
        return re.sub(r" ([:;!?»])", "\u202f\\1", text) if language == "fr" else text

    return _outside_tags(change, body)


def soft_hyphens(body: str, language: str) -> str:
    """Soft hyphens in long words; where words are not separated, zero-width spaces after commas."""

    def change(text: str) -> str:
        if language in {"zh", "ja"}:
            return text.replace("\uff0c", "\uff0c\u200b").replace("\u3001", "\u3001\u200b")
        if language == "ar":
            return text.replace(" \u0648", " \u200f\u0648")
        return re.sub(rf"({LETTER}{{6}})({LETTER}{{5,}})", "\\1\u00ad\\2", text)

    return _outside_tags(change, body)


def decomposed(body: str, language: str) -> str:
    """Letters with marks as letter and mark apart (NFD)."""
    return _outside_tags(lambda text: unicodedata.normalize("NFD", text), body)


def widths(body: str, language: str) -> str:
    """Full-width forms of ASCII punctuation and letters become half-width ones, as CJK editors do."""

    def change(text: str) -> str:
        return "".join(chr(ord(char) - 0xFEE0) if "\uff01" <= char <= "\uff5e" else char for char in text)

    return _outside_tags(change, body)


def ligatures(body: str, language: str) -> str:
    """The letters fi and fl as one character each, as PDF exports leave them."""
    return _outside_tags(lambda text: text.replace("fi", "\ufb01").replace("fl", "\ufb02"), body)


TYPOGRAPHY: dict[str, Callable[[str, str], str]] = {
    "quotation marks": quotation_marks,
    "spaces and dashes": spaces_and_dashes,
    "soft hyphens": soft_hyphens,
    "decomposed letters": decomposed,
    "widths": widths,
    "ligatures": ligatures,
}
