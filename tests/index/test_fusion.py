from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import fuse

RANKINGS = st.dictionaries(
    st.sampled_from("abc"), st.lists(st.sampled_from("uvwxyz"), unique=True, max_size=6), max_size=3
)


@given(RANKINGS)
def test_fusion_keeps_everything_once_and_no_order_of_rankings_matters(rankings: dict[str, list[str]]) -> None:
    fused = fuse(rankings)

    assert sorted(one.key for one in fused) == sorted({key for ranking in rankings.values() for key in ranking})
    assert fused == fuse(dict(reversed(rankings.items())))


@given(st.lists(st.text(max_size=3), unique=True))
def test_one_ranking_keeps_its_order(ranking: list[str]) -> None:
    assert [one.key for one in fuse({"own": ranking})] == ranking


def test_what_two_rankings_know_comes_before_what_one_knows() -> None:
    fused = fuse({"own": ["a", "b"], "other": ["c", "b"]})

    assert [one.key for one in fused] == ["b", "a", "c"]
    assert fused[0].score == pytest.approx(2 / 62)
    assert fused[0].ranks == {"own": 2, "other": 2}


def test_a_weight_counts() -> None:
    assert [one.key for one in fuse({"own": ["a"], "other": ["b"]}, {"other": 2.0})] == ["b", "a"]
