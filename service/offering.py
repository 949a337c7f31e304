"""Which passages of the opened pages are offered to the budget, and in which order.

All passages are scored by their words. Where a ranker is set up, it judges the best of them: likenesses of vectors are
added to the words' scores, the judgement of a model made for ranking takes their place. Passages that nearly copy a
better one are left out.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from anyio.to_thread import run_sync

from index import RunPage, headings, near_copies, score_passages
from service.cutting import cuts, index_blocks
from service.metasearch_run import Run, Scored
from service.parts import Parts
from service.ranking import NotRanked, Ranker

PER_PAGE: Final = 5
"""Passages of one page that are offered to the budget: past the fifth, another page says more."""
READ: Final = 3 * PER_PAGE
"""Passages of one page that may be among those: near-copies are left out, and a ranker sees more than words do."""


async def offer(parts: Parts, run: Run) -> None:
    """Find the passages that the budget may choose from."""
    found, texts = await run_sync(_by_words, parts, run)
    if parts.ranker is not None and any(texts):
        found = await _ranked(parts.ranker, run, found, texts)
    run.offered = [page[:PER_PAGE] for page in found]


def _by_words(parts: Parts, run: Run) -> tuple[list[list[Scored]], list[list[str]]]:
    """The best passages of each page by their words, with their texts. Blocking."""
    pages = []
    for one in run.opened:
        blocks = index_blocks(one.document)
        language = one.document.language.tag if one.document.language else None
        spans = cuts.of(one.document)
        above = headings(one.document.text, blocks, spans)
        pages.append(RunPage(one.document.text, spans, above, one.document.title, language))
    best: list[list[Scored]] = [[] for _ in pages]
    order: list[tuple[int, Scored, str]] = []
    for passage in score_passages(run.narrowed.text, pages, parts.follower.index.known):
        page = passage.page
        if len(best[page]) < READ:
            scored = Scored(passage.span, passage.score, passage.score)
            best[page].append(scored)
            order.append((page, scored, pages[page].text[passage.span.start : passage.span.end]))
    copies = near_copies([text for _, _, text in order]) if run.request.fold and order else [None] * len(order)
    found: list[list[Scored]] = [[] for _ in pages]
    texts: list[list[str]] = [[] for _ in pages]
    for (page, scored, text), copied in zip(order, copies, strict=True):
        if copied is None:
            found[page].append(scored)
            texts[page].append(text)
    return found, texts


async def _ranked(
    ranker: Ranker, run: Run, found: list[list[Scored]], texts: Sequence[Sequence[str]]
) -> list[list[Scored]]:
    """The same in the order that words and model give together; as it was where the model does not answer."""
    flat = [(page, place) for page, mine in enumerate(found) for place in range(len(mine))]
    run.ranker = ranker.name
    seconds = max(0.0, run.ends - asyncio.get_running_loop().time())
    try:
        judged = await ranker.rank(run.narrowed.text, [texts[page][place] for page, place in flat], seconds=seconds)
    except NotRanked as error:
        run.unranked = str(error)
        return found
    words = [found[page][place].words for page, place in flat]
    scores = _joined(words, judged, ranker.weight)
    ranked: list[list[Scored]] = [[] for _ in found]
    for n in sorted(range(len(flat)), key=lambda n: (-scores[n], n)):
        page, place = flat[n]
        ranked[page].append(Scored(found[page][place].span, scores[n], words[n], judged[n]))
    return ranked


def _joined(words: Sequence[float], judged: Sequence[float], weight: float | None) -> list[float]:
    """The scores that decide: words and judgement added, or the judgement alone."""
    if weight is None:
        return list(judged)
    return [one + weight * other for one, other in zip(words, judged, strict=True)]
