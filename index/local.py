"""Scores the passages of pages that may not be in the index: BM25 over these passages. Pure.

How rare a word is, the index says together with these passages: a few pages on one thing would take its name for
common.

The analysis is that of the index, so that what is typed meets what was written in the same way.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from index.analysis import base_language, pairs, shape, spaced_words, stems, word_form
from index.scripts import any_unspaced, unspaced_run
from index.sketch import fold, sketches

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from index.pages import Span

K1, B = 1.2, 0.75
"""The usual parameters of BM25."""
HEAD_WEIGHT = 0.4
"""What a word in title or headings counts beside one in the passage: it says what the passage is about."""
MAX_TERMS = 64  # distinct terms of a query that are looked for: more is a text, whose first words say what it is about


@dataclass(frozen=True, slots=True)
class RunPage:
    """A page's text, cut into passages, with its title and the headings above each passage."""

    text: str
    spans: Sequence[Span]
    headings: Sequence[Sequence[str]]
    title: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class RunPassage:
    """A passage of the page at place `page`, with its score; those without a common word have 0."""

    page: int
    span: Span
    score: float


@dataclass(frozen=True, slots=True)
class Known:
    """What an index knows of some terms: how many passages it holds, and how many of them have each term."""

    passages: int = 0
    holders: Mapping[str, int] = field(default_factory=dict)


def score_passages(
    query: str, pages: Sequence[RunPage], known: Callable[[Collection[str]], Known] = lambda _: Known()
) -> list[RunPassage]:
    """Every passage of `pages`, best first; ties go to the earlier page and passage. `known` is asked once."""
    bags: list[tuple[int, Span, Counter[str], Counter[str]]] = []
    wanted: set[str] = set()
    for place, page in enumerate(pages):
        language = base_language(page.language)
        wanted |= set(list(dict.fromkeys(terms(query, language)))[:MAX_TERMS])
        head = Counter(terms(page.title or "", language))
        for span, above in zip(page.spans, page.headings, strict=True):
            words = Counter(terms(page.text[span.start : span.end], language))
            bags.append((place, span, words, head + Counter(terms(" ".join(above), language))))
    index = known(wanted)
    spread = Counter(index.holders)
    spread.update(word for _, _, words, head in bags for word in wanted & (words.keys() | head.keys()))
    lengths = [words.total() for _, _, words, _ in bags]
    average = sum(lengths) / len(lengths) if lengths and sum(lengths) else 1.0
    scored = [
        RunPassage(place, span, _bm25(wanted, words, head, spread, index.passages + len(bags), length / average))
        for (place, span, words, head), length in zip(bags, lengths, strict=True)
    ]
    return sorted(scored, key=lambda one: (-one.score, one.page, one.span.ordinal))


def _bm25(
    wanted: set[str], words: Counter[str], head: Counter[str], spread: Counter[str], count: int, length: float
) -> float:
    total = 0.0
    for word in sorted(wanted):
        weight = words[word] + HEAD_WEIGHT * min(head[word], 2)
        if weight:
            rarity = math.log(1 + (count - spread[word] + 0.5) / (spread[word] + 0.5))
            total += rarity * weight * (K1 + 1) / (weight + K1 * (1 - B + B * length))
    return round(total, 6)


def terms(text: str, language: str | None) -> list[str]:
    """The terms of a text in the stems of a language; runs of scripts without spaces as pairs of characters."""
    shaped = shape(text)
    found = stems(spaced_words(shaped, language), language).split()
    if any_unspaced().search(shaped):
        for run in unspaced_run().findall(shaped):
            found += pairs(run).split()
    return found


def near_copies(texts: Sequence[str]) -> list[int | None]:
    """For each text the place of an earlier one that says nearly the same; None for the others."""
    return fold(sketches([word_form(shape(text)).lower() for text in texts]))
