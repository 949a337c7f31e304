"""Reading a log's tiles: each is verified up to the signed root before anything in it is believed.

A full tile is held against the hash that the tile above it gives, up to the right edge, whose root is the signed one.
What has been verified is remembered, as full tiles never change.
"""

from collections import OrderedDict
from threading import Lock as Mutex
from typing import TYPE_CHECKING, Generic, TypeVar

from snapshots.errors import BadProof, LogDamaged, Missing
from snapshots.log_lock import PREFIX
from snapshots.merkle import HASH_SIZE, leaf_hash, root_of
from snapshots.note import Checkpoint
from snapshots.store import Store
from snapshots.tiles import (
    ENTRIES,
    TILE_BYTES,
    TILE_HEIGHT,
    TILE_WIDTH,
    Edge,
    TileName,
    edge_of,
    edge_tiles,
    encode_bundle,
    split_bundle,
    tile_node,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

K = TypeVar("K")
V = TypeVar("V")

TILES_KEPT = 256
"""Verified full tiles kept in memory: 2 MB, enough for proofs all over a log of 65,536 entries without reading."""

BUNDLES_KEPT = 64
"""Verified full entry bundles kept in memory: some 1.5 MB, for readers that ask for a few entries at a time."""


class Tiles:
    """The tiles of one log in a store. Safe to use from several threads.

    Which tree is meant is told by its right edge; any edge of the same log that was verified will do, an old one too.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tiles: _Kept[tuple[int, int], bytes] = _Kept(TILES_KEPT)
        self._bundles: _Kept[int, list[bytes]] = _Kept(BUNDLES_KEPT)
        self.unpublished: Mapping[str, bytes] = {}
        """Tiles that are committed and may not be in their place yet; looked at first."""

    def forget(self) -> None:
        """Drops what has been remembered, so that everything is read anew."""
        self._tiles.clear()
        self._bundles.clear()

    def node(self, edge: Edge, height: int, index: int) -> bytes:
        """The hash of a perfect subtree of the tree with this edge, as `merkle.Node` defines it; raises LogDamaged."""
        level, rest = divmod(height, TILE_HEIGHT)
        tile, place = divmod(index << rest, TILE_WIDTH)
        return tile_node(self.tile(edge, level, tile), rest, place >> rest)

    def root(self, edge: Edge, size: int) -> bytes:
        """The root of the tree over the first `size` leaves of the tree with this edge; raises LogDamaged."""
        return root_of(size, lambda height, index: self.node(edge, height, index))

    def tile(self, edge: Edge, level: int, index: int) -> bytes:
        """The verified hashes of one tile of the tree with this edge; raises LogDamaged."""
        if index == edge.size >> TILE_HEIGHT * (level + 1):
            return edge.tiles[level]
        known = self._tiles.get((level, index))
        if known is not None:
            return known
        path = TileName(level, index).path
        above, place = divmod(index, TILE_WIDTH)
        expected = self.tile(edge, level + 1, above)[place * HASH_SIZE : (place + 1) * HASH_SIZE]
        data = self.raw(path)
        if len(data) != TILE_BYTES or tile_node(data, TILE_HEIGHT, 0) != expected:
            raise LogDamaged(f"{PREFIX}{path} does not hold the hashes that the log has signed")
        self._tiles.put((level, index), data)
        return data

    def bundle(self, edge: Edge, index: int) -> list[bytes]:
        """The verified entries of one bundle of the tree with this edge; raises LogDamaged."""
        if index == edge.size // TILE_WIDTH:
            return split_bundle(edge.bundle)
        known = self._bundles.get(index)
        if known is not None:
            return known
        path = TileName(ENTRIES, index).path
        entries = _entries(path, self.raw(path))
        _check_bundle(path, entries, self.tile(edge, 0, index))
        self._bundles.put(index, entries)
        return entries

    def edge(self, checkpoint: Checkpoint) -> Edge:
        """Reads the right edge of the tree that a verified checkpoint tells of, and nothing more of it.

        Raises:
            LogDamaged: one of its tiles is missing, or they do not give the checkpoint's root.
        """
        hashes: dict[int, bytes] = {}
        bundle: list[bytes] = []
        names = edge_tiles(checkpoint.size)
        for name in names:
            data = self._partial(name)
            if name.level == ENTRIES:
                bundle = _entries(name.path, data)[: name.width]
                _check_bundle(name.path, bundle, hashes[0])
            else:
                hashes[name.level] = data[: name.width * HASH_SIZE]
                if len(hashes[name.level]) != name.width * HASH_SIZE:
                    raise LogDamaged(f"{PREFIX}{name.path} is shorter than it says")
        levels = max(hashes, default=-1) + 1
        edge = edge_of(checkpoint.size, [hashes.get(level, b"") for level in range(levels)], encode_bundle(bundle))
        if edge.root != checkpoint.root:
            which = ", ".join(PREFIX + name.path for name in names) or "the empty tree"
            raise LogDamaged(f"the tree of size {checkpoint.size} does not have the signed root; it is made of {which}")
        return edge

    def raw(self, path: str) -> bytes:
        """What lies at `path`, unverified; raises LogDamaged if nothing does."""
        try:
            return self.unpublished.get(path) or self._store.get(PREFIX + path)
        except Missing:
            raise LogDamaged(f"{PREFIX}{path} is missing") from None

    def _partial(self, name: TileName) -> bytes:
        """A partial tile, or the full one in its place: partial ones may be removed once there is a full one."""
        for path in (name.path, name.stem):
            found = self.unpublished.get(path)
            if found is not None:
                return found
            try:
                return self._store.get(PREFIX + path)
            except Missing:
                continue
        raise LogDamaged(f"{PREFIX}{name.path} is missing")


def _entries(path: str, data: bytes) -> list[bytes]:
    try:
        return split_bundle(data)
    except BadProof as problem:
        raise LogDamaged(f"{PREFIX}{path} is damaged: {problem}") from problem


def _check_bundle(path: str, entries: list[bytes], hashes: bytes) -> None:
    if b"".join(map(leaf_hash, entries)) != hashes:
        raise LogDamaged(f"{PREFIX}{path} does not hold the entries that the log has signed")


class _Kept(Generic[K, V]):
    """The values last used, up to a number of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._values: OrderedDict[K, V] = OrderedDict()
        self._mutex = Mutex()

    def get(self, key: K) -> V | None:
        with self._mutex:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: K, value: V) -> None:
        with self._mutex:
            self._values[key] = value
            if len(self._values) > self._limit:
                self._values.popitem(last=False)

    def clear(self) -> None:
        with self._mutex:
            self._values.clear()
