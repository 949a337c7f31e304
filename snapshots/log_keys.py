"""The log's keys over time: who may sign now, who signed before, and how one hands over to the next.

In the bucket, below `log/keys/`: `<key id>.vkey` is a public key, `<key id>.handover` the note by which the key before
it handed over to it, signed by both. From the present key they lead back to the first one, so that every checkpoint
ever signed stays verifiable; from an old key that somebody has kept they lead forward to the present one.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from snapshots.errors import BadProof, Conflict, LogDamaged, LogError, Missing, NoLog, WrongLogKey
from snapshots.log_append import swap_lock
from snapshots.log_key import LogKey, ed25519_holds, signed_note, sync_directory
from snapshots.log_lock import CHECKPOINT, KEYS, LOCK, Lock
from snapshots.log_recover import ROUNDS, publish, take_over
from snapshots.log_state import LogState, View, signed_by
from snapshots.note import Checkpoint, VerifierKey, check_signatures, parse_note, parse_vkey
from snapshots.store import Store

MAX_ROTATIONS = 1000
"""Hand-overs followed back from the present key."""

_HANDOVER = "citator/log-key-handover@v1"
_VKEY_NAME = re.compile(r"log/keys/[0-9a-f]{8}\.vkey")


def handover(old: LogKey, new: LogKey) -> bytes:
    """The note by which `old` hands the log over to `new`, signed by both."""
    return signed_note(f"{_HANDOVER}\n{old.origin}\n{old.vkey}\n{new.vkey}\n", [old, new])


def parse_handover(data: bytes) -> tuple[VerifierKey, VerifierKey]:
    """The old and the new key of a hand-over that both have signed.

    Raises:
        BadProof: it has another form, or one of the signatures is missing or does not hold.
    """
    note = parse_note(data)
    lines = note.text.split("\n")
    if len(lines) != 5 or lines[0] != _HANDOVER:  # noqa: PLR2004 - four lines and what follows the last newline
        raise BadProof(f"the hand-over is not in the form {_HANDOVER}")
    old, new = parse_vkey(lines[2]), parse_vkey(lines[3])
    if {old.name, new.name} != {lines[1]} or old == new:
        raise BadProof("the hand-over is not from one key of a log to another of the same")
    for key in (old, new):
        check_signatures(note, [key], ed25519_holds)
    return old, new


def publish_key(store: Store, key: VerifierKey, note: bytes | None = None) -> None:
    """Puts a public key, and the hand-over to it, into the bucket. Doing so twice is no harm."""
    objects = {f"{KEYS}{key.id.hex()}.vkey": f"{key.text}\n".encode()}
    if note is not None:
        objects[f"{KEYS}{key.id.hex()}.handover"] = note
    store.put_new(objects)


def known_keys(store: Store, present: VerifierKey) -> tuple[VerifierKey, ...]:
    """`present` and the keys before it, as the hand-overs in the bucket tell, newest first.

    Raises:
        LogDamaged: a hand-over is damaged.
    """
    keys = [present]
    while len(keys) <= MAX_ROTATIONS:
        name = f"{KEYS}{keys[-1].id.hex()}.handover"
        try:
            old, new = parse_handover(store.get(name))
        except Missing:
            break
        except BadProof as problem:
            raise LogDamaged(f"{name} is damaged: {problem}") from problem
        if new != keys[-1] or old in keys:
            raise LogDamaged(f"{name} hands over to another key")
        keys.append(old)
    return tuple(keys)


def handovers_between(store: Store, keys: Iterable[VerifierKey]) -> tuple[bytes, ...]:
    """The hand-overs from the oldest to the newest of `keys` (newest first), as they lie in the bucket."""
    newer = list(keys)[:-1]
    return tuple(store.get(f"{KEYS}{key.id.hex()}.handover") for key in reversed(newer))


def listed_keys(store: Store) -> list[VerifierKey]:
    """All public keys that lie in the bucket, believed only as far as the bucket is; raises LogDamaged."""
    keys = []
    for stat in store.list(KEYS):
        if _VKEY_NAME.fullmatch(stat.name):
            try:
                keys.append(parse_vkey(store.get(stat.name).decode().removesuffix("\n")))
            except (BadProof, UnicodeDecodeError) as problem:
                raise LogDamaged(f"{stat.name} is damaged: {problem}") from problem
    return keys


def signer_of(data: bytes, keys: Iterable[VerifierKey]) -> VerifierKey:
    """Which of `keys` has signed the checkpoint `data`.

    Raises:
        WrongLogKey: none has, or it is no note.
    """
    try:
        return check_signatures(parse_note(data), keys, ed25519_holds)[-1]
    except BadProof as problem:
        raise WrongLogKey(f"{CHECKPOINT} cannot be verified with the keys in {KEYS}: {problem}") from problem


def keys_since(store: Store, checkpoint: bytes, known: VerifierKey) -> tuple[VerifierKey, ...]:
    """The keys from the signer of `checkpoint` back to `known`, if hand-overs lead from one to the other; else `known`.

    Raises:
        LogDamaged: a key or hand-over in the bucket is damaged.
    """
    if signed_by(checkpoint, known):
        return (known,)
    try:
        keys = known_keys(store, signer_of(checkpoint, listed_keys(store)))
    except WrongLogKey:
        return (known,)
    return keys[: keys.index(known) + 1] if known in keys else (known,)


def rotate(state: LogState, new: LogKey) -> None:
    """Hands the log over to the key `new`, which has the same origin, and goes on signing with it.

    The tree stays as it is; its checkpoint is signed anew. Other writers that hold the old key get WrongLogKey from
    then on.

    Raises:
        LogError: the new key has another origin.
        StoreError: it is not known whether the log has been handed over; doing it again with the same key is right.
    """
    old = state.signer
    if new.origin != old.origin or new.id == old.id:
        raise LogError(f"the new key must be another one with the same origin {old.origin}")
    publish(state)
    publish_key(state.store, new.verifier, handover(old, new))
    for _ in range(ROUNDS):
        edge = state.view.edge
        lock = Lock(new.sign(Checkpoint(new.origin, edge.size, edge.root).text), None)
        found = swap_lock(state, lock)
        if found[0] == lock.encoded:
            state.key, state.keys = new, (new.verifier, *state.keys)
            state.view = View(edge, lock.checkpoint)
            take_over(state, found)
            return
        take_over(state, found)
    raise Conflict(LOCK)


def next_key_path(path: Path) -> Path:
    """Where the new key lies while the log is being handed over to it."""
    return path.with_name(f"{path.name}.next")


def adopt_next_key(path: Path) -> LogKey:
    """Puts the key that the log has been handed over to in the old one's place, durably."""
    following = next_key_path(path)
    key = LogKey.load(following)
    try:
        following.replace(path)
        sync_directory(path.parent)
    except OSError as problem:
        raise LogError(f"the new log key {following} cannot replace {path}: {problem.strerror}") from problem
    return key


def load_or_make(path: Path, store: Store, *, create: bool, origin: str | None) -> LogKey | None:
    """The key in the file `path`; a new one in that file if there is none, and no log either; None if a log is there.

    Raises:
        NoLog: there is neither key nor log, and `create` is false.
        LogError: the key file cannot be read or written.
    """
    if path.exists():
        return LogKey.load(path)
    if store.exists([CHECKPOINT, LOCK]):
        return None
    if not create:
        raise NoLog("the bucket has no log")
    key = LogKey.generate(origin)
    key.save(path)
    return key
