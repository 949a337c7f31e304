"""One form for texts that say the same, with a map back to the code points they came from.

Folded away is what type-setters, word processors and extractors change: kinds of white space, characters without
width, soft hyphens, shapes of quotation marks, dashes and dots, composed and decomposed letters, ligatures, widths.
Kept is all that can change what is said: letters with their accents and case, digits of every script, superscripts,
fractions, signs, units, punctuation. This is therefore not NFKC, which makes 10² and 102 one.

Both sides of a comparison go through `fold`, so that it does not matter which of them has the odd characters.
"""

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterator  # noqa: TC003 - the table of rules is typed with them
from dataclasses import dataclass, field
from typing import Final

import regex

WRAP: Final = "\ufdd0"
"""Stands in a folded text for a hyphen at the end of a line. A non-character: `fold` drops those of a page."""

Match = re.Match[str] | regex.Match[str]

_QUOTES: Final = "“”„‟«»″〝〞〟＂「」『』｢｣❝❞"
_APOSTROPHES: Final = "‘’‚‛‹›′`´＇ʼʹ＇❛❜"
_DASHES: Final = "‐‑‒–—―−﹣－⸺⸻"
_UNSEEN: Final = (
    "\u00ad\u034f\u061c\u0640\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\ufdd0-\ufdef"
)
"""Without width or effect on what is said; the Arabic tatweel only makes a word longer on paper."""
_SHAPES: Final = "\u0132\u0133\u01c4-\u01cc\u01f1-\u01f3\ufb00-\ufbff\ufc00-\ufdcf\ufdf0-\ufdfb\ufe70-\ufefc"
"""Ligatures, and letters in the form that their place in a word gives them."""
_WIDTHS: Final = "\uff01-\uff5e\uff61-\uff9f\uffa0-\uffdc\uffe0-\uffe2\uffe4-\uffe6"

_PLAIN: Final = re.compile(
    rf"[\uff66-\uff9d][\uff9e\uff9f]?|[{_UNSEEN}{_SHAPES}{_WIDTHS}{_QUOTES}{_APOSTROPHES}{_DASHES}…⋯\x85\u2028\u2029]"
    r"|[^\S \n]+"
)
_MARKS: Final = {ord("`"): "'", ord("「"): '"', ord("」"): '"'}
_LINE_END: Final = re.compile(r"\s*\n\s*[^\W\d_]")
_FORMS: Final = {
    **dict.fromkeys(_QUOTES, '"'), **dict.fromkeys(_APOSTROPHES, "'"), **dict.fromkeys(_DASHES, "-"),
    "…": "...", "⋯": "...",
}  # fmt: skip
_DROPPED: Final = re.compile(f"[{_UNSEEN}]")
_DECOMPOSED: Final = regex.compile(r"[^\x00-\x7f]\p{M}*|[\x00-\x7f]\p{M}+|[\u1100-\u11ff]+")
_FRENCH: Final = regex.compile(r"(?<=(?:^|[\s(\[])[«‹])\s+|\s+(?=[»›](?:[\s.,;:!?)\]]|$))")
_WRAPPED: Final = re.compile(r"(?<=[^\W\d_])-[ ]?\n\s*(?=[^\W\d_])")
_DASHED: Final = re.compile("--+")
_DOUBLED: Final = re.compile("''")
_DOTTED: Final = re.compile(r"\.(?:[ ]?\.){2,}")
_SPACED: Final = re.compile(r"\s{2,}|\n")
_BEFORE: Final = re.compile(r" (?=[!?;:](?:\s|[\"']|$))")


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` is the folded form of `source`; its character at `i` stands for `source[starts[i]:ends[i]]`."""

    source: str
    text: str
    starts: "array[int]" = field(repr=False)
    ends: "array[int]" = field(repr=False)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The range of the source that `text[start:end]` (not empty) stands for."""
        return self.starts[start], self.ends[end - 1]


def fold(source: str) -> Folded:
    """The folded form of a text; begins and ends without white space.

    Two texts have the same form when nothing but typography sets them apart, but for spaces and line-wrap hyphens,
    which need their surroundings to be judged (see `snapshots.quotes.joining`).
    """
    folded = Folded(source, source, array("I", range(len(source))), array("I", range(1, len(source) + 1)))
    if not source.isascii():
        if "«" in source or "»" in source or "‹" in source or "›" in source:
            folded = _rewrite(folded, _FRENCH.finditer(source), lambda _: "")
        if not unicodedata.is_normalized("NFC", folded.text):
            folded = _rewrite(folded, _DECOMPOSED.finditer(folded.text), lambda m: unicodedata.normalize("NFC", m[0]))
    if not source.isascii() or any(c in source for c in "`\t\r\v\f"):
        folded = _rewrite(folded, _PLAIN.finditer(folded.text), _plain)
    for sign, pattern, form in _RULES:
        if sign in folded.text:
            folded = _rewrite(folded, pattern.finditer(folded.text), form)
    return _stripped(folded)


def _plain(found: "Match") -> str:
    seen = found[0]
    if seen == "\u00ad":
        return "-" if _LINE_END.match(found.string, found.end()) else ""
    known = _FORMS.get(seen[0])
    if known is not None:
        return known
    if _DROPPED.match(seen):
        return ""
    if seen.isspace():
        return "\n" if any(c in seen for c in "\r\v\f\x85\u2028\u2029") else " "
    return _unshaped(seen)


def _unshaped(shaped: str) -> str:
    """A letter without its shape, a mark without its width; and that mark's own plain form."""
    return unicodedata.normalize("NFKC", shaped).translate(_MARKS)


def _to(form: str) -> "Callable[[Match], str]":
    return lambda _: form


_RULES: "Final[tuple[tuple[str, re.Pattern[str], Callable[[Match], str]], ...]]" = (
    ("-\n", _WRAPPED, _to(WRAP)),
    ("- \n", _WRAPPED, _to(WRAP)),
    ("--", _DASHED, _to("-")),
    ("''", _DOUBLED, _to('"')),
    (".", _DOTTED, _to("...")),
    ("\n", _SPACED, _to(" ")),
    ("  ", _SPACED, _to(" ")),
    (" !", _BEFORE, _to("")),
    (" ?", _BEFORE, _to("")),
    (" ;", _BEFORE, _to("")),
    (" :", _BEFORE, _to("")),
)
"""What is written with several characters: a sign without which the pattern cannot match, the pattern, the form."""


def without(folded: Folded, matches: "Iterator[Match]") -> Folded:
    """A folded text without some parts of it."""
    return _rewrite(folded, matches, _to(""))


def _rewrite(folded: Folded, matches: "Iterator[Match]", replacement: "Callable[[Match], str]") -> Folded:
    """FOLDED with the matches of its text replaced; every character of a replacement stands for the whole match."""
    parts: list[str] = []
    starts, ends = array("I"), array("I")
    at = 0
    for found in matches:
        new = replacement(found)
        begin, end = found.span()
        if new == found[0]:
            continue
        parts += (folded.text[at:begin], new)
        starts += folded.starts[at:begin]
        ends += folded.ends[at:begin]
        if new:
            starts += array("I", [folded.starts[begin]]) * len(new)
            ends += array("I", [folded.ends[end - 1]]) * len(new)
        at = end
    if not at:
        return folded
    parts.append(folded.text[at:])
    return Folded(folded.source, "".join(parts), starts + folded.starts[at:], ends + folded.ends[at:])


def _stripped(folded: Folded) -> Folded:
    text = folded.text
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if (begin, end) == (0, len(text)) or begin >= end:
        return folded if begin < end or not text else Folded(folded.source, "", array("I"), array("I"))
    return Folded(folded.source, text[begin:end], folded.starts[begin:end], folded.ends[begin:end])
