"""What one process knows of a log, and how a checkpoint that it meets is verified."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from snapshots.errors import BadProof, LogDamaged, LogReadOnly, Missing, WrongLogKey
from snapshots.log_key import LogKey, ed25519_holds
from snapshots.log_lock import CHECKPOINT
from snapshots.log_read import Tiles
from snapshots.note import Checkpoint, VerifierKey, check_signatures, open_checkpoint, parse_note
from snapshots.store import Store
from snapshots.tiles import EMPTY_EDGE, Edge


@dataclass(frozen=True, slots=True)
class View:
    """One tree of the log: its right edge and the signed checkpoint over it."""

    edge: Edge
    checkpoint: bytes


@dataclass(frozen=True, slots=True)
class Growth:
    """Commits that have won the lock, one or several, and are to be published together.

    `files` are the tiles that lead from a tree of `base` entries, which is published, to that of `view`; they stand in
    the object `staging` too. `commits` is how many commits they are of.
    """

    staging: str
    base: int
    files: dict[str, bytes]
    view: View
    commits: int


@dataclass(slots=True)
class LogState:
    """What one process knows. Changed only under the log's mutex; `view` is replaced as a whole, for readers."""

    store: Store
    tiles: Tiles
    keys: tuple[VerifierKey, ...]
    """Keys whose checkpoints are believed: the present one first, then those before it."""
    key: LogKey | None
    """The signing key; None: read-only."""
    pause: Callable[[float], None]
    view: View = field(default_factory=lambda: View(EMPTY_EDGE, b""))
    lock_token: str | None = None
    checkpoint_token: str | None = None
    unpublished: Growth | None = None
    """Commits of this process whose tiles and checkpoint are not known to be in their places."""
    rubbish: list[str] = field(default_factory=list)
    """Staging objects that nobody needs any more."""
    filled: list[str] = field(default_factory=list)
    """Stems of tiles that have become full, so that the partial ones below them may go."""

    @property
    def signer(self) -> LogKey:
        """The signing key; raises LogReadOnly if there is none."""
        if self.key is None:
            raise LogReadOnly("the log is open without its key: it can be read and proven, but takes no entries")
        return self.key


def opened(data: bytes, keys: Sequence[VerifierKey], what: str) -> Checkpoint:
    """The verified checkpoint in `data`, which was found as `what`.

    Raises:
        WrongLogKey: it is signed, but by none of `keys`.
        LogDamaged: it is malformed or a signature does not hold.
    """
    try:
        signatures = parse_note(data).signatures
        known = {(key.name, key.id) for key in keys}
        if not any((signature.name, signature.key_id) in known for signature in signatures):
            signers = ", ".join(f"{signature.name}+{signature.key_id.hex()}" for signature in signatures)
            raise WrongLogKey(f"{what} is signed by {signers}, not by {keys[0].name}+{keys[0].id.hex()}")
        return open_checkpoint(data, keys, ed25519_holds)
    except BadProof as problem:
        raise LogDamaged(f"{what} is damaged: {problem}") from problem


def signed_by(data: bytes, key: VerifierKey) -> bool:
    """Whether `key` has signed this checkpoint."""
    try:
        return check_signatures(parse_note(data), [key], ed25519_holds) == [key]
    except BadProof:
        return False


def read_if_there(store: Store, name: str) -> tuple[bytes, str] | None:
    """Bytes and version token under `name`; None if there is nothing."""
    try:
        return store.read(name)
    except Missing:
        return None


def require_extension(tiles: Tiles, edge: Edge, earlier: Iterable[tuple[str, int, bytes]]) -> None:
    """Holds the tree with this edge against what is known of earlier trees: `(what, size, root)` each.

    Raises:
        LogDamaged: it is smaller than one of them, or does not begin with it.
    """
    for what, size, root in earlier:
        if size > edge.size:
            raise LogDamaged(f"the log has gone back: {what} has {size} entries, the log {edge.size}")
        if tiles.root(edge, size) != root:
            raise LogDamaged(f"the log does not begin with the {size} entries of {what}")


def read_only_view(state: LogState) -> View:
    """The published tree, verified and held against the one known so far; for a log that is open without its key.

    Raises:
        Missing: nothing is published.
        LogDamaged, WrongLogKey: what is published contradicts itself or what was known.
    """
    while True:
        data, token = state.store.read(CHECKPOINT)
        if data == state.view.checkpoint:
            return state.view
        try:
            checkpoint = opened(data, state.keys, CHECKPOINT)
            edge = state.tiles.edge(checkpoint)
            known = state.view.edge
            require_extension(state.tiles, edge, [("the log as it was seen before", known.size, known.root)])
        except LogDamaged:
            # Writers may have moved on in the middle of this; only what stays contradictory is damage.
            if state.store.read(CHECKPOINT)[1] == token:
                raise
            continue
        return View(edge, data)
