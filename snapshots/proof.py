"""Proofs that an entry is in a log, as text that needs nothing else: c2sp.org/tlog-proof@v1.

    c2sp.org/tlog-proof@v1
    extra <base64>            (optional; nobody has signed it)
    index <number>
    <base64 hash>             (any number, from the leaf's sibling up)

    <signed checkpoint, verbatim>

Pure, and nothing but the standard library: whoever verifies hands in the function that checks an Ed25519 signature.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from snapshots.errors import BadProof
from snapshots.merkle import HASH_SIZE, leaf_hash, verify_inclusion
from snapshots.note import (
    MAX_NOTE,
    Checkpoint,
    SignatureCheck,
    VerifierKey,
    decode64,
    encode64,
    open_checkpoint,
    parse_number,
)

MAX_HASHES = 63
"""Levels of the largest tree there can be."""

MAX_EXTRA = 64 * 1024
"""Bytes of extra data."""

_HEAD = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True)
class Proof:
    """That the entry at `index` is in the tree of a signed checkpoint; `extra` is anything, and signed by nobody."""

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes | None = None

    @property
    def text(self) -> str:
        """The proof as text, which is also what a `.tlog-proof` file holds."""
        lines = [_HEAD]
        if self.extra is not None:
            lines.append(f"extra {encode64(self.extra)}")
        lines += [f"index {self.index}", *map(encode64, self.hashes)]
        return "\n".join(lines) + "\n\n" + self.checkpoint.decode()


def parse_proof(text: str) -> Proof:
    """Reads a proof; nothing in it has been verified then.

    Raises:
        BadProof: it has another form, or is too long.
    """
    if len(text) > MAX_NOTE + MAX_EXTRA * 2:
        raise BadProof("the proof is too long")
    head, separator, checkpoint = text.partition("\n\n")
    lines = head.split("\n")
    if not separator or lines.pop(0) != _HEAD:
        raise BadProof(f"the proof is not in the form {_HEAD}")
    extra = None
    if lines and lines[0].startswith("extra "):
        extra = decode64(lines.pop(0).removeprefix("extra "))
    if not lines or not lines[0].startswith("index "):
        raise BadProof("the proof has no index")
    index = parse_number(lines.pop(0).removeprefix("index "))
    hashes = tuple(decode64(line) for line in lines)
    if len(hashes) > MAX_HASHES or any(len(value) != HASH_SIZE for value in hashes):
        raise BadProof("the proof has too many hashes, or one of another length")
    try:
        return Proof(index, hashes, checkpoint.encode(), extra)
    except UnicodeEncodeError:
        raise BadProof("the proof is not UTF-8") from None


def verify_proof(proof: Proof, entry: bytes, keys: Iterable[VerifierKey], holds: SignatureCheck) -> Checkpoint:
    """Checks that `entry` is in the log whose checkpoint one of `keys` has signed; returns what the checkpoint says.

    Raises:
        BadProof: it is not proven; the text says what does not hold.
    """
    checkpoint = open_checkpoint(proof.checkpoint, keys, holds)
    verify_inclusion(proof.index, checkpoint.size, leaf_hash(entry), proof.hashes, checkpoint.root)
    return checkpoint
