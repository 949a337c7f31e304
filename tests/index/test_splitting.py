# ruff: noqa: RUF001 -- Chinese punctuation
from __future__ import annotations

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from index.pages import Block, Span
from index.splitting import headings, split

SENTENCE = "The old harbour wall was rebuilt by the town in the spring of that year. "
WORDS = st.sampled_from(
    ["boat", "Pier.", "e\u0301", "渡船", "码头。", "ที่ดี", "नमस्ते", "👩‍👩‍👧", "\u0301", "x" * 70, "\u0600", "🇸🇪🇳🇴", "각"]
)
SPACES = st.sampled_from([" ", "  ", "\n", "\n\n", "\r\n", "\u00a0", "\t"])
TEXTS = st.lists(st.tuples(WORDS, SPACES), max_size=400).map(lambda parts: "".join(a + b for a, b in parts)) | st.text(
    max_size=300
)


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, list[Block]]:
    text = draw(TEXTS)
    kinds = st.sampled_from(["heading", "paragraph", "list", "table", "code", "quote"])
    places = st.integers(-3, len(text) + 3)
    blocks = draw(st.lists(st.builds(Block, kinds, places, places, st.none() | st.integers(1, 6)), max_size=8))
    return text, blocks


@settings(max_examples=150)
@given(documents())
def test_passages_cover_all_text_once_and_never_cut_a_character(document: tuple[str, list[Block]]) -> None:
    text, blocks = document

    spans = split(text, blocks)

    borders = {0, *(cluster.end() for cluster in regex.finditer(r"\X", text))}
    place = 0
    for ordinal, span in enumerate(spans):
        assert span.ordinal == ordinal
        assert not text[place : span.start].strip()
        assert place <= span.start < span.end
        assert {span.start, span.end} <= borders
        place = span.end
    assert not text[place:].strip()
    assert split(text, blocks) == spans
    assert len(headings(text, blocks, spans)) == len(spans)


@settings(max_examples=100)
@given(st.lists(st.integers(3, 40), min_size=5, max_size=80))
def test_prose_gives_passages_of_sixty_to_two_hundred_words(lengths: list[int]) -> None:
    text = " ".join(" ".join(["Word", *["word"] * (n - 2), "end."]) for n in lengths)

    sizes = [len(text[s.start : s.end].split()) for s in split(text)]

    assert all(n <= 200 for n in sizes)
    assert all(n >= 60 for n in sizes) or len(sizes) == 1


def test_a_short_document_is_one_passage_headings_or_not() -> None:
    text = "Title\n\nA line.\n\nNotes\n\nAnother line."
    blocks = [
        Block("heading", 0, 5, 1),
        Block("paragraph", 7, 14),
        Block("heading", 16, 21, 2),
        Block("paragraph", 23, 36),
    ]

    spans = split(text, blocks)

    assert spans == [Span(0, 0, 36)]


def test_a_heading_begins_a_passage_and_is_its_context() -> None:
    first, second = SENTENCE * 8, SENTENCE * 6
    text = f"Harbour\n\n{first}\n\nThe wall\n\n{second}"
    wall = text.index("The wall\n")
    blocks = [
        Block("heading", 0, 7, 1),
        Block("paragraph", 9, 9 + len(first)),
        Block("heading", wall, wall + 8, 2),
        Block("paragraph", wall + 10, len(text)),
    ]

    spans = split(text, blocks)

    assert [span.start for span in spans] == [0, wall]
    assert headings(text, blocks, spans) == (("Harbour",), ("Harbour", "The wall"))


def test_passages_end_with_sentences() -> None:
    text = SENTENCE * 60

    spans = split(text)

    assert len(spans) > 4
    assert all(text[s.start : s.end].startswith("The old") and text[s.start : s.end].endswith("year.") for s in spans)


def test_abbreviations_and_initials_do_not_end_a_sentence() -> None:
    text = ("Dr. Ada B. Hale met Mr. Tove Lind at St. Olaf, e.g. in Spring. " * 30).strip()

    spans = split(text)

    assert len(spans) > 1
    assert all(text[s.start : s.end].startswith("Dr. Ada") for s in spans)


def test_rows_of_a_table_are_not_cut() -> None:
    text = "\n".join(f"Row {n}. First part. Second part | {n} | three four five six" for n in range(80))

    spans = split(text, [Block("table", 0, len(text))])

    assert len(spans) > 1
    assert all(text[s.start : s.end].startswith("Row ") for s in spans)


def test_a_code_block_that_fits_stays_whole() -> None:
    code = "\n".join(f"value_{n} = compute(step={n}, more=True)" for n in range(25))
    text = f"{SENTENCE * 9}\n\n{code}\n\n{SENTENCE * 9}"
    start = text.index("value_0")
    blocks = [
        Block("paragraph", 0, start - 2),
        Block("code", start, start + len(code)),
        Block("paragraph", start + len(code) + 2, len(text)),
    ]

    spans = split(text, blocks)

    assert sum(s.start < start + len(code) and s.end > start for s in spans) == 1


def test_chinese_and_thai_are_counted_in_characters() -> None:
    chinese = "旧码头将于下周六重新开放，此前维修历时两年，首日免费。" * 60
    thai = "เรือข้ามฟากเก่าจะเปิดอีกครั้งในวันเสาร์ " * 60

    for text, low, high in ((chinese, 120, 400), (thai, 300, 1000)):
        spans = split(text)
        assert len(spans) > 1
        assert all(low <= s.end - s.start <= high for s in spans)


def test_endless_text_without_spaces_is_cut_to_size() -> None:
    text = "x" * 100_000

    spans = split(text)

    assert all(s.end - s.start <= 2_400 for s in spans)
    assert sum(s.end - s.start for s in spans) == 100_000
