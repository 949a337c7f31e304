"""What became of a passage, or of a page since a capture, over time: a line for each recheck, the oldest first."""

from collections.abc import Iterator
from typing import Any

from snapshots import Archive, EvidenceError, Recheck


def history(archive: Archive, ident: str, *, of_passage: bool) -> list[dict[str, Any]]:
    """The rechecks of a passage, or those that compared with a capture. Blocking."""
    return list(_told(archive, ident, of_passage=of_passage))


def _told(archive: Archive, ident: str, *, of_passage: bool) -> Iterator[dict[str, Any]]:
    for naming in archive.dependents(ident):
        if naming.kind != "recheck":
            continue
        try:
            record = archive.record(naming.id)
        except EvidenceError:
            continue
        if not isinstance(record, Recheck):
            continue
        page = {
            "record": record.id,
            "at": record.at,
            "url": record.url,
            "page": record.page,
            "page_state": record.page_state,
            "reason": record.reason,
            "old": record.old,
            "new": record.new,
            "watch": record.watch,
        }
        if of_passage:
            yield from (
                page | {"verdict": one.verdict, "flags": list(one.flags), "edits": one.edits_total}
                for one in record.passages
                if one.passage is not None and one.passage.id == ident
            )
        elif record.old == ident:
            verdicts = [one.verdict for one in record.passages]
            yield page | {"counts": {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))}}
