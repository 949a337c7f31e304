"""A copy of the log as it is published now, whole even if writers go on meanwhile."""

from collections.abc import Iterator

from snapshots.errors import BadProof, LogDamaged, Missing
from snapshots.log_lock import CHECKPOINT, KEYS, LOCK, PREFIX, STAMPS, Lock, parse_lock
from snapshots.log_state import read_if_there
from snapshots.merkle import HASH_SIZE
from snapshots.note import parse_checkpoint, parse_note
from snapshots.store import Store
from snapshots.tiles import ENTRIES, TILE_HEIGHT, TILE_WIDTH, TileName, edge_tiles, encode_bundle, split_bundle


def copy_of_log(store: Store) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of all objects that make up the log: put into an empty bucket, they are the log at this moment.

    The tree is the one published at the beginning. What is committed and not published yet is left out, and so are
    staging objects and partial tiles of earlier sizes. Signatures and hashes are not verified. A bucket without a log
    gives nothing.

    Raises:
        LogDamaged: a part is missing or cannot be read.
    """
    shown = read_if_there(store, CHECKPOINT)
    if shown is None:
        return
    checkpoint = _newest_key(store, shown[0])
    for folder in (KEYS, STAMPS):
        for stat in store.list(folder):
            yield stat.name, store.get(stat.name)
    for name in _tiles_of(_size(checkpoint)):
        yield PREFIX + name.path, _tile(store, name)
    yield CHECKPOINT, checkpoint
    yield LOCK, Lock(checkpoint, None).encoded


def _newest_key(store: Store, checkpoint: bytes) -> bytes:
    """The checkpoint in the lock if it is over the same tree: then only the key that signs has changed."""
    try:
        locked = parse_lock(store.get(LOCK)).checkpoint
        same = parse_note(locked).text == parse_note(checkpoint).text
    except (BadProof, Missing):
        return checkpoint
    return locked if same else checkpoint


def _size(checkpoint: bytes) -> int:
    try:
        return parse_checkpoint(parse_note(checkpoint).text).size
    except BadProof as problem:
        raise LogDamaged(f"{CHECKPOINT} is damaged: {problem}") from problem


def _tiles_of(size: int) -> Iterator[TileName]:
    """Every tile and bundle of the tree of this size."""
    count, level = size // TILE_WIDTH, 0
    for index in range(count):
        yield TileName(ENTRIES, index)
    while count:
        for index in range(count):
            yield TileName(level, index)
        count >>= TILE_HEIGHT
        level += 1
    yield from edge_tiles(size)


def _tile(store: Store, name: TileName) -> bytes:
    """The tile; a partial one that has gone because the full one came is cut from that."""
    try:
        return store.get(PREFIX + name.path)
    except Missing:
        pass
    try:
        whole = store.get(PREFIX + name.stem)
        if name.level != ENTRIES:
            return whole[: name.width * HASH_SIZE]
        return encode_bundle(split_bundle(whole)[: name.width])
    except (Missing, BadProof):
        raise LogDamaged(f"{PREFIX}{name.path} is missing") from None
