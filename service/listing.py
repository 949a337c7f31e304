"""Lists what was asked and kept, newest first."""

from collections.abc import Sequence
from typing import Any

from service.failures import BadRequest
from snapshots import Archive, Capture, Crawl, Deletion, EvidenceError, Fetch, Record, Search, Serving, UnknownRecord

KINDS = (
    "capture", "crawl", "deletion", "event", "fetch", "hold", "import", "recheck", "retention", "search", "serving",
    "watch",
)  # fmt: skip


def recent(archive: Archive, kinds: Sequence[str], limit: int, before: int | None) -> dict[str, Any]:
    """Records of `kinds` below position `before` of the log, newest first. Blocking.

    Returns `{records: [{id, kind, position, at, about, state}], next}`: `about` is what a person knows it by (a query,
    an address); a crawl is listed once, where it started; `next` is the `before` of the rest, None at the end.

    Raises:
        BadRequest: there is no such kind of record.
    """
    unknown = set(kinds) - set(KINDS)
    if unknown:
        raise BadRequest(f"there is no kind {min(unknown)!r}; kinds are {', '.join(KINDS)}")
    rows = archive.catalogue.recent(kinds, limit=limit, before=before)
    told = [{"id": row.id, "kind": row.kind, "position": row.position, **_told(archive, row.id)} for row in rows]
    begun = [one for one in told if one["kind"] != "crawl" or one["state"] == "running"]
    return {"records": begun, "next": rows[-1].position if len(rows) == limit else None}


def _told(archive: Archive, ident: str) -> dict[str, Any]:
    try:
        record = archive.record(ident)
    except EvidenceError as error:
        return {"at": None, "about": str(error), "state": None}
    at, about, state = _about(archive, record)
    return {"at": at, "about": about, "state": state}


def _about(  # noqa: PLR0911 - a table of kinds
    archive: Archive, record: Record | UnknownRecord
) -> tuple[str | None, str, str | None]:
    """Time, subject and state of a record."""
    match record:
        case Search():
            return record.retrieved_at, record.query, record.state
        case Capture():
            return record.retrieved_at, record.final, record.outcome
        case Fetch():
            return record.retrieved_at, _address(archive, record.capture), None
        case Serving():
            return record.served_at, f"{record.surface}: {record.record}", None
        case Crawl():
            return record.at, ", ".join(record.seeds[:3]) + (" …" if len(record.seeds) > 3 else ""), record.state  # noqa: PLR2004 - three addresses fit on a line
        case Deletion():
            return record.at, record.reason or f"{len(record.removed)} objects", None
        case _:
            return getattr(record, "at", None), record.kind, None


def _address(archive: Archive, capture: str) -> str:
    try:
        return archive.capture(capture).final
    except EvidenceError as error:
        return str(error)
