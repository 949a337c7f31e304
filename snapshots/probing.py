"""Whether a bucket does what it must: asked at start-up and by `doctor`."""

import secrets
import threading
from concurrent.futures import ThreadPoolExecutor

from snapshots.errors import Conflict, NoConditionalWrites, StoreError, StoreRefused
from snapshots.store import Store

RACERS = 8
"""Writers in the race for one name; two would be enough, more make an accident less likely to pass for a rule."""


def probe(store: Store) -> None:
    """Writes, reads back, compares and deletes objects below `probe/`, and races for one name.

    Raises `NoConditionalWrites` if the bucket overwrites what it was told not to or knows no conditions, `StoreError`
    if it gives back other bytes, and what the store itself raises. Leaves nothing behind if it returns.
    """
    place = f"probe/{secrets.token_hex(8)}"
    names = [f"{place}/{part}" for part in ("plain", "new", "race")]
    try:
        _read_back(store, names[0])
        try:
            _keep_what_is_there(store, names[1])
            _race(store, names[2])
        except StoreRefused as refusal:
            raise NoConditionalWrites(
                f"the bucket takes plain writes and refuses conditional ones: {refusal}"
            ) from None
    finally:
        store.delete(names)
    if left := store.exists(names):
        raise StoreError(f"the bucket still holds {', '.join(sorted(left))} after they were deleted")


def probe_once(store: Store) -> None:
    """Writes, reads back, compares and deletes one object: whether the bucket keeps anything at all.

    Raises `StoreError` if it gives back other bytes, and what the store itself raises.
    """
    name = f"probe/{secrets.token_hex(8)}/plain"
    try:
        _read_back(store, name)
    finally:
        store.delete([name])


def _read_back(store: Store, name: str) -> None:
    written = secrets.token_bytes(1024)
    store.put(name, written)
    if store.get(name) != written:
        raise StoreError("the bucket gives back other bytes than were written")


def _keep_what_is_there(store: Store, name: str) -> None:
    written = secrets.token_bytes(64)
    store.put_new({name: written})
    if store.put_new({name: b"other"}) != {name} or store.get(name) != written:
        raise NoConditionalWrites("the bucket wrote over an object that it was told to leave alone")


def _race(store: Store, name: str) -> None:
    expected: str | None = None
    for _ in range(2):  # once for a name that is free, once for one that has a version
        start = threading.Barrier(RACERS)

        def attempt(number: int, expected: str | None = expected, start: threading.Barrier = start) -> str | None:
            start.wait()
            try:
                return store.swap(name, b"%d %s" % (number, secrets.token_bytes(16)), expected)
            except Conflict:
                return None

        with ThreadPoolExecutor(RACERS) as pool:
            winners = [token for token in pool.map(attempt, range(RACERS)) if token is not None]
        if len(winners) != 1:
            raise NoConditionalWrites(f"{len(winners)} of {RACERS} writers won a race that one may win")
        expected = winners[0]
        if store.read(name)[1] != expected:
            raise NoConditionalWrites("the bucket holds another version than the one that won")
