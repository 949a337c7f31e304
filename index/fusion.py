"""Joins several rankings of the same things into one: reciprocal rank fusion. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Softens the difference between first and second place; the value of Cormack, Clarke and Büttcher (2009).
SOFTENING = 60


@dataclass(frozen=True, slots=True)
class Fused:
    """One thing with its score, and its place (from 1) in each ranking that has it."""

    key: str
    score: float
    ranks: Mapping[str, int]


def fuse(rankings: Mapping[str, Sequence[str]], weights: Mapping[str, float] | None = None) -> list[Fused]:
    """All things of the rankings, best first. A ranking without a weight counts once; a thing's first place counts.

    Equal scores: the better best place first, then the key. The order of the rankings has no say.
    """
    places: dict[str, dict[str, int]] = {}
    for name in sorted(rankings):
        for place, key in enumerate(rankings[name], 1):
            places.setdefault(key, {}).setdefault(name, place)
    shares = weights or {}
    fused = [
        Fused(key, sum(shares.get(name, 1.0) / (SOFTENING + rank) for name, rank in ranks.items()), ranks)
        for key, ranks in places.items()
    ]
    return sorted(fused, key=lambda one: (-one.score, min(one.ranks.values()), one.key))
