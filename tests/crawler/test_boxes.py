"""Boxes within a text that are there for those who read it on the page, and are none of it."""

from crawler.boxes import take_out_contents
from crawler.markup import parse_html
from tests.crawler.reading_pages import PROSE, page, paragraphs, read

SIGN_UP = (
    '<div class="box"><h3>The Morning Tide</h3><p>The stories you need to start your day, at seven.</p>'
    '<form><input type="email"><button>Go</button></form><p>You agree to our <a href="/t">terms</a> by that.</p></div>'
)


def article(*parts: str) -> str:
    return page(f"<main><article><h1>The lock</h1>{''.join(parts)}</article></main>")


def test_a_box_to_sign_up_goes_with_all_that_it_says() -> None:
    reading = read(article(paragraphs(*PROSE[:2]), SIGN_UP, paragraphs(*PROSE[2:], *PROSE)))

    assert reading.text == "\n\n".join((*PROSE, *PROSE))
    assert "The Morning Tide" in reading.visible


def test_a_page_that_is_there_to_write_to_somebody_keeps_its_words() -> None:
    reading = read(article(f'<section><p>{PROSE[0]}</p><form><input name="email"></form></section>'))

    assert PROSE[0] in reading.text


def test_a_field_beside_a_long_paragraph_takes_nothing_of_it_away() -> None:
    long = f"{PROSE[0]} {PROSE[1]}"

    reading = read(article(f"<div><p>{long}</p>{SIGN_UP}</div>", paragraphs(*PROSE * 3)))

    assert long in reading.text
    assert "The Morning Tide" not in reading.text


def test_the_list_of_a_pages_own_sections_is_no_part_of_it() -> None:
    contents = (
        '<div class="kasten"><p><b>Inhalt</b></p><ol><li><a href="#one">Schleifen</a></li>'
        '<li><a href="#two">Auftragen</a></li></ol></div>'
    )
    sections = f'<h2 id="one">Schleifen</h2>{paragraphs(*PROSE[1:3])}<h2 id="two">Auftragen</h2><p>{PROSE[3]}</p>'

    reading = read(article(f"<p>{PROSE[0]}</p>", contents, sections))

    assert reading.text == "\n\n".join((PROSE[0], "Schleifen", *PROSE[1:3], "Auftragen", PROSE[3]))


def test_a_list_of_links_to_other_pages_stays() -> None:
    links = '<p>Further:</p><ul><li><a href="/one">Grinding</a> by hand</li><li><a href="#two">Oiling</a></li></ul>'

    root = parse_html(article(paragraphs(), links))
    assert root is not None
    take_out_contents(root)

    assert "Grinding by hand" in root.text_content()
