"""The record and the reply of a search over several providers: what is shown, and the fate of everything else. Pure."""

from collections.abc import Sequence
from typing import Any, Final

from service import tokens
from service.answering import Draft
from service.assembling import BELOW_MAX_RESULTS, KEPT, NEAR_DUPLICATE, Offer, pack
from service.citing import shown
from service.forms import Form, Shown
from service.merging import Merged
from service.metasearch_run import FETCH_FAILED, NO_TEXT, NOT_TRIED, SNIPPET_ONLY, Opened, Run, Scored
from service.own_index import OWN
from service.versions import citator_version
from snapshots import Passage, Search, SearchState, decimal, digest, moment, passage_of, stamp

FUSION: Final = "rrf-60"
"""How candidates, and the orders of passages, are fused; `docs/search.md` says how to do it again."""
SHOWN_DROPS: Final = 50
"""Dropped candidates listed in a reply; all of them are in the record."""

UNREAD: Final = frozenset(
    {FETCH_FAILED, NOT_TRIED, NO_TEXT, "blocked", "login", "consent", "paywall", "not_found", "error", "empty"}
)
"""Decisions on candidates that could not be read."""


def draft_of(run: Run, form: Form) -> Draft:
    """Choose the passages, and write the record and the reply. Blocking."""
    offers = [
        Offer(page=place, score=one.score, text=page.document.text[one.span.start : one.span.end])
        for place, (page, mine) in enumerate(zip(run.opened, run.offered, strict=True))
        for one in mine
    ]
    heads = [Shown(one.capture.final, one.document.title or one.candidate.title) for one in run.opened]
    budget = form.room(heads, run.request.max_tokens)
    assert budget is not None, "a search has a budget"
    chosen, spent = pack(offers, budget, run.request.max_tokens_per_url, form.cost)
    return _reply(run, chosen, spent)


def _reply(run: Run, chosen: frozenset[int], spent: int) -> Draft:
    """The record and the reply."""
    request, own = run.request, run.own
    results, listed, place = [], [], 0
    for rank, (one, mine) in enumerate(zip(run.opened, run.offered, strict=True), start=1):
        picked = [
            passage_of(one.capture, one.document, ordinal=p.span.ordinal, start=p.span.start, end=p.span.end)
            for offset, p in enumerate(mine)
            if place + offset in chosen
        ]
        place += len(mine)
        refs = [passage.ref_fields for passage in picked]
        results.append({"rank": rank, "url": one.capture.final, "capture": one.capture.id, "passages": refs})
        listed.append(_result(run, rank, one, mine, picked))
    snippets = [one for one in run.candidates if run.decisions.get(one.key) == SNIPPET_ONLY][: request.max_results]
    listed += [_snippet(rank, one) for rank, one in enumerate(snippets, start=len(listed) + 1)]
    state, message = _state(run, shown_any=bool(chosen) or bool(snippets))
    providers = [
        {"name": one.name, "state": one.state, "reply": digest(one.raw) if one.raw else None,
         "candidates": len(one.found), "detail": one.told}
        for one in run.said
    ]  # fmt: skip
    if own is not None:
        providers.append({"name": OWN, "state": "ok", "reply": None, "candidates": len(own.found), "detail": None})
    elif run.index_late:
        late = "it was behind the log for longer than a provider may take"
        providers.append({"name": OWN, "state": "timeout", "reply": None, "candidates": 0, "detail": late})
    captures = {one.candidate.key: one.capture.id for one in run.opened}
    scored = {one.candidate.key: mine for one, mine in zip(run.opened, run.offered, strict=True)}
    versions: dict[str, Any] = {"citator": citator_version(), "estimator": tokens.ESTIMATOR, "fusion": FUSION}
    if run.weights:
        versions["weights"] = {name: decimal(weight) for name, weight in run.weights.items()}
    if run.ranker:
        versions["ranker"] = run.ranker
    record = Search.written(
        {
            "query": request.query,
            "options": request.model_dump(mode="json", exclude_defaults=True, exclude={"query", "session"}),
            "retrieved_at": stamp(run.begun),
            "providers": providers,
            "candidates": [
                _candidate(one, run, captures.get(one.key), scored.get(one.key, ())) for one in run.candidates
            ],
            "candidates_total": len(run.candidates),
            "results": results,
            "state": state,
            "relaxed": list(own.relaxed) if own else [],
            "index": own.about if own else None,
            "versions": versions,
            "timings": run.timings,
        }
    )
    drops = [one for one in run.candidates if run.decisions.get(one.key) not in {KEPT, SNIPPET_ONLY}]
    fields = {
        "query": request.query,
        "state": state,
        "message": message,
        "retrieved_at": record.retrieved_at,
        "providers": [
            {"name": one["name"], "state": one["state"], "candidates": one["candidates"], "detail": one["detail"]}
            for one in providers
        ],
        "results": listed,
        "dropped": [_drop(one, run) for one in drops[:SHOWN_DROPS]],
        "dropped_total": len(drops),
        "relaxed": list(own.relaxed) if own else [],
        "tokens": {"estimate": spent, "budget": request.max_tokens, "estimator": tokens.ESTIMATOR},
        "index": record.index,
        "versions": record.versions,
        "timings": record.timings,
    }
    fresh = [one.fresh for one in run.opened if one.fresh is not None] + run.failed
    return Draft(
        record=record,
        fields=fields,
        records=tuple(record for seen in fresh for record in seen.records),
        blobs=(*(blob for seen in fresh for blob in seen.blobs), *(one.raw for one in run.said if one.raw)),
    )


def _result(run: Run, rank: int, one: Opened, offered: list[Scored], passages: list[Passage]) -> dict[str, Any]:
    published, document = one.document.published, one.document
    return {
        "rank": rank,
        "url": one.capture.final,
        "title": document.title or one.candidate.title,
        "capture": one.capture.id,
        "retrieved_at": one.capture.retrieved_at,
        "from_store": one.fresh is None,
        "age_seconds": max(0, round((run.begun - moment(one.capture.retrieved_at)).total_seconds())),
        "published": published.value if published and published.firm else None,
        "language": document.language.tag if document.language else None,
        "score": decimal(one.candidate.score),
        "providers": [{"name": name, "rank": place} for name, place in sorted(one.candidate.ranks.items())],
        "snippet": one.candidate.snippet,
        "matches": sum(1 for passage in offered if passage.words > 0),
        "flags": list(document.flags),
        "passages": [shown(passage, document) for passage in passages],
    }


def _snippet(rank: int, one: Merged) -> dict[str, Any]:
    """A candidate that was not fetched, as its providers describe it."""
    return {
        "rank": rank,
        "url": one.url,
        "title": one.title,
        "capture": None,
        "retrieved_at": None,
        "published": one.published,
        "score": decimal(one.score),
        "providers": [{"name": name, "rank": place} for name, place in sorted(one.ranks.items())],
        "snippet": one.snippet,
        "passages": [],
    }


def _candidate(one: Merged, run: Run, capture: str | None, offered: Sequence[Scored]) -> dict[str, Any]:
    """A candidate as the record holds it: what it was fused from, and the scores of its passages by their ordinals."""
    scores = [{"part": "fused", "value": decimal(one.score)}]
    for passage in offered:
        scores.append({"part": f"words.{passage.span.ordinal}", "value": decimal(passage.words)})
        if passage.model is not None:
            scores.append({"part": f"model.{passage.span.ordinal}", "value": decimal(passage.model)})
    return {
        "url": one.url,
        "capture": capture,
        "ranks": [{"provider": name, "rank": rank} for name, rank in sorted(one.ranks.items())],
        "scores": scores,
        "rank": one.rank,
        "decision": run.decisions.get(one.key, BELOW_MAX_RESULTS),
    }


def _drop(one: Merged, run: Run) -> dict[str, Any]:
    reason, detail = run.decisions.get(one.key, BELOW_MAX_RESULTS), run.details.get(one.key)
    best = min(one.ranks.items(), key=lambda item: (item[1], item[0]))
    fields = {"url": one.url, "title": one.title, "provider": best[0], "rank": best[1], "reason": reason}
    if detail:
        fields["duplicate_of" if reason == NEAR_DUPLICATE else "detail"] = detail
    return fields


def _state(run: Run, *, shown_any: bool) -> tuple[SearchState, str]:
    """How the search ended, in a sentence that a model reads too. Whoever failed is named."""
    failed = [f"{one.name} ({one.told or one.state})" for one in run.said if one.state != "ok"]
    asked = [one.name for one in run.said if one.state == "ok"] + ([OWN] if run.own is not None else [])
    failed += [f"{OWN} (timeout)"] if run.index_late else []
    told = f" Not answered: {'; '.join(failed)}." if failed else ""
    told += f" Passages were ranked by their words alone: {run.unranked}." if run.unranked else ""
    if shown_any or (run.opened and not run.request.max_tokens):
        unread = "" if run.opened else " No page was fetched: these are the providers' own words."
        return "ok", f"Answered from {', '.join(asked)}.{unread}{told}"
    if run.opened:
        return "budget_cut", f"Pages match, but no passage fits into {run.request.max_tokens} tokens.{told}"
    if not run.candidates:
        if failed and not any(one.found for one in run.said):
            return "provider_failed", f"Nothing was found.{told}"
        return "no_match", f"Nothing matches at {', '.join(asked)}.{told}"
    if any(decision in UNREAD for decision in run.decisions.values()):
        return "fetch_failed", f"Pages were found, and none of them could be read; `dropped` says why.{told}"
    return "all_filtered", f"Pages were found, but each was dropped; `dropped` says why.{told}"
