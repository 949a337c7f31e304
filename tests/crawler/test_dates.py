import json
from datetime import UTC, datetime

import pytest

from crawler import Dated
from tests.crawler.dated_words import LANGUAGES
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
    "structured data in seconds": (json.dumps({"@type": "Article", "datePublished": 1_709_622_000}), ""),
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
        '<h1>Gates</h1><p class="stamp" title="2024-03-05T16:03">Mar 5, 4:03 PM</p>',
        '<h1>Gates</h1><cite>A. Smith - <abbr title="2024-03-05T01:40:40Z">1 hr ago</abbr></cite>',
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
    "line above the title": ("", f"<main><p>News | 5 March 2024</p><h1>Gates</h1>{paragraphs()}</main>"),
    "line that says it was published": ("", f"{ARTICLE}<p>Published on 5 March 2024 in Harbours</p>"),
    "last line of the text": ("", f"<article><h1>Gates</h1>{paragraphs()}<p>A. Smith<br>5 March 2024</p></article>"),
    "text named a date": ("", f'{ARTICLE}<p class="submitted">By <a href="/a">A. Smith</a>, 5 March 2024</p>'),
}


@pytest.mark.parametrize("how", sorted(GUESSES))
@pytest.mark.parametrize("language", ["en", "de"])
def test_what_only_looks_like_the_page_s_date_is_a_guess_and_says_why(how: str, language: str) -> None:
    url, body = GUESSES[how]
    if language == "de":
        body = body.replace("5 March 2024", "5. März 2024").replace("Tuesday", "Dienstag")
        body = body.replace("Published on", "Veröffentlicht am")

    html = page(body, attributes=f' lang="{language}"')
    published = read(html, url=url or "https://harbour.example/gates").published

    assert published == Dated("2024-03-05", how, firm=False)


@pytest.mark.parametrize(
    "path",
    [
        "2024/03/05/gates",
        "news-2024-03-05",
        "20240305/gates",
        "2024/mar/5/gates",
        "13-03-2024-gates",
        "13.03.2024.html",
    ],
)
def test_a_day_in_the_address_is_a_guess(path: str) -> None:
    published = read(page(ARTICLE), url=f"https://harbour.example/{path}").published

    assert published is not None
    assert published.value in ("2024-03-05", "2024-03-13")
    assert (published.how, published.firm) == ("address", False)


def test_a_day_in_the_address_that_may_be_a_month_counts_where_the_day_is_written_first() -> None:
    url = "https://harbour.example/02-01-2024-gates"

    assert read(page(ARTICLE, attributes=' lang="en"'), url=url).published is None
    assert read(page(ARTICLE, attributes=' lang="de"'), url=url).published == Dated("2024-01-02", "address", firm=False)


@pytest.mark.parametrize(
    "header",
    [
        '<h1>Gates</h1><div class="teaser__meta">By A. Smith, 5 March 2024</div>',
        "<header><p>05/03/2024 - 04:30 - Source: Harbour Agency - Photo: A. Smith</p></header><h1>Gates</h1>",
        '<header><h1>Gates</h1><p class="lead">' + PROSE[0] + PROSE[1] + "</p></header><p>5 March 2024</p>",
        "<h1>Gates</h1><p>Millbrook, 5 March 2024 – " + PROSE[0] + "</p>",
        "<h1>Gates</h1><p><b>5 March 2024.</b> " + PROSE[0] + PROSE[1] + "</p>",
        "<h1>Gates</h1><p><span class='text_date'>5 March 2024.</span> " + PROSE[0] + PROSE[1] + "</p>",
        "<p>Harbours</p><table><tr><td>5 | 3 | 2024</td><td>Text: A. Smith</td></tr></table><h1>Gates</h1>",
        "<h2>Gates</h2><p>5 March 2024</p>",
        "<div><h1>Gates</h1></div><p>The lock opens early and the council updates its plan</p><p>5 March 2024</p>",
        '<div class="b-widget"><h1>Gates</h1></div><div class="b-widget"><ul><li class="date">5/3/2024</li></ul></div>',
        "<h1>Gates</h1><table><tr><th>Date</th><td>5 March 2024</td></tr></table>",
    ],
)
def test_a_date_in_a_line_of_the_header_is_found_as_a_guess(header: str) -> None:
    html = page(f"<main><article>{header}{paragraphs()}</article></main>", "<title>Gates</title>", ' lang="en-GB"')

    published = read(html).published

    assert published is not None
    assert not published.firm
    assert published.value == "2024-03-05"


@pytest.mark.parametrize(
    "date", ["<p>5 March 2024</p>", '<p class="date">5 March 2024</p>', "<time>5 March 2024</time>"]
)
@pytest.mark.parametrize("title", ["The new bridge opens", "Council updates its plan", "The photo that was never born"])
def test_the_words_of_the_title_say_nothing_of_the_date_below_it(title: str, date: str) -> None:
    published = read(page(f"<main><h1>{title}</h1>{date}{paragraphs()}</main>")).published

    assert published is not None
    assert published.value == "2024-03-05"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_date_near_the_title_is_read_in_the_language_of_the_page(language: str) -> None:
    words = LANGUAGES[language]
    body = f"<article><h1>Millbrook</h1><p>{words.day}</p>{paragraphs(words.prose, words.prose)}</article>"

    stated = read(page(body, attributes=f' lang="{language}"')).published
    detected = read(page(body, attributes="")).published

    assert stated == detected == Dated("2025-08-14", "line near the title", firm=False)


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("<p>Updated 6 April 2025 · Published 5 March 2024</p>", "en"),
        ("<p>Published 5 March 2024 | Updated 6 April 2025</p>", "en"),
        ("<div class=meta><span>Updated: 6 April 2025</span> <span>First published: 5 March 2024</span></div>", "en"),
        ("<p>Aktualisiert am 6. April 2025, veröffentlicht am 5. März 2024</p>", "de"),
        ("<p>Mis à jour le 6 avril 2025 - publié le 5 mars 2024</p>", "fr"),
        ("<p>Vydáno 5. března 2024, aktualizováno 6. 4. 2025</p>", "cs"),
        ("<p>公開日:2024年3月5日 最終更新日:2025年4月6日</p>", "ja"),
        ("<p>更新日:2025年4月6日 公開日:2024年3月5日</p>", "ja"),
        ("<p>입력 2024.03.05 09:30 수정 2025.04.06</p>", "ko"),
        ("<p>发布时间:2024-03-05 更新时间:2025-04-06</p>", "zh"),
    ],
)
def test_of_a_line_that_says_when_it_was_published_and_changed_the_first_is_taken(line: str, language: str) -> None:
    html = page(f"<article><h1>Gates</h1>{line}{paragraphs()}</article>", attributes=f' lang="{language}"')

    published = read(html).published

    assert published is not None
    assert published.value.startswith("2024-03-05")


def test_a_header_s_date_is_preferred_to_what_is_called_a_date_below() -> None:
    html = page(f'<h1>Gates</h1><p>5 March 2024</p>{paragraphs()}<span class="date">6 April 2025</span>')

    published = read(html).published

    assert published == Dated("2024-03-05", "line near the title", firm=False)


def test_of_several_stated_days_the_one_that_readers_see_is_taken() -> None:
    data = json.dumps({"@type": "Article", "datePublished": "2024-03-06T02:11:03+00:00"})
    head = f'<script type="application/ld+json">{data}</script>'
    own = '<time itemprop="datePublished" datetime="2024-03-05T21:11:03-05:00">5 March 2024</time>'

    shown = read(page(f"<article><h1>Gates</h1>{own}{paragraphs()}</article>", head)).published
    unseen = read(page(f"<article><h1>Gates</h1>{paragraphs()}</article>", head)).published

    assert shown == Dated("2024-03-05T21:11:03-05:00", "microdata datepublished", firm=True)
    assert unseen == Dated("2024-03-06T02:11:03+00:00", "structured data datePublished", firm=True)


def test_what_the_markup_calls_published_is_no_change_whatever_stands_before_it() -> None:
    own = '<p>Updated: <span itemprop="datePublished" content="2024-03-05">5 March</span></p>'

    reading = read(page(f"<article><h1>Gates</h1>{own}{paragraphs()}</article>"))

    assert reading.published == Dated("2024-03-05", "microdata datepublished", firm=True)
    assert reading.modified is None


def test_what_readers_see_of_a_change_decides_nothing() -> None:
    data = json.dumps({"@type": "Article", "datePublished": "2024-03-05", "dateModified": "2024-09-09"})
    seen = '<time datetime="2024-09-09">9 September 2024</time>'

    published = read(
        page(
            f"<article><h1>Gates</h1>{seen}{paragraphs()}</article>",
            f'<script type="application/ld+json">{data}</script>',
        )
    ).published

    assert published == Dated("2024-03-05", "structured data datePublished", firm=True)


@pytest.mark.parametrize("meta", ["date", "dc.date", "created", "dcterms.date"])
def test_a_meta_tag_that_says_a_date_but_not_of_what_yields_to_the_one_that_is_shown(meta: str) -> None:
    head = f'<meta name="{meta}" content="2024-02-01">'

    differs = read(page(f"<h1>Gates</h1><p>5 March 2024</p>{paragraphs()}", head)).published
    agrees = read(page(f"<h1>Gates</h1><p>1 February 2024</p>{paragraphs()}", head)).published
    alone = read(page(ARTICLE, head)).published

    assert differs == Dated("2024-03-05", "line near the title", firm=False)
    assert agrees == alone == Dated("2024-02-01", f"meta {meta}", firm=True)


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("20240305T16:38:07Z", "2024-03-05T16:38:07Z"),
        ("20240305163807", "2024-03-05T16:38:07"),
        ("20240305T1638+0100", "2024-03-05T16:38:00+01:00"),
        ("الثلاثاء، 05 مارس 2024 - 12:09 م", "2024-03-05"),
    ],
)
def test_a_stated_date_is_read_however_it_is_written(written: str, read_as: str) -> None:
    head = f'<meta property="article:published_time" content="{written}">'

    published = read(page(ARTICLE, head, ' lang="ar"')).published

    assert published == Dated(read_as, "meta article:published_time", firm=True)


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
