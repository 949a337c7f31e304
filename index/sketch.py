"""A small fingerprint of a passage's words, to tell near-copies by.

The words' hashes fall into 32 buckets; of each bucket the smallest hash is kept, cut to four bits, 1 to 15; an empty
bucket is 0. The share of equal buckets estimates the share of common words, whatever their order and number.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_BUCKETS = 32
_LOWEST_BITS = int("1" * _BUCKETS, 16)  # the lowest bit of each bucket
_QUARTERS = tuple(((1 << _BUCKETS) - 1) << shift for shift in range(0, 4 * _BUCKETS, _BUCKETS))

# At most this share of the filled buckets may differ between near-copies: three of 32. Two texts that have 95 % of
# their words in common pass nearly always, two that have 75 % hardly ever. Above 3/32, `fold` would miss some.
MAX_DIFFERENCE = 3 / 32


# A word's hash is a polynomial of its bytes; its base, odd so that it can be divided by, and what mixes the result.
_BASE = 0xD6E8FEB86659FD93
_MIX = 0x9E3779B97F4A7C15
_TABLE = 1 << 16  # bytes of text whose powers of the base are held ready: a megabyte of them
_WORD_ENDS, _TEXT_ENDS = ord(" "), ord("\n")


def sketches(texts: Sequence[str]) -> list[int]:
    """The fingerprint, a number of 128 bits, of each text: words parted by spaces, letter case levelled, one line."""
    import numpy as np  # noqa: PLC0415 -- see `word_hashes`

    hashes, text = word_hashes(texts)
    # Text, bucket and value in one number: sorted, the first of each bucket is its smallest.
    keys = text << 32 | (hashes >> np.uint64(32)).astype(np.int64)
    keys.sort()
    buckets = keys >> 27
    first = np.ones(len(keys), bool)
    first[1:] = buckets[1:] != buckets[:-1]
    values = (keys[first] & (1 << 27) - 1) % 15 + 1
    buckets = buckets[first]
    halves = np.zeros(2 * len(texts), np.int64)
    np.bitwise_or.at(halves, buckets >> 4, values << ((buckets & 15) << 2))
    packed = halves.view(np.uint64).tolist()
    return [low | high << 64 for low, high in zip(packed[::2], packed[1::2], strict=True)]


def word_hashes(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """A hash of each word of the texts, in order, and the place of the text that it is of.

    All words are hashed at once: from sums of bytes times powers of the base, up to each place, the hash of a word is
    the difference of two, divided by the power at which it begins. That is five times as fast as word by word.
    """
    import numpy as np  # noqa: PLC0415 -- takes a while and 20 MB, and only who writes needs it

    data = np.frombuffer("\n".join([*texts, ""]).encode("utf-8", "surrogatepass"), np.uint8)
    powers, divisors = _powers() if len(data) <= _TABLE else _made_powers(len(data))
    ends = np.flatnonzero(data <= _WORD_ENDS)
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    sums = powers[: len(data)] * data
    np.cumsum(sums, out=sums)
    hashes = sums[ends] - powers[ends] * data[ends]
    hashes[1:] -= sums[ends[:-1]]
    hashes *= divisors[starts]
    hashes ^= hashes >> np.uint64(32)
    hashes *= np.uint64(_MIX)
    last = data[ends] == _TEXT_ENDS
    words = starts < ends
    return hashes[words], (np.cumsum(last) - last)[words]


@cache
def _powers() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    return _made_powers(_TABLE)


def _made_powers(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The powers of the base and of its inverse modulo 2^64, from the first on."""
    import numpy as np  # noqa: PLC0415 -- see above

    base, inverse = (np.full(count, value, np.uint64) for value in (_BASE, pow(_BASE, -1, 1 << 64)))
    return np.multiply.accumulate(base), np.multiply.accumulate(inverse)


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
