"""Removes what is kept about pages: from bucket, catalogue and index, before it says so."""

from typing import Any

from service.failures import BadRequest
from service.following import Follower
from service.parts import Parts
from service.requests import Caller, RemovalRequest
from snapshots import Selection

NOT_YET = ("pattern", "session", "since", "until")
"""Conditions that later versions take; refused rather than passed over, since removing too much cannot be undone."""


def remove(parts: Parts, request: RemovalRequest, caller: Caller) -> dict[str, Any]:
    """Remove, or with `dry_run` list. Blocking; when it returns, no byte of the text is left here."""
    unknown = [name for name in NOT_YET if getattr(request, name) is not None]
    if unknown:
        raise BadRequest(f"this version removes by `ids` and `url`, not by {', '.join(unknown)}")
    selection = Selection(
        ids=tuple(parts.archive.resolve(text) for text in request.ids), pages=(request.url,) if request.url else ()
    )
    # What waits to be kept may be of the very page; the bucket has to do its part now in any case.
    parts.spool.retry(parts.archive, parts.follower.notice)
    done = parts.archive.remove(selection, dry_run=request.dry_run, reason=request.reason, by=caller.key)
    if done.deletion is not None:
        _forget(parts.follower)
    return {
        "deletion": done.deletion,
        "dry_run": request.dry_run,
        "removed": [one.model_dump() for one in done.removed],
        "counts": done.counts,
    }


def _forget(follower: Follower) -> None:
    """Have the index rewritten without what was removed, and wait for it."""
    follower.catch_up()
