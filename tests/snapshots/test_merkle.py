"""Merkle proofs: made by one side, verified by the other, and refused as soon as anything is changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots.errors import BadProof
from snapshots.merkle import (
    EMPTY_ROOT,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    nodes_of,
    root_of,
    root_of_peaks,
    verify_consistency,
    verify_inclusion,
)

LEAVES = [leaf_hash(bytes([number])) for number in range(80)]
NODE = nodes_of(LEAVES)

# Roots over the eight entries that the Certificate Transparency projects test with, from the empty tree on.
KNOWN_ENTRIES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
KNOWN_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def test_roots_are_those_that_certificate_transparency_publishes() -> None:
    leaves = [leaf_hash(bytes.fromhex(entry)) for entry in KNOWN_ENTRIES]

    roots = [root_of(size, nodes_of(leaves)).hex() for size in range(9)]

    assert roots == KNOWN_ROOTS


def test_peaks_give_the_same_root() -> None:
    assert root_of_peaks([]) == EMPTY_ROOT
    assert root_of_peaks([NODE(2, 0), NODE(1, 2), NODE(0, 6)]) == root_of(7, NODE)


def test_every_leaf_of_every_small_tree_is_proven() -> None:
    for size in range(1, 40):
        root = root_of(size, NODE)

        for index in range(size):
            proof = inclusion_proof(index, size, NODE)

            verify_inclusion(index, size, LEAVES[index], proof, root)


def test_every_two_small_trees_are_consistent() -> None:
    for new in range(1, 40):
        for old in range(1, new + 1):
            proof = consistency_proof(old, new, NODE)

            verify_consistency(old, new, root_of(old, NODE), root_of(new, NODE), proof)


@given(st.data())
def test_an_inclusion_proof_with_any_bit_flipped_fails(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 80))
    index = data.draw(st.integers(0, size - 1))
    values = [LEAVES[index], root_of(size, NODE), *inclusion_proof(index, size, NODE)]

    flipped = _flipped(data, values)

    with pytest.raises(BadProof):
        verify_inclusion(index, size, flipped[0], flipped[2:], flipped[1])


@given(st.data())
def test_a_consistency_proof_with_any_bit_flipped_fails(data: st.DataObject) -> None:
    new = data.draw(st.integers(1, 80))
    old = data.draw(st.integers(1, new))
    values = [root_of(old, NODE), root_of(new, NODE), *consistency_proof(old, new, NODE)]

    flipped = _flipped(data, values)

    with pytest.raises(BadProof):
        verify_consistency(old, new, flipped[0], flipped[1], flipped[2:])


@given(st.data())
def test_a_proof_for_one_place_holds_for_no_other(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 80))
    index, other = data.draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True))

    proof = inclusion_proof(index, size, NODE)

    with pytest.raises(BadProof):
        verify_inclusion(other, size, LEAVES[index], proof, root_of(size, NODE))


@pytest.mark.parametrize("surplus", [b"\0" * 32, EMPTY_ROOT, root_of(21, NODE)])
def test_surplus_hashes_are_refused_at_both_ends(surplus: bytes) -> None:
    root = root_of(21, NODE)
    inclusion = inclusion_proof(3, 21, NODE)
    consistency = consistency_proof(13, 21, NODE)

    for proof in ([*inclusion, surplus], [surplus, *inclusion]):
        with pytest.raises(BadProof):
            verify_inclusion(3, 21, LEAVES[3], proof, root)
    for proof in ([*consistency, surplus], [surplus, *consistency]):
        with pytest.raises(BadProof):
            verify_consistency(13, 21, root_of(13, NODE), root, proof)


def test_missing_hashes_are_refused() -> None:
    root = root_of(21, NODE)

    with pytest.raises(BadProof, match="fewer"):
        verify_inclusion(3, 21, LEAVES[3], inclusion_proof(3, 21, NODE)[:-1], root)
    with pytest.raises(BadProof, match="fewer"):
        verify_consistency(13, 21, root_of(13, NODE), root, consistency_proof(13, 21, NODE)[:-1])
    with pytest.raises(BadProof, match="no hashes"):
        verify_consistency(13, 21, root_of(13, NODE), root, [])


def test_hashes_of_another_length_are_refused() -> None:
    with pytest.raises(BadProof, match="31 bytes"):
        verify_inclusion(0, 1, LEAVES[0][:31], [], LEAVES[0])
    with pytest.raises(BadProof, match="33 bytes"):
        verify_consistency(1, 2, LEAVES[0], node_hash(LEAVES[0], LEAVES[1]), [LEAVES[1] + b"\0"])


def test_places_outside_the_tree_are_refused() -> None:
    for index, size in ((-1, 4), (4, 4), (0, 0)):
        with pytest.raises(BadProof, match="no leaf"):
            inclusion_proof(index, size, NODE)
        with pytest.raises(BadProof, match="no leaf"):
            verify_inclusion(index, size, LEAVES[0], [], LEAVES[0])
    for old, new in ((0, 0), (0, 4), (5, 4), (-1, 4)):
        with pytest.raises(BadProof, match="no consistency proof"):
            consistency_proof(old, new, NODE)
        with pytest.raises(BadProof, match="no consistency proof"):
            verify_consistency(old, new, EMPTY_ROOT, EMPTY_ROOT, [])


def _flipped(data: st.DataObject, values: list[bytes]) -> list[bytes]:
    """The values with one bit of one of them turned over."""
    place = data.draw(st.integers(0, len(values) - 1))
    bit = data.draw(st.integers(0, 255))
    changed = bytearray(values[place])
    changed[bit // 8] ^= 1 << bit % 8
    return [*values[:place], bytes(changed), *values[place + 1 :]]
