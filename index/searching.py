"""Runs a query against one generation and puts the hits in their final order."""

from __future__ import annotations

import re
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING

from index.generation import Generation, damage_named
from index.matching import Filters, Matcher
from index.pages import Hit, Hits
from index.queries import read_query
from index.schema import ORDINAL_BITS
from index.sketch import fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import tantivy

    from index.ledger import Standing, Version

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
        hits, cut = _ranked(generation, searcher, found, standing, moment, limit) if found else ([], False)
        if found and not hits and asked.phrases:
            loose = matcher.query(asked, filters, phrases=False)
            hits, cut = _ranked(generation, searcher, loose, standing, moment, limit) if loose else ([], False)
            relaxed += ("phrase_not_found_read_as_words",) if hits else ()
        sketches = _sketches(searcher, [address for _, address in hits]) if folding else []
        shares = _shares(searcher, matcher.context(asked, filters), hits)
    listed = [replace(hit, parts=shares[n]) if n in shares else hit for n, (hit, _) in enumerate(hits)]
    if folding:
        listed = [
            replace(h, folded_into=to) if to is not None else h for h, to in zip(listed, fold(sketches), strict=True)
        ]
    return Hits(tuple(listed), cut, relaxed, moment, standing.passages, standing.pages)


def _ranked(
    generation: Generation,
    searcher: tantivy.Searcher,
    query: tantivy.Query,
    standing: Standing,
    moment: int,
    limit: int,
) -> tuple[list[tuple[Hit, tantivy.DocAddress]], bool]:
    """Hits in final order, each with its place in Tantivy, and whether there are more.

    Equal scores: the newer page first, then the place in its text; nothing that a rebuild changes.
    """
    wanted = limit + _SPARE
    enough = limit if limit <= _SPARE else limit // 2
    until = standing.until
    while True:
        found = searcher.search(query, wanted, count=False).hits
        places = [address for _, address in found]
        keys = searcher.fast_field_values("key", places)
        entries = [
            (-round(score * _STEPS), -(key >> ORDINAL_BITS), key & _ORDINALS, place)
            for (score, place), key in zip(found, map(int, filter(None, keys)), strict=True)
        ]
        visible = [entry for entry in entries if -entry[1] <= moment < until.get(-entry[1], moment + 1)]
        complete = len(found) < wanted
        # the last score may have brothers that were not given: they are left out, all or none
        sure = visible if complete else [entry for entry in visible if entry[0] < entries[-1][0]]
        if complete or len(sure) >= enough or wanted >= _MOST:
            break
        wanted = min(wanted * 4, _MOST)
    chosen = sure if complete or len(sure) >= enough else visible
    ordered = sorted(chosen, key=itemgetter(0, 1, 2))[:limit]
    places = [place for _, _, _, place in ordered]
    spans = map(int, searcher.fast_field_values("span", places))  # type: ignore[arg-type]  # every passage has one
    with generation.lock:
        versions = generation.ledger.versions({-position for _, position, _, _ in ordered})
    hits = [
        _hit(round(-steps * SCORE_STEP, 2), -position, ordinal, span, versions[-position])
        for (steps, position, ordinal, _), span in zip(ordered, spans, strict=True)
    ]
    return list(zip(hits, places, strict=True)), not complete or len(chosen) > limit


def _hit(score: float, position: int, ordinal: int, span: int, version: Version) -> Hit:
    capture, document, url = version
    return Hit(capture, document, url, position, ordinal, span >> 32, span & _HALF, score, {"bm25": score})


def _shares(
    searcher: tantivy.Searcher,
    context: Mapping[str, tantivy.Query],
    hits: Sequence[tuple[Hit, tantivy.DocAddress]],
) -> dict[int, dict[str, float]]:
    """For the best hits of the first pages: what of the score is the text's, the title's and the headings'."""
    best: dict[str, int] = {}
    for n, (hit, _) in enumerate(hits):
        best.setdefault(hit.capture, n)
        if len(best) == EXPLAINED:
            break
    shares = {}
    for n in best.values():
        hit, place = hits[n]
        parts = {name: _share(searcher, query, place) for name, query in context.items()}
        shares[n] = {"text": round(hit.score - sum(parts.values()), 2), **parts}
    return shares


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
