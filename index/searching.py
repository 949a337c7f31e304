"""Runs a query against one generation and puts the hits in their final order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from index.generation import Generation, damage_named
from index.matching import MOST_WORDS, Filters, Matcher
from index.pages import Hit, Hits
from index.queries import read_query
from index.schema import ORDINAL_BITS
from index.sketch import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import tantivy

    from index.ledger import Standing, Version
    from index.queries import Asked

# Scores closer than this are equal, and then the log decides: Tantivy adds single-precision numbers in an order
# that depends on how the index lies on disk, and a rebuilt index must give the same order.
SCORE_STEP = 0.01
_STEPS = 100  # of these make 1

# Asked of Tantivy at once beyond the limit, for passages that are superseded, and for equal scores at the end. A search
# for more than so many is content with half of them rather than asking again.
_SPARE = 50
# Never more than so many: equal scores at the end then stay in Tantivy's order.
_MOST = 20_000

# Pages whose best passage's score is told in parts: each costs as much as ten passages found.
EXPLAINED = 10

_VALUE = re.compile(r'"value":\s*([-+.\deE]+)')
_ORDINALS = (1 << ORDINAL_BITS) - 1
_HALF = (1 << 32) - 1


def run(generation: Generation, query: str, filters: Filters, *, limit: int, as_of: int | None, folding: bool) -> Hits:
    """The best `limit` passages among the newest versions, or those that were newest at log size `as_of`."""
    asked = read_query(query)
    with damage_named("the index cannot be searched"):
        standing = generation.standing
        searcher = generation.tantivy.searcher()
        matcher = Matcher(generation.tantivy.schema, searcher, standing.languages)
        moment = standing.position if as_of is None else min(as_of, standing.position)
        relaxed = asked.relaxed
        found = matcher.query(asked, filters)
        ranked, cut = _ranked(generation, searcher, found, standing, moment, limit) if found else ([], False)
        if found and not ranked and asked.groups:
            loose = matcher.query(asked, filters, groups=False)
            ranked, cut = _ranked(generation, searcher, loose, standing, moment, limit) if loose else ([], False)
            relaxed += _loosened(asked) if ranked else ()
        relaxed += (f"rarest_words_only: {MOST_WORDS}",) if matcher.cut else ()
        places = [one.place for one in ranked]
        folded = fold(_sketches(searcher, places)) if folding else [None] * len(ranked)
        shares = _shares(searcher, matcher.context(asked, filters), ranked)
        spans = map(int, searcher.fast_field_values("span", places))  # type: ignore[arg-type]  # every passage has one
        hits = tuple(
            Hit(*one.version, one.position, one.ordinal, span >> 32, span & _HALF, one.score, parts, into)
            for one, span, parts, into in zip(ranked, spans, shares, folded, strict=True)
        )
    return Hits(hits, cut, relaxed, moment, standing.passages, standing.pages)


def _loosened(asked: Asked) -> tuple[str, ...]:
    """What was asked for as a whole, and then read as words."""
    kinds = {
        "alternatives" if len(group) > 1 else "title" if group[0].kind == "title" else "phrase"
        for group in asked.groups
    }
    return tuple(f"{kind}_not_found_read_as_words" for kind in sorted(kinds))


class _Ranked(NamedTuple):
    """A passage in its final place, and where Tantivy has it."""

    score: float
    position: int
    ordinal: int
    version: Version
    place: tantivy.DocAddress


def _ranked(
    generation: Generation,
    searcher: tantivy.Searcher,
    query: tantivy.Query,
    standing: Standing,
    moment: int,
    limit: int,
) -> tuple[list[_Ranked], bool]:
    """Passages in final order, and whether there are more.

    Equal scores: the newer page first, then the place in its text; nothing that a rebuild changes.
    """
    wanted = limit + _SPARE
    enough = limit if limit <= _SPARE else limit // 2
    until, beyond = standing.until, moment + 1
    while True:
        found = searcher.search(query, wanted, count=False).hits
        places = [address for _, address in found]
        keys = searcher.fast_field_values("key", places)
        visible = [
            (-round(score * _STEPS), -position, key & _ORDINALS, place)
            for (score, place), key in zip(found, map(int, filter(None, keys)), strict=True)
            if (position := key >> ORDINAL_BITS) <= moment < until.get(position, beyond)
        ]
        complete = len(found) < wanted
        # the last score may have brothers that were not given: they are left out, all or none
        last = -round(found[-1][0] * _STEPS) if found else 0
        sure = visible if complete else [entry for entry in visible if entry[0] < last]
        if complete or len(sure) >= enough or wanted >= _MOST:
            break
        wanted = min(wanted * 4, _MOST)
    chosen = sure if complete or len(sure) >= enough else visible
    ordered = sorted(chosen)[:limit]  # position and ordinal are two passages' never
    with generation.lock:
        versions = generation.ledger.versions({-position for _, position, _, _ in ordered})
    ranked = [
        _Ranked(round(-steps * SCORE_STEP, 2), -position, ordinal, versions[-position], place)
        for steps, position, ordinal, place in ordered
    ]
    return ranked, not complete or len(chosen) > limit


def _shares(
    searcher: tantivy.Searcher, context: Mapping[str, tantivy.Query], ranked: Sequence[_Ranked]
) -> Iterator[dict[str, float]]:
    """The parts of each score; for the best passages of the first pages the text's, the title's and the headings'."""
    seen: set[int] = set()
    for one in ranked:
        if len(seen) == EXPLAINED or one.position in seen:
            yield {"bm25": one.score}
            continue
        seen.add(one.position)
        parts = {name: _share(searcher, query, one.place) for name, query in context.items()}
        yield {"text": round(one.score - sum(parts.values()), 2), **parts}


def _share(searcher: tantivy.Searcher, query: tantivy.Query, place: tantivy.DocAddress) -> float:
    try:
        told = query.explain(searcher, place).to_json()
    except ValueError:  # Tantivy's word for a passage that does not match
        return 0.0
    found = _VALUE.search(told)
    return round(float(found[1]), 2) if found else 0.0


def _sketches(searcher: tantivy.Searcher, places: Sequence[tantivy.DocAddress]) -> list[int]:
    low = searcher.fast_field_values("sketch_low", list(places))
    high = searcher.fast_field_values("sketch_high", list(places))
    return [int(h or 0) << 64 | int(part or 0) for part, h in zip(low, high, strict=True)]
