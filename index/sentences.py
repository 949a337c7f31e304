# ruff: noqa: RUF001 -- Russian abbreviations
"""Where a text may be cut: sentences, lines, and, where nothing else is left, between words or characters. Pure."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import regex

from index.scripts import UNSPACED_RANGES

if TYPE_CHECKING:
    from collections.abc import Iterator

# One word, in the unit that sizes are counted in. Characters of scripts without spaces are parts of a word.
WORD = 10
_CHINESE = 5  # two characters a word, as Chinese and Japanese dictionaries have it, and about right for Korean
_THAI = 2  # five code points a word, marks counted, in the scripts of South-East Asia
# Text without spaces of any kind (encoded data, tables of numbers) counts as a word each twelve characters.
_CODE_POINTS_PER_WORD = 12

# How far back the start of a reader's character is looked for. Longer ones are made to annoy.
_MAX_CLUSTER = 256

# Code points between two places to cut at: what is shorter is no sentence, and tells nothing alone.
LEAST = 12

_ABBREVIATION_LIST = (
    "mr mrs ms dr prof st vs etc fig figs no nos vol pp p cf al inc ltd co jr sr approx dept est e.g i.e "
    "u.s a.m p.m z.b d.h bzw usw ca nr bd abb hr fr evtl ggf art abs sog u.a mme mlle m cie sra ud uds "
    "sig им г гг т.е т.д рис стр"
)
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())
_LONGEST_ABBREVIATION = 8


@cache
def _ends() -> regex.Pattern[str]:
    # Runs are bounded and begin at their first sign: a page of nothing but full stops must not take hours.
    stops = r".!?\u2026\u061f\u06d4\u0964\u0965\u037e\u1362\u17d4\u104b"
    closing = r"[\"'\u2019\u201d\u00bb)\]]{0,4}+"
    return regex.compile(
        rf"(?<![{stops}])(?P<stop>[{stops}]{{1,20}}+){closing}\s+"
        r"|[\u3002\uff01\uff1f\uff61]+[\u300d\u300f\u201d\u2019\uff09\u3011)]{0,4}+\s*"
        r"|(?<=[\u0e00-\u0eff]{2}) +(?=[\u0e00-\u0eff])"
        r"|\n\s*",
    )


@cache
def _breaks() -> regex.Pattern[str]:
    return regex.compile(r"\n\s*")


@cache
def _chinese() -> regex.Pattern[str]:
    return regex.compile(
        rf"[[{UNSPACED_RANGES}]--[\u0e00-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f]]", regex.VERSION1
    )


@cache
def _thai() -> regex.Pattern[str]:
    return regex.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f]")


def size(text: str) -> int:
    """How much a reader has before him, in tenths of a word."""
    words = len(text.split()) * WORD
    if not text.isascii():
        words += len(_chinese().findall(text)) * _CHINESE + len(_thai().findall(text)) * _THAI
    return max(words, len(text) * WORD // _CODE_POINTS_PER_WORD)


def sentences(text: str, start: int, end: int) -> Iterator[int]:
    """The places within `start:end` where a sentence or a line ends and the next begins, ascending."""
    last = start
    for found in _ends().finditer(text, start, end):
        if found.end() - last < LEAST:
            continue
        if found["stop"] == "." and _abbreviated(text, found.start(), found.end(), start, end):
            continue
        if found.end() < end:
            last = found.end()
            yield last


def lines(text: str, start: int, end: int) -> Iterator[int]:
    """The places within `start:end` where a line begins, ascending; very short lines are passed over."""
    last = start
    for found in _breaks().finditer(text, start, end):
        if found.end() - last >= LEAST and found.end() < end:
            last = found.end()
            yield last


def _abbreviated(text: str, stop: int, after: int, start: int, end: int) -> bool:
    """Whether the full stop at `stop` ends an abbreviation, not a sentence."""
    if after < end and text[after].islower():
        return True
    word = text[max(start, stop - _LONGEST_ABBREVIATION) : stop].rsplit(None, 1)
    last = word[-1].lstrip("(\"'").lower() if word else ""
    return (len(last) == 1 and last.isalpha()) or last in _ABBREVIATIONS


def pieces(text: str, start: int, end: int, limit: int) -> Iterator[int]:
    """Places to cut `start:end` at, so that each part is about `limit` large at most: between words, or characters."""
    begun = start
    for word in regex.finditer(r"\S+\s*", text, pos=start, endpos=end):
        if word.start() > begun and size(text[begun : word.end()]) > limit:
            yield word.start()
            begun = word.start()
        if size(word[0]) > limit:
            for place in _clusters(text, word.start(), word.end(), limit):
                yield place
                begun = place


def _clusters(text: str, start: int, end: int, limit: int) -> Iterator[int]:
    """The same within one word, between characters as a reader counts them."""
    step = max(1, limit // _CHINESE if _chinese().search(text, start, end) else limit * _CODE_POINTS_PER_WORD // WORD)
    begun = start
    while end - begun > step:
        place = border_after(text, begun + step)
        if place >= end:
            return
        yield place
        begun = place


@cache
def _begins() -> regex.Pattern[str]:
    """Characters that begin a new character of the reader's, except after one that joins onto what follows."""
    letters = r"\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u0588\u1e00-\u1fff\u2010-\u2027"
    eastern = r"\u0e01-\u0e30\u0e40-\u0e46\u3000-\u3029\u3041-\u3096\u30a1-\u30fe\u3400-\u9fff\uff01-\uff60"
    return regex.compile(rf"[\x00-\x09\x0b-\x7f{letters}{eastern}]")


@cache
def _joins() -> regex.Pattern[str]:
    return regex.compile(r"\p{Grapheme_Cluster_Break=Prepend}")


def _surely(text: str, place: int) -> bool:
    return _begins().match(text, place) is not None and not _joins().match(text, place - 1)


def _cluster(text: str, place: int) -> tuple[int, int]:
    """The reader's character that `place` lies in, or that ends there."""
    begin = place - 1
    while begin > 0 and place - begin < _MAX_CLUSTER and not _surely(text, begin):
        begin -= 1
    width = 2 * _MAX_CLUSTER
    while True:
        window = text[begin : begin + width]  # a copy: for flags, \X looks back over all of the text it is given
        found = next(c.span() for c in regex.finditer(r"\X", window) if begin + c.end() >= place)
        if found[1] < len(window) or begin + width >= len(text):
            return begin + found[0], begin + found[1]
        width *= 8


def border_before(text: str, place: int) -> int:
    """The nearest place at or before `place` where a cut leaves each character, as a reader counts them, whole."""
    if place <= 0 or place >= len(text) or _surely(text, place):
        return place
    start, end = _cluster(text, place)
    return place if end == place else start


def border_after(text: str, place: int) -> int:
    """The nearest such place at or after `place`."""
    if place <= 0 or place >= len(text) or _surely(text, place):
        return place
    return _cluster(text, place)[1]
