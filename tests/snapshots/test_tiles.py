"""Tiles: named as tlog-tiles names them, and grown step by step into the same tree as built at once."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots.errors import BadProof
from snapshots.merkle import EMPTY_ROOT, leaf_hash, nodes_of, root_of
from snapshots.tiles import (
    EMPTY_EDGE,
    ENTRIES,
    TileName,
    edge_of,
    edge_tiles,
    encode_bundle,
    grow,
    parse_path,
    split_bundle,
    tile_node,
)


def entries(start: int, end: int) -> list[bytes]:
    return [sha256(str(number).encode()).digest() for number in range(start, end)]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        (TileName(0, 0), "tile/0/000"),
        (TileName(0, 1234067), "tile/0/x001/x234/067"),
        (TileName(63, 999, 1), "tile/63/999.p/1"),
        (TileName(ENTRIES, 1000, 255), "tile/entries/x001/000.p/255"),
    ],
)
def test_tiles_have_the_names_of_the_specification(name: TileName, path: str) -> None:
    assert name.path == path
    assert parse_path(path) == name


@given(st.integers(-1, 63), st.integers(0, 2**40), st.integers(1, 256))
def test_every_name_round_trips(level: int, index: int, width: int) -> None:
    name = TileName(level, index, width)

    assert parse_path(name.path) == name


@pytest.mark.parametrize(
    "path",
    [
        "tile/0/0",
        "tile/0/1234",
        "tile/0/x000/001",
        "tile/0/001/002",
        "tile/0/x001",
        "tile/00/000",
        "tile/64/000",
        "tile/-1/000",
        "tile/0/000.p/0",
        "tile/0/000.p/256",
        "tile/0/000.p/01",
        "tile/0/000.p/",
        "tile/0/000\n",
        "tile/entries/\u0660\u0660\u0660",
        "checkpoint",
    ],
)
def test_other_names_are_no_tiles(path: str) -> None:
    assert parse_path(path) is None


def test_the_right_edge_of_70000_leaves_is_that_of_the_specification() -> None:
    assert [name.path for name in edge_tiles(70_000)] == [
        "tile/0/273.p/112",
        "tile/1/001.p/17",
        "tile/2/000.p/1",
        "tile/entries/273.p/112",
    ]
    assert [name.path for name in edge_tiles(256)] == ["tile/1/000.p/1"]
    assert edge_tiles(0) == []


@given(st.lists(st.integers(0, 300), max_size=6))
def test_growing_in_steps_gives_the_tree_that_growing_at_once_gives(steps: list[int]) -> None:
    edge, files = EMPTY_EDGE, {}
    for count in steps:
        edge, written = grow(edge, entries(edge.size, edge.size + count))
        files.update(written)

    whole, at_once = grow(EMPTY_EDGE, entries(0, sum(steps)))

    assert edge == whole
    assert at_once.items() <= files.items()
    assert edge == edge_of(edge.size, edge.tiles, edge.bundle)


@pytest.mark.parametrize("size", [0, 1, 2, 255, 256, 257, 511, 512, 600])
def test_the_root_is_that_of_the_plain_tree(size: int) -> None:
    edge, _ = grow(EMPTY_EDGE, entries(0, size))

    leaves = [leaf_hash(entry) for entry in entries(0, size)]

    assert edge.root == (root_of(size, nodes_of(leaves)) if size else EMPTY_ROOT)


def test_a_growth_across_tiles_writes_full_tiles_and_the_last_partial_ones_only() -> None:
    edge, _ = grow(EMPTY_EDGE, entries(0, 250))

    grown, files = grow(edge, entries(250, 520))

    assert sorted(files) == [
        "tile/0/000",
        "tile/0/001",
        "tile/0/002.p/8",
        "tile/1/000.p/2",
        "tile/entries/000",
        "tile/entries/001",
        "tile/entries/002.p/8",
    ]
    assert files["tile/1/000.p/2"] == tile_node(files["tile/0/000"], 8, 0) + tile_node(files["tile/0/001"], 8, 0)
    assert grown.tiles == (files["tile/0/002.p/8"], files["tile/1/000.p/2"])


def test_a_small_growth_leaves_the_levels_above_alone() -> None:
    edge, _ = grow(EMPTY_EDGE, entries(0, 300))

    _, files = grow(edge, entries(300, 302))

    assert sorted(files) == ["tile/0/001.p/46", "tile/entries/001.p/46"]


def test_nothing_appended_writes_nothing() -> None:
    edge, _ = grow(EMPTY_EDGE, entries(0, 3))

    assert grow(edge, []) == (edge, {})


def test_a_tree_three_levels_high_has_its_tiles() -> None:
    edge, files = grow(EMPTY_EDGE, entries(0, 65_537))

    assert {"tile/1/000", "tile/0/255", "tile/0/256.p/1", "tile/2/000.p/1"} <= files.keys()
    assert edge.tiles == (files["tile/0/256.p/1"], b"", files["tile/2/000.p/1"])
    assert edge.root == edge_of(edge.size, edge.tiles, edge.bundle).root


@given(st.lists(st.binary(max_size=70), max_size=10))
def test_bundles_round_trip(values: list[bytes]) -> None:
    assert split_bundle(encode_bundle(values)) == values


@pytest.mark.parametrize("data", [b"\0", b"\0\1", b"\0\1a\0", b"\0\2a"])
def test_cut_bundles_are_refused(data: bytes) -> None:
    with pytest.raises(BadProof, match="middle of an entry"):
        split_bundle(data)
