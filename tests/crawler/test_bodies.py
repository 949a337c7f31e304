"""A text is found whole wherever a page puts its pieces."""

import pytest

from tests.crawler.reading_pages import PROSE, page, paragraphs, read

LINES = ("岸辺の小さな店で", "新しい帽子を買いました", "とても気に入っています", "また来年も行きたいです")


def module(text: str) -> str:
    return f'<div class="module"><div class="text"><div class="text-inner"><p>{text}</p></div></div></div>'


def test_modules_of_one_text_are_put_together() -> None:
    pictures = '<div class="module-image"><img src="lock.jpg"></div>'
    body = f"<div class='single'>{pictures.join(module(text) for text in PROSE)}</div>"

    reading = read(page(f"<div id='wrapper'><h1>Lock closes</h1>{body}</div>"))

    assert reading.text == "\n\n".join(PROSE)


def test_beginnings_of_other_stories_in_modules_are_not_put_together_with_a_text() -> None:
    story = f"<article><h1>Lock closes</h1>{paragraphs(*PROSE)}</article>"
    teasers = "".join(
        f'<div class="block"><div class="inner"><h3><a href="/{n}">Story {n}</a></h3><div class="excerpt"><p>Story {n} '
        "tells of the harbour as it was before the basin was dug, and of those who dug it with their hands.</p></div>"
        "</div></div>"
        for n in range(9)
    )

    reading = read(page(f"<main>{story}<div class='more'>{teasers}</div></main>"))

    assert PROSE[0] in reading.text
    assert "as it was before the basin was dug" not in reading.text


def test_paragraphs_that_an_editor_wrote_as_nameless_elements_are_read_with_the_others() -> None:
    nameless = "".join(f'<div style="text-align: center">{line}</div>' for line in LINES)
    body = f"<p>{PROSE[0]}</p><p>{PROSE[1]}</p><div>{nameless}</div><div>{PROSE[2]}</div><p>{PROSE[3]}</p>"

    reading = read(page(f'<article><h1>Blog</h1><div class="entry">{body}</div></article>'))

    assert reading.text.split("\n\n") == [PROSE[0], PROSE[1], *LINES, PROSE[2], PROSE[3]]


@pytest.mark.parametrize("name", ["section", "article", "center", "fieldset", "label", "lock-notice"])
def test_prose_that_stands_bare_in_an_element_that_is_no_paragraph_is_read_with_the_others(name: str) -> None:
    bare = f"<{name}>{PROSE[2]}</{name}>"
    body = f"<p>{PROSE[0]}</p><p>{PROSE[1]}</p>{bare}<p>{PROSE[3]}</p>"

    reading = read(page(f"<main><h1>Lock closes</h1>{body}</main>"))

    assert reading.text == "\n\n".join(PROSE[:4])


def test_nameless_elements_full_of_links_are_no_paragraphs() -> None:
    links = '<div><a href="/a">Tides</a> <a href="/b">Fares</a> <a href="/c">Boats</a></div>'

    reading = read(page(f'<article><h1>Blog</h1><div class="entry">{paragraphs(*PROSE)}{links}</div></article>'))

    assert reading.text == "\n\n".join(PROSE)
