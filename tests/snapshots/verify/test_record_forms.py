"""The verifier, which has only the standard library, reads records exactly as the archive does."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots import BadRecord, Capture, Document, Unsound, digest, names, passage_of, read
from snapshots.canonical import MAX_DEPTH, canonical
from snapshots.records import KINDS
from snapshots.verify.kinds import _FULL_FORMS, check_record, named_ids
from snapshots.verify.passage_bytes import CONTEXT_LENGTH, MAX_HEADING_LENGTH, check_passage, read_passage_line
from snapshots.verify.strict_json import canonical_bytes, check_loose, read_canonical, read_json

VECTORS = Path(__file__).parents[2] / "vectors" / "records"
INDEX = json.loads((VECTORS / "index.json").read_text())
RECORDS = [entry for entry in INDEX["good"] if entry["kind"] != "passage"]
text = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | text,
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1), inner)
    ),
    max_leaves=20,
)


@pytest.mark.slow
@given(values)
def test_canonical_bytes_are_the_archive_s(value: Any) -> None:
    data = canonical(value)

    assert canonical_bytes(value) == data
    assert read_canonical(data) == value
    check_loose(value)


@given(st.binary(max_size=80) | text.map(str.encode) | values.map(lambda value: json.dumps(value).encode()))
def test_bytes_are_canonical_for_both_or_for_neither(data: bytes) -> None:
    from snapshots.canonical import load

    def verdict(reader: Any, refusal: type[Exception]) -> bool:
        try:
            value = reader(data)
        except refusal:
            return False
        try:
            check_loose(value)
        except Unsound:
            return False
        return True

    assert verdict(read_canonical, Unsound) == verdict(load, BadRecord)


@pytest.mark.parametrize(
    "data",
    [
        b"1.0",
        b"1e3",
        b"-0",
        b"NaN",
        b"1" * 5000,
        b'{"a":1,"a":1}',
        b"[" * 100_000,
        b'"\\ud800"',
        b'"\\u00e9"',
        b" 1",
        b"\xff",
        b"",
    ],
    ids=[
        "fraction",
        "exponent",
        "minus zero",
        "nan",
        "digits",
        "twice",
        "deep",
        "half",
        "escape",
        "space",
        "utf-8",
        "empty",
    ],
)
def test_what_has_another_spelling_is_refused(data: bytes) -> None:
    with pytest.raises(Unsound):
        read_canonical(data)


def test_nesting_has_an_end() -> None:
    value: Any = 0
    for _ in range(MAX_DEPTH):
        value = [value]

    check_loose(value)
    with pytest.raises(Unsound):
        check_loose([value])


@pytest.mark.parametrize("data", [b'{"a":1,"a":2}', b"[" * 100_000, b"\xff", b"NaN", b"[1", b"9" * 40])
def test_what_two_readers_could_read_differently_is_no_json(data: bytes) -> None:
    with pytest.raises(Unsound):
        read_json(data)


def test_every_kind_is_known_with_the_same_members() -> None:
    known = {key: set(members) for key, members in _FULL_FORMS.items()}

    assert known == {key: set(form.model_fields) for key, form in KINDS.items()}


@pytest.mark.parametrize("entry", RECORDS, ids=lambda entry: entry["file"])
def test_a_good_record_is_good_and_names_the_same(entry: dict[str, Any]) -> None:
    value = read_canonical((VECTORS / entry["file"]).read_bytes())

    kind, known = check_record(value)

    assert (kind, known) == (entry["kind"], (entry["kind"], entry["version"]) in KINDS)
    assert set(named_ids(kind, value, known=known)) == set(entry["names"])


def refused(data: bytes, *, passage: bool) -> bool:
    try:
        if passage:
            check_passage(read_passage_line(data), {"text": "x" * 1000, "blocks": []})
        else:
            check_record(read_canonical(data))
    except Unsound:
        return True
    return False


@pytest.mark.parametrize("entry", INDEX["bad"], ids=lambda entry: entry["file"])
def test_a_bad_twin_is_refused_here_too(entry: dict[str, Any]) -> None:
    assert refused((VECTORS / entry["file"]).read_bytes(), passage="passage" in entry["file"])


PLAIN = [None, True, 0, 1, -1, 7, 2**53, "", "x", "ok", "2026-11-29T19:28:36.123Z", "2026-13-29T19:28:36.123Z"]
MADE = [[], {}, [1], [[]], ["a", "b"], {"a": 1}, {"a": []}, digest(b""), [digest(b"")], "0" * 32]
CHANGES = st.sampled_from([*PLAIN, *MADE])


@given(st.sampled_from(RECORDS), st.data())
def test_a_changed_member_is_wrong_for_both_or_for_neither(entry: dict[str, Any], data: st.DataObject) -> None:
    value = json.loads((VECTORS / entry["file"]).read_bytes())
    spot: Any = value
    while True:
        keys = list(spot) if isinstance(spot, dict) else list(range(len(spot)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if isinstance(spot[key], dict | list) and data.draw(st.booleans()):
            spot = spot[key]
            continue
        spot[key] = data.draw(CHANGES)
        break
    try:
        changed = canonical(value)
    except BadRecord:
        return

    try:
        known = names(read(changed))
        expected: set[str] | None = set(known)
    except BadRecord:
        expected = None
    try:
        again = read_canonical(changed)
        kind, form = check_record(again)
        found: set[str] | None = set(named_ids(kind, again, known=form))
    except Unsound:
        found = None
    assert found == expected


@pytest.mark.slow
@given(st.text(min_size=1, max_size=400), st.data())
def test_a_passage_is_made_as_the_archive_makes_it(page: str, data: st.DataObject) -> None:
    page = page.encode("utf-8", "replace").decode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(page)), max_size=8)))
    blocks = [
        {"type": "heading", "start": start, "end": end, "level": data.draw(st.integers(1, 6))}
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    document = Document(
        source=digest(b""),
        media_type="text/html",
        base="",
        text=page,
        visible=page,
        blocks=blocks,  # type: ignore[arg-type]
    )
    at = "2026-11-29T19:28:36.123Z"
    capture = Capture(
        asked="x", final="x", body=None, body_length=0, method="http", outcome="ok", page_state="ok", started_at=at,
        retrieved_at=at, document=document.id,
    )  # fmt: skip
    start = data.draw(st.integers(0, len(page) - 1))
    made = passage_of(capture, document, ordinal=3, start=start, end=data.draw(st.integers(start + 1, len(page))))

    found = read_passage_line(made.encoded)

    assert found.id == made.id
    assert found.reference == made.ref.model_dump()
    check_passage(found, json.loads(document.encoded))
    other = json.loads(document.encoded) | {"text": page[:start] + "\u2e3b" + page[start + 1 :] + "\u2e3b"}
    with pytest.raises(Unsound, match="is not what stands"):
        check_passage(found, other)


def test_the_numbers_of_both_agree() -> None:
    from snapshots.passages import CONTEXT, MAX_HEADING

    assert (CONTEXT_LENGTH, MAX_HEADING_LENGTH) == (CONTEXT, MAX_HEADING)
