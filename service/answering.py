"""Gives replies that are kept before they are sent.

The record, the exact bytes of the reply and the record of the serving go to the archive in one batch with everything
they name; only then does the caller get the reply. With `store=False` nothing is kept: the reply holds the records
themselves and says so.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson
from anyio.to_thread import run_sync

from service.errors import Problem
from service.forms import Served
from service.parts import Parts
from service.requests import Caller, Reply
from service.spool import AT_ONCE
from snapshots import Batch, Fetch, Record, Search, Serving, Serving2, StoreError, digest, stamp

JSON = "application/json"
PROBLEM = "application/problem+json"

NOTED = "door"
"""Under this name a record's options hold what its door was asked besides."""


@dataclass(frozen=True)
class Draft:
    """A reply before it is kept.

    `fields` is what the caller is told, without the ids of the reply's own records. `records` and `blobs` are what
    else has to be kept with it, `record` among the former or not.
    """

    record: Fetch | Search
    fields: dict[str, Any]
    records: tuple[Record, ...] = ()
    blobs: tuple[bytes, ...] = ()
    problem: Problem | None = None
    unstored: dict[str, Any] = field(default_factory=dict)


async def answer(parts: Parts, draft: Draft, caller: Caller, *, store: bool) -> Reply:
    """Keep the draft and everything it names, and return the reply as it is to be sent, in the form of its door.

    Raises:
        EvidenceError: it could not be kept; then nothing is answered.
    """
    record = draft.record
    if caller.noted:
        record = record.model_copy(update={"options": record.options | {NOTED: dict(caller.noted)}})
    head = draft.problem.details() if draft.problem else {}
    if not store:
        records = [orjson.loads(one.encoded) for one in (*draft.records, record)]
        fields = {"record": None, "stored": False} | draft.fields | {"records": records} | head
    else:
        fields = {"record": record.id} | draft.fields | head
    if caller.form is not None:
        served = caller.form.write(fields)
    elif draft.problem:
        served = Served(orjson.dumps(fields), PROBLEM, draft.problem.status)
    else:
        served = Served(orjson.dumps(fields))
    serving = serving_of(parts, record.id, served, caller) if store and served is not None else None
    if store:
        bodies = _blobs(served) if served is not None else ()
        # A body that names its record, which has a nonce: nobody else can have kept the same bytes.
        own = tuple(body for body in bodies if record.id.encode() in body)
        shared = tuple(body for body in bodies if body not in own)
        kept = (*draft.records, record) if serving is None else (*draft.records, record, serving)
        await keep(parts, Batch(blobs=(*draft.blobs, *shared), own=own, records=kept))
    shown = served or Served(orjson.dumps(fields))
    return Reply(
        body=shown.body,
        record=record.id if store else None,
        serving=serving.id if serving else None,
        media_type=shown.media_type,
        status=shown.status,
        structured=shown.structured,
    )


async def serve(parts: Parts, records: Sequence[str], served: Served, caller: Caller) -> str | None:
    """Keep what was served for `records`, which are kept already. Returns the id of the first serving, if any."""
    servings = [serving_of(parts, record, served, caller) for record in records]
    if servings:
        await keep(parts, Batch(blobs=_blobs(served), records=tuple(servings)))
    return servings[0].id if servings else None


def serving_of(parts: Parts, record: str, served: Served, caller: Caller) -> Serving:
    """The record that this reply was given for `record`."""
    fields: dict[str, Any] = {
        "record": record,
        "surface": caller.surface,
        "caller": caller.key,
        "session": caller.session,
        "body": digest(served.body),
        "media_type": served.media_type,
        "served_at": stamp(parts.clock()),
    }
    if served.structured is None and not caller.claims:
        return Serving(**fields)
    structured = digest(served.structured) if served.structured is not None else None
    return Serving2(**fields, structured=structured, claims=dict(caller.claims))


def _blobs(served: Served) -> tuple[bytes, ...]:
    return (served.body,) if served.structured is None else (served.body, served.structured)


async def keep(parts: Parts, batch: Batch) -> None:
    """Keep a batch; durable and in the log when this returns. The index is told about new captures.

    What was fetched and the bucket does not take waits in the spool, and is kept after the next batch that it takes.
    """
    # Shielded: a caller who hangs up must not leave the follower untold of what was kept.
    try:
        keeping = asyncio.wrap_future(parts.archive.keep(batch))
        keeping.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may be left to hear of it
        kept = await asyncio.shield(keeping)
    except StoreError as error:
        waiting = await run_sync(parts.spool.put, batch, error)
        if waiting is None:
            raise
        raise waiting from error
    if parts.spool.waiting:
        await run_sync(partial(parts.spool.retry, parts.archive, parts.follower.notice, limit=AT_ONCE))
    if any(record.kind == "capture" for record in batch.records) and kept.positions:
        parts.follower.notice(max(kept.positions.values()))
