"""Answers queries from the web: providers and the own index propose, the best pages are fetched and read.

Everything that was proposed gets a fate: kept, or the reason why not. `service.metasearch_reply` writes it down.
"""

import asyncio
import time
from collections.abc import Sequence
from datetime import date
from typing import Final

from anyio.to_thread import run_sync

from crawler import BadAddress, Found, NoBrowser, Provider, Query
from service.answering import answer
from service.asking_around import ask_around
from service.assembling import BELOW_MAX_RESULTS, KEPT, NEAR_DUPLICATE
from service.forms import API_FORM
from service.looking import look
from service.merging import PUBLISHED_OUTSIDE, Limits, Merged, merged
from service.metasearch_reply import draft_of
from service.metasearch_run import FETCH_FAILED, NO_TEXT, NOT_TRIED, SNIPPET_ONLY, Opened, Run, day
from service.observing import Observation
from service.own_index import OWN, ask_own
from service.parts import Parts
from service.requests import Caller, Reply, SearchRequest
from snapshots import (
    Document,
    EvidenceError,
    moment,
)

SPARE: Final = 2
"""Pages tried for each result that is asked for: some cannot be got, some say the same."""
PROVIDER_RESULTS: Final = 20
"""Candidates asked of each provider: what most of them give at once."""
SAME: Final = 0.9
"""The share of common words in a row above which two pages say the same."""
RUN: Final = 8
"""Words in a row that make a place comparable."""


async def metasearch(parts: Parts, providers: Sequence[Provider], request: SearchRequest, caller: Caller) -> Reply:
    """Answer a query by asking around."""
    loop = asyncio.get_running_loop()
    run = Run(request, parts.clock(), loop.time() + parts.settings.search_deadline)
    clock = time.perf_counter()
    await _propose(parts, providers, run)
    proposed = time.perf_counter()
    await _open(parts, run)
    opened = time.perf_counter()
    run.timings = {"providers": round((proposed - clock) * 1000), "fetch": round((opened - proposed) * 1000)}
    run.timings |= {f"provider.{one.name}": one.milliseconds for one in run.said}
    written = await run_sync(draft_of, run, caller.form or API_FORM)
    return await answer(parts, written, caller, store=request.store)


async def _propose(parts: Parts, providers: Sequence[Provider], run: Run) -> None:
    """Ask everybody, and join what they say."""
    request = run.request
    query = Query(
        text=request.query,
        limit=max(PROVIDER_RESULTS, request.max_results),
        language=request.language,
        published_after=day(request.published_after),
        published_before=day(request.published_before),
        include_domains=request.include_domains,
        exclude_domains=request.exclude_domains,
    )
    seconds = min(parts.settings.provider_seconds, parts.settings.search_deadline)
    own = ask_own(parts, request) if request.providers is None or OWN in request.providers else _nothing()
    run.own, run.said = await asyncio.gather(own, ask_around(providers, query, seconds))
    proposed: dict[str, Sequence[Found]] = {one.name: one.found for one in run.said if one.state == "ok"}
    if run.own is not None:
        proposed[OWN] = run.own.found
    limits = Limits(query.include_domains, query.exclude_domains, query.published_after, query.published_before)
    run.candidates = merged(proposed, limits)
    for one in run.candidates:
        if one.drop is not None:
            run.decisions[one.key] = one.drop


async def _nothing() -> None:
    return None


async def _open(parts: Parts, run: Run) -> None:
    """Open the best candidates until there are enough results, no more candidates, or no more time."""
    wanted = run.request.max_results
    waiting = [one for one in run.candidates if one.key not in run.decisions]
    tries = wanted * SPARE + wanted
    while waiting and len(run.opened) < wanted and tries > 0:
        wave = waiting[: min(wanted - len(run.opened), tries)]
        waiting, tries = waiting[len(wave) :], tries - len(wave)
        pages = await asyncio.gather(*(_page(parts, run, one) for one in wave))
        for candidate, page in zip(wave, pages, strict=True):
            if page is None:
                continue
            same = next((one for one in run.opened if run.request.fold and _same(one.document, page.document)), None)
            if same is not None:
                run.decisions[candidate.key] = NEAR_DUPLICATE
                run.details[candidate.key] = same.candidate.url
                run.failed += [page.fresh] if page.fresh else []
            else:
                run.decisions[candidate.key] = KEPT
                run.opened.append(page)
    late = asyncio.get_running_loop().time() >= run.ends
    for one in waiting:
        run.decisions[one.key] = NOT_TRIED if late and len(run.opened) < wanted else BELOW_MAX_RESULTS
    run.opened.sort(key=lambda one: one.candidate.rank)


async def _page(parts: Parts, run: Run, candidate: Merged) -> Opened | None:
    """The page of a candidate; None, with the reason noted, if there is none to show."""
    try:
        kept = await run_sync(_kept, parts, run, candidate) if run.request.fetch != "always" else None
        page = kept or await _fetched(parts, run, candidate)
        _require_time(run, page)
    except _Out as out:
        run.decisions[candidate.key] = out.reason
        if out.detail:
            run.details[candidate.key] = out.detail
        if out.seen is not None:
            run.failed.append(out.seen)
        return None
    return page


async def _fetched(parts: Parts, run: Run, candidate: Merged) -> Opened:
    """The page of a candidate as it is now. Raises _Out."""
    if run.request.fetch == "never":
        raise _Out(SNIPPET_ONLY)
    left = run.ends - asyncio.get_running_loop().time()
    if left <= 0:
        raise _Out(NOT_TRIED)
    try:
        async with asyncio.timeout(left):
            seen = await look(parts, candidate.url, robots=parts.settings.robots)
    except TimeoutError:
        raise _Out(NOT_TRIED, "it did not come within the time for the whole search") from None
    except (BadAddress, NoBrowser) as error:
        raise _Out(FETCH_FAILED, str(error)) from error
    capture = seen.capture
    if capture.outcome != "ok":
        raise _Out(FETCH_FAILED, capture.detail or capture.reason or capture.outcome, seen)
    if capture.page_state not in {"ok", "unknown"}:
        raise _Out(capture.page_state, "; ".join(capture.page_state_evidence) or None, seen)
    if seen.document is None or not seen.document.text.strip():
        raise _Out(NO_TEXT, None, seen)
    return Opened(candidate, capture, seen.document, seen)


class _Out(Exception):
    """A candidate is out; `reason` and `detail` say why."""

    def __init__(self, reason: str, detail: str | None = None, seen: Observation | None = None) -> None:
        self.reason, self.detail, self.seen = reason, detail, seen


def _require_time(run: Run, page: Opened) -> None:
    """Raises _Out for a page that says itself that it was published outside of the time that was asked for."""
    published, request = page.document.published, run.request
    after, before = day(request.published_after), day(request.published_before)
    if published is None or not published.firm or (after is None and before is None):
        return
    try:
        own = date.fromisoformat(published.value[:10])
    except ValueError:
        return
    if (after is not None and own < after) or (before is not None and own >= before):
        raise _Out(PUBLISHED_OUTSIDE, f"it says that it is of {published.value}", page.fresh)


def _kept(parts: Parts, run: Run, candidate: Merged) -> Opened | None:
    """What is kept of a candidate's page, if it is fresh enough. Blocking."""
    request = run.request
    row = parts.archive.catalogue.latest(candidate.url)
    if row is None or row.page_state not in {"ok", "unknown"}:
        return None
    age = (run.begun - moment(row.retrieved_at)).total_seconds()
    most = parts.settings.fresh_seconds if request.max_age is None else request.max_age
    if request.fetch != "never" and age > most:
        return None
    try:
        capture = parts.archive.capture(row.id)
        document = parts.archive.document(capture.document) if capture.document else None
    except EvidenceError:
        return None
    return Opened(candidate, capture, document, None) if document is not None and document.text.strip() else None


def _same(one: Document, other: Document) -> bool:
    """Whether two pages say nearly the same, whatever surrounds it."""
    first, second = _runs(one.text), _runs(other.text)
    smaller = min(len(first), len(second))
    return smaller > 0 and len(first & second) / smaller > SAME


def _runs(text: str) -> set[int]:
    words = text.split()[:5000]
    return (
        {hash(tuple(words[start : start + RUN])) for start in range(max(1, len(words) - RUN + 1))} if words else set()
    )
