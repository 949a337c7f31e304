"""The log: an append-only list of record ids in a bucket, with a signed root over it and proofs for each entry.

Laid out as c2sp.org/tlog-tiles says, so that any client of such logs can read it. Several processes may append to one
log. How a commit works, and what a kill between any two of its steps leaves, stands in `docs/formats/log.md`.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from snapshots.errors import (
    BadId,
    BadProof,
    EvidenceError,
    LogDamaged,
    LogError,
    LogReadOnly,
    Missing,
    NoLog,
    WrongLogKey,
)
from snapshots.ids import from_raw, is_id, to_raw
from snapshots.log_append import MAX_GROWTH, commit, swap_lock
from snapshots.log_check import LogReport, Progress, check_log
from snapshots.log_key import LogKey
from snapshots.log_keys import (
    adopt_next_key,
    handovers_between,
    keys_since,
    known_keys,
    listed_keys,
    load_or_make,
    next_key_path,
    publish_key,
    rotate,
    signer_of,
)
from snapshots.log_lock import CHECKPOINT, LOCK, Lock
from snapshots.log_read import Tiles
from snapshots.log_recover import clean, publish, read_lock, sweep, take_over
from snapshots.log_state import LogState, View, opened, read_if_there, read_only_view, require_extension
from snapshots.merkle import EMPTY_ROOT, consistency_proof, inclusion_proof
from snapshots.note import Checkpoint, VerifierKey
from snapshots.proof import Proof
from snapshots.store import Store
from snapshots.tiles import TILE_WIDTH

ENTRIES_AT_ONCE = 65_536
"""Entries that one call of `entries` reads at most."""

NODES_AT_ONCE = 65_536
"""Hashes remembered while many proofs are made: some 10 MB."""


class Log:
    """One log, open in this process. Safe to use from several threads; reading does not wait for appending.

    What it shows (`size`, `root`, `checkpoint`, `entries`, proofs) is the tree that this process knows; `refresh` lets
    it know what other writers have committed since.
    """

    def __init__(self, state: LogState) -> None:
        self._state = state
        self._mutex = threading.RLock()

    @classmethod
    def open(
        cls,
        store: Store,
        key: LogKey | None,
        *,
        create: bool,
        seen: Iterable[bytes] = (),
        pause: Callable[[float], None] = time.sleep,
    ) -> "Log":
        """Opens the log in `store`, and finishes what a killed writer left; without `key` it is read-only.

        `create` makes a log if the bucket has none. `seen` are checkpoints that this log is known to have shown.

        Raises:
            NoLog: there is none, and none was to be made.
            WrongLogKey: the log is signed by another key.
            LogDamaged: what lies there contradicts itself, or one of `seen`.
            StoreError: the bucket does not do its part.
        """
        state = LogState(store, Tiles(store), (), key, pause)
        if key is None:
            _open_to_read(state)
        else:
            state.keys = known_keys(store, key.verifier)
            _open_to_write(state, key, create=create)
        for data in seen:
            earlier = opened(data, state.keys, "a checkpoint seen earlier")
            what = f"the checkpoint of {earlier.size} entries seen earlier"
            require_extension(state.tiles, state.view.edge, [(what, earlier.size, earlier.root)])
        return cls(state)

    @property
    def size(self) -> int:
        """How many entries the log has."""
        return self._state.view.edge.size

    @property
    def root(self) -> bytes:
        """The root hash of its tree."""
        return self._state.view.edge.root

    @property
    def checkpoint(self) -> bytes:
        """The signed checkpoint over it, as it lies at `log/checkpoint`."""
        return self._state.view.checkpoint

    @property
    def origin(self) -> str:
        """The log's name, which its checkpoints carry."""
        return self._state.keys[0].name

    @property
    def vkey(self) -> str:
        """The public key that verifies its checkpoints, as text."""
        return self._state.keys[0].text

    @property
    def keys(self) -> tuple[VerifierKey, ...]:
        """The present public key and those before it."""
        return self._state.keys

    @property
    def read_only(self) -> bool:
        """Whether it is open without its key."""
        return self._state.key is None

    def append(
        self, ids: Sequence[str], *, publish_now: bool = True, beside: Mapping[str, bytes] | None = None
    ) -> range:
        """Appends record ids in one commit and returns their positions. They are committed and durable then.

        The objects in `beside`, by name, are written first: durable before the entries are in the log, and with the
        same syncs.

        With `publish_now` false, tiles and `log/checkpoint` are left to `publish`: whoever waits for the commit waits
        half as long, and several commits (16 at most) are published together. Whatever comes first (`publish`, another
        writer, the next opening) does it. If publishing fails, the entries are in the log all the same, and it is tried
        again with the next call.

        Raises:
            BadId: one of `ids` is no id. LogError: one stands there twice, or there are too many.
            LogReadOnly: the log is open without its key.
            WrongLogKey: it has been handed over to another key.
            LogDamaged: other writers left something that contradicts itself.
            StoreUnreachable: the entries may be in the log, or come to be, if the bucket was lost in the very moment of
                the commit. Other StoreErrors: they are not in the log.
        """
        for object_id in ids:
            if not is_id(object_id):
                raise BadId(object_id)
        if len(set(ids)) < len(ids):
            raise LogError("an id stands twice in one append")
        if len(ids) > MAX_GROWTH:
            raise LogError(f"{len(ids)} ids are more than the {MAX_GROWTH} that one append takes")
        with self._mutex:
            if not ids:
                if beside:
                    self._state.store.put_new(beside)
                return range(self.size, self.size)
            positions = commit(self._state, [to_raw(object_id) for object_id in ids], beside or {})
            if publish_now:
                with suppress(EvidenceError):  # the commit stands; whoever comes next publishes it or is told
                    publish(self._state)
            return positions

    def publish(self) -> None:
        """Publishes what has been committed by this process; does nothing if it is published. Raises StoreError."""
        with self._mutex:
            publish(self._state)

    def refresh(self) -> int:
        """Takes over what other writers have committed, finishes it if they were killed, and returns the size.

        Raises:
            LogDamaged, WrongLogKey, StoreError: as `open`; what was known before stays as it was.
        """
        with self._mutex:
            state = self._state
            if state.key is None:
                state.view = _read(state)
            else:
                publish(state)
                found = read_lock(state)
                if found[1] != state.lock_token:
                    take_over(state, found)
            return self.size

    def entries(self, start: int, end: int) -> list[str]:
        """The record ids at positions `start` to `end` (not included), verified; 65,536 at most, none beyond the end.

        Raises:
            LogDamaged: a tile or bundle on the way is missing or does not hold what was signed.
        """
        edge = self._state.view.edge
        end = min(end, edge.size, start + ENTRIES_AT_ONCE)
        found: list[str] = []
        while start < end:
            index, first = divmod(start, TILE_WIDTH)
            last = min(TILE_WIDTH, end - index * TILE_WIDTH)
            found += map(from_raw, self._state.tiles.bundle(edge, index)[first:last])
            start += last - first
        return found

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """The hashes that prove the entry at `index` in the tree of `size` entries (all by default).

        Raises:
            BadProof: there is no such entry, or no such tree. LogDamaged: a tile on the way is.
        """
        edge = self._state.view.edge
        return inclusion_proof(index, self._size(size, edge.size), self._node(self._state.view))

    def inclusions(self, indices: Iterable[int], size: int) -> Iterator[tuple[int, list[bytes]]]:
        """`inclusion` for many entries of the tree of `size` entries: each index with its hashes.

        Quick if the indices are in order. Raises as `inclusion`.
        """
        edge = self._state.view.edge
        self._size(size, edge.size)
        node = lru_cache(NODES_AT_ONCE)(self._node(self._state.view))
        for index in indices:
            yield index, inclusion_proof(index, size, node)

    def sign(self, data: bytes) -> bytes:
        """The bare signature of the log's key under `data`; see `LogKey.sign_bytes`.

        Raises:
            LogReadOnly: the log is open without its key.
        """
        key = self._state.key
        if key is None:
            raise LogReadOnly("nothing can be signed while the log is open without its key")
        return key.sign_bytes(data)

    @property
    def handovers(self) -> tuple[bytes, ...]:
        """The notes by which the log went from its first key to the present one, oldest first; raises StoreError."""
        return handovers_between(self._state.store, self._state.keys)

    def consistency(self, old: int, new: int | None = None) -> list[bytes]:
        """The hashes that prove that the tree of `new` entries (all by default) begins with that of `old`.

        Raises:
            BadProof: there are no such trees. LogDamaged: a tile on the way is.
        """
        edge = self._state.view.edge
        return consistency_proof(old, self._size(new, edge.size), self._node(self._state.view))

    def root_at(self, size: int) -> bytes:
        """The root of the tree over the first `size` entries; raises LogDamaged, and BadProof if there are fewer."""
        edge = self._state.view.edge
        return self._state.tiles.root(edge, self._size(size, edge.size))

    def proof(self, index: int, *, extra: bytes | None = None) -> Proof:
        """The whole proof of the entry at `index` under the newest checkpoint; its `text` is a `.tlog-proof` file.

        Raises:
            BadProof: there is no such entry. LogDamaged: a tile on the way is damaged.
        """
        view = self._state.view
        hashes = inclusion_proof(index, view.edge.size, self._node(view))
        return Proof(index, tuple(hashes), view.checkpoint, extra)

    def check(self, *, deep: bool = False, seen: Iterable[bytes] = (), progress: Progress | None = None) -> LogReport:
        """Checks the published log from what lies in the bucket alone; see `log_check`. Raises StoreError only."""
        return check_log(self._state.store, self._state.keys, deep=deep, seen=seen, progress=progress)

    def rotate(self, new: LogKey) -> None:
        """Hands the log over to another key with the same origin; see `log_keys.rotate`."""
        with self._mutex:
            rotate(self._state, new)

    def close(self) -> None:
        """Publishes and tidies up as far as the bucket lets it. Nothing is lost without it."""
        with self._mutex, suppress(EvidenceError):
            publish(self._state)
            clean(self._state)

    def _node(self, view: View) -> Callable[[int, int], bytes]:
        return lambda height, index: self._state.tiles.node(view.edge, height, index)

    @staticmethod
    def _size(size: int | None, present: int) -> int:
        if size is not None and not 0 <= size <= present:
            raise BadProof(f"the log has {present} entries, there is no tree of {size}")
        return present if size is None else size


def open_log(store: Store, path: Path, *, create: bool, origin: str | None = None, seen: Iterable[bytes] = ()) -> Log:
    """Opens the log in `store` with the key in the file `path`.

    A bucket without a log gets one if `create` says so, and a key with it if there is no file. A bucket that has a log
    is opened read-only if there is no key file. A rotation of the key that was cut short is finished.

    Raises:
        LogError: the key file cannot be read or written; and what `Log.open` raises.
    """
    key = load_or_make(path, store, create=create, origin=origin)
    seen = list(seen)
    try:
        return Log.open(store, key, create=create, seen=seen)
    except WrongLogKey:
        if not next_key_path(path).exists():
            raise
        following = LogKey.load(next_key_path(path))
        log = Log.open(store, following, create=False, seen=seen)
        adopt_next_key(path)
        return log


def rotate_log_key(log: Log, path: Path) -> str:
    """Makes a new key, hands `log` over to it, and puts it in the place of the old one at `path`; returns its vkey.

    Killed at any point, the next `open_log` or the next call of this goes on from there.

    Raises:
        LogError, StoreError: as `log_keys.rotate`.
    """
    following = next_key_path(path)
    if following.exists():
        new = LogKey.load(following)
    else:
        new = LogKey.generate(log.origin)
        new.save(following)
    log.rotate(new)
    return adopt_next_key(path).vkey


def _open_to_read(state: LogState) -> None:
    found = read_if_there(state.store, CHECKPOINT)
    if found is None:
        raise NoLog("the bucket has no log")
    present = signer_of(found[0], listed_keys(state.store))
    state.keys = known_keys(state.store, present)
    state.view = _read(state)


def _read(state: LogState) -> View:
    """The published tree for a log without its key; follows the log to another key if the known one handed over."""
    try:
        try:
            return read_only_view(state)
        except WrongLogKey:
            keys = keys_since(state.store, state.store.get(CHECKPOINT), state.keys[0])
            if len(keys) == 1:
                raise
            state.keys = known_keys(state.store, keys[0])
            return read_only_view(state)
    except Missing:
        raise LogDamaged(f"{CHECKPOINT} is missing") from None


def _open_to_write(state: LogState, key: LogKey, *, create: bool) -> None:
    found = read_if_there(state.store, LOCK)
    if found is None and read_if_there(state.store, CHECKPOINT) is not None:
        # Another process may have made the log in between; a checkpoint comes after its lock.
        found = read_if_there(state.store, LOCK)
        if found is None:
            opened(state.store.get(CHECKPOINT), state.keys, CHECKPOINT)
            raise LogDamaged(f"{LOCK} is missing")
    if found is None:
        if not create:
            raise NoLog("the bucket has no log")
        publish_key(state.store, key.verifier)
        empty = Checkpoint(key.origin, 0, EMPTY_ROOT)
        found = swap_lock(state, Lock(key.sign(empty.text), None))
    take_over(state, found)
    sweep(state)
    clean(state)
