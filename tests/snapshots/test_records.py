import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import snapshots
from snapshots import (
    BadRecord,
    Capture,
    Crawl,
    Document,
    Fetch,
    Search,
    UnknownRecord,
    digest,
    names,
    nonce,
    read,
    read_passage,
)
from snapshots.records import KINDS

VECTORS = Path(__file__).parents[1] / "vectors"
INDEX = json.loads((VECTORS / "records" / "index.json").read_bytes())
SOME_ID = digest(b"something")
AT = "2026-11-29T19:28:36.123Z"


def vector(path: str) -> bytes:
    return (VECTORS / "records" / path).read_bytes()


def entry_name(entry: dict[str, Any]) -> str:
    return entry["file"]


def test_the_vectors_are_what_the_script_makes(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(snapshots.__file__).parents[1])}
    subprocess.run([sys.executable, VECTORS / "make_records.py", tmp_path], check=True, env=environment)

    made, there = (
        {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.json")}
        for folder in (tmp_path, VECTORS / "records")
    )
    assert made == there


def test_there_is_a_vector_for_each_kind() -> None:
    assert {(entry["kind"], entry["version"]) for entry in INDEX["good"]} >= set(KINDS)


@pytest.mark.parametrize("entry", INDEX["good"], ids=entry_name)
def test_a_good_record_is_read_as_what_it_is(entry: dict[str, Any]) -> None:
    data = vector(entry["file"])

    record = read(data)

    assert (record.id, record.kind, record.version) == (entry["id"], entry["kind"], entry["version"])
    assert record.encoded == data
    assert list(names(record)) == entry["names"]


@pytest.mark.parametrize("entry", INDEX["bad"], ids=entry_name)
def test_a_bad_twin_is_refused(entry: dict[str, Any]) -> None:
    reader = read if entry["as"] == "record" else read_passage

    with pytest.raises(BadRecord):
        reader(vector(entry["file"]))


def test_a_passage_is_no_stored_record() -> None:
    with pytest.raises(BadRecord):
        read(vector("good/passage-0.json"))


@given(st.data())
def test_a_flipped_byte_never_passes_for_the_same_record(data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from(INDEX["good"]))
    damaged = bytearray(vector(entry["file"]))
    damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))

    try:
        record = read(bytes(damaged))
    except BadRecord:
        return

    assert record.id != entry["id"]
    assert record.encoded == bytes(damaged)


@given(st.binary())
def test_no_bytes_break_the_reader(data: bytes) -> None:
    with pytest.raises(BadRecord):
        read(data)


texts = st.text(st.characters(exclude_categories=["Cs"]))
names_of_fields = st.sampled_from(["a", "b", "key", "Z z", "~", '"', "\\"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(names_of_fields, inner),
    max_leaves=10,
)


@pytest.mark.slow
@given(query=texts, loose=st.dictionaries(names_of_fields, json_values, max_size=3))
def test_a_record_round_trips(query: str, loose: dict[str, Any]) -> None:
    record = Search(query=query, options=loose, retrieved_at=AT, state="ok", index=loose)

    assert read(record.encoded) == record
    assert read(record.encoded).id == record.id


def test_an_unknown_version_is_kept_byte_for_byte() -> None:
    data = vector("good/hold.json").replace(b'"version":1', b'"version":9')

    record = read(data)

    assert isinstance(record, UnknownRecord)
    assert (record.kind, record.version, record.encoded, record.id) == ("hold", 9, data, digest(data))


def test_two_records_of_the_same_values_differ_by_their_nonce() -> None:
    first, second = (Search(query="q", retrieved_at=AT, state="ok") for _ in range(2))

    assert first.id != second.id
    assert len(nonce()) == 32


def test_two_documents_of_the_same_values_are_one() -> None:
    first, second = (Document(source=SOME_ID, media_type="text/html", base="", text="t", visible="t") for _ in range(2))

    assert first.id == second.id
    assert first == second


def test_a_record_written_from_plain_values_is_the_one_that_is_read_from_its_bytes() -> None:
    ref = {"id": digest(b"p"), "capture": digest(b"c"), "ordinal": 0, "start": 0, "end": 5}
    candidate = {"url": "https://a.test/", "capture": digest(b"c"), "rank": 1, "decision": "kept"}
    parts = {"ranks": [{"provider": "index", "rank": 1}], "scores": [{"part": "text", "value": "1.5"}]}
    fields: dict[str, Any] = {
        "query": "pier",
        "options": {},
        "retrieved_at": "2026-01-01T00:00:00.000Z",
        "providers": [{"name": "index", "state": "ok", "reply": None, "candidates": 1, "detail": None}],
        "candidates": [candidate | parts],
        "candidates_total": 1,
        "results": [{"rank": 1, "url": "https://a.test/", "capture": digest(b"c"), "passages": [ref]}],
        "state": "ok",
        "relaxed": (),
        "index": {"position": 1},
        "versions": {},
        "timings": {},
    }

    written = Search.written(fields)

    assert read(written.encoded) == written
    assert written == Search(**fields | {"nonce": written.nonce, **_parts(written)})
    with pytest.raises(BadRecord):
        Search.written({name: value for name, value in fields.items() if name != "relaxed"})
    with pytest.raises(ValidationError):
        Search.written(fields | {"state": "perfect"})


def _parts(search: Search) -> dict[str, Any]:
    return {"providers": search.providers, "candidates": search.candidates, "results": search.results}


def test_a_changed_copy_is_another_record_and_checked_like_one() -> None:
    record = Search(query="q", retrieved_at=AT, state="ok")

    changed = record.model_copy(update={"query": "r"})

    assert read(changed.encoded) == changed
    assert changed.id != record.id
    assert changed.nonce == record.nonce
    with pytest.raises(ValidationError):
        record.model_copy(update={"state": "fine"})


def test_lists_are_taken_and_become_frozen() -> None:
    crawl = Crawl(phase="started", seeds=["https://a.example/"], at=AT, state="running")

    assert crawl.seeds == ("https://a.example/",)
    with pytest.raises(ValidationError):
        crawl.state = "done"


@pytest.mark.parametrize(
    "change",
    [
        {"capture": "sha256:abc"},
        {"capture": SOME_ID + "\n"},
        {"start": True},
        {"start": "0"},
        {"end": 2**53},
        {"retrieved_at": "2026-11-29"},
        {"nonce": "0" * 31},
        {"options": {"x": 0.5}},
        {"options": {"é": 1}},
        {"options": {"x": {"y": {1: 2}}}},
        {"more": 1},
        {"kind": "search"},
        {"version": 2},
    ],
    ids=str,
)
def test_a_wrong_value_is_refused_at_construction(change: dict[str, Any]) -> None:
    right = {"capture": SOME_ID, "start": 0, "end": 3, "total": 3, "retrieved_at": AT}
    Fetch(**right)

    with pytest.raises(ValidationError):
        Fetch(**{**right, **change})


def test_a_lone_surrogate_is_refused_at_construction() -> None:
    with pytest.raises(BadRecord):
        Fetch(capture=SOME_ID, start=0, end=0, total=0, retrieved_at=AT, cut="\ud800")


def test_a_capture_names_its_blobs_document_and_certificates_once() -> None:
    capture = read(vector("good/capture.json"))
    assert isinstance(capture, Capture)

    found = names(capture)

    assert found == (capture.body, capture.document, *capture.hops[1].tls.chain)
    assert capture.wire_digest not in found


def test_what_a_complaint_says_does_not_repeat_the_value() -> None:
    with pytest.raises(BadRecord) as caught:
        read(vector("bad/outcome.json"))

    assert "outcome" in str(caught.value)
    assert "fine" not in str(caught.value)
