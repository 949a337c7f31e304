"""Lines right before and after an article that are not of it go; sentences that name the same things stay."""

import pytest

from crawler import Link
from crawler.blocks import BlockWriter
from crawler.main_text import MainText
from crawler.reading import BlockType
from crawler.trimming import trimmed
from tests.crawler.reading_pages import PROSE, page, paragraphs, read

HEAD = '<title>Lock closes</title><meta property="article:published_time" content="2024-03-05T08:00:00+01:00">'


def story(*, before: str = "", after: str = "", head: str = HEAD) -> str:
    body = f"<h1>Lock closes</h1>{before}{paragraphs(*PROSE)}{after}"
    text: str = read(page(f"<article>{body}</article>", head)).text
    return text


@pytest.mark.parametrize(
    "line",
    ["By Ada Quill, 5 March 2024, 08:00", "Dienstag, 5. März 2024 um 8:00", "2024年3月5日 08:00", "05/03/24 | Harbour",
     "Publicado por Ada Quill el 5 de marzo de 2024", "Опубликовано 05.03.2024"],
)  # fmt: skip
def test_a_line_that_says_when_the_page_came_out_is_a_field_and_no_text(line: str) -> None:
    assert story(before=f"<p>{line}</p>") == "\n\n".join(PROSE)
    assert story(after=f"<p>{line}</p>") == "\n\n".join(PROSE)


@pytest.mark.parametrize(
    "line",
    ["Last updated 7 March 2024", "Zuletzt aktualisiert: 07.03.2024", "Aggiornato il 7 marzo 2024", "更新 2024-03-07",
     "Ostatnia aktualizacja: 07.03.2024"],
)  # fmt: skip
def test_another_day_goes_only_with_a_word_for_coming_out(line: str) -> None:
    assert story(before=f"<p>{line}</p>") == "\n\n".join(PROSE)
    assert "Market day 9 April 2024, 10:00, at the quay" in story(
        before="<p>Market day 9 April 2024, 10:00, at the quay</p>"
    )


def test_a_day_of_a_page_that_does_not_say_when_it_came_out_stays() -> None:
    reading = read(
        page(f"<article><h1>Market</h1><p>9 April 2024, 10:00, at the quay</p>{paragraphs(*PROSE)}</article>")
    )

    assert "9 April 2024, 10:00, at the quay" in reading.text


@pytest.mark.parametrize(
    "line",
    ["Follow the Harbour Post on Facebook and Instagram.", "Folgen Sie uns auf Instagram und Facebook!",
     "Síguenos en Telegram, Instagram y Facebook", "Suivez-nous sur Facebook.", "Подписывайтесь на канал в Telegram",
     "Write to ada@harbour.example or find her on Twitter @adaquill.", "关注我们的微信公众号",
     "Sign up for our free newsletter and never miss a boat.", "Abonnieren Sie den Brief des Hafens.",
     "Suscríbete a la carta del puerto.", "Iscriviti alla lettera del porto!", "Join 40,000 subscribers.",
     "Your steady support lets us look after the lock of tomorrow.", "Will you help us to continue this work?",
     "Unterstützen Sie uns mit einem kleinen Betrag.", "Faites un don.", "Поддержите наш труд!"],
)  # fmt: skip
def test_calls_to_follow_the_site_below_a_text_are_not_of_it(line: str) -> None:
    assert story(after=f"<p>{line}</p>") == "\n\n".join(PROSE)


@pytest.mark.parametrize(
    "line",
    ["Facebook and Instagram did not answer the questions of this newspaper.",
     "Whoever wants to sign up for the crossing finds the list at the quay until Friday.",
     "She wrote in a newsletter of the guild that the lock had been seen to twice.",
     "The guild gave all its money, and asks the town for as much.",
     "“Your support means a lot to us,” the keeper told those who had come.",
     "The song that he sang on the lock is said to come out at Easter. Follow him on Instagram to hear it.",
     "The court will rule on the copyright of the plans in May, the lawyers said.",
     "Das Foto zeigt: Die Schleuse war schon im März undicht, wie jeder sehen konnte, der am Kai entlang ging."],
)  # fmt: skip
def test_sentences_about_networks_rights_and_pictures_stay(line: str) -> None:
    assert story(after=f"<p>{line}</p>").endswith(line)


@pytest.mark.parametrize(
    "line",
    ["© 2024 Harbour Post. All rights reserved.", "Alle Rechte vorbehalten", "Todos los derechos reservados.",
     "未经书面授权请勿转载。", "Tous droits réservés", "Foto: Ada Quill/Harbour Post", "Titelbild: Ada Quill",
     "Photo credit: A. Quill", "Crédits photos : Ada Quill", "Фото: Ада Квилл", "写真:港新聞"],
)  # fmt: skip
def test_lines_of_rights_and_of_whose_a_picture_is_go_below_a_text(line: str) -> None:
    assert story(after=f"<p>{line}</p>") == "\n\n".join(PROSE)


def test_a_block_that_holds_more_than_its_notice_of_rights_stays() -> None:
    contact = "Harbour office, Tel: 555 0100<br>Ada Quill<br>Copyright © 2024 Harbour Post"

    assert "Tel: 555 0100" in story(after=f"<p>{contact}</p>")


def test_a_credit_between_paragraphs_stays() -> None:
    body = f"<p>{PROSE[0]}</p><p>Photo: Ada Quill</p>{paragraphs(*PROSE[1:])}"

    assert "Photo: Ada Quill" in read(page(f"<article><h1>Lock closes</h1>{body}</article>", HEAD)).text


@pytest.mark.parametrize("label", ["Tags", "Schlagwörter:", "Etiquetas:", "Теги", "标签:", "Mots-clés :"])
def test_the_words_a_page_is_filed_under_go(label: str) -> None:
    words = ", ".join(f"harbour word {number}" for number in range(8))

    assert story(after=f"<p>{label}</p><p>{words}</p>") == "\n\n".join(PROSE)
    assert story(after=f"<p>{label} {words}</p>" if label.endswith(":") else "") == "\n\n".join(PROSE)


@pytest.mark.parametrize(
    "label", ["Read also:", "Lesen Sie auch:", "Baca juga:", "Lea también:", "Czytaj też:", "Читайте также:"]
)
def test_a_link_behind_a_label_is_a_teaser(label: str) -> None:
    teaser = f'<p>{label} <a href="/old">The lock that was closed for a year</a></p>'

    reading = read(page(f"<article><h1>Lock closes</h1><p>{PROSE[0]}</p>{teaser}{paragraphs(*PROSE[1:])}</article>"))

    assert reading.text == "\n\n".join(PROSE)


def lines_of(*lines: tuple[BlockType, str]) -> MainText:
    writer = BlockWriter()
    for kind, text in lines:
        writer.add(text)
        writer.end(kind, 2 if kind == "heading" else None)
    return MainText(writer.text, tuple(writer.blocks), "trafilatura")


def test_a_label_before_teasers_goes_with_them_and_a_heading_of_a_text_stays() -> None:
    teaser = "A lock that never closed at all"
    main = lines_of(
        ("paragraph", PROSE[0]), ("paragraph", "More about locks:"), ("paragraph", teaser), ("paragraph", PROSE[1]),
        ("heading", "Why it leaks"), ("paragraph", teaser), ("paragraph", PROSE[2]), ("heading", "You may like"),
        ("paragraph", teaser), ("heading", "What it costs"), ("paragraph", PROSE[3]),
    )  # fmt: skip

    left = trimmed(
        main, title=None, links=[Link("https://harbour.example/a", teaser)], base="https://harbour.example/b"
    )

    assert left.text.split("\n\n") == [PROSE[0], PROSE[1], "Why it leaks", PROSE[2], "What it costs", PROSE[3]]


def test_a_source_behind_a_label_stays() -> None:
    source = '<p>Source: <a href="https://papers.example/locks">Report on the state of all locks in the valley</a></p>'

    reading = read(page(f"<article><h1>Lock closes</h1><p>{PROSE[0]}</p>{source}{paragraphs(*PROSE[1:])}</article>"),
                   url="https://harbour.test/locks")  # fmt: skip

    assert "Source: Report on the state of all locks in the valley" in reading.text


@pytest.mark.parametrize(
    "line",
    ["Share this article", "Did you make this recipe? Tag @cook so I can see it!", "Condividi", "Partagez cet article",
     "Cet article vous a plu ? Partagez-le !", "Hat dir dieser Artikel geholfen? Dann teile ihn mit deinen Freunden!",
     "Понравилась статья? Поделитесь!", "Podobał Ci się artykuł? Udostępnij go znajomym!",
     "この記事が気に入ったらシェアしてください", "喜欢这篇文章就分享给朋友吧！", "Compartilhe esta notícia"],  # noqa: RUF001 - a full-width mark is meant
)  # fmt: skip
def test_a_line_that_asks_to_share_or_rate_the_text_is_none_of_it(line: str) -> None:
    assert story(after=f"<p>{line}</p>") == "\n\n".join(PROSE)
    assert line in story(before=f"<p>{PROSE[3]}</p><p>{line}</p>")


@pytest.mark.parametrize("line", ["They share this view of the lock", "Pins and tags were sold at the quay"])
def test_a_sentence_about_sharing_stays(line: str) -> None:
    assert line in story(after=f"<p>{line}</p>")


@pytest.mark.parametrize(
    "line",
    ["Listen to this article", "5 min read", "Lesezeit: 4 Minuten", "Temps de lecture : 4 min", "Ouvir notícia",
     "4 min"],
)  # fmt: skip
def test_an_offer_to_hear_the_text_and_how_long_it_takes_are_none_of_it(line: str) -> None:
    assert story(before=f"<p>{line}</p>") == "\n\n".join(PROSE)
    assert line in story(after=f"<p>{line}</p>")


def test_a_long_line_that_says_who_wrote_it_and_when_does_not_begin_the_text() -> None:
    line = "Par Odile Renard de la rédaction - Publié le 3 mars 2024 - Temps de lecture : 4 min"

    assert story(before=f"<p>{line}</p>") == "\n\n".join(PROSE)
