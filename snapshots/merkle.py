"""Merkle trees as RFC 6962 and RFC 9162 define them: hashes, roots, and proofs made and verified.

Pure, and nothing but the standard library, so that a verifier can carry it along. A *hash* is 32 bytes of SHA-256.
A leaf is hashed as `SHA-256(0x00 || entry)`, a node as `SHA-256(0x01 || left || right)`, the empty tree as `SHA-256()`.

Whoever makes proofs hands in a `Node`: `node(height, index)` is the hash of the *perfect* subtree over the leaves
`index << height` up to `(index + 1) << height`. Everything a proof needs is put together from those, so a log can take
them from tiles and a test from a list.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

from snapshots.errors import BadProof

HASH_SIZE = 32
"""Bytes of a hash."""

EMPTY_ROOT = sha256().digest()
"""The root of the tree without leaves."""

Node = Callable[[int, int], bytes]
"""`(height, index)` to the hash of a perfect subtree; height 0 is a leaf hash."""


def leaf_hash(entry: bytes) -> bytes:
    """The hash of a leaf that holds `entry`."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node over two subtrees."""
    return sha256(b"\x01" + left + right).digest()


def nodes_of(leaves: Sequence[bytes]) -> Node:
    """A `Node` over leaf hashes in memory. Each call hashes the whole subtree: for small trees and tests."""

    def node(height: int, index: int) -> bytes:
        if height == 0:
            return leaves[index]
        return node_hash(node(height - 1, index * 2), node(height - 1, index * 2 + 1))

    return node


def root_of(size: int, node: Node) -> bytes:
    """The root of the tree over the first `size` leaves."""
    return EMPTY_ROOT if size == 0 else _subtree(0, size, node)


def root_of_peaks(peaks: Sequence[bytes]) -> bytes:
    """The root of a tree whose perfect subtrees, from the largest at the left to the smallest, have these hashes."""
    if not peaks:
        return EMPTY_ROOT
    root = peaks[-1]
    for peak in reversed(peaks[:-1]):
        root = node_hash(peak, root)
    return root


def inclusion_proof(index: int, size: int, node: Node) -> list[bytes]:
    """The hashes that lead from leaf `index` to the root over `size` leaves, the leaf's sibling first.

    Raises:
        BadProof: there is no such leaf in a tree of that size.
    """
    if not 0 <= index < size:
        raise BadProof(f"a tree of {size} leaves has no leaf {index}")
    proof: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _left_part(end - start)
        if index < middle:
            proof.append(_subtree(middle, end, node))
            end = middle
        else:
            proof.append(_subtree(start, middle, node))
            start = middle
    proof.reverse()
    return proof


def consistency_proof(old: int, new: int, node: Node) -> list[bytes]:
    """The hashes that show that the tree over `old` leaves is the beginning of the tree over `new` leaves.

    Raises:
        BadProof: `old` is 0 (every tree begins with the empty one; there is nothing to prove) or above `new`.
    """
    if not 0 < old <= new:
        raise BadProof(f"no consistency proof leads from {old} leaves to {new}")
    proof: list[bytes] = []
    start, end = 0, new
    whole = True  # whether the old tree is, so far, exactly the subtree at hand, whose root the verifier then has
    while old < end:
        middle = start + _left_part(end - start)
        if old <= middle:
            proof.append(_subtree(middle, end, node))
            end = middle
        else:
            proof.append(_subtree(start, middle, node))
            start = middle
            whole = False
    if not whole:
        proof.append(_subtree(start, end, node))
    proof.reverse()
    return proof


def verify_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes], root: bytes) -> None:
    """Checks that the leaf with hash `leaf` stands at `index` in the tree of `size` leaves with that `root`.

    Follows RFC 9162, section 2.1.3.2, and refuses hashes of another length than 32 and surplus ones.

    Raises:
        BadProof: it does not, or the proof is malformed; the text says what is wrong.
    """
    _check_hashes(leaf, root, *proof)
    if not 0 <= index < size:
        raise BadProof(f"a tree of {size} leaves has no leaf {index}")
    found = leaf
    for sibling, left in zip(proof, _sides(index, size - 1, len(proof)), strict=True):
        found = node_hash(sibling, found) if left else node_hash(found, sibling)
    if found != root:
        raise BadProof("the inclusion proof leads to another root")


def verify_consistency(old: int, new: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> None:
    """Checks that the tree of `old` leaves with `old_root` is the beginning of the tree of `new` leaves.

    Follows RFC 9162, section 2.1.4.2, and refuses hashes of another length than 32, surplus ones, an empty old tree.

    Raises:
        BadProof: it is not, or the proof is malformed; the text says what is wrong.
    """
    _check_hashes(old_root, new_root, *proof)
    if not 0 < old <= new:
        raise BadProof(f"no consistency proof leads from {old} leaves to {new}")
    if old == new:
        if proof or old_root != new_root:
            raise BadProof("two trees of one size are consistent only if they have one root and nothing in between")
        return
    path = list(proof) if old & (old - 1) else [old_root, *proof]
    if not path:
        raise BadProof("the consistency proof has no hashes")
    place, last = old - 1, new - 1
    while place & 1:
        place >>= 1
        last >>= 1
    first = second = path[0]
    for sibling, left in zip(path[1:], _sides(place, last, len(path) - 1), strict=True):
        if left:
            first = node_hash(sibling, first)
            second = node_hash(sibling, second)
        else:
            second = node_hash(second, sibling)
    if first != old_root:
        raise BadProof("the consistency proof leads to another old root")
    if second != new_root:
        raise BadProof("the consistency proof leads to another new root")


def _sides(place: int, last: int, count: int) -> list[bool]:
    """For each of `count` siblings on the way from `place` to the root, whether it stands to the left.

    `last` is the place of the last node on the same level.

    Raises:
        BadProof: the way to the root has more or fewer steps than `count`.
    """
    sides: list[bool] = []
    while last and len(sides) < count:
        left = bool(place & 1) or place == last
        sides.append(left)
        if left:
            # A last node without a sibling is carried up unchanged, to the first level where it has one.
            while place & 1 == 0 and place:
                place >>= 1
                last >>= 1
        place >>= 1
        last >>= 1
    if len(sides) < count:
        raise BadProof("the proof has more hashes than the tree has levels")
    if last:
        raise BadProof("the proof has fewer hashes than the tree has levels")
    return sides


def _left_part(count: int) -> int:
    """The largest power of two below `count`, which is at least 2: how many leaves the left subtree takes."""
    return 1 << ((count - 1).bit_length() - 1)


def _subtree(start: int, end: int, node: Node) -> bytes:
    """The hash over the leaves `start` to `end`, where `start` is a multiple of a power of two at least as long."""
    peaks = []
    while start < end:
        height = (end - start).bit_length() - 1
        peaks.append(node(height, start >> height))
        start += 1 << height
    return root_of_peaks(peaks)


def _check_hashes(*hashes: bytes) -> None:
    for value in hashes:
        if len(value) != HASH_SIZE:
            raise BadProof(f"a hash has {len(value)} bytes instead of {HASH_SIZE}")
