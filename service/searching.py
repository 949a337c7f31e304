"""Answers queries from the own index: candidates, texts from the bucket, packed passages, a kept reply."""

import time
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

import anyio.to_thread

from crawler import Provider
from index import Hit, Hits
from service import tokens
from service.answering import Draft, answer
from service.assembling import (
    BELOW_MAX_RESULTS,
    DAMAGED,
    KEPT,
    NEAR_DUPLICATE,
    REMOVED,
    Candidate,
    Offer,
    candidates_of,
    pack,
)
from service.citing import shown
from service.failures import BadRequest
from service.forms import API_FORM, Form, Shown
from service.metasearch import metasearch
from service.narrowing import last_day
from service.own_index import FOLLOW_SECONDS, OWN
from service.parts import Parts
from service.refreshing import refresh, stale
from service.requests import Caller, Reply, SearchRequest
from service.versions import citator_version
from snapshots import (
    DamagedObject,
    Passage,
    Reading,
    RemovedId,
    Search,
    SearchState,
    Sighting,
    UnknownId,
    decimal,
    passage_of,
    stamp,
)

DEPTH = 100
"""Passages that are looked at, or four for each result that is asked for: the answer is among them or the query is too
wide to tell. All their pages stand in the record as candidates."""
DEEPEST = 200
"""The index is never asked for more: a record of more candidates is a listing that nobody reads."""
SHOWN_DROPS = 50
"""Dropped candidates listed in a reply; all of them are in the record."""
PER_PAGE = 5
"""Passages of one page that are offered to the budget: past the fifth, another page says more."""


@dataclass(frozen=True)
class Opened:
    """A result whose texts have been read from the bucket."""

    candidate: Candidate
    sighting: Sighting
    document: Reading

    @property
    def offered(self) -> tuple[Hit, ...]:
        """The passages that the budget may choose from, best first."""
        return self.candidate.hits[:PER_PAGE]

    def passage(self, hit: Hit) -> Passage:
        """The passage at a hit."""
        return passage_of(self.sighting, self.document, ordinal=hit.ordinal, start=hit.start, end=hit.end)


@dataclass
class Run:
    """What one search found, before it becomes a record and a reply."""

    hits: Hits
    candidates: tuple[Candidate, ...]
    opened: list[Opened] = field(default_factory=list)
    decisions: dict[str, str] = field(default_factory=dict)
    """Capture id to `kept` or the drop reason."""
    behind: int = 0
    timings: dict[str, int] = field(default_factory=dict)


async def search(parts: Parts, request: SearchRequest, caller: Caller) -> Reply:
    """Answer a query: from the own index alone where no provider is asked, or where the past is asked about."""
    providers = _asked(parts, request)
    if providers and request.as_of is None:
        return await metasearch(parts, providers, request, caller)
    begun = parts.clock()

    def look(fetched: list[dict[str, Any]]) -> Draft | list[str]:
        run = _run(parts, request)
        pages = [(one.candidate.url, one.sighting.retrieved_at) for one in run.opened]
        old = [] if fetched else stale(request, pages, begun)
        return old or _draft(request, run, begun, fetched, caller.form)

    found = await anyio.to_thread.run_sync(look, [])
    if isinstance(found, list):
        found = await anyio.to_thread.run_sync(look, await refresh(parts, found))
    assert isinstance(found, Draft), "pages are fetched again once"
    return await answer(parts, found, caller, store=request.store)


def _asked(parts: Parts, request: SearchRequest) -> list[Provider]:
    """The providers that are to be asked.

    Raises:
        BadRequest: one is named that is not set up here.
    """
    if request.providers is None:
        return list(parts.providers)
    there = {provider.name: provider for provider in parts.providers}
    unknown = [name for name in request.providers if name != OWN and name not in there]
    if unknown:
        raise BadRequest(f"no such provider is set up here: {', '.join(unknown)}; there are {', '.join([OWN, *there])}")
    return [there[name] for name in dict.fromkeys(request.providers) if name != OWN]


def _run(parts: Parts, request: SearchRequest) -> Run:
    """Ask the index and open the best pages. Blocking."""
    clock = time.perf_counter()
    behind = parts.follower.wait(FOLLOW_SECONDS)
    as_of = request.as_of
    hits = parts.follower.index.search(
        request.query,
        limit=min(DEEPEST, max(DEPTH, 4 * request.max_results)),
        include_domains=request.include_domains,
        exclude_domains=request.exclude_domains,
        language=request.language,
        published_after=request.published_after.date() if request.published_after else None,
        published_before=last_day(request.published_before),
        as_of=parts.archive.catalogue.at(stamp(as_of)) if isinstance(as_of, datetime) else as_of,
        fold=request.fold,
    )
    found = time.perf_counter()
    run = Run(hits=hits, candidates=candidates_of(hits.hits), behind=behind)
    for candidate in run.candidates:
        if candidate.duplicate_of is not None:
            run.decisions[candidate.capture] = NEAR_DUPLICATE
        elif len(run.opened) == request.max_results:
            run.decisions[candidate.capture] = BELOW_MAX_RESULTS
        else:
            run.decisions[candidate.capture] = _open(parts, candidate, run)
    opened = time.perf_counter()
    run.timings = {"index": round((found - clock) * 1000), "read": round((opened - found) * 1000)}
    return run


def _open(parts: Parts, candidate: Candidate, run: Run) -> str:
    """Read a page's texts from the bucket. Returns the decision on it."""
    try:
        sighting = parts.archive.sighting(candidate.capture)
        document = parts.archive.reading(candidate.document)
    except (RemovedId, UnknownId):
        return REMOVED
    except DamagedObject:
        return DAMAGED
    run.opened.append(Opened(candidate, sighting, document))
    return KEPT


def _draft(
    request: SearchRequest, run: Run, begun: datetime, fetched: list[dict[str, Any]], form: Form | None
) -> Draft:
    """The record and the reply."""
    offers = [
        Offer(page=place, score=hit.score, text=one.document.text[hit.start : hit.end])
        for place, one in enumerate(run.opened)
        for hit in one.offered
    ]
    form = form or API_FORM
    budget = form.room([Shown(one.candidate.url, one.document.title) for one in run.opened], request.max_tokens)
    budget = request.max_tokens if budget is None else budget
    chosen, spent = pack(offers, budget, request.max_tokens_per_url, form.cost)
    results, listed, place = [], [], 0
    for rank, one in enumerate(run.opened, start=1):
        mine = [one.passage(hit) for offset, hit in enumerate(one.offered) if place + offset in chosen]
        place += len(one.offered)
        results.append(
            {
                "rank": rank,
                "url": one.candidate.url,
                "capture": one.candidate.capture,
                "passages": [passage.ref_fields for passage in mine],
            }
        )
        listed.append(_result_fields(rank, one, mine))
    state, message = _state(request, run, shown_any=bool(chosen))
    record = Search.written(
        {
            "query": request.query,
            "options": request.model_dump(mode="json", exclude_defaults=True, exclude={"query", "session"}),
            "retrieved_at": stamp(begun),
            "providers": [
                {"name": OWN, "state": "ok", "reply": None, "candidates": len(run.candidates), "detail": None}
            ],
            "candidates": [_candidate_fields(candidate, run) for candidate in run.candidates],
            "candidates_total": len(run.candidates),
            "results": results,
            "state": state,
            "relaxed": run.hits.relaxed,
            "index": {
                "position": run.hits.position,
                "passages": run.hits.passages,
                "pages": run.hits.pages,
                "cut": run.hits.cut,
                "behind": run.behind,
            },
            "versions": {"citator": citator_version(), "estimator": tokens.ESTIMATOR},
            "timings": run.timings,
        }
    )
    drops = [one for one in run.candidates if run.decisions[one.capture] != KEPT]
    fields = {
        "query": request.query,
        "state": state,
        "message": message,
        "retrieved_at": record.retrieved_at,
        "providers": [{"name": OWN, "state": "ok", "candidates": len(run.candidates), "detail": None}],
        "results": listed,
        "dropped": [_drop_fields(one, run) for one in drops[:SHOWN_DROPS]],
        "dropped_total": len(drops),
        "relaxed": list(run.hits.relaxed),
        "fetched": fetched,
        "tokens": {"estimate": spent, "budget": budget, "estimator": tokens.ESTIMATOR},
        "index": record.index,
        "versions": record.versions,
        "timings": record.timings,
    }
    return Draft(record=record, fields=fields)


def _state(request: SearchRequest, run: Run, *, shown_any: bool) -> tuple[SearchState, str]:
    """How the search ended, and a sentence on it."""
    held = f"the own index, which holds {run.hits.pages} pages"
    hint = "no search provider is set up, so only this was searched; `citator crawl` and `citator fetch` add pages"
    if run.opened and (shown_any or not request.max_tokens):
        return "ok", f"Answered from {held}; {hint}."
    if run.opened:
        return "budget_cut", f"Pages match, but no passage fits into {request.max_tokens} tokens."
    if run.candidates:
        return "all_filtered", "Pages match, but each was dropped; `dropped` says why."
    if not request.query.strip():
        return "no_match", "The query is empty."
    within = " within the domains, days or language that were asked for" if _narrowed(request) else ""
    return "no_provider", f"Nothing matches{within} in {held}; {hint}."


def _narrowed(request: SearchRequest) -> bool:
    """Whether pages were left out before they were looked at: the index does not tell which."""
    days = request.published_after is not None or request.published_before is not None
    return days or bool(request.include_domains or request.exclude_domains or request.language)


def _result_fields(rank: int, one: Opened, passages: list[Passage]) -> dict[str, Any]:
    published, title = one.document.published, one.document.title
    return {
        "rank": rank,
        "url": one.candidate.url,
        "title": title,
        "capture": one.candidate.capture,
        "retrieved_at": one.sighting.retrieved_at,
        "published": published.value if published and published.firm else None,
        "language": one.document.language.tag if one.document.language else None,
        "score": decimal(one.candidate.best.score),
        "matches": len(one.candidate.hits),
        "flags": list(one.document.flags),
        "passages": [shown(passage, one.document) for passage in passages],
    }


def _drop_fields(candidate: Candidate, run: Run) -> dict[str, Any]:
    """A dropped candidate in the reply. Its page was not opened, so there is no title to tell."""
    fields = {
        "url": candidate.url,
        "title": None,
        "provider": OWN,
        "rank": candidate.rank,
        "reason": run.decisions[candidate.capture],
    }
    return fields | ({"duplicate_of": candidate.duplicate_of} if candidate.duplicate_of else {})


def _candidate_fields(candidate: Candidate, run: Run) -> dict[str, Any]:
    """A candidate as the record holds it."""
    return {
        "url": candidate.url,
        "capture": candidate.capture,
        "ranks": [{"provider": OWN, "rank": candidate.rank}],
        "scores": [{"part": part, "value": _told(value)} for part, value in candidate.best.parts.items()],
        "rank": candidate.rank,
        "decision": run.decisions[candidate.capture],
    }


@lru_cache(maxsize=4096)
def _told(score: float) -> str:
    """A score as records hold it. There are few: they are multiples of .01."""
    return decimal(score, 2)
