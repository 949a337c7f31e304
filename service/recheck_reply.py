"""Verdicts as records, which hold places, and as replies, which show the words on both sides."""

from collections.abc import Sequence
from typing import Any

from service.judging import QUIET, Judged, Page
from service.quoting_shown import shown
from service.revisiting import Visited
from snapshots import PassageCheck, Recheck, RecheckEdit


def record_of(page: Page, visits: Sequence[Visited], at: str, watch: str | None = None) -> Recheck:
    """The record of a page that was visited again."""
    now = page.now.capture if page.now else None
    return Recheck(
        at=at,
        url=page.url,
        old=page.before.capture.id if page.before else None,
        new=now.id if now else None,
        visits=tuple(one.seen.capture.id for one in visits),
        page=page.verdict,
        page_state=now.page_state if now else "unknown",
        redirected=page.redirected,
        reason=page.reason,
        extractors=page.now.extractors if page.now else (),
        passages=tuple(_check(one) for one in page.passages),
        watch=watch,
    )


def _check(one: Judged) -> PassageCheck:
    found = one.found
    return PassageCheck(
        passage=one.wanted.passage.ref if one.wanted.passage else None,
        verdict=found.verdict,
        where=found.where,
        start=found.start,
        end=found.end,
        occurrences=found.occurrences,
        flags=found.flags,
        edits=tuple(
            RecheckEdit(
                change=edit.change,
                quote_start=edit.quote_start,
                quote_end=edit.quote_end,
                page_start=edit.page_start,
                page_end=edit.page_end,
            )
            for edit in found.differences
        ),
        edits_total=found.differences_total,
    )


def fields_of(page: Page, visits: Sequence[Visited], record: Recheck) -> dict[str, Any]:
    """A page in a reply: old and new side by side, with what sets them apart."""
    now, old = page.now, page.before
    return {
        "record": record.id,
        "url": page.url,
        "old": _version(old.capture.id, old.capture.retrieved_at, old.capture.final) if old else None,
        "new": _version(now.capture.id, now.capture.retrieved_at, now.capture.final) if now else None,
        "visits": [
            {
                "capture": one.seen.capture.id,
                "outcome": one.seen.capture.outcome,
                "http_status": one.seen.capture.hops[-1].status if one.seen.capture.hops else None,
                "page_state": one.seen.capture.page_state,
                "reason": one.seen.capture.reason,
            }
            for one in visits
        ],
        "verdict": page.verdict,
        "reason": page.reason,
        "page_state": record.page_state,
        "page_state_evidence": list(now.capture.page_state_evidence) if now else [],
        "redirected": page.redirected,
        "language": {"old": old.language if old else None, "new": now.language if now else None},
        "extractors": [one.model_dump() for one in record.extractors],
        "passages": [_passage(one) for one in page.passages],
    }


def _version(capture: str, retrieved_at: str, final: str) -> dict[str, str]:
    return {"capture": capture, "retrieved_at": retrieved_at, "final": final}


def _passage(one: Judged) -> dict[str, Any]:
    return {
        "passage": one.wanted.passage.id if one.wanted.passage else None,
        "alarm": one.found.verdict not in QUIET,
        "quote": one.wanted.text,
    } | shown(one.found)
