"""Pages that show many texts in one form: all of them are the text, and nothing that stands beside them."""

from collections.abc import Callable

import pytest

from tests.crawler.reading_pages import PROSE, page, paragraphs, read

NAMES = ("marlow", "tidepool", "oddbins", "plim")
REPLIES = (*PROSE[:3], "Thanks!")


def in_nested_tables(number: int, name: str, text: str) -> str:
    return (
        f'<tr class="row" id="{number}"><td><table><tr><td><img src="s.gif" width="{number * 40}"></td><td>'
        f'<div><span class="head"><a href="/u/{name}">{name}</a> {number + 1} hours ago | <a href="/{number}">link</a>'
        f'</span></div><br><span class="words"><font color="#000000">{text}</font></span>'
        f'<p><font size="1"><u><a href="/reply/{number}">reply</a></u></font></td></tr></table></td></tr>'
    )


def in_a_table_each(number: int, name: str, text: str) -> str:
    return (
        f'<table width="100%"><tr><td width="175"><font size="2"><b>{name}</b></font><br><font size="1">Lid<br>'
        f"Geregistreerd: Mar 200{number}<br>Berichten: {number * 7}</font></td><td><p><font size='2'>{text}</font></p>"
        f'<p><font size="1"><a href="/report/{number}">Meld dit bericht</a></font></p></td></tr><tr><td>'
        f'<font size="1">1{number}-05-2002 14:2{number}</font></td><td><a href="/quote/{number}">Citeer</a></td></tr>'
        "</table>"
    )


def in_a_guest_book(number: int, name: str, text: str) -> str:
    return (
        f'<tr><td width="30%"><b>{number})</b> {name} aus Celle<br><small>schrieb am 1{number}.08.2006 um 20:1{number} '
        f"Uhr</small></td><td>{text}</td></tr>"
    )


def as_news_articles(number: int, name: str, text: str) -> str:
    return (
        f'<table class="art"><tr><td class="h">De :</td><td class="v">{name}</td></tr><tr><td class="h">Date :</td>'
        f'<td class="v">1{number} Nov 2003 18:02:1{number} GMT</td></tr><tr><td colspan="2"><pre class="corps">{text}'
        f'</pre></td></tr><tr><td colspan="2" class="act"><a href="/r/{number}">Répondre</a></td></tr></table>'
    )


def as_terms(number: int, name: str, text: str) -> str:
    return f"<dt>{number + 1} ：<b>{name}</b>：2005/11/0{number + 1} 1{number}:32 ID:Ab{number}<dd> {text} <br><br>"  # noqa: RUF001 - full-width marks are meant


def below_one_another(number: int, name: str, text: str) -> str:
    return (
        f'<div class="comments">{text}<br><span class="small">posted by <a href="/u/{name}">{name}</a> at '
        f'<a href="#{number}">1:3{number} PM</a> on May 3, 2011 [<a href="#f">2 favorites</a>]</span></div>'
    )


@pytest.mark.parametrize(
    ("entry", "holder"),
    [
        (in_nested_tables, '<table><tr><td>Home</td></tr><tr><td><table class="tree">{}</table></td></tr></table>'),
        (in_a_table_each, '<table width="100%"><tr><td>Zeilforum</td></tr></table>{}'),
        (in_a_guest_book, '<table><tr><td width="150">Start</td><td><table>{}</table></td></tr></table>'),
        (as_news_articles, "<h2>Levain</h2>{}"),
        (as_terms, '<dl class="thread">{}</dl>'),
        (below_one_another, '<div id="page">{}</div>'),
    ],
)  # fmt: skip
def test_what_people_wrote_is_told_from_what_stands_beside_it(
    entry: Callable[[int, str, str], str], holder: str
) -> None:
    entries = "".join(entry(*one) for one in zip(range(4), NAMES, REPLIES, strict=True))

    reading = read(page(holder.format(entries)))

    assert reading.text == "\n\n".join(REPLIES)


def test_replies_within_replies_come_in_the_order_of_the_page() -> None:
    def reply(number: int, inner: str = "") -> str:
        return (
            f'<div class="thing" id="t{number}"><p class="tagline"><a href="/u/{number}">{NAMES[number]}</a> {number} '
            f'points <time>1 year ago</time></p><form><div class="md"><p>{REPLIES[number]}</p></div></form>'
            f'<ul class="buttons"><li><a href="/s/{number}">save</a></li><li><a href="/r/{number}">reply</a></li></ul>'
            f'<div class="child">{inner}</div></div>'
        )

    reading = read(page(f'<div class="area">{reply(0, reply(1) + reply(3))}{reply(2)}</div>'))

    assert reading.text == "\n\n".join(REPLIES[number] for number in (0, 1, 3, 2))


def test_what_is_answered_stands_before_the_answers() -> None:
    asked = f"<table><tr><td><a href='/1'>Ask: the lock</a></td></tr><tr><td>{PROSE[3]}<p>Who knows?</td></tr></table>"
    entries = "".join(in_nested_tables(*one) for one in zip(range(3), NAMES, PROSE, strict=False))

    reading = read(page(f'<center>{asked}<table class="tree">{entries}</table>'))

    assert reading.text == "\n\n".join((PROSE[3], "Who knows?", *PROSE[:3]))


def test_whole_articles_one_below_the_other_keep_their_headings_and_the_last_one() -> None:
    titles = ("The lock", "Winter rates", "Repairs in the east", "The outer basin")
    posts = "".join(
        f'<article class="post"><header><h2><a href="/{number}">{title}</a></h2><span class="on">Posted on '
        f'<time>2019-01-0{number + 1}</time> by <a href="/nell">Nell</a></span></header><div class="entry">'
        f"{paragraphs(text)}<ul><li>Point {number}</li></ul></div><footer><a href='/{number}#c'>Leave a comment</a>"
        "</footer></article>"
        for number, (title, text) in enumerate(zip(titles, PROSE, strict=True))
    )

    reading = read(page(f"<h1>Slow Harbour</h1><main>{posts}</main><aside><p>{PROSE[0]}</p></aside>"))

    expected = [f"{title}\n\n{text}\n\nPoint {n}" for n, (title, text) in enumerate(zip(titles, PROSE, strict=True))]
    assert reading.text == "\n\n".join(expected)
    assert [block.type for block in reading.blocks[:3]] == ["heading", "paragraph", "list"]


def test_the_notes_of_a_ticker_come_without_their_times_and_buttons() -> None:
    notes = "".join(
        f'<li class="note"><time>1{n}.42 Uhr</time><div class="text"><p>{text}</p></div>'
        f'<a href="#n{n}">Link kopieren</a></li>'
        for n, text in enumerate(PROSE)
    )
    says_so = '<script type="application/ld+json">{"@type": "LiveBlogPosting"}</script>'

    reading = read(
        page(
            f"<main><h1>Hochwasser</h1><ul>{notes}</ul></main>", '<meta property="og:type" content="article">' + says_so
        )
    )

    assert reading.text == "\n\n".join(PROSE)


@pytest.mark.parametrize("head", ['<meta property="og:type" content="article">', ""])
def test_one_article_stays_the_text_however_much_is_said_of_it(head: str) -> None:
    comments = "".join(
        f'<li class="comment"><span class="by">{name} at 1{n}:30</span><div class="what">{n} {text}</div></li>'
        for n, (name, text) in enumerate(zip(NAMES * 3, PROSE * 3, strict=True))
    )
    article = f"<article><h1>The lock</h1>{paragraphs(*PROSE * 2)}</article>"

    reading = read(page(f'{article}<ol class="comment-list">{comments}</ol>', head))

    assert reading.text == "\n\n".join(PROSE * 2)


def test_the_modules_of_one_article_are_no_records() -> None:
    modules = "".join(
        f'<div class="module"><h2>Part {n} of the report</h2><p>{text}</p></div>' for n, text in enumerate(PROSE)
    )

    reading = read(page(f"<main><h1>Report</h1>{modules}</main>"))

    assert dict(reading.extractors)["main-text"] == "trafilatura"
    assert all(text in reading.text for text in PROSE)


def test_a_signature_below_a_line_of_underscores_is_no_part_of_a_post() -> None:
    posts = "".join(
        f'<tr><td><span class="name">{name}</span><span class="postdetails">Registered: 02 Jan 2005, Posts: 7</span>'
        f'</td><td><span class="postbody">{text}<br>_________________<br>Greetings from {name}</span></td></tr>'
        for name, text in zip(NAMES, REPLIES, strict=True)
    )

    reading = read(page(f"<table>{posts}</table>"), url="https://rail.example/viewtopic.php?t=912")

    assert reading.text == "\n\n".join(REPLIES)


@pytest.mark.parametrize(
    "entry",
    [
        '<div class="year"><span class="number">{n}</span><div class="what">{text}</div></div>',
        '<div class="year"><h3>{n}</h3><div class="what">{text}</div></div>',
        '<table class="day"><tr class="show"><td class="at">1{m}:30</td><td class="what">{text}</td></tr></table>',
        '<div class="teaser"><h3>Story {n}</h3><div class="what">{text}</div><a class="on" href="/{n}">Go on</a></div>',
    ],
)
def test_years_times_of_a_programme_and_teasers_stay_as_they_are(entry: str) -> None:
    entries = "".join(entry.format(n=1931 + n, m=n, text=text) for n, text in enumerate(PROSE))

    reading = read(page(f"<h1>What happened</h1>{entries}"))

    assert dict(reading.extractors)["main-text"] != "records"


def test_the_methods_of_a_programs_documentation_keep_their_signatures() -> None:
    methods = "".join(
        f'<details class="toggle"><summary><section class="method"><a class="src" href="/{n}">Source</a>'
        f'<a href="#m{n}" class="anchor">§</a><h4 class="code-header">pub fn method_{n}(&amp;self) -> usize</h4>'
        f'</section></summary><div class="docblock"><p>{text}</p></div></details>'
        for n, text in enumerate(PROSE)
    )

    reading = read(page(f"<main><h1>Struct Gate</h1><p>{PROSE[0]}</p><h2>Implementations</h2>{methods}</main>"))

    assert dict(reading.extractors)["main-text"] != "records"
