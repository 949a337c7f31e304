import json
from datetime import UTC, datetime

import pytest

from crawler import Dated
from tests.crawler.reading_pages import PROSE, page, paragraphs, read

ARTICLE = f"<article><h1>Lock gates</h1>{paragraphs(PROSE[0], PROSE[1])}</article>"

MAY = '<time datetime="1998-05-01">1 May 1998</time>'
NOISE = {
    "an offer's expiry in a script": f'{ARTICLE}<script>var offer={{"id":7,"validUntil":"2025-06-30"}};</script>',
    "a build time in a script": f'{ARTICLE}<script>window.build = "2026-03-01T10:00:00Z"</script>',
    "a copyright range": f"{ARTICLE}<footer>© 2009-2012 Town of Millbrook</footer>",
    "a copyright date": f'{ARTICLE}<div class="copyright">Copyright 3 May 2011, all rights reserved</div>',
    "another story": f'{ARTICLE}<aside><h3>More</h3><time datetime="2026-10-02">2 October</time> O</aside>',
    "related stories": f'{ARTICLE}<div class="related-posts"><span class="date">12 May 2024</span> X</div>',
    "a list of the latest": f'{ARTICLE}<ul class="latest-news"><li><time datetime="2026-01-02">2 Jan</time></li></ul>',
    "an event": f"<article><h1>Lock gates</h1><p>The fair opens on 14 August 2025 at noon.</p>{paragraphs()}</article>",
    "an event in a calendar": f'{ARTICLE}<div class="event-calendar"><time datetime="2025-08-14">Fair</time></div>',
    "a comment": f'{ARTICLE}<div class="comments"><time datetime="2025-02-03">3 Feb</time> So true</div>',
    "a time in the text": f"<article><h1>Gates</h1>{paragraphs()}<p>On {MAY} it sank.</p></article>",
    "a time in the first sentence": f"<article><h1>Fair</h1><p>It opens on {MAY} at noon.</p>{paragraphs()}</article>",
    "a deadline near the title": f"<article><h1>Gates</h1><p>Valid until 3 March 2025</p>{paragraphs()}</article>",
    "a label of an event": f"<article><h1>Fair</h1><p>Opens {MAY}</p>{paragraphs()}</article>",
    "a label beside it": f"<article><h1>Fair</h1><dl><dt>When</dt><dd>{MAY}</dd></dl>{paragraphs()}</article>",
    "a label of an event without a holder": f"<article><h1>Fest</h1><div>Beginn: {MAY}</div>{paragraphs()}</article>",
    "a deadline": f"<article><h1>Grant</h1><p>Apply by {MAY}</p>{paragraphs()}</article>",
    "a deadline in German": f"<article><h1>Kurs</h1><p>Anmeldeschluss: {MAY}</p>{paragraphs()}</article>",
    "a deadline in French": f"<article><h1>Cours</h1><p>Date limite : {MAY}</p>{paragraphs()}</article>",
    "a deadline in Russian": f"<article><h1>Порт</h1><p>Действительно до {MAY}</p>{paragraphs()}</article>",
    "a deadline in Japanese": f"<article><h1>港</h1><p>締切 {MAY}</p>{paragraphs()}</article>",
    "a birthday": f"<article><h1>A. Smith</h1><p>Born {MAY}</p>{paragraphs()}</article>",
    "an event's microdata": (
        f'<article><h1>Fair</h1><time itemprop="startDate" datetime="2025-08-14">x</time>{paragraphs()}</article>'
    ),
    "one of many": (f"<article><h1>Tides</h1><ul><li>{MAY} high</li><li>{MAY} low</li></ul>{paragraphs()}</article>"),
    "another story's microdata": (
        f'{ARTICLE}<div itemscope><a href="/o">O</a><time itemprop="datePublished">1 May 1998</time></div>'
    ),
    "another story's meta": f'{ARTICLE}<div itemscope><meta itemprop="datePublished" content="1998-05-01">O</div>',
    "another article": f"{ARTICLE}<section><article><h2>Other</h2>{MAY}</article></section>",
    "another story's structured data": (
        f'{ARTICLE}<script type="application/ld+json">[{{"@type":"NewsArticle","headline":"Another story",'
        '"url":"https://harbour.example/other","datePublished":"2024-05-01"}]</script>'
    ),
    "a footer's print date": f"{ARTICLE}<footer><time datetime='2026-11-01'>Printed 1 November 2026</time></footer>",
    "a search form": f'{ARTICLE}<form><input type="date" class="date" value="2026-11-11"></form>',
}


@pytest.mark.parametrize("where", sorted(NOISE))
def test_a_date_that_is_not_the_page_s_own_is_never_firm(where: str) -> None:
    reading = read(page(NOISE[where]))

    assert reading.published is None or not reading.published.firm
    assert reading.modified is None or not reading.modified.firm


STATED = {
    "structured data datePublished": (
        json.dumps({"@type": "NewsArticle", "datePublished": "2024-03-05T08:00:00+01:00"}),
        "",
    ),
    "structured data in a graph": (
        json.dumps({"@graph": [{"@type": "Organization"}, {"@type": "Article", "datePublished": "2024-03-05"}]}),
        "",
    ),
    "structured data with noise": ('<!--\n{"@type":["BlogPosting"],"datePublished":"2024-03-05T08:00",}\n//-->', ""),
    "meta article:published_time": ("", '<meta property="article:published_time" content="2024-03-05T07:00:00Z">'),
    "meta dc.date.issued": ("", '<meta name="DC.date.issued" content="2024-03-05">'),
    "meta citation_publication_date": ("", '<meta name="citation_publication_date" content="2024/03/05">'),
    "meta date": ("", '<meta name="date" content="5 March 2024">'),
    "meta pubdate": ("", '<meta name="pubdate" content="Tue, 05 Mar 2024 07:00:00 GMT">'),
    "meta publish-date": ("", '<meta name="publish-date" content="20240305">'),
}


@pytest.mark.parametrize("how", sorted(STATED))
def test_a_date_that_the_page_states_is_firm(how: str) -> None:
    data, meta = STATED[how]
    head = f'<script type="application/ld+json">{data}</script>' if data else meta

    published = read(page(ARTICLE, head)).published

    assert published is not None
    assert published.firm
    assert published.value.startswith("2024-03-05")
    assert published.how.split()[0] == how.split(maxsplit=1)[0]


@pytest.mark.parametrize(
    "header",
    [
        '<h1>Gates</h1><time datetime="2024-03-05T08:00:00+01:00">5 March 2024</time>',
        '<header><h1>Gates</h1><p class="meta">By A. Smith, <time datetime="2024-03-05">5 March</time></p></header>',
        '<time pubdate datetime="2024-03-05">5 March 2024</time><h1>Gates</h1>',
        '<h1>Gates</h1><span itemprop="datePublished" content="2024-03-05">yesterday</span>',
        '<h1>Gates</h1><div class="teaser-box"><meta itemprop="datePublished" content="2024-03-05"></div>',
        "<h1>Gates</h1><time>5 March 2024</time>",
        '<h1>Gates</h1><ul><li>Published <time datetime="2024-03-05">x</time></li><li>Updated <time>y</time></li></ul>',
        '<h1>Gates</h1><dl><dt>Published</dt><dd><time datetime="2024-03-05">x</time></dd></dl>',
    ],
)
def test_a_date_in_the_header_of_the_article_is_firm(header: str) -> None:
    html = page(f'<article>{header}{paragraphs()}</article><script>var offer={{"validUntil":"2025-06-30"}}</script>')

    published = read(html).published

    assert published is not None
    assert published.firm
    assert published.value.startswith("2024-03-05")


GUESSES = {
    "address": ("https://harbour.example/2024/03/05/lock-gates", ARTICLE),
    "text near the title": ("", f'<h1>Gates</h1><div class="date">5 March 2024</div>{paragraphs()}'),
    "line near the title": ("", f"<h1>Gates</h1><p>Tuesday, 5 March 2024</p>{paragraphs()}"),
}


@pytest.mark.parametrize("how", sorted(GUESSES))
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_only_looks_like_the_page_s_date_is_a_guess_and_says_why(how: str, language: str) -> None:
    url, body = GUESSES[how]
    if language == "de":
        body = body.replace("5 March 2024", "5. März 2024").replace("Tuesday", "Dienstag")

    published = read(page(body), url=url or "https://harbour.example/gates").published

    assert published == Dated("2024-03-05", how, firm=False)


def test_a_firm_date_outweighs_a_guess() -> None:
    html = page(ARTICLE, '<meta property="article:published_time" content="2024-03-05">')

    published = read(html, url="https://harbour.example/2019/01/01/gates").published

    assert published == Dated("2024-03-05", "meta article:published_time", firm=True)


@pytest.mark.parametrize(
    "value", ["2026-12-24", "2027-01-01T00:00:00Z", "2031-01-01", "24 December 2026", "1790-01-01"]
)
def test_a_date_after_the_page_was_got_or_before_the_web_is_no_date_of_it(value: str) -> None:
    data = json.dumps({"@type": "Article", "datePublished": value, "dateModified": value})
    html = page(
        f'<article><h1>Gates</h1><time datetime="{value}">{value}</time>{paragraphs()}</article>',
        f'<script type="application/ld+json">{data}</script><meta name="date" content="{value}">',
    )

    reading = read(html, url=f"https://harbour.example/{value[:10].replace('-', '/')}/gates")

    assert reading.published is None
    assert reading.modified is None


def test_the_time_of_fetching_decides_what_lies_after_it() -> None:
    html = page(ARTICLE, '<meta name="date" content="2024-03-05T10:00:00Z">')

    assert read(html, at=datetime(2024, 3, 5, 12, tzinfo=UTC)).published is not None
    assert read(html, at=datetime(2024, 3, 3, 12, tzinfo=UTC)).published is None


def test_published_and_changed_are_told_apart() -> None:
    data = json.dumps({"@type": "Article", "datePublished": "2024-03-05", "dateModified": "2025-01-07T09:30:00+01:00"})

    reading = read(page(ARTICLE, f'<script type="application/ld+json">{data}</script>'))

    assert reading.published == Dated("2024-03-05", "structured data datePublished", firm=True)
    assert reading.modified == Dated("2025-01-07T09:30:00+01:00", "structured data dateModified", firm=True)


def test_a_time_that_says_updated_is_a_change() -> None:
    html = page(
        '<article><h1>Gates</h1><p>Published <time datetime="2024-03-05">5 March</time>, '
        f'updated <time datetime="2024-04-06">6 April</time></p>{paragraphs()}</article>'
    )

    reading = read(html)

    assert reading.published is not None
    assert reading.published.value == "2024-03-05"
    assert reading.modified is not None
    assert reading.modified.value == "2024-04-06"


@pytest.mark.parametrize(
    "broken",
    [
        "2024-13-45",
        "2024-02-30",
        "yesterday",
        "",
        "0000-00-00",
        "99999999999",
        "{{date}}",
        "2024-03-05T99:99:99Z",
        "-",
        "١٢/٣/٢٠٢٤",
    ],
)
def test_a_broken_date_breaks_nothing(broken: str) -> None:
    data = json.dumps({"@type": "Article", "datePublished": broken, "dateModified": [broken], "dateCreated": {"a": 1}})
    html = page(
        f'<article><h1>Gates</h1><time datetime="{broken}">{broken}</time>{paragraphs()}</article>',
        f'<script type="application/ld+json">{data}</script><meta name="date" content="{broken}">',
    )

    published = read(html).published

    assert published is None or published.value.startswith("2024-03-05")
