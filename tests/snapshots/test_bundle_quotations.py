import html
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots import FORMATS, BundleAsked, NothingToBundle, Quoted, passage_of, quoted
from snapshots.bundles.fragments import link
from tests.snapshots.bench import Bench
from tests.snapshots.evidence import capture_of, document_of, ref_to

URL = "https://a.example/page"
WORDS = "High water at the northern pier is at four in the afternoon."


def one(text: str = f"Before it. {WORDS} After it.", words: str | None = WORDS, title: str = "Tides") -> Quoted:
    """A page with one passage, or with none."""
    capture, document = capture_of(URL, text), document_of(text)
    start = text.index(words) if words else 0
    passages = (passage_of(capture, document, ordinal=0, start=start, end=start + len(words)),) if words else ()
    return Quoted(capture.id, URL, title, capture.retrieved_at, "en", text, passages)


def written(name: str, *pages: Quoted) -> str:
    return "".join(FORMATS[name].write(pages))


def test_lines_of_json_hold_all_that_there_is_to_a_passage() -> None:
    page = one()

    (line,) = written("jsonl", page).splitlines()

    told = json.loads(line)
    assert told["id"] == page.passages[0].id
    assert told["text"] == WORDS == page.text[told["start"] : told["end"]]
    assert (told["prefix"], told["suffix"]) == ("Before it. ", " After it.")
    assert told["link"].startswith(f"{URL}#:~:text=High%20water")


def test_annotations_select_by_quote_and_place_and_tell_the_time() -> None:
    page = one()

    told = json.loads(written("annotations", page, one(words=None)))

    first, whole = told["items"]
    quote, place = first["target"]["selector"]
    assert told["type"] == "AnnotationPage"
    assert (quote["type"], quote["exact"], quote["prefix"]) == ("TextQuoteSelector", WORDS, "Before it. ")
    assert (place["type"], place["start"], place["end"]) == ("TextPositionSelector", 11, 11 + len(WORDS))
    assert first["target"]["state"]["sourceDate"] == page.retrieved_at
    assert "selector" not in whole["target"]


def test_a_quotation_from_a_pdf_names_its_page_and_is_linked_by_it() -> None:
    page = replace(one(), pages=((0, 6), (20, 7)))
    whole = replace(one(words=None), pages=((0, 6),))

    told = json.loads(written("jsonl", page))

    assert (told["page"], told["page_end"]) == (6, 7)
    assert told["link"] == f"{URL}#page=6"
    assert f"<{URL}>, pp. 6-7, retrieved" in written("markdown", page)
    assert "pp. 6-7, retrieved" in written("html", page)
    assert written("links", page) == f"{URL}#page=6\n"
    assert "page" not in json.loads(written("jsonl", whole))
    assert "page" not in json.loads(written("jsonl", one()))


def test_blocks_for_a_model_hold_the_words_of_each_page_together() -> None:
    (block,) = json.loads(written("anthropic", one()))

    assert block == {
        "type": "search_result",
        "source": URL,
        "title": "Tides",
        "content": [{"type": "text", "text": WORDS}],
        "citations": {"enabled": True},
    }
    assert json.loads(written("anthropic")) == []


def test_footnotes_in_markdown_mean_nothing_but_words() -> None:
    page = one("*bold* [x](javascript:y)\n<b>", "*bold* [x](javascript:y)\n<b>", title="_T_")

    note = written("markdown", page)

    assert note.startswith(
        f"[^{page.passages[0].id[7:19]}]: “\\*bold\\* \\[x\\](javascript:y) \\<b\\>” \\_T\\_, <{URL}>"
    )
    assert note.strip().endswith(f"{page.passages[0].id}")
    assert note.count("\n\n") == 1


def test_footnotes_in_html_hold_text_only() -> None:
    page = one("<script>x</script>", "<script>x</script>", title="<b>")

    notes = written("html", page, one(words=None))

    assert "<script" not in notes
    assert "<script>x</script>" in html.unescape(notes)
    assert notes.count("<li id=") == notes.count("</li>") == 2


def test_a_quotation_is_linked_by_its_words() -> None:
    assert link(URL, WORDS) == f"{URL}#:~:text={WORDS.replace(' ', '%20')}"
    assert link(f"{URL}#part", WORDS) == f"{URL}#part:~:text={WORDS.replace(' ', '%20')}"
    assert link("urn:upload:x", WORDS) is None


def test_what_has_a_meaning_in_a_link_is_escaped() -> None:
    assert link(URL, "a-b, c & d: twenty letters") == f"{URL}#:~:text=a%2Db%2C%20c%20%26%20d:%20twenty%20letters"


def test_what_is_long_or_goes_over_blocks_is_linked_by_its_ends() -> None:
    long = " ".join(f"word{number}" for number in range(100))
    blocks = "The first block begins here and goes on.\n\nThe second one ends here."

    assert words_in(link(URL, long)) == [
        "word0 word1 word2 word3 word4 word5",
        "word94 word95 word96 word97 word98 word99",
    ]
    assert words_in(link(URL, blocks)) == ["The first block begins here and", "The second one ends here."]


def words_in(found: str | None) -> list[str]:
    assert found is not None
    return [unquote(part) for part in found.partition("#:~:text=")[2].split(",")]


def test_what_is_short_is_linked_with_the_words_around_it() -> None:
    found = link(URL, "at four", prefix="alf the northern pier is ", suffix=" in the afternoon. Boa")

    assert found == f"{URL}#:~:text=northern%20pier%20is-,at%20four,-in%20the%20afternoon."


@given(st.text(max_size=400), st.text(max_size=64), st.text(max_size=64))
def test_every_link_is_printable_and_has_its_parts_in_order(text: str, prefix: str, suffix: str) -> None:
    found = link(URL, text, prefix=prefix, suffix=suffix)

    assert found is not None
    assert re.fullmatch(r"[!-~]+", found)
    assert found.partition("#:~:text=")[2].count(",") <= 3
    assert unquote(found).startswith(URL)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    opened = Bench(tmp_path)
    yield opened
    opened.close()


def of(bench: Bench, *ids: str, url: str | None = None) -> list[Quoted]:
    with tempfile.TemporaryDirectory() as folder:
        found = quoted(bench.archive, BundleAsked(ids, url), folder=Path(folder), progress=lambda *_: None)
        return list(found)


def test_of_a_search_only_what_it_showed_is_quoted(bench: Bench) -> None:
    shown, dropped = bench.keep_page(URL, WORDS), bench.keep_page("https://a.example/other", "other words")
    search, _ = bench.keep_search([(shown, WORDS)], b"{}", considered=[dropped])

    (page,) = of(bench, search.id)

    assert page.capture == shown.id
    assert [passage.id for passage in page.passages] == [ref_to(shown, WORDS).id]


def test_a_page_that_was_asked_for_stands_without_a_quotation(bench: Bench) -> None:
    capture = bench.keep_page(URL, WORDS)

    (page,) = of(bench, url=URL)

    assert (page.capture, page.passages, page.text) == (capture.id, (), WORDS)


def test_where_there_is_no_text_nothing_is_quoted(bench: Bench) -> None:
    capture = capture_of(URL, None, outcome="error")
    bench.keep(capture)

    with pytest.raises(NothingToBundle):
        of(bench, capture.id)
