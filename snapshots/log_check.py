"""Checking a log as a stranger would: from what lies in the bucket alone, believing nothing that a process remembers.

The quick check verifies signatures, the lock against the checkpoint, the right edge against the signed root and every
checkpoint that is handed in. The deep one reads every entry, derives every tile and the root anew, and holds what is
stored against it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from snapshots.errors import BadProof, LogDamaged, LogError, Missing, WrongLogKey
from snapshots.log_keys import keys_since
from snapshots.log_lock import CHECKPOINT, LOCK, PREFIX, STAGING, TILES, parse_lock, parse_staging
from snapshots.log_read import Tiles
from snapshots.log_state import opened, require_extension, signed_by
from snapshots.note import Checkpoint, VerifierKey
from snapshots.store import Store
from snapshots.tiles import (
    EMPTY_EDGE,
    ENTRIES,
    TILE_WIDTH,
    Edge,
    TileName,
    edge_tiles,
    encode_bundle,
    grow,
    is_full,
    parse_path,
    split_bundle,
)

MAX_PROBLEMS = 100
"""Problems that are listed; a log with more is not understood better by more lines."""

ENTRY_SIZE = 32

Progress = Callable[[int, int], None]
"""Called with the entries read so far and those there are."""


@dataclass(frozen=True, slots=True)
class LogReport:
    """What a check found: the published tree, what is wrong with it, and what lies about that may go."""

    size: int
    root: bytes
    problems: tuple[str, ...]
    unfinished: bool
    """Whether a commit is still to be published; the next writer that opens the log does it."""
    leftovers: int
    """Staging objects that nobody needs and partial tiles below full ones. They do no harm."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@dataclass(slots=True)
class _Findings:
    problems: list[str] = field(default_factory=list)
    leftovers: int = 0

    def add(self, problem: object) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(str(problem))


def check_log(
    store: Store,
    keys: Sequence[VerifierKey],
    *,
    deep: bool = False,
    seen: Iterable[bytes] = (),
    progress: Progress | None = None,
) -> LogReport:
    """Checks the log in `store`, whose checkpoints `keys` sign (the present key first).

    `seen` are signed checkpoints that this log has shown at any time. Problems are reported, not raised; errors of the
    store are. A writer may be at work meanwhile: the tree that is checked is the one published at the beginning.
    """
    findings = _Findings()
    try:
        checkpoint = opened(_get(store, CHECKPOINT), keys, CHECKPOINT)
    except LogError as problem:
        return LogReport(0, EMPTY_EDGE.root, (str(problem),), unfinished=False, leftovers=0)
    unfinished = _check_lock(store, keys, checkpoint, findings)
    tiles = Tiles(store)
    try:
        edge = tiles.edge(checkpoint)
    except LogDamaged as problem:
        findings.add(problem)
    else:
        _check_seen(tiles, edge, keys, seen, findings)
        if deep:
            _check_bundles(tiles, edge, findings)
            _check_files(store, tiles, edge, findings)
    if deep:
        _check_entries(store, checkpoint, findings, progress)
        findings.leftovers += sum(1 for _ in store.list(STAGING)) - unfinished
    return LogReport(
        checkpoint.size,
        checkpoint.root,
        tuple(findings.problems),
        unfinished=unfinished,
        leftovers=max(0, findings.leftovers),
    )


def _check_lock(store: Store, keys: Sequence[VerifierKey], checkpoint: Checkpoint, findings: _Findings) -> bool:
    """Holds the lock against the checkpoint; returns whether a commit is to be published still."""
    try:
        lock = parse_lock(_get(store, LOCK))
        head = opened(lock.checkpoint, keys_since(store, lock.checkpoint, keys[0]), LOCK)
    except BadProof as problem:
        findings.add(f"{LOCK} is damaged: {problem}")
        return False
    except (LogDamaged, WrongLogKey) as problem:
        findings.add(problem)
        return False
    if head.size < checkpoint.size or (head.size == checkpoint.size and head.root != checkpoint.root):
        findings.add(f"{CHECKPOINT} ({checkpoint.size} entries) is not what {LOCK} ({head.size} entries) leads to")
    if head.size <= checkpoint.size:
        return not signed_by(lock.checkpoint, keys[0])  # a rotation of the key that is to be published still
    try:
        if lock.staging is None or parse_staging(_get(store, lock.staging)).checkpoint != lock.checkpoint:
            findings.add(f"{lock.staging} does not lead to the tree of {LOCK}")
    except (LogDamaged, BadProof) as problem:
        # A writer at work may have published and removed it by now; the lock has moved or the checkpoint caught up.
        if _get(store, CHECKPOINT) != lock.checkpoint and _get(store, LOCK) == lock.encoded:
            findings.add(f"{CHECKPOINT} is behind {LOCK}, and its staging object cannot be used: {problem}")
    return True


def _check_seen(
    tiles: Tiles, edge: Edge, keys: Sequence[VerifierKey], seen: Iterable[bytes], findings: _Findings
) -> None:
    for data in seen:
        try:
            earlier = opened(data, keys, "a checkpoint seen earlier")
            what = f"the checkpoint of {earlier.size} entries seen earlier"
            require_extension(tiles, edge, [(what, earlier.size, earlier.root)])
        except LogError as problem:
            findings.add(problem)


def _check_entries(store: Store, checkpoint: Checkpoint, findings: _Findings, progress: Progress | None) -> None:
    """Derives the whole tree from the entries and holds stored full tiles, right edge and root against it."""
    edge = EMPTY_EDGE
    while edge.size < checkpoint.size:
        name = TileName(ENTRIES, edge.size // TILE_WIDTH, min(TILE_WIDTH, checkpoint.size - edge.size))
        try:
            entries = split_bundle(_tile(store, name))[: name.width]
        except (LogDamaged, BadProof) as problem:
            findings.add(f"{PREFIX}{name.path} cannot be read, and nothing after it: {problem}")
            return
        if len(entries) != name.width or any(len(entry) != ENTRY_SIZE for entry in entries):
            findings.add(f"{PREFIX}{name.path} does not hold {name.width} entries of {ENTRY_SIZE} bytes")
            return
        edge, files = grow(edge, entries)
        for path, data in files.items():
            full = parse_path(path)
            if full is not None and is_full(path):
                _compare(store, full, data, findings)
        if progress is not None:
            progress(edge.size, checkpoint.size)
    for name in edge_tiles(checkpoint.size):
        if name.level != ENTRIES:
            _compare(store, name, edge.tiles[name.level], findings)
    if edge.root != checkpoint.root:
        findings.add(f"the {checkpoint.size} entries do not give the root of {CHECKPOINT}")


def _check_bundles(tiles: Tiles, edge: Edge, findings: _Findings) -> None:
    """Holds every bundle against its verified tile, which tells which of the two is wrong."""
    for index in range(edge.size // TILE_WIDTH):
        try:
            tiles.bundle(edge, index)
        except LogDamaged as problem:
            findings.add(problem)


def _compare(store: Store, name: TileName, expected: bytes, findings: _Findings) -> None:
    try:
        data = _tile(store, name)
    except LogDamaged as problem:
        findings.add(problem)
        return
    if data != expected and (name.width == TILE_WIDTH or not data.startswith(expected)):
        findings.add(f"{PREFIX}{name.path} does not hold what the entries give")


def _check_files(store: Store, tiles: Tiles, edge: Edge, findings: _Findings) -> None:
    """Looks at every object below `log/tile/`: partial tiles must begin full ones, and nothing else may lie there."""
    for stat in store.list(TILES):
        name = parse_path(stat.name.removeprefix(PREFIX))
        if name is None:
            findings.add(f"{stat.name} is no tile")
            continue
        step = TILE_WIDTH ** max(name.level, 0)
        if (name.index * TILE_WIDTH + name.width) * step > edge.size:
            _check_beyond(store, stat.name, name, edge, findings)
        elif name.width < TILE_WIDTH:
            findings.leftovers += name.index < edge.size // step // TILE_WIDTH
            _check_partial(store, tiles, edge, name, findings)


def _check_partial(store: Store, tiles: Tiles, edge: Edge, name: TileName, findings: _Findings) -> None:
    try:
        data = store.get(PREFIX + name.path)
    except Missing:
        return  # a writer at work has removed it
    try:
        if name.level == ENTRIES:
            expected = encode_bundle(tiles.bundle(edge, name.index)[: name.width])
        else:
            expected = tiles.tile(edge, name.level, name.index)[: name.width * ENTRY_SIZE]
    except LogDamaged:
        return  # what it is part of is damaged, and reported as such
    if data != expected:
        findings.add(f"{PREFIX}{name.path} is not the beginning of the tile it is part of")


def _check_beyond(store: Store, stored: str, name: TileName, edge: Edge, findings: _Findings) -> None:
    """A tile of a larger tree than the published one belongs to a commit that is being published, or is wrong."""
    try:
        size = _lock_size(store)
    except (LogDamaged, BadProof):
        return  # reported already
    step = TILE_WIDTH ** max(name.level, 0)
    if (name.index * TILE_WIDTH + name.width) * step > size:
        findings.add(f"{stored} belongs to a tree larger than the {max(size, edge.size)} entries of {LOCK}")


def _lock_size(store: Store) -> int:
    text = parse_lock(_get(store, LOCK)).checkpoint.decode(errors="replace")
    return int(text.split("\n")[1])


def _tile(store: Store, name: TileName) -> bytes:
    """A tile as it is stored; for a partial one that is gone, the full one."""
    for path in dict.fromkeys((name.path, name.stem)):
        try:
            return store.get(PREFIX + path)
        except Missing:
            continue
    raise LogDamaged(f"{PREFIX}{name.path} is missing")


def _get(store: Store, name: str) -> bytes:
    try:
        return store.get(name)
    except Missing:
        raise LogDamaged(f"{name} is missing") from None
