"""Captions are blocks of their own, and pages of a PDF stand in its blocks."""

from tests.crawler.reading_pages import PROSE, page, paragraphs, read
from tests.crawler.test_blocks import check_blocks, whole
from tests.small_pdf import paged_pdf

TABLE = "<tr><th>Boat</th><th>Fee</th></tr><tr><td>small</td><td>4</td></tr>"


def test_the_caption_of_a_table_stands_before_it() -> None:
    table = f"<table><caption>Fees by <b>boat</b></caption>{TABLE}</table>"
    html = page(f"<main><h1>Lock gates</h1>{paragraphs(*PROSE[:2])}{table}{paragraphs(*PROSE[2:])}</main>")

    reading = read(html)

    check_blocks(reading)
    assert whole(reading)[1:4] == [
        ("paragraph", PROSE[1]),
        ("caption", "Fees by boat"),
        ("table", "Boat | Fee\nsmall | 4"),
    ]


def test_the_mark_behind_a_caption_is_no_part_of_it() -> None:
    table = f"<table><caption>Fees by boat<a href='#fees'>\u00b6</a></caption>{TABLE}</table>"
    html = page(f"<main><h1>Lock gates</h1>{paragraphs(*PROSE[:2])}{table}{paragraphs(*PROSE[2:])}</main>")

    assert ("caption", "Fees by boat") in whole(read(html))


def test_the_caption_of_a_picture_is_one_where_the_main_text_has_it() -> None:
    figure = "<figure><img src=mill.png><figcaption>The mill in winter, seen from the bridge.</figcaption></figure>"
    posts = "".join(
        f'<div class="post-body"><p>{text}</p>{figure if not n else ""}</div>' for n, text in enumerate(PROSE)
    )
    html = page(posts, head='<meta name="generator" content="phpBB">')

    reading = read(html)

    check_blocks(reading)
    assert whole(reading)[:3] == [
        ("paragraph", PROSE[0]),
        ("caption", "The mill in winter, seen from the bridge."),
        ("paragraph", PROSE[1]),
    ]


def test_a_table_without_a_caption_stays_whole() -> None:
    html = page(f"<main>{paragraphs(*PROSE[:2])}<table>{TABLE}</table>{paragraphs(*PROSE[2:])}</main>")

    blocks = whole(read(html))

    assert ("table", "Boat | Fee\nsmall | 4") in blocks
    assert not [text for kind, text in blocks if kind == "caption"]


def test_each_block_of_a_pdf_names_its_page() -> None:
    reading = read(paged_pdf([PROSE[:1], [], PROSE[1:3]]), media_type="application/pdf")

    check_blocks(reading)
    assert [(one.page, reading.text[one.start : one.end][:10]) for one in reading.blocks] == [
        (1, PROSE[0][:10]),
        (3, PROSE[1][:10]),
    ]
    assert all(block.page is None for block in read(page(paragraphs())).blocks)
