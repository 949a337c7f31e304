"""Publishing what has been committed, and taking over what other writers or a killed process have left.

A commit is one swap of `log/lock`; what follows (tiles, then `log/checkpoint`) only makes it visible and can be done by
anyone, any number of times, from the staging object that the lock names. That is all there is to recovery.
"""

from collections.abc import Mapping
from itertools import islice

from snapshots.errors import BadProof, Conflict, LogDamaged, Missing, StoreError
from snapshots.log_lock import (
    CHECKPOINT,
    LOCK,
    PREFIX,
    STAGING,
    Lock,
    Staging,
    parse_lock,
    parse_staging,
    staged_size,
)
from snapshots.log_state import Growth, LogState, View, opened, read_if_there, require_extension, signed_by
from snapshots.note import Checkpoint
from snapshots.tiles import is_full

ROUNDS = 100
"""How often something is tried anew because other writers were quicker. Each time one of them got through."""

CLEAN_EVERY = 16
"""Staging objects that are let lie before they are removed together: removing costs a sync of the directory."""

MAX_SWEPT = 1000
"""Staging objects looked at when a log is opened; what a thousand crashes left takes several openings."""


def take_over(state: LogState, found: tuple[bytes, str]) -> None:
    """Makes this process know the tree that `log/lock` (its bytes and token: `found`) tells of.

    What its commit has not published yet is published first, from its staging object. Then the right edge is read and
    verified against the signed root, and the whole tree against everything known of earlier ones.

    Raises:
        WrongLogKey: the lock is signed by another key.
        LogDamaged: lock, checkpoint, staging and tiles contradict each other; the text says where.
    """
    for _ in range(ROUNDS):
        shown = read_if_there(state.store, CHECKPOINT)
        try:
            _take_over(state, found, shown)
        except LogDamaged:
            # Writers may have moved on in the middle of this; only what stays contradictory is damage.
            state.tiles.forget()
            now = read_lock(state)
            if now[1] == found[1] and read_if_there(state.store, CHECKPOINT) == shown:
                raise
            found = now
        else:
            return
    raise Conflict(LOCK)


def publish(state: LogState) -> None:
    """Publishes what this process has committed and not published yet, if anything."""
    growth = state.unpublished
    if growth is None:
        return
    _put_tiles(state, growth.files)
    _put_checkpoint(state, growth.view.checkpoint)
    state.unpublished = None
    state.tiles.unpublished = {}
    _throw_away(state, growth.staging, growth.files)
    if len(state.rubbish) >= CLEAN_EVERY:
        clean(state)


def clean(state: LogState) -> None:
    """Removes staging objects that nobody needs and the partial tiles below full ones. Failing is no harm."""
    names = list(state.rubbish)
    try:
        for stem in state.filled:
            names.extend(stat.name for stat in state.store.list(f"{PREFIX}{stem}.p/"))
        if names:
            state.store.delete(names)
    except StoreError:
        # They are tried again with the next ones; what is forgotten here the next opening finds.
        del state.rubbish[:-MAX_SWEPT], state.filled[:-MAX_SWEPT]
        return
    state.rubbish.clear()
    state.filled.clear()


def sweep(state: LogState) -> None:
    """Marks staging objects of crashed and beaten writers as rubbish.

    One that leads to a tree no larger than the published one is either committed and published, or was made for a lock
    that is gone and can never be committed.
    """
    for stat in islice(state.store.list(STAGING), MAX_SWEPT):
        size = staged_size(stat.name)
        if size is not None and size <= state.view.edge.size:
            state.rubbish.append(stat.name)


def read_lock(state: LogState) -> tuple[bytes, str]:
    """Bytes and token of the lock; raises LogDamaged if it is missing."""
    found = read_if_there(state.store, LOCK)
    if found is None:
        raise LogDamaged(f"{LOCK} is missing")
    return found


def _take_over(state: LogState, found: tuple[bytes, str], shown: tuple[bytes, str] | None) -> None:
    """One attempt, with the bytes and tokens of the lock and, read after it, of the checkpoint."""
    lock = parsed_lock(found[0])
    head = opened(lock.checkpoint, [state.signer.verifier], LOCK)
    earlier = [("the log as it was known here", state.view.edge.size, state.view.edge.root)]
    published = None
    state.checkpoint_token = None
    if shown is not None:
        state.checkpoint_token = shown[1]
        published = opened(shown[0], state.keys, CHECKPOINT)
        earlier.append((CHECKPOINT, published.size, published.root))
        if published.size > head.size:
            raise LogDamaged(f"{CHECKPOINT} has {published.size} entries, {LOCK} only {head.size}")
    if published is None or published.size < head.size:
        _publish_staging(state, lock, published)
    edge = state.tiles.edge(head)
    require_extension(state.tiles, edge, earlier)
    if shown is None or shown[0] != lock.checkpoint:
        _put_checkpoint(state, lock.checkpoint)
    state.view = View(edge, lock.checkpoint)
    state.lock_token = found[1]
    state.unpublished = None
    state.tiles.unpublished = {}


def _publish_staging(state: LogState, lock: Lock, published: Checkpoint | None) -> None:
    """Publishes the tiles of the commit that the lock tells of, from its staging object."""
    if lock.staging is None:
        if published is not None:
            raise LogDamaged(f"{CHECKPOINT} is behind {LOCK}, which names no staging object")
        return  # a new log, or a checkpoint that was deleted: whether all tiles are there is seen when they are read
    try:
        staging = parse_staging(state.store.get(lock.staging))
    except Missing:
        if published is None:
            return
        raise LogDamaged(f"{lock.staging}, which {LOCK} names, is missing") from None
    except BadProof as problem:
        raise LogDamaged(f"{lock.staging} is damaged: {problem}") from problem
    _check_staging(lock, staging, published)
    _put_tiles(state, staging.files)
    _throw_away(state, lock.staging, staging.files)


def _check_staging(lock: Lock, staging: Staging, published: Checkpoint | None) -> None:
    if staging.checkpoint != lock.checkpoint:
        raise LogDamaged(f"{lock.staging} leads to another tree than {LOCK} says")
    if published is not None and staging.base > published.size:
        raise LogDamaged(f"{CHECKPOINT} has {published.size} entries, but {lock.staging} begins at {staging.base}")


def _put_tiles(state: LogState, files: Mapping[str, bytes]) -> None:
    objects = {PREFIX + path: data for path, data in files.items()}
    for name in state.store.put_new(objects):
        try:
            if state.store.get(name) != objects[name]:
                raise LogDamaged(f"{name} is taken by something else than what the log has signed")
        except Missing:
            continue  # a partial tile that went when the full one came


def _put_checkpoint(state: LogState, data: bytes) -> None:
    """Publishes a checkpoint unless a newer one is there."""
    for _ in range(ROUNDS):
        try:
            state.checkpoint_token = state.store.swap(CHECKPOINT, data, state.checkpoint_token)
        except Conflict:
            found = read_if_there(state.store, CHECKPOINT)
            # The token of what is there is taken only to replace it: whatever else is found is looked at again then.
            if found is None or _gives_way(state, found[0], data):
                state.checkpoint_token = None if found is None else found[1]
                continue
        return
    raise Conflict(CHECKPOINT)


def _gives_way(state: LogState, shown: bytes, data: bytes) -> bool:
    """Whether the published checkpoint `shown` has to give way to `data`: it is smaller, or of an earlier key.

    Raises:
        LogDamaged: the two contradict each other, or `shown` is of a larger tree than has ever been committed.
    """
    if shown == data:
        return False
    published, ours = opened(shown, state.keys, CHECKPOINT), opened(data, state.keys, LOCK)
    if published.size < ours.size:
        return True
    if published.size > ours.size:
        # Others have gone on, which the lock knows: it is always swapped before the checkpoint.
        committed = opened(parsed_lock(read_lock(state)[0]).checkpoint, state.keys, LOCK)
        if committed.size < published.size:
            raise LogDamaged(f"{CHECKPOINT} has {published.size} entries, {LOCK} only {committed.size}")
        return False
    if published.root != ours.root:
        raise LogDamaged(f"{CHECKPOINT} is of another tree of {ours.size} entries than {LOCK}")
    return not signed_by(shown, state.keys[0])


def parsed_lock(data: bytes) -> Lock:
    """What a lock says; raises LogDamaged."""
    try:
        return parse_lock(data)
    except BadProof as problem:
        raise LogDamaged(f"{LOCK} is damaged: {problem}") from problem


def _throw_away(state: LogState, staging: str, files: Mapping[str, bytes]) -> None:
    """Marks what a published commit has made superfluous."""
    state.rubbish.append(staging)
    state.filled.extend(path for path in files if is_full(path))


def won(state: LogState, growth: Growth, token: str) -> None:
    """Notes that `growth` has become the newest tree; it is still to be published."""
    state.lock_token = token
    if state.unpublished is not None:
        state.rubbish.append(state.unpublished.staging)  # the new staging object holds all that this one does
    state.unpublished = growth
    state.tiles.unpublished = growth.files  # before the view: readers do not wait for the mutex
    state.view = growth.view
