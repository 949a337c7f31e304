"""Gives replies that are kept before they are sent.

The record, the exact bytes of the reply and the record of the serving go to the archive in one batch with everything
they name; only then does the caller get the reply. With `store=False` nothing is kept: the reply holds the records
themselves and says so.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import orjson

from service.errors import Problem
from service.parts import Parts
from service.requests import Caller, Reply
from snapshots import Batch, Fetch, Record, Search, Serving, digest, stamp

JSON = "application/json"
PROBLEM = "application/problem+json"


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
    """Keep the draft and everything it names, and return the reply as it is to be sent.

    Raises:
        EvidenceError: it could not be kept; then nothing is answered.
    """
    status, media_type, head = 200, JSON, {}
    if draft.problem:
        status, media_type, head = draft.problem.status, PROBLEM, draft.problem.details()
    if not store:
        records = [orjson.loads(record.encoded) for record in (*draft.records, draft.record)]
        body = orjson.dumps({"record": None, "stored": False} | draft.fields | {"records": records} | head)
        return Reply(body=body, record=None, serving=None, media_type=media_type, status=status)
    body = orjson.dumps({"record": draft.record.id} | draft.fields | head)
    serving = Serving(
        record=draft.record.id,
        surface=caller.surface,
        caller=caller.key,
        session=caller.session,
        body=digest(body),
        media_type=media_type,
        served_at=stamp(parts.clock()),
    )
    # The body names its record, which has a nonce: nobody else can have kept the same bytes.
    batch = Batch(blobs=draft.blobs, own=(body,), records=(*draft.records, draft.record, serving))
    await keep(parts, batch)
    return Reply(body=body, record=draft.record.id, serving=serving.id, media_type=media_type, status=status)


async def keep(parts: Parts, batch: Batch) -> None:
    """Keep a batch; durable and in the log when this returns. The index is told about new captures."""
    # Shielded: a caller who hangs up must not leave the follower untold of what was kept.
    kept = await asyncio.shield(asyncio.wrap_future(parts.archive.keep(batch)))
    if any(record.kind == "capture" for record in batch.records) and kept.positions:
        parts.follower.notice(max(kept.positions.values()))
