"""Removes what is kept about pages: from bucket, catalogue and index, before it says so."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from service.failures import SessionForked
from service.following import Follower
from service.holding import held_among, refuse_held
from service.parts import Parts
from service.removal_choice import choice
from service.requests import Caller, RemovalRequest

LISTED: Final = 1_000
"""Records that name what is removed and stay, as far as they are listed; all are counted."""


def remove(parts: Parts, request: RemovalRequest, caller: Caller) -> dict[str, Any]:
    """Remove, or with `dry_run` list. Blocking; when it returns, no byte of the text is left here.

    Raises:
        HeldBack: it would touch what is held; nothing was removed.
        SessionForked: sessions that stay were forked from one that was to go; nothing was removed.
    """
    # What waits to be kept may be of the very page; the bucket has to do its part now in any case.
    parts.spool.retry(parts.archive, parts.follower.notice)
    chosen = choice(parts, request)
    if request.records:
        chosen = replace(chosen, selection=replace(chosen.selection, records=True))
    held = held_among(parts, chosen.selection)
    if not request.dry_run:
        refuse_held(held)
        if chosen.forks and not request.forks:
            raise SessionForked(
                f"{len(chosen.forks)} sessions were forked from it; nothing was removed", forks=chosen.forks
            )
    done = parts.archive.remove(chosen.selection, dry_run=request.dry_run, reason=request.reason, by=caller.key)
    if done.deletion is not None:
        forget(parts.follower)
    return {
        "deletion": done.deletion,
        "dry_run": request.dry_run,
        "removed": [one.model_dump() for one in done.removed],
        "counts": done.counts,
        "shared": list(chosen.shared),
        "held": held,
        "staying": {
            "counts": dict(Counter(done.staying.values())),
            "records": [{"id": name, "kind": kind} for name, kind in islice(done.staying.items(), LISTED)],
        },
        "forks": list(chosen.forks),
    }


def forget(follower: Follower) -> None:
    """Have the index rewritten without what was removed, and wait for it."""
    follower.catch_up()
