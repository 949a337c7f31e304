"""The title of a page: what its head and headings say, without the site's name."""

import pytest

from tests.crawler.reading_pages import page, paragraphs, read

ARTICLE = f"<article><h1>Lock gates open late</h1>{paragraphs()}</article>"


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Lock gates open late</title>", ARTICLE, "Lock gates open late"),
        ("<title>Lock gates open late | Harbour News</title>", ARTICLE, "Lock gates open late"),
        ("<title>Harbour News - Lock gates open late</title>", ARTICLE, "Lock gates open late"),
        ("<title>Lock gates open late | Harbour News</title>", paragraphs(), "Lock gates open late"),
        ('<meta property="og:title" content="Gates &amp; tides"><title>x</title>', paragraphs(), "Gates & tides"),
        ("<title>Lock gates open late — Harbour</title>", f"<h1>Harbour</h1>{ARTICLE}", "Lock gates open late"),
        ('<script type="application/ld+json">{"@type":"Article","headline":"Gates"}</script>', paragraphs(), "Gates"),
        ("", ARTICLE, "Lock gates open late"),
        ("", f"<h2>Second rank</h2>{paragraphs()}", "Second rank"),
        (
            "<title>Tides — Handbook of the harbour office</title>",
            "<h1>Tides<a href='#tides'>¶</a></h1>" + ARTICLE,
            "Tides",
        ),
        (
            "<title>Diary - Lock gates open late</title>",
            "<h1>Diary</h1>" + ARTICLE.replace("h1", "h3"),
            "Lock gates open late",
        ),
        (
            "<title>Lock gates open late - HarbourNews.example</title>",
            "<h1>Harbour</h1><h1>News</h1>" + ARTICLE,
            "Lock gates open late",
        ),
        (
            "<title>Gates - Friends of old harbours Forum</title>",
            "<h1>Friends of old harbours</h1><p>Since 1998</p><h2>Gates</h2>" + paragraphs(),
            "Gates",
        ),
        (
            "<title>harbour.gates — Harbour 3.2 documentation</title>",
            "<h1>harbour.gates — Ways in and out of locks</h1>" + paragraphs(),
            "harbour.gates — Ways in and out of locks",
        ),
        ("<title>Ferry: lock gates open late | Harbour</title>", paragraphs(), "Ferry: lock gates open late"),
        ("<title>A. Smith zu »Schleusen am Kanal«</title>", paragraphs(), "A. Smith zu »Schleusen am Kanal«"),
        ("<title>Lock gates open late « Harbour News</title>", paragraphs(), "Lock gates open late"),
        ("", "<h1>The <code>with</code>-statement<br>in short</h1>" + paragraphs(), "The with-statement in short"),
        ("<title> \n </title>", paragraphs(), None),
        ("<title>A\n  title of\tseveral lines</title>", paragraphs(), "A title of several lines"),
        ("", f"<svg><title>Icon</title></svg>{paragraphs()}", None),
    ],
)
def test_the_title_is_that_of_the_page_without_the_site_s_name(head: str, body: str, title: str | None) -> None:
    assert read(page(body, head)).title == title
