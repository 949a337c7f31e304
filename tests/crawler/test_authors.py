import json

import pytest

from crawler.author_names import names_in
from tests.crawler.reading_pages import page, paragraphs, read


def author(body: str, head: str = "") -> str | None:
    return read(page(body, head)).author


LINES = [
    ("By Ada Smith", "Ada Smith"),
    ("By Ada M. Smith, Ben O'Neill and Cy Jones Jr.", "Ada M. Smith; Ben O'Neill; Cy Jones Jr"),
    ("Von Ada Smith und Ben Jones", "Ada Smith; Ben Jones"),
    ("Auteur : Ada Šmíd", "Ada Šmíd"),
    ("Interview: Ada Smith", "Ada Smith"),
    ("Text & Fotos: Ada Smith", "Ada Smith"),
    ("Eine Kolumne von Ada Smith", "Ada Smith"),
    ("View all posts by Ada Smith", "Ada Smith"),
    ("Zeige alle Beiträge von Ada Smith", "Ada Smith"),
    ("06.11.2023 13:30 von Ada", "Ada"),
    ("Ada Smith | 5 March 2024", "Ada Smith"),
    ("Ada Smith 4 min read", "Ada Smith"),
    ("Ada Smith (Brussels, office of Europe)", "Ada Smith"),
    ("Ada Smith, Datum: 03.Mär.19", "Ada Smith"),
    ("By Ada Smith for the Harbour News", "Ada Smith"),
    ("Ada Smith, HBC", "Ada Smith"),
    ("Von Ada Smith, dpa", "Ada Smith"),
    ("AFP/The Harbour", "AFP; The Harbour"),
    ("Ada Smith; Harbour News Inc.", "Ada Smith"),
    ("Ada Smith (now) and Ben Jones (earlier)", "Ada Smith; Ben Jones"),
    ("By Ada Smith, Ben Jones, and Cy J. Doe", "Ada Smith; Ben Jones; Cy J. Doe"),
    ("Por Ada Ruiz y Ben Gil", "Ada Ruiz; Ben Gil"),
    ("Ada Ortega y Ruiz", "Ada Ortega y Ruiz"),
    ("Ada Smith Tuesday, 5 March", "Ada Smith"),
    ("von ada » Di 5. Mai 2024", "ada"),
    ("Von Ada Smith und Ben Jones, erschienen am 5.3.2024", "Ada Smith; Ben Jones"),
    ("Por Ada Ruiz Atualizado em 5/3/2024", "Ada Ruiz"),
    ("Ada Smith Senior Harbour Correspondent", "Ada Smith"),
    ("Ada Smith, Executive Editor", "Ada Smith"),
    ("Ada Smith - HBC Science Writers", "Ada Smith"),
    ("The Harbour's Editorial Writers", "The Harbour's Editorial Writers"),
    ("Текст: Ада Смирнова Фото: Борис Иванов", "Ада Смирнова"),
    ("作者\uff1a陈立安 责任编辑\uff1a周敏", "陈立安"),
    ("كتبت: سلمى الحداد", "سلمى الحداد"),
    ("लेखक: मीना रावत, प्रकाशित: २६ जनवरी", "मीना रावत"),
    ("โดย สมชาย ใจดี | ๑๕ มกราคม", "สมชาย ใจดี"),
    ("Propos recueillis par Ada Marchand et Ben Petit", "Ada Marchand; Ben Petit"),
    ("05.03.2024, 17:32 Uhr | von Ada Brandl (Text) und Ben Kohl (Fotos)", "Ada Brandl"),
    ("Redacción: Ada Ruiz", "Ada Ruiz"),
    ("文\uff1d佐藤 恵", "佐藤 恵"),
    ("Text Size", None),
    ("Ada_S", "Ada_S"),
    ("ada2man", "ada2man"),
    ("Redacci&oacute;n Diario", "Redacción Diario"),
    ("作者\uff1a山田太郎", "山田太郎"),
    ("责任编辑\uff1a 焦鹏", "焦鹏"),
    ("Photo: Ada Smith", None),
    ("Datum", None),
    ("Alle Beiträge", None),
    ("Login Profile Edit Your Subscribed Letters Leave", None),
    ("##loginname##", None),
    ("https://harbour.example/ada", None),
    ("", None),
]


@pytest.mark.parametrize(("line", "names"), LINES)
def test_names_are_read_without_what_stands_around_them(line: str, names: str | None) -> None:
    assert names_in(line) == names


BYLINES = [
    ("<p>2024-03-05 14:30 来源\uff1a江岸日报 作者\uff1a陈立安</p>", "陈立安"),
    ("<p>記者 田中 由美子</p>", "田中 由美子"),
    ("<p>김하늘 기자 sky@harbour.example</p>", "김하늘"),
    ("<p>[강변=김하늘 기자]</p>", "김하늘"),
    ("<p>서울=김하늘 기자</p>", "김하늘"),
    ("<div class=related><p>김하늘 기자</p></div>", None),
    ("<div>Un texte de Ada Marchand</div>", "Ada Marchand"),
    ("<div>5. März 2024, 17:32 Uhr | von Ada Brandl</div>", "Ada Brandl"),
    ("<div>News · by the harbour and the sea</div>", None),
    ("<div>05.03.2024, 17:32 Uhr | von Ada Brandl</div>", "Ada Brandl"),
    ("<dl><dt>Door</dt><dd>Ada de Vries</dd><dt>Opening</dt><dd>May</dd></dl>", "Ada de Vries"),
    ("<table><tr><th>Written by</th><td>Ada Smith</td></tr><tr><th>Episodes</th><td>13</td></tr></table>", None),
    ("<dl><dt>Baker</dt><dd>Ada Smith</dd></dl>", None),
    ("<p><a href=/redaktor/ada>Ada Nováková</a>, 5. března</p>", "Ada Nováková"),
    ("<p>Της Ελένης Καραμάνη · Δευτέρα</p>", "Ελένης Καραμάνη"),
    ("<ul><li><span>di Ada Ferrante</span></li></ul>", "Ada Ferrante"),
    ("<div><img src=a.png> <b>Words by Ada Smith</b> <i>Pictures by Ben Jones</i></div>", "Ada Smith"),
    ("<cite>By Ada Smith<br>Harbour.example<br><a href=/a>Archive</a></cite>", "Ada Smith"),
    ("<b>Ada Smith</b> <a href='mailto:ada@harbour.example'>ada at harbour.example</a><br>", "Ada Smith"),
    ("<p><a href='mailto:ada@harbour.example'>Ada Smith</a></p>", "Ada Smith"),
    ("<div><a href=/profile/a>Ada Smith</a> (now), <a href=/profile/b>Ben Jones</a></div>", "Ada Smith; Ben Jones"),
    ("<p><a href='mailto:?subject=Gates'>Mail This Page</a></p>", None),
    ("<p><a href='mailto:desk@harbour.example'>News Desk</a></p>", None),
    ("<p>Story: The lamp of the keeper</p>", None),
    ("<ul><li>港</li><li>記者 東京</li></ul>".replace("<li>記", "<li>町 記"), None),
    ("<div itemprop=review class=review><b>Dry</b> <span>by Ben</span></div>", None),
]


@pytest.mark.parametrize(("byline", "names"), BYLINES)
def test_a_line_below_the_title_that_says_who_wrote_it_is_found_in_many_languages(
    byline: str, names: str | None
) -> None:
    assert author(f"<main><h1>Gates</h1>{byline}{paragraphs()}</main>") == names


def test_the_site_is_not_named_beside_who_signed() -> None:
    head = (
        '<meta property="og:site_name" content="Harbour Today"><meta name="author" content="Ada Smith, Harbour Today">'
    )

    assert author(f"<h1>Gates</h1>{paragraphs()}", head) == "Ada Smith"


@pytest.mark.parametrize(
    "link", ["/author/ada", "/fr/staff/ada-smith/", "/about/newsteam/ada-smith", "/contributors/ada", "/autoren/ada"]
)
def test_a_link_in_the_header_to_the_page_of_a_person_names_the_author(link: str) -> None:
    header = f'<h1>Gates</h1><dl><dt>Words</dt><dd><a href="{link}">Ada Smith</a></dd></dl>'

    assert author(f"<main>{header}{paragraphs()}</main>") == "Ada Smith"


@pytest.mark.parametrize(
    "elsewhere",
    [
        '{}<p>As <a href="/people/ada">Ada Smith</a> said.</p>',
        '{}<div class="comment"><a href="/user/ada">Ada Smith</a></div>',
        '{}<div class="related"><p class="byline">By Ada Smith</p></div>',
        '<nav><a href="/staff/ada">Ada Smith</a></nav>{}',
        '<h1>Gates</h1><a href="/people/">all the people</a>{}',
        "{}<figure><figcaption class='author'>Photo: Ada Smith</figcaption></figure>",
    ],
)
def test_the_name_of_somebody_else_is_not_the_author_s(elsewhere: str) -> None:
    assert author(elsewhere.format(f"<article><h1>Gates</h1>{paragraphs()}</article>")) is None


def test_what_holds_the_title_may_have_any_name() -> None:
    header = '<h1>Gates</h1><span class="author"><a rel="author" href="/author/ada">Ada Smith</a></span>'

    assert author(f'<div id="sidebar" class="widget">{header}{paragraphs()}</div>') == "Ada Smith"


def test_a_byline_in_the_header_goes_before_one_below_it() -> None:
    below = '<div class="author">Ben Jones</div>'

    assert author(f"<h1>Gates</h1><p>By Ada Smith</p>{paragraphs()}{below}") == "Ada Smith"


def test_who_signed_together_is_named_together() -> None:
    byline = (
        '<p class="byline">By <a rel="author" href="/a">Ada Smith</a> and <a rel="author" href="/b">Ben Jones</a></p>'
    )

    assert author(f"<h1>Gates</h1>{byline}{paragraphs()}") == "Ada Smith; Ben Jones"


@pytest.mark.parametrize(
    "head",
    [
        '<meta name="author" content="harbour-news.example"><link rel="canonical" href="https://harbour-news.example/g">',
        '<meta name="author" content="Harbour News GmbH">',
        '<meta name="author" content="Redaktion">',
        '<meta name="author" content="Big Publishers">',
    ],
)
def test_a_publisher_in_the_tags_gives_way_to_an_exact_byline(head: str) -> None:
    byline = '<p>By <a rel="author" href="/author/ada">Ada Smith</a></p>'

    assert author(f"<h1>Gates</h1>{byline}{paragraphs()}", head) == "Ada Smith"


def test_nobody_s_name_is_given_where_nothing_says_more() -> None:
    assert author(f'<h1>Gates</h1><p class="byline">von Redaktion</p>{paragraphs()}') == "Redaktion"


def test_the_account_that_put_a_page_on_the_site_is_named_where_nobody_signed() -> None:
    person = {"@type": "Person", "@id": "#ada", "name": "Ada Smith"}
    graph = json.dumps({"@graph": [{"@type": "Article", "author": {"@id": "#ada"}}, person]})
    by_data = f'<script type="application/ld+json">{graph}</script>'
    by_label = '<meta name="twitter:label1" content="Verfasst von"><meta name="twitter:data1" content="Ada Smith">'
    body = f"<h1>Gates</h1>{paragraphs()}"
    signed = f"<h1>Gates</h1><p>By Ben Jones</p>{paragraphs()}"

    assert author(body, by_data) == author(body, by_label) == "Ada Smith"
    assert author(signed, by_data) == author(signed, by_label) == "Ben Jones"


def test_another_label_of_a_shared_link_is_no_author() -> None:
    head = '<meta name="twitter:label1" content="Reading time"><meta name="twitter:data1" content="Four minutes">'

    assert author(f"<h1>Gates</h1>{paragraphs()}", head) is None
