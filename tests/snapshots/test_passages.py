import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots import BadRecord, Block, Capture, Document, digest, passage_of, read, read_passage, remake
from snapshots.passages import CONTEXT, MAX_HEADING, headings_at

VECTORS = Path(__file__).parents[1] / "vectors" / "records"
AT = "2026-11-29T19:28:36.123Z"


def document(text: str, blocks: Sequence[Block] = ()) -> Document:
    return Document(
        source=digest(b"body"),
        media_type="text/html",
        base="https://a.example/",
        text=text,
        visible=text,
        blocks=blocks,
    )


def capture(of: Document) -> Capture:
    return Capture(
        asked="https://a.example/",
        final="https://a.example/",
        body=of.source,
        body_length=4,
        method="http",
        outcome="ok",
        page_state="ok",
        started_at=AT,
        retrieved_at=AT,
        document=of.id,
    )


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300)


@given(st.data())
def test_a_passage_is_a_slice_of_the_text_with_its_surroundings(data: st.DataObject) -> None:
    text = data.draw(texts)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))

    made = passage_of(capture(document(text)), document(text), ordinal=3, start=start, end=end)

    assert made.text == text[start:end]
    assert (text[:start] + made.text + text[end:]) == text
    assert text[:start].endswith(made.prefix)
    assert len(made.prefix) == min(start, CONTEXT)
    assert text[end:].startswith(made.suffix)
    assert len(made.suffix) == min(len(text) - end, CONTEXT)


@given(st.data())
def test_a_reference_alone_makes_the_exact_bytes_again(data: st.DataObject) -> None:
    text = data.draw(texts)
    end = data.draw(st.integers(1, len(text)))
    read_as = document(text)
    seen = capture(read_as)

    made = passage_of(seen, read_as, ordinal=0, start=0, end=end)
    again = remake(made.ref, read(seen.encoded), read(read_as.encoded))

    assert again.encoded == made.encoded
    assert read_passage(made.encoded) == made
    assert digest(made.encoded) == made.id


def test_the_vectors_are_made_again_from_their_capture_and_document() -> None:
    for entry in json.loads((VECTORS / "index.json").read_bytes())["passages"]:
        seen, read_as = (read((VECTORS / entry[name]).read_bytes()) for name in ("capture", "document"))

        made = passage_of(seen, read_as, ordinal=entry["ordinal"], start=entry["start"], end=entry["end"])

        assert made.id == entry["id"]
        assert made.encoded == (VECTORS / entry["file"]).read_bytes()


@pytest.mark.parametrize(("start", "end"), [(0, 0), (2, 1), (-1, 1), (0, 5), (4, 5)])
def test_an_empty_or_outside_range_is_refused(start: int, end: int) -> None:
    read_as = document("four")

    with pytest.raises(BadRecord):
        passage_of(capture(read_as), read_as, ordinal=0, start=start, end=end)


def test_a_reference_that_does_not_fit_is_refused() -> None:
    read_as = document("one sentence and another")
    seen = capture(read_as)
    ref = passage_of(seen, read_as, ordinal=0, start=0, end=12).ref

    with pytest.raises(BadRecord):
        remake(ref.model_copy(update={"end": 13}), seen, read_as)
    with pytest.raises(BadRecord):
        remake(ref, capture(read_as), read_as)
    with pytest.raises(BadRecord):
        remake(ref, seen, document("another text altogether"))


def heading(start: int, end: int, level: int) -> Block:
    return Block(type="heading", start=start, end=end, level=level)


def test_headings_are_the_chain_above_the_place() -> None:
    text = "A.B.C.D.text"
    blocks = [heading(0, 1, 1), heading(2, 3, 3), heading(4, 5, 2), heading(6, 7, 3)]

    assert headings_at(text, blocks, 8) == ("A", "C", "D")
    assert headings_at(text, blocks, 6) == ("A", "C")
    assert headings_at(text, blocks, 4) == ("A", "B")
    assert headings_at(text, blocks, 0) == ()


def test_a_heading_does_not_stand_above_its_own_inside() -> None:
    assert headings_at("Title", [heading(0, 5, 1)], 2) == ()
    assert headings_at("Title", [heading(0, 5, 1)], 5) == ("Title",)


def test_an_endless_heading_is_cut() -> None:
    text = "x" * (MAX_HEADING + 50)

    assert headings_at(text, [heading(0, len(text), 1)], len(text)) == ("x" * MAX_HEADING,)
