"""Comments of readers and cards of other stories are taken out; a page that is made of them is left as it is."""

import pytest

from crawler.markup import parse_html
from crawler.surroundings import take_out_cards
from tests.crawler.reading_pages import PROSE, page, paragraphs, read

REMARK = "I crossed that lock as a boy with my uncle, and it leaked then as it does today, whatever they say."
SECOND_REMARK = "Nobody who has seen the eastern lock in winter believes that six weeks will be enough for it."


@pytest.mark.parametrize(
    "name",
    ['id="comments"', 'class="user-comments"', 'id="kommentarbereich"', 'class="commentaires"', 'class="box yorumlar"',
     'id="comentarios"', 'class="comment-list"', 'id="disqus_thread"', 'class="reader_comments_section"'],
)  # fmt: skip
def test_what_readers_wrote_below_an_article_is_not_its_text(name: str) -> None:
    remarks = f"<div {name}><h2>What you say</h2><div><p>{REMARK}</p></div><div><p>{SECOND_REMARK}</p></div></div>"

    reading = read(page(f"<div><h1>Eastern lock closes</h1>{paragraphs(*PROSE)}{remarks}</div>"))

    assert REMARK[:30] not in reading.text
    assert PROSE[-1] in reading.text
    assert REMARK in reading.visible


def test_a_page_that_is_called_commented_is_no_section_of_comments() -> None:
    reading = read(page(f'<div class="has-comments comments-open"><h1>Lock closes</h1>{paragraphs(*PROSE)}</div>'))

    assert reading.text == "\n\n".join(PROSE)


def test_a_section_of_comments_that_is_most_of_the_page_is_its_text() -> None:
    remarks = "".join(f"<p>{number}. {REMARK}</p>" for number in range(12))

    reading = read(page(f'<div><p>{PROSE[0]}</p><div class="yorumlar">{remarks}</div></div>'))

    assert REMARK[:30] in reading.text


def card(title: str, *, href: str = "/other") -> str:
    return f'<a href="{href}"><div><h3>{title}</h3><span>4 minutes</span></div></a>'


def test_cards_of_other_stories_and_the_label_above_them_are_not_the_text() -> None:
    cards = card("Why the harbour freezes from below") + card("Skippers who never slept", href="/skippers")

    reading = read(
        page(f"<article><h1>Lock closes</h1>{paragraphs(*PROSE)}<div><p>Weiterlesen</p>{cards}</div></article>")
    )

    assert reading.text == "\n\n".join(PROSE)
    assert "Why the harbour freezes from below" in reading.visible


def test_a_picture_that_opens_larger_is_no_card() -> None:
    shown = (
        '<div><h2>How the gates are hung</h2><a href="/gates.JPG?w=2000"><figure><img src="g.jpg">'
        "<figcaption>The gates in March</figcaption></figure></a></div>"
    )

    root = parse_html(page(f"<article>{paragraphs(*PROSE)}{shown}{card('Why the harbour freezes')}</article>"))
    assert root is not None
    take_out_cards(root)

    assert "How the gates are hung" in root.text_content()
    assert "The gates in March" in root.text_content()
    assert "Why the harbour freezes" not in root.text_content()


def test_a_page_that_is_an_index_of_cards_keeps_them() -> None:
    cards = "".join(
        f'<a href="/{number}"><article><h3>Story {number} of the harbour</h3><p>{number}. {text}</p></article></a>'
        for number, text in enumerate(PROSE * 2)
    )

    reading = read(page(f"<main><h1>All stories</h1><p>{PROSE[0]}</p>{cards}</main>"))

    assert all(f"{number}. {text}" in reading.text for number, text in enumerate(PROSE * 2))
