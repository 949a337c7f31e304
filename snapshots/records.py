"""All kinds of records: reading stored bytes back, and the ids a record names."""

from contextlib import suppress
from typing import Final

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from snapshots.answers import Fetch, Search, Serving, Serving2
from snapshots.canonical import load
from snapshots.capture import Capture
from snapshots.deeds import Crawl, Crawl2, Deletion, Import
from snapshots.document import Document, Document2
from snapshots.errors import BadRecord
from snapshots.recheck import Recheck
from snapshots.record import ENCODED, Record, UnknownRecord, ids_within
from snapshots.session import Agent, Event, Session
from snapshots.watch import Hold, Retention, Watch

KINDS: Final[dict[tuple[str, int], type[Record]]] = {
    ("capture", 1): Capture,
    ("document", 1): Document,
    ("document", 2): Document2,
    ("search", 1): Search,
    ("fetch", 1): Fetch,
    ("serving", 1): Serving,
    ("serving", 2): Serving2,
    ("crawl", 1): Crawl,
    ("crawl", 2): Crawl2,
    ("recheck", 1): Recheck,
    ("deletion", 0): Deletion,
    ("session", 1): Session,
    ("event", 1): Event,
    ("agent", 1): Agent,
    ("watch", 1): Watch,
    ("hold", 1): Hold,
    ("retention", 1): Retention,
    ("import", 1): Import,
}
"""The kinds and versions this release writes and understands."""

NEVER_STORED: Final = frozenset({"passage"})
"""Kinds that are made when asked for. Stored under such a kind, bytes would be taken for what they are not."""


class _Head(BaseModel):
    """What every record begins with, however unknown the rest."""

    model_config = ConfigDict(strict=True)

    kind: str
    version: int


def read(data: bytes, *, canonical: bool = False, likely: type[Record] | None = None) -> Record | UnknownRecord:
    """The record that `data` holds; one of an unknown kind or version is kept byte for byte.

    `canonical` says that the bytes are known to be so, because they were checked when they were kept; that is not
    looked at again then. Of the kind `likely` it is read faster.

    Raises BadRecord if the bytes are no canonical JSON object with `kind` and `version`, or do not have exactly the
    fields that their kind and version say.
    """
    if canonical and likely is not None:
        with suppress(ValidationError):
            return likely.model_validate_json(data, context={ENCODED: data})
    try:
        head = _Head.model_validate_json(data)
        if head.kind in NEVER_STORED:
            raise BadRecord(f"a {head.kind} is never stored")
        form = KINDS.get((head.kind, head.version))
        if form is None:
            load(data)
            return UnknownRecord(head.kind, head.version, data)
        record = form.model_validate_json(data, context={ENCODED: data} if canonical else None)
    except ValidationError as error:
        raise BadRecord(_first(error)) from None
    if record.encoded != data:
        raise BadRecord(f"the {head.kind} lacks a field or is not in canonical form")
    return record


def names(record: Record | UnknownRecord) -> tuple[str, ...]:
    """Every id the record names, each once, in order. For an unknown kind: every string in it that is an id."""
    found = ids_within(orjson.loads(record.encoded)) if isinstance(record, UnknownRecord) else record.named()
    return tuple(dict.fromkeys(found))


def _first(error: ValidationError) -> str:
    """The first complaint as a sentence, without the value, which may be anything."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"]) or "the record"
    return f"{place}: {first['msg']}"
