"""Tiles and entry bundles as c2sp.org/tlog-tiles lays a Merkle tree out in files, and how a tree grows in them.

A tile is up to 256 consecutive hashes of one level: level 0 holds leaf hashes, each hash of level L + 1 is the root
over a full tile of level L. An entry bundle holds the entries under one level-0 tile. What is not full is *partial*,
and is written anew, under a name that tells its width, for each size that is published.

Pure. Paths are relative to the log: `tile/0/x001/234`, `tile/entries/000.p/17`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from snapshots.errors import BadProof
from snapshots.merkle import HASH_SIZE, leaf_hash, node_hash, root_of_peaks

TILE_HEIGHT = 8
TILE_WIDTH = 1 << TILE_HEIGHT
TILE_BYTES = TILE_WIDTH * HASH_SIZE

MAX_ENTRY = 0xFFFF
"""Bytes of an entry: its length stands before it as two bytes."""

ENTRIES = -1
"""Stands for the entry bundles where a level is asked for."""

_PATH = re.compile(r"tile/(entries|[0-9]|[1-5][0-9]|6[0-3])/((?:x[0-9]{3}/)*[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")


@dataclass(frozen=True, slots=True)
class TileName:
    """Which tile: its level (`ENTRIES` for a bundle), its place in the level, how many hashes or entries it holds."""

    level: int
    index: int
    width: int = TILE_WIDTH

    @property
    def path(self) -> str:
        """Where it lies, relative to the log."""
        suffix = "" if self.width == TILE_WIDTH else f".p/{self.width}"
        return f"{self.stem}{suffix}"

    @property
    def stem(self) -> str:
        """The path of the full tile at this place; partial ones lie below `<stem>.p/`."""
        level = "entries" if self.level == ENTRIES else str(self.level)
        digits = f"{self.index % 1000:03}"
        above = self.index // 1000
        while above:
            digits = f"x{above % 1000:03}/{digits}"
            above //= 1000
        return f"tile/{level}/{digits}"


@dataclass(frozen=True, slots=True)
class Edge:
    """The right edge of a tree: all that is needed to append to it and to tell its root.

    `peaks` are the hashes of its perfect subtrees from the largest on; `tiles` the partial tile of each level that has
    hashes, level 0 first (empty where the level's last tile is full); `bundle` the partial entry bundle.
    """

    size: int
    peaks: tuple[bytes, ...]
    tiles: tuple[bytes, ...]
    bundle: bytes

    @property
    def root(self) -> bytes:
        """The root of the tree."""
        return root_of_peaks(self.peaks)


EMPTY_EDGE = Edge(0, (), (), b"")


def parse_path(path: str) -> TileName | None:
    """Which tile lies at `path`; None if no tile has that name."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    level, place, width = match.groups()
    index = int("".join(part.removeprefix("x") for part in place.split("/")))
    name = TileName(ENTRIES if level == "entries" else int(level), index, int(width or TILE_WIDTH))
    return name if name.path == path else None


def is_full(path: str) -> bool:
    """Whether a full tile or bundle lies at `path`."""
    name = parse_path(path)
    return name is not None and name.width == TILE_WIDTH


def encode_bundle(entries: Sequence[bytes]) -> bytes:
    """Entries as they stand in a bundle: each with its length in two bytes before it."""
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def split_bundle(data: bytes) -> list[bytes]:
    """The entries in a bundle; raises BadProof if the lengths do not fit."""
    entries = []
    place = 0
    while place < len(data):
        start = place + 2
        end = start + int.from_bytes(data[place:start], "big")
        if start > len(data) or end > len(data):
            raise BadProof("the entry bundle ends in the middle of an entry")
        entries.append(data[start:end])
        place = end
    return entries


def edge_tiles(size: int) -> list[TileName]:
    """The partial tiles and the partial bundle at the right edge of a tree of `size` leaves, the bundle last."""
    names = []
    level = 0
    while size >> TILE_HEIGHT * level:
        count = size >> TILE_HEIGHT * level
        if count % TILE_WIDTH:
            names.append(TileName(level, count // TILE_WIDTH, count % TILE_WIDTH))
        level += 1
    if size % TILE_WIDTH:
        names.append(TileName(ENTRIES, size // TILE_WIDTH, size % TILE_WIDTH))
    return names


def edge_of(size: int, tiles: Sequence[bytes], bundle: bytes) -> Edge:
    """The right edge whose partial tiles, level 0 first and empty where there is none, and bundle these are."""
    peaks: list[bytes] = []
    for hashes in reversed(tiles):
        start, width = 0, len(hashes) // HASH_SIZE
        for height in reversed(range(TILE_HEIGHT)):
            if width & 1 << height:
                peaks.append(tile_node(hashes, height, start >> height))
                start += 1 << height
    return Edge(size, tuple(peaks), tuple(tiles), bundle)


def tile_node(hashes: bytes, height: int, index: int) -> bytes:
    """The root over the hashes `index << height` up to `(index + 1) << height` of one tile."""
    start = index << height
    row = [
        hashes[at : at + HASH_SIZE] for at in range(start * HASH_SIZE, (start + (1 << height)) * HASH_SIZE, HASH_SIZE)
    ]
    while len(row) > 1:
        row = [node_hash(row[at], row[at + 1]) for at in range(0, len(row), 2)]
    return row[0]


def grow(edge: Edge, entries: Sequence[bytes]) -> tuple[Edge, dict[str, bytes]]:
    """The right edge after appending `entries`, and what has to be written for it: paths to bytes.

    Written are each tile and bundle that becomes full, and those that are partial at the end if anything was added to
    them; nothing in between, and nothing that was written for the old edge.
    """
    files: dict[str, bytes] = {}
    peaks = list(edge.peaks)
    tiles = [bytearray(hashes) for hashes in edge.tiles]
    touched: set[int] = set()
    bundle = bytearray(edge.bundle)
    size = edge.size
    for entry in entries:
        bundle += len(entry).to_bytes(2, "big") + entry
        found = leaf_hash(entry)
        _push(tiles, touched, 0, found)
        size += 1
        # As many perfect subtrees close with this leaf as its number has zeros at the end.
        for height in range(1, (size & -size).bit_length()):
            found = node_hash(peaks.pop(), found)
            level, rest = divmod(height, TILE_HEIGHT)
            if rest == 0:
                files[TileName(level - 1, (size >> height) - 1).path] = bytes(tiles[level - 1])
                tiles[level - 1].clear()
                touched.discard(level - 1)
                _push(tiles, touched, level, found)
        peaks.append(found)
        if size % TILE_WIDTH == 0:
            files[TileName(ENTRIES, size // TILE_WIDTH - 1).path] = bytes(bundle)
            bundle.clear()
    grown = Edge(size, tuple(peaks), tuple(bytes(hashes) for hashes in tiles), bytes(bundle))
    for name in edge_tiles(size) if entries else ():
        if name.level == ENTRIES:
            files[name.path] = grown.bundle
        elif name.level in touched:
            files[name.path] = grown.tiles[name.level]
    return grown, files


def _push(tiles: list[bytearray], touched: set[int], level: int, value: bytes) -> None:
    if level == len(tiles):
        tiles.append(bytearray())
    tiles[level] += value
    touched.add(level)
