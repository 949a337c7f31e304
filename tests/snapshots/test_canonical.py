from datetime import datetime
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from snapshots import BadId, BadRecord, decimal, digest, moment, parse_id, parse_prefix, stamp
from snapshots.canonical import MAX_DEPTH, MAX_INTEGER, canonical, load

texts = st.text(st.characters(exclude_categories=["Cs"]))
keys = st.text(st.characters(max_codepoint=127))
plain = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | texts
values = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=30)


@given(values)
def test_canonical_bytes_are_those_of_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(values)
def test_canonical_bytes_round_trip(value: Any) -> None:
    assert load(canonical(value)) == value


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        float("nan"),
        2**53,
        -(2**53),
        {"é": 1},
        {1: 1},
        "\ud800",
        {"a": ["x", "\udfff"]},
        b"bytes",
        {1, 2},
    ],
    ids=repr,
)
def test_a_value_that_json_readers_disagree_on_is_refused(value: Any) -> None:
    with pytest.raises(BadRecord):
        canonical(value)


def test_nesting_has_a_limit_on_writing_and_on_reading() -> None:
    deep: list[Any] = []
    for _ in range(MAX_DEPTH - 1):
        deep = [deep]
    assert load(canonical(deep)) == deep

    with pytest.raises(BadRecord):
        canonical([deep])
    with pytest.raises(BadRecord):
        load(b"[" * 100_000 + b"]" * 100_000)


@pytest.mark.parametrize("data", [b"", b" {}", b'{"b":1,"a":1}', b'{"a":1,"a":1}', b'"\\u0041"', b"1e3", b"\xff"])
def test_other_spellings_of_json_are_refused(data: bytes) -> None:
    with pytest.raises(BadRecord):
        load(data)


def test_an_id_is_read_with_and_without_scheme_and_in_capitals() -> None:
    name = digest(b"x")

    assert parse_id(name) == parse_id(name[7:]) == parse_id(f" {name.upper()} ") == name
    assert parse_prefix(name[:19]) == name[7:19]


@pytest.mark.parametrize(
    "text", ["", "sha256:", "abc", "sha512:" + "a" * 64, "g" * 64, "a" * 65, "\u0661" * 9, "a" * 500]
)
def test_what_is_no_id_is_named_and_refused(text: str) -> None:
    with pytest.raises(BadId) as caught:
        parse_id(text)

    assert len(str(caught.value)) < 200


def test_a_prefix_is_no_id() -> None:
    with pytest.raises(BadId):
        parse_id("a" * 63)
    with pytest.raises(BadId):
        parse_prefix("a" * 11)


@given(st.datetimes(timezones=st.timezones()))
def test_a_stamp_keeps_the_moment_to_the_millisecond(at: datetime) -> None:
    try:
        text = stamp(at)
    except OverflowError:
        return  # the first or last day of the calendar, seen from another time zone

    assert stamp(moment(text)) == text
    assert 0 <= (at - moment(text)).total_seconds() < 0.001


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_a_decimal_is_plain_digits_close_to_the_number(value: float) -> None:
    text = decimal(value)

    assert "e" not in text.lower()
    assert abs(float(text) - value) <= max(1e-6, abs(value) * 1e-12)
