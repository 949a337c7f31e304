"""Answers queries from the web: providers and the own index propose, the best pages are fetched and read.

Everything that was proposed gets a fate: kept, or the reason why not. `service.metasearch_reply` writes it down.
"""

import asyncio
import time
from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from anyio.to_thread import run_sync

from crawler import BadAddress, Found, NoBrowser, Provider
from service.answering import answer
from service.asking_around import Tell, ask_around
from service.assembling import BELOW_MAX_RESULTS, KEPT, NEAR_DUPLICATE
from service.forms import API_FORM
from service.looking import look
from service.merging import PUBLISHED_OUTSIDE, Limits, Merged, merged, outside
from service.metasearch_reply import draft_of
from service.metasearch_run import (
    FETCH_FAILED,
    LANGUAGE_OUTSIDE,
    NO_TEXT,
    NOT_TRIED,
    SNIPPET_ONLY,
    TRIES_SPENT,
    Opened,
    Run,
)
from service.narrowing import narrowed
from service.observing import Observation
from service.offering import offer
from service.own_index import OWN, ask_own
from service.parts import Parts
from service.requests import Caller, Reply, SearchRequest
from snapshots import (
    CaptureRow,
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
    begun = parts.clock()
    run = Run(request, narrowed(request), begun, loop.time() + parts.settings.search_deadline)
    run.weights = parts.settings.provider_weights
    tell = caller.told or _nobody
    clock = time.perf_counter()
    await _propose(parts, providers, run, tell)
    proposed = time.perf_counter()
    await _Opening(parts, run, tell).run()
    opened = time.perf_counter()
    await offer(parts, run)
    ranked = time.perf_counter()
    run.timings = {
        "providers": round((proposed - clock) * 1000),
        "fetch": round((opened - proposed) * 1000),
        "passages": round((ranked - opened) * 1000),
    }
    run.timings |= {f"provider.{one.name}": one.milliseconds for one in run.said}
    written = await run_sync(draft_of, run, caller.form or API_FORM)
    return await answer(parts, written, caller, store=request.store)


def _nobody(_event: dict[str, Any]) -> None:
    return None


async def _propose(parts: Parts, providers: Sequence[Provider], run: Run, tell: Tell) -> None:
    """Ask everybody, and join what they say."""
    request, limits = run.request, run.narrowed
    query = limits.query(max(PROVIDER_RESULTS, request.max_results), run.begun.date())
    seconds = min(parts.settings.provider_seconds, parts.settings.search_deadline)
    tell({"type": "asked", "providers": [one.name for one in providers]})
    asks_own = request.providers is None or OWN in request.providers
    own = ask_own(parts, request, seconds) if asks_own else _nothing()
    run.own, run.said = await asyncio.gather(own, ask_around(providers, query, seconds, tell))
    run.index_late = asks_own and run.own is None
    proposed: dict[str, Sequence[Found]] = {one.name: one.found for one in run.said if one.state == "ok"}
    if run.own is not None:
        proposed[OWN] = run.own.found
    asked = Limits(limits.within, limits.without, limits.after, limits.before)
    run.candidates = merged(proposed, asked, run.weights)
    for one in run.candidates:
        if one.drop is not None:
            run.decisions[one.key] = one.drop
    tell({"type": "candidates", "candidates": len(run.candidates), "dropped": len(run.decisions)})


async def _nothing() -> None:
    return None


class _Opening:
    """Opens the best candidates until there are enough results, no more candidates, or no more time.

    As many are under way as results are missing; where one gives nothing, the next is begun at once.
    """

    def __init__(self, parts: Parts, run: Run, tell: Tell) -> None:
        self._parts = parts
        self._run = run
        self._tell = tell
        self._waiting = [one for one in run.candidates if one.key not in run.decisions]
        self._tries = run.request.max_results * (SPARE + 1)
        self._kept: dict[str, CaptureRow] = {}
        """Of each address the last capture that was made before."""
        self._pages: dict[int, Opened] = {}
        """By the candidate's rank."""
        self._runs: dict[int, set[int]] = {}
        """Of each the words in a row that it is compared by."""
        self._compared: dict[tuple[int, int], bool] = {}

    async def run(self) -> None:
        """Open, and decide on every candidate."""
        if self._run.request.fetch != "always":
            urls = [one.url for one in self._waiting[: self._tries]]
            self._kept = await run_sync(self._parts.archive.catalogue.newest, urls, None)
        under_way: set[asyncio.Task[None]] = set()
        try:
            while self._begin(under_way):
                done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        run, wanted = self._run, self._run.request.max_results
        run.opened, same = self._told_apart()
        for page in run.opened:
            run.decisions[page.candidate.key] = KEPT
        for page, other in same:
            run.decisions[page.candidate.key] = NEAR_DUPLICATE
            run.details[page.candidate.key] = other.candidate.url
            run.failed += [page.fresh] if page.fresh else []
        late = asyncio.get_running_loop().time() >= run.ends
        left = BELOW_MAX_RESULTS if len(run.opened) >= wanted else NOT_TRIED if late else TRIES_SPENT
        for one in self._waiting:
            run.decisions[one.key] = left if run.request.fetch != "never" else BELOW_MAX_RESULTS

    def _begin(self, under_way: set[asyncio.Task[None]]) -> bool:
        """Begin as many as are missing; whether any is under way."""
        missing = self._run.request.max_results - len(self._told_apart()[0]) - len(under_way)
        while missing > 0 and self._waiting and self._tries:
            under_way.add(asyncio.create_task(self._open(self._waiting.pop(0))))
            missing, self._tries = missing - 1, self._tries - 1
        return bool(under_way)

    async def _open(self, candidate: Merged) -> None:
        page = await _page(self._parts, self._run, candidate, self._kept.get(candidate.url))
        if page is not None:
            self._runs[candidate.rank] = _runs(page.document.text)
            self._pages[candidate.rank] = page
        reason = self._run.decisions.get(candidate.key, "opened")
        self._tell({"type": "page", "url": candidate.url, "rank": candidate.rank, "state": reason})

    def _alike(self, one: int, other: int) -> bool:
        """Whether two pages say nearly the same; each pair is compared once."""
        if (one, other) not in self._compared:
            self._compared[one, other] = _same(self._runs[one], self._runs[other])
        return self._compared[one, other]

    def _told_apart(self) -> tuple[list[Opened], list[tuple[Opened, Opened]]]:
        """The pages in the order of their ranks, and those that say the same as one before them."""
        own: list[int] = []
        same: list[tuple[Opened, Opened]] = []
        for rank in sorted(self._pages):
            fold = self._run.request.fold
            other = next((one for one in own if fold and self._alike(one, rank)), None)
            if other is None:
                own.append(rank)
            else:
                same.append((self._pages[rank], self._pages[other]))
        return [self._pages[rank] for rank in own], same


async def _page(parts: Parts, run: Run, candidate: Merged, row: CaptureRow | None) -> Opened | None:
    """The page of a candidate; None, with the reason noted, if there is none to show."""
    try:
        kept = await run_sync(_kept, parts, run, candidate, row) if row is not None else None
        page = kept or await _fetched(parts, run, candidate)
        _require_limits(run, page)
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


def _require_limits(run: Run, page: Opened) -> None:
    """Raises _Out for a page that says itself that it is of another time or language than was asked for."""
    limits, language, published = run.narrowed, page.document.language, page.document.published
    if language is not None and not limits.speaks(language.tag):
        raise _Out(LANGUAGE_OUTSIDE, f"it is in {language.tag}", page.fresh)
    if published is None or not published.firm:
        return
    try:
        own = date.fromisoformat(published.value[:10])
    except ValueError:
        return
    if outside(own, limits.after, limits.before):
        raise _Out(PUBLISHED_OUTSIDE, f"it says that it is of {published.value}", page.fresh)


def _kept(parts: Parts, run: Run, candidate: Merged, row: CaptureRow | None) -> Opened | None:
    """What is kept of a candidate's page, if it is fresh enough; `row` is its last capture. Blocking."""
    request = run.request
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


def _same(first: set[int], second: set[int]) -> bool:
    """Whether two pages say nearly the same, whatever surrounds it."""
    smaller = min(len(first), len(second))
    return smaller > 0 and len(first & second) / smaller > SAME


def _runs(text: str) -> set[int]:
    words = text.split()[:5000]
    return (
        {hash(tuple(words[start : start + RUN])) for start in range(max(1, len(words) - RUN + 1))} if words else set()
    )
