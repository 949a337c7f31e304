"""Is a report borne out by what is kept: each quotation is looked for in the sources it names, then everywhere else."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, Literal

from anyio.to_thread import run_sync

from service.check_requests import CitationsRequest
from service.citation_sources import Page, Source, Sources
from service.citations import Citation, find_citations
from service.citations_html import markdown_of
from service.parts import Parts
from service.quoting_shown import shown
from snapshots import PRESENT, Judgement, judge

Verdict = Literal["supported", "edited", "misattributed", "not_in_evidence", "named"]

HOLDS: Final = frozenset({"supported", "named"})
"""Verdicts that a report may go out with."""
FOLLOW_SECONDS: Final = 5.0
"""How long a check waits for the index to hold what was kept before it."""
_ORDER: Final = {"edited": 0, "ambiguous": 1}
"""Which verdict that is not there tells most of a quotation: first what it became, then what it may have become."""
_EDGES: Final = ".,;:!?…"
_HARMLESS: Final = frozenset({"punctuation", "case"})


async def check_citations(parts: Parts, request: CitationsRequest) -> dict[str, Any]:
    """What bears out each citation of a text. Keeps nothing."""
    return await run_sync(_check, parts, request)


def _check(parts: Parts, request: CitationsRequest) -> dict[str, Any]:
    parts.follower.wait(FOLLOW_SECONDS)
    found = find_citations(markdown_of(request.text) if request.format == "html" else request.text)
    sources = Sources(parts)
    for citation in found.citations:
        for name in citation.sources:
            sources.source(name)
    citations = [_one(sources, citation) for citation in found.citations]
    counts = Counter(str(one["verdict"]) for one in citations)
    return {
        "holds": all(one["verdict"] in HOLDS for one in citations) and not found.cut,
        "counts": dict(sorted(counts.items())),
        "citations": citations,
        "too_short": found.short,
        "cut": found.cut,
    }


def _one(sources: Sources, citation: Citation) -> dict[str, Any]:
    named = [sources.source(name) for name in citation.sources]
    fields: dict[str, Any] = {
        "line": citation.line,
        "quote": citation.quote,
        "sources": [_source(one) for one in named],
    }
    if citation.quote is None:
        missing = [one for one in named if one.state != "kept"]
        verdict: Verdict = "not_in_evidence" if missing else "named"
        reason = "; ".join(f"{one.name}: {one.reason}" for one in missing) or "kept; nothing was quoted from it here"
        return fields | {"verdict": verdict, "reason": reason, "support": None, "elsewhere": []}
    return fields | _quotation(sources, citation.quote, named)


def _quotation(sources: Sources, quote: str, named: list[Source]) -> dict[str, Any]:
    """What a quotation is borne out by: the sources it names first, then whatever else is kept."""
    best: tuple[Judgement, Page, str | None] | None = None
    for found in _in_sources(quote, named):
        if found[0].verdict in PRESENT:
            return _told("supported", found, [], found[0].reason)
        if best is None or _ORDER.get(found[0].verdict, 2) < _ORDER.get(best[0].verdict, 2):
            best = found
    elsewhere = list(_elsewhere(sources, quote, {page.capture.id for one in named for page in one.pages}))
    if not named and elsewhere:
        return _told("supported", elsewhere[0], elsewhere[1:], "it names no source; this one says so")
    if elsewhere:
        at = elsewhere[0][1].capture.final
        return _told("misattributed", best, elsewhere, f"the source that is named does not say this; {at} does")
    if best is not None and best[0].verdict == "edited":
        return _told("edited", best, [], "the source says something else")
    if best is not None and best[0].verdict == "ambiguous":
        return _told("edited", best, [], "the source says something else, in several places that are as much like it")
    missing = [one for one in named if one.state != "kept"]
    why = "; ".join(f"{one.name}: {one.reason}" for one in missing)
    return _told("not_in_evidence", None, [], why or "nothing that is kept says this")


def _in_sources(quote: str, named: list[Source]) -> Iterator[tuple[Judgement, Page, str | None]]:
    """The verdicts on a quotation by the pages of the sources it names."""
    for source in named:
        for page in source.pages:
            found = _look(quote, page)
            cited = source.passage
            inside = (
                cited is not None
                and found.where == "text"
                and found.start is not None
                and cited.start <= found.start < cited.end
            )
            passage = cited.id if inside and cited is not None else _passage(page, found)
            if cited is not None and not inside and found.verdict in PRESENT:
                found = replace(found, reason="it stands on the page, in another passage than the one that is named")
            yield found, page, passage


def _elsewhere(sources: Sources, quote: str, named: set[str]) -> Iterator[tuple[Judgement, Page, str | None]]:
    seen = set(named)
    for page in sources.likely(quote):
        if page.capture.id in seen:
            continue
        seen.add(page.capture.id)
        found = _look(quote, page)
        if found.verdict in PRESENT:
            yield found, page, _passage(page, found)


def _look(quote: str, page: Page) -> Judgement:
    """The verdict on a quotation by one page.

    Whoever quotes may end with a mark of their own, begin with another case, or mean the title.
    """
    first = judge(quote, page.texts)
    if first.verdict in PRESENT or not _HARMLESS.issuperset(first.flags):
        return first
    bare = quote.strip(_EDGES + " ")
    for form in (bare, bare[:1].swapcase() + bare[1:]):
        found = judge(form, page.texts) if form else first
        if found.verdict in PRESENT:
            return replace(found, reason="it differs at its edges only, in a mark or the case of a letter")
    title = page.document.title
    if title and bare.casefold() == title.strip(_EDGES + " ").casefold():
        return Judgement("exact", occurrences=1, reason="it is the page's title")
    return first


def _passage(page: Page, found: Judgement) -> str | None:
    return page.passage_at(found.start) if found.where == "text" and found.start is not None else None


def _source(source: Source) -> dict[str, Any]:
    return {
        "source": source.name,
        "state": source.state,
        "captures": [page.capture.id for page in source.pages],
        "reason": source.reason,
    }


def _told(
    verdict: Verdict,
    support: tuple[Judgement, Page, str | None] | None,
    elsewhere: list[tuple[Judgement, Page, str | None]],
    reason: str | None,
) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "reason": reason,
        "support": _support(*support) if support else None,
        "elsewhere": [_support(*one) for one in elsewhere],
    }


def _support(found: Judgement, page: Page, passage: str | None) -> dict[str, Any]:
    return {
        "passage": passage,
        "capture": page.capture.id,
        "url": page.capture.final,
        "title": page.document.title,
        "retrieved_at": page.capture.retrieved_at,
    } | shown(found)
