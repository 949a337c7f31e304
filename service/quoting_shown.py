"""Judgements of quotations as replies tell them."""

from dataclasses import asdict
from typing import Any

from snapshots import Judgement


def shown(found: Judgement) -> dict[str, Any]:
    """A judgement as replies tell it: the place first, the differences as objects."""
    return {
        "verdict": found.verdict,
        "start": found.start,
        "end": found.end,
        "matched": found.matched,
        "differences": [asdict(one) for one in found.differences],
        "differences_total": found.differences_total,
        "flags": list(found.flags),
        "where": found.where,
        "occurrences": found.occurrences,
        "reason": found.reason,
    }
