"""Gives the exact bytes behind an id, and the views that a person reads instead of raw records."""

from typing import Any, Final

import orjson

from service.failures import BadRequest
from service.recheck_history import history
from service.requests import Evidence
from snapshots import (
    Archive,
    Capture,
    Document,
    EvidenceError,
    Fetch,
    Import,
    Missing,
    Passage,
    PassageRef,
    Recheck,
    Search,
    Serving,
    Serving2,
    Store,
    proof_within,
    read_passage,
)

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
BYTES = "application/octet-stream"

VIEWS = ("text", "visible", "hidden", "candidates", "context", "reply", "structured", "rechecks")


def evidence(archive: Archive, text: str, view: str | None) -> Evidence:
    """The bytes of the id (or unique prefix) `text`, or one view of it. Blocking.

    Views: `text` and `visible` of a capture, document or passage; `candidates` and `context` of a search; `reply` of a
    search, fetch or serving (the exact bytes that were sent); `rechecks` of a passage or capture.

    Raises:
        UnknownId, AmbiguousId, RemovedId, DamagedObject, BadId: as the archive says.
        BadRequest: there is no such view of this kind.
    """
    found = archive.resolve(text)
    body, kind = archive.get(found), archive.kind_of(found)
    if view is None:
        return Evidence(body=body, media_type=BYTES if kind == "blob" else JSON, id=found, kind=kind)
    value: object = read_passage(body) if kind == "passage" else archive.record(found) if kind != "blob" else None
    if view == "rechecks" and isinstance(value, Passage | Capture):
        told = history(archive, found, of_passage=kind == "passage")
        return Evidence(body=orjson.dumps(told), media_type=JSON, id=found, kind=kind)
    return Evidence(body=_view(archive, value, kind, view), media_type=_media_type(view), id=found, kind=kind)


def _media_type(view: str) -> str:
    return TEXT if view in ("text", "visible", "context") else JSON


def _view(archive: Archive, value: object, kind: str, view: str) -> bytes:  # noqa: PLR0911 - a table of views
    match value, view:
        case Passage(), "text":
            return value.text.encode()
        case Document(), "text":
            return value.text.encode()
        case Document(), "visible":
            return value.visible.encode()
        case Capture(document=str(document)), "text" | "visible":
            return _view(archive, archive.document(document), "document", view)
        case Search(), "candidates":
            return orjson.dumps([_candidate(archive, one.model_dump()) for one in value.candidates])
        case Search(), "context":
            return _context(archive, value).encode()
        case Serving(), "reply":
            return archive.get(value.body)
        case Serving2(structured=str(structured)), "structured":
            return archive.get(structured)
        case Search() | Fetch() | Recheck(), "reply":
            return _served(archive, value.id)
        case _:
            raise BadRequest(f"there is no view {view!r} of a {kind}; views are {', '.join(VIEWS)}")


def _candidate(archive: Archive, fields: dict[str, Any]) -> dict[str, Any]:
    """A candidate with its title, where the page is still there to tell it."""
    title = None
    if fields["capture"] is not None:
        try:
            document = archive.capture(fields["capture"]).document
            title = archive.document(document).title if document else None
        except EvidenceError as error:
            return fields | {"title": None, "note": str(error)}
    return fields | {"title": title}


def _context(archive: Archive, search: Search) -> str:
    """The passages that were handed out, as a reader would want them: address, time, text, id."""
    parts = [f"Query: {search.query}", f"Searched: {search.retrieved_at}", ""]
    for result in search.results:
        parts.append(f"{result.rank}. {result.url}")
        parts += [_passage_text(archive, ref) for ref in result.passages]
        parts.append("")
    return "\n".join(parts)


def _passage_text(archive: Archive, ref: PassageRef) -> str:
    try:
        text = read_passage(archive.get(ref.id)).text
    except EvidenceError as error:
        text = f"[{error}]"
    return f"{text}\n[{ref.id}]"


def _served(archive: Archive, record: str) -> bytes:
    """The bytes of the first reply that was given for a record."""
    for naming in archive.catalogue.naming(record):
        serving = archive.record(naming.id) if naming.kind == "serving" else None
        if isinstance(serving, Serving):
            return archive.get(serving.body)
    raise BadRequest(f"{record} was not served")


def proof(archive: Archive, text: str) -> dict[str, Any]:
    """The log's proof of an id. Blocking."""
    found = archive.proof(archive.resolve(text))
    return {
        "id": found.id,
        "leads": list(found.leads),
        "record": found.record,
        "index": found.index,
        "proof": found.tlog_proof,
        "vkey": found.vkey,
        "foreign": _foreign(archive, found.record),
    }


PROOFS: Final = "evidence/proofs.jsonl"


def _foreign(archive: Archive, record_id: str) -> list[dict[str, Any]]:
    """The proofs that a record came with: of each import that names it, the other log's."""
    told = []
    for one in archive.catalogue.naming(record_id, kind="import"):
        record = archive.record(one.id)
        members = record.members if isinstance(record, Import) else ()
        proofs = next((member.id for member in members if member.member == PROOFS), None)
        text = None if proofs is None else proof_within(archive.get(proofs), record_id)
        if isinstance(record, Import) and text is not None:
            told.append({"import": one.id, "origin": record.origin, "vkey": record.vkey, "proof": text})
    return told


def leading(archive: Archive, text: str) -> str:
    """The logged record that an id names, or that leads to what it names; of a serving what was answered with.

    So whoever removes what a record shows finds every reply that showed it again. Blocking.
    """
    found = archive.proof(archive.resolve(text)).record
    while isinstance(record := archive.record(found), Serving):
        found = record.record
    return found


def dependents(archive: Archive, text: str) -> dict[str, Any]:
    """The records that name an id. Blocking."""
    found = archive.resolve(text)
    return {"id": found, "dependents": [{"id": one.id, "kind": one.kind} for one in archive.dependents(found)]}


def log_file(store: Store, path: str) -> bytes | None:
    """A tile, public key or time stamp below the log; None if there is none. Blocking."""
    if not path.startswith(("tile/", "keys/", "stamps/")):
        return None
    try:
        return store.get(f"log/{path}")
    except Missing:
        return None
