"""Which languages a query may be in. Cheap guesses: a query is short, and a wrong guess costs a little rank only."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import regex

from index.stopwords import LANGUAGES, stop_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Languages tried at once when a query does not tell its own: each may add a term per word.
MAX_GUESSES = 6

# Scripts of languages that are not written in Latin letters; languages missing here are.
_SCRIPTS = {
    "Arabic": ("ar", "fa", "ur"),
    "Cyrillic": ("ru", "uk", "bg", "sr", "be", "mk", "kk"),
    "Devanagari": ("hi", "mr", "ne"),
    "Greek": ("el",),
    "Tamil": ("ta",),
    "Hebrew": ("he",),
}
_ELSEWHERE = frozenset(language for languages in _SCRIPTS.values() for language in languages)


@cache
def _letters(script: str) -> regex.Pattern[str]:
    return regex.compile(rf"\p{{{script}}}")


def guess(words: Sequence[str], present: Mapping[str, int]) -> tuple[str, ...]:
    """The likely languages of a query's words (lower case) among those `present`, with their number of passages.

    Function words decide; where there are none, every present language of the query's script may be it, the most
    frequent first.
    """
    text = " ".join(words)
    if text.isascii():
        possible = [language for language in present if language not in _ELSEWHERE]
    else:
        scripts = [script for script in _SCRIPTS if _letters(script).search(text)]
        written = {language for script in scripts for language in _SCRIPTS[script]}
        latin = _letters("Latin").search(text) is not None
        possible = [language for language in present if language in written or (latin and language not in _ELSEWHERE)]
    possible.sort(key=lambda language: (-present[language], language))
    votes = {language: len(stop_words(language).intersection(words)) for language in possible}
    most = max(votes.values(), default=0)
    if most:
        possible = [language for language in possible if votes[language] == most]
    return tuple(possible[:MAX_GUESSES])


def unknown_language(words: Sequence[str]) -> tuple[str, ...]:
    """The languages whose function words the query has most of, when the index knows no language at all."""
    return (
        guess(words, dict.fromkeys(LANGUAGES, 1)) if any(stop_words(x).intersection(words) for x in LANGUAGES) else ()
    )
