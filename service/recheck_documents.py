"""The sources that a document cites as pages to visit, and what became of each citation of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from crawler import BadAddress, parse_address
from service.citation_sources import Page as KeptPage
from service.citation_sources import Source, Sources
from service.documents_cited import Cites, CitingDocument
from service.judging import Page
from service.recheck_targets import Targets, Wanted
from snapshots import PRESENT, judge

UNSOURCED: Final = "no_source"
"""The verdict on a quotation that names no source, or one that nobody knows: there is nothing to visit."""
THERE: Final = "there"
"""The verdict on a link to a good page that nothing was kept of before."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a citation is looked for: a page, the capture it was cited from, and the quotation's key (None: a link)."""

    cites: Cites
    url: str | None = None
    capture: str | None = None
    key: str | None = None
    reason: str | None = None


def add_document(targets: Targets, sources: Sources, document: CitingDocument) -> list[Place]:
    """Have everything visited that a document cites. Blocking. Quotations first: a link to the same page is theirs."""
    if document.format == "bundle":
        _add_bundle(targets, document)
        return []
    ordered = sorted(document.cites, key=lambda one: one.quote is None)
    places = [_add(targets, sources, one) for one in ordered]
    return sorted(places, key=lambda place: place.cites.line)


def _add_bundle(targets: Targets, document: CitingDocument) -> None:
    for passage in document.passages:
        targets.add_passage(passage)
    shown = {passage.capture for passage in document.passages}
    for capture, asked in (document.captures or {}).items():
        if capture not in shown:
            targets.add_link(asked, capture)


def _add(targets: Targets, sources: Sources, cites: Cites) -> Place:
    if cites.source is None:
        return Place(cites, reason="it names no source")
    source = sources.source(cites.source)
    by_address = "://" in cites.source
    if not by_address and not source.pages:
        return Place(cites, reason=source.reason or "this shows no page")
    page = _said_by(source, cites.quote)
    try:
        url = parse_address(cites.source).href if by_address else source.pages[0].capture.asked
    except BadAddress as error:
        return Place(cites, reason=str(error))
    if cites.quote is not None:
        wanted = Wanted(cites.quote)
        if not by_address and page is None:
            page = source.pages[0]
        capture = page.capture.id if page is not None else None
        return Place(cites, url, capture, targets.add_wanted(url, capture, wanted))
    if source.passage is not None:
        return Place(cites, url, source.passage.capture, targets.add_passage(source.passage))
    newest = source.pages[0].capture.id if source.pages else None
    return Place(cites, url, targets.add_link(url, newest))


def _said_by(source: Source, quote: str | None) -> KeptPage | None:
    """The kept version of a source, the newest first, that has a quotation."""
    if quote is None:
        return None
    return next((page for page in source.pages if judge(quote, page.texts).verdict in PRESENT), None)


def told_citations(places: Iterable[Place], pages: Iterable[tuple[Page, str | None]]) -> Iterator[dict[str, Any]]:
    """What became of each citation; `pages` come with the ids of their records."""
    known = {(page.url, page.wanted_of): (page, record) for page, record in pages}
    for place in places:
        told = {
            "line": place.cites.line,
            "quote": place.cites.quote,
            "source": place.cites.source,
            "url": place.url,
        }
        there = known.get((place.url or "", place.capture))
        if there is None:
            yield told | {"verdict": UNSOURCED, "reason": place.reason, "record": None}
            continue
        page, record = there
        found = next((one for one in page.passages if one.wanted.key == place.key), None)
        verdict, reason = (found.found.verdict, found.found.reason) if found else (_page_verdict(page), page.reason)
        yield told | {"verdict": verdict, "reason": reason, "record": record}


def _page_verdict(page: Page) -> str:
    return THERE if page.verdict == "inconclusive" and page.conclusive else page.verdict
