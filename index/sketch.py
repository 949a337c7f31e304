"""A small fingerprint of a passage's words, to tell near-copies by.

The words' hashes fall into 32 buckets; of each bucket the smallest hash is kept, cut to four bits, 1 to 15; an empty
bucket is 0. The share of equal buckets estimates the share of common words, whatever their order and number.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Sequence

_BUCKETS = 32
_LOWEST_BITS = int("1" * _BUCKETS, 16)  # the lowest bit of each bucket
_QUARTERS = tuple(((1 << _BUCKETS) - 1) << shift for shift in range(0, 4 * _BUCKETS, _BUCKETS))

# At most this share of the filled buckets may differ between near-copies: three of 32. Two texts that have 95 % of
# their words in common pass nearly always, two that have 75 % hardly ever. Above 3/32, `fold` would miss some.
MAX_DIFFERENCE = 3 / 32


def sketch(words: str) -> int:
    """The fingerprint, a number of 128 bits, of words parted by spaces. Letter case must have been levelled."""
    hashes = sorted(map(crc32, set(words.encode("utf-8", "surrogatepass").split())), reverse=True)
    smallest = {value & 31: value for value in hashes}
    packed = 0
    for bucket, value in smallest.items():
        packed |= ((value >> 5) % 15 + 1) << (bucket << 2)
    return packed


def near(one: int, other: int) -> bool:
    """Whether two fingerprints are of near-copies. Empty passages are near to nothing."""
    filled = (_spread(one | other) & _LOWEST_BITS).bit_count()
    differing = (_spread(one ^ other) & _LOWEST_BITS).bit_count()
    return filled > 0 and differing <= filled * MAX_DIFFERENCE


def _spread(value: int) -> int:
    value |= value >> 1
    return value | value >> 2


def fold(sketches: Sequence[int]) -> list[int | None]:
    """For each fingerprint the place of the first earlier one that it nearly copies and that is itself not folded.

    Near-copies differ in three buckets at most, so that of four quarters one is equal: only such pairs are compared.
    """
    folded: list[int | None] = [None] * len(sketches)
    seen: dict[int, list[int]] = {}
    for place in _sharing(sketches):
        value = sketches[place]
        quarters = [quarter for quarter in (value & mask for mask in _QUARTERS) if quarter]
        for quarter in quarters:
            for earlier in seen.get(quarter, ()):
                found = folded[place]
                if (found is None or earlier < found) and near(value, sketches[earlier]):
                    folded[place] = earlier
        if folded[place] is None:
            for quarter in quarters:
                seen.setdefault(quarter, []).append(place)
    return folded


def _sharing(sketches: Sequence[int]) -> list[int]:
    """The places of the fingerprints that have a quarter in common with another one: mostly few."""
    sharing: set[int] = set()
    for mask in _QUARTERS:
        quarters = [value & mask for value in sketches]
        if len(set(quarters)) < len(quarters):
            counts = Counter(quarters)
            sharing.update(place for place, quarter in enumerate(quarters) if quarter and counts[quarter] > 1)
    return sorted(sharing)
