"""Appending: a growth is staged, the lock is swapped, and the growth is in the log.

Of several writers on one lock one wins; the others take over the winner's tree and try again on top of it. An answer
that got lost on the way is found out by reading back, so that nothing is appended twice.
"""

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress

from snapshots.errors import Conflict, LogDamaged, StoreError, StoreFull, StoreRefused
from snapshots.log_lock import LOCK, Lock, Staging, staging_name
from snapshots.log_recover import ROUNDS, publish, read_lock, take_over, won
from snapshots.log_state import Growth, LogState, View, read_if_there
from snapshots.note import Checkpoint
from snapshots.tiles import edge_tiles, grow, is_full

MAX_GROWTH = 65_536
"""Entries of one append: its staging object then has some 4.5 MB."""

MAX_UNPUBLISHED = 16
"""Commits that may wait to be published together, if the caller wants them to: their tiles are in memory meanwhile."""

SWAP_TRIES = 4
"""How often a swap whose outcome is not known is looked into before the caller is told."""

SWAP_PAUSE = 0.2
"""Seconds before such a swap is looked into again, doubled each time: together the length of a short hiccup."""

ROUND_PAUSE = 0.02
"""Seconds that a beaten writer waits at most after its first defeat; more after each further one."""

MAX_ROUND_PAUSE = 1.0
"""Seconds between two attempts at most, however often a writer was beaten: longer than any commit takes."""


def commit(state: LogState, entries: Sequence[bytes], beside: Mapping[str, bytes]) -> range:
    """Appends `entries` (at least one) and returns their positions. They are committed and durable then, not published.

    The objects in `beside` are durable before the entries are in the log.

    Raises:
        StoreUnreachable: if it was raised by the swap, the outcome is not known: the entries may be in the log, or
            come to be. Before it, and with all other errors, they are not in the log.
        Conflict: other writers were quicker time after time.
    """
    for attempt in range(ROUNDS):
        if attempt:
            _wait_for_a_turn(state, attempt)
        if state.unpublished is not None and state.unpublished.commits >= MAX_UNPUBLISHED:
            publish(state)
        growth = _prepare(state, entries)
        staging = Staging(growth.base, growth.view.checkpoint, growth.files)
        lock = Lock(growth.view.checkpoint, growth.staging)
        data, token = swap_lock(state, lock, {**beside, growth.staging: staging.encoded})
        size = growth.view.edge.size
        if data == lock.encoded:
            won(state, growth, token)
        else:
            take_over(state, (data, token))
            if not _contains(state, growth):
                state.rubbish.append(growth.staging)
                continue
        return range(size - len(entries), size)
    raise Conflict(LOCK)


def swap_lock(state: LogState, lock: Lock, after: Mapping[str, bytes] | None = None) -> tuple[bytes, str]:
    """Swaps the lock that is known for `lock`; returns what stands there now, `lock.encoded` if that has succeeded.

    The objects in `after` are durable before that.

    Raises:
        StoreError: the swap failed, or its outcome could not be found out.
    """
    data = lock.encoded
    failure: StoreError = Conflict(LOCK)
    for attempt in range(SWAP_TRIES):
        try:
            return data, state.store.swap(LOCK, data, state.lock_token, after=after)
        except StoreError as problem:
            # Also after a Conflict: a client that tries again by itself may have been beaten by its own first attempt.
            failure = problem
            with suppress(StoreError):
                found = read_if_there(state.store, LOCK)
                if found is None and state.lock_token is not None:
                    raise LogDamaged(f"{LOCK} is missing") from problem
                if found is not None and found[1] != state.lock_token:
                    return found
        if isinstance(failure, StoreFull | StoreRefused):
            break  # nothing was swapped, and trying again makes no room
        if attempt + 1 < SWAP_TRIES:
            state.pause(SWAP_PAUSE * 2**attempt)
    raise failure


def _wait_for_a_turn(state: LogState, defeats: int) -> None:
    """Pauses after a defeat, and takes over what the others have committed in the meantime.

    A tree from before the pause would lose again against anyone who did not pause.
    """
    state.pause(random.uniform(0, min(ROUND_PAUSE * defeats, MAX_ROUND_PAUSE)))  # noqa: S311 - only a pause
    found = read_lock(state)
    if found[1] != state.lock_token:
        take_over(state, found)


def _prepare(state: LogState, entries: Sequence[bytes]) -> Growth:
    """The growth by `entries`, with what earlier commits of this process have not published yet."""
    key, before = state.signer, state.unpublished
    edge, files = grow(state.view.edge, entries)
    if before is not None:
        # Partial tiles of the trees in between are not needed: their checkpoints are never published.
        needed = {name.path for name in edge_tiles(edge.size)}
        files = {path: data for path, data in before.files.items() if is_full(path) or path in needed} | files
    checkpoint = key.sign(Checkpoint(key.origin, edge.size, edge.root).text)
    return Growth(
        staging=staging_name(edge.root, edge.size),
        base=state.view.edge.size if before is None else before.base,
        files=files,
        view=View(edge, checkpoint),
        commits=1 if before is None else before.commits + 1,
    )


def _contains(state: LogState, growth: Growth) -> bool:
    """Whether the log, as it is known now, begins with the tree of `growth`: then its swap had succeeded after all."""
    edge = growth.view.edge
    return edge.size <= state.view.edge.size and state.tiles.root(state.view.edge, edge.size) == edge.root
