"""What stands around an article is left out of its text, and only there."""

from datetime import UTC, datetime

import pytest

from crawler import Link, Reading, read_page
from crawler.blocks import BlockWriter
from crawler.main_text import MainText
from crawler.reading import BlockType
from crawler.trimming import trimmed

FIRST = (
    "The bridge at Ferrow was closed for the winter after engineers found that two of its piers had moved by a hand."
)
SECOND = (
    "It will open again when the river is low enough for divers to look at the footings, the council said on Monday."
)
THIRD = (
    "Until then a boat crosses every quarter of an hour, and carries bicycles but neither cars nor cattle of any kind."
)


def read(body: str, title: str = "Ferrow bridge closed for the winter") -> Reading:
    page = f"<!DOCTYPE html><html lang='en'><head><title>{title}</title></head><body><article>{body}</article></body>"
    return read_page(
        page.encode(), media_type="text/html", charset="utf-8", url="https://news.example/a", at=datetime.now(UTC)
    )


def article(*, before: str = "", between: str = "", after: str = "") -> str:
    return f"{before}<p>{FIRST}</p><p>{SECOND}</p>{between}<p>{THIRD}</p>{after}"


def test_the_title_is_a_field_and_not_repeated_in_the_text() -> None:
    reading = read(article(before="<h1>Ferrow bridge closed for the winter</h1>"))

    assert reading.title == "Ferrow bridge closed for the winter"
    assert reading.text == f"{FIRST}\n\n{SECOND}\n\n{THIRD}"
    assert "closed for the winter" in reading.visible.split(FIRST)[0]
    assert [reading.text[block.start : block.end] for block in reading.blocks] == [FIRST, SECOND, THIRD]


def test_a_heading_that_says_something_else_stays() -> None:
    reading = read(article(before="<h1>Ferrow bridge closed for the winter</h1><h2>What the divers look for</h2>"))

    assert reading.text.startswith(f"What the divers look for\n\n{FIRST}")
    assert reading.blocks[0].type == "heading"


def test_a_title_that_stands_in_the_middle_stays() -> None:
    reading = read(article(between="<h2>Ferrow bridge closed for the winter</h2>"))

    assert f"{SECOND}\n\nFerrow bridge closed for the winter\n\n{THIRD}" in reading.text


@pytest.mark.parametrize(
    "label",
    [
        "Advertisement",
        "ADVERTISEMENT",
        "- Anzeige -",
        "広告",
        "Реклама",
        "___",
        "* * *",
        "Story continues below advertisement",
        "スポンサーリンク",
        "La suite après la publicité",
    ],
)
def test_labels_of_advertisements_and_rules_of_signs_go(label: str) -> None:
    reading = read(article(between=f"<p>{label}</p>"))

    assert reading.text == f"{FIRST}\n\n{SECOND}\n\n{THIRD}"


def test_a_word_about_advertisements_stays() -> None:
    sentence = "Advertisement of the tolls is a duty of the council."

    assert sentence in read(article(between=f"<p>{sentence}</p>")).text


def test_a_line_that_only_leads_to_another_page_of_the_site_goes() -> None:
    teaser = "Ferry fares to rise again as the water falls"
    reading = read(article(between=f"<p><a href='/fares'>{teaser}</a></p>"))

    assert teaser not in reading.text
    assert teaser in reading.visible


@pytest.mark.parametrize("label", ["Read more: ", "READ ALSO: ", "Czytaj także: ", "関連記事：", "➤ Passend dazu: "])  # noqa: RUF001 - a full-width mark is meant
def test_a_label_before_a_link_to_another_page_goes_with_it(label: str) -> None:
    reading = read(article(between=f"<p><b>{label}</b><a href='/fares'>Ferry fares rise</a></p>"))

    assert reading.text == f"{FIRST}\n\n{SECOND}\n\n{THIRD}"


def test_a_fact_behind_a_label_stays() -> None:
    facts = "<p>The engineer in charge of it: <a href='/ada'>Ada Quill</a></p><p>Film: <a href='/f'>Tide</a></p>"

    reading = read(article(between=facts))

    assert "Ada Quill" in reading.text
    assert "Film: Tide" in reading.text


def test_a_link_in_a_sentence_and_a_name_stay() -> None:
    kept = (
        "<p>The council had <a href='/warned'>been warned of moving piers two years ago</a>, and did not act on it.</p>"
        "<p><a href='/divers'>The divers</a></p>"
    )
    reading = read(article(between=kept))

    assert "been warned of moving piers two years ago, and did not act on it." in reading.text


def test_a_heading_with_nothing_below_it_goes() -> None:
    reading = read(article(after="<h2>More from the valley</h2><h3>Most read</h3>"))

    assert reading.text.endswith(THIRD)


SOURCE = "Report on the footings of river bridges, second edition"


def found(*lines: tuple[BlockType, str]) -> MainText:
    writer = BlockWriter()
    for kind, text in lines:
        writer.add(text)
        writer.end(kind, 1 if kind in ("heading", "list") else None)
    return MainText(writer.text, tuple(writer.blocks), "trafilatura")


@pytest.mark.parametrize(
    ("url", "stays"), [("https://papers.test/report", True), ("https://www.news.example/r", False)]
)
def test_a_source_elsewhere_stays_and_a_page_of_the_same_site_goes(url: str, *, stays: bool) -> None:
    main = found(("paragraph", FIRST), ("list", SOURCE), ("paragraph", SECOND))

    left = trimmed(main, title=None, links=[Link(url, SOURCE)], base="https://news.example/a")

    assert (SOURCE in left.text) is stays
    assert [left.text[block.start : block.end] for block in left.blocks] == left.text.split("\n\n")


def test_a_page_that_is_no_prose_is_left_as_it_is() -> None:
    names = [f"{name} and what to bring along" for name in ("Boats that cross by night", "Tolls for carts", "Hours")]
    main = found(("heading", "All pages of the ferry"), ("paragraph", FIRST), *(("list", name) for name in names * 3))
    links = [Link(f"https://news.example/{number}", name) for number, name in enumerate(names)]

    assert trimmed(main, title="All pages of the ferry", links=links, base="https://news.example/a") is main
