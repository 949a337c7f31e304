# ruff: noqa: E501, RUF001 - pages in many languages
"""Short pages with all that sites put around them: walls of kinds that speak of the visitor, and pages called like them."""

from datetime import UTC, datetime

import pytest

from crawler import read_page

AROUND = (
    '<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head><body>'
    '<header><a href="/">Site</a><nav><ul><li><a href="/1">A</a></li><li><a href="/2">B</a></li><li><a href="/3">C</a>'
    '</li><li><a href="/4">D</a></li></ul></nav></header><main>{main}</main>'
    '<aside class="newsletter"><form><input type="email" name="email"><button>OK</button></form></aside>'
    '<footer><p>© Site</p></footer><div id="cookie-notice" role="dialog"><p>We use cookies to make this site work and to '
    "measure how it is used.</p><button>Accept all</button><button>Only necessary</button></div></body></html>"
)


def state_of(main: str, *, title: str = "Site", url: str = "https://site.example/a/1") -> str:
    html = AROUND.format(title=title, main=main)
    reading = read_page(
        html.encode(),
        media_type="text/html",
        charset=None,
        url=url,
        asked=url,
        at=datetime(2026, 5, 4, tzinfo=UTC),
        status=200,
    )
    return reading.page_state


@pytest.mark.parametrize(
    "main",
    [
        "<h2>Dieses Video ist in Ihrem Land leider nicht verfügbar</h2><p>Wir zeigen es nur in Österreich.</p>",
        "<h2>Cette vidéo n’est pas disponible depuis votre pays</h2>",
        "<h2>Contenuto non disponibile nella tua area geografica</h2>",
        "<h2>Deze video is in jouw land niet te bekijken</h2><p>We hebben alleen rechten voor Nederland.</p>",
        "<h2>Materiał niedostępny w Twoim kraju</h2>",
        "<h2>お住まいの地域では視聴できません</h2><p>権利上の理由により、日本国内でのみご覧いただけます。</p>",
        "<h2>접속하신 국가에서는 시청할 수 없는 영상입니다</h2>",
        "<h2>您所在的地区暂时无法观看该视频</h2>",
        "<h2>هذا المحتوى غير متاح في بلدك</h2>",
    ],
)
def test_what_may_not_be_seen_from_a_country_is_blocked(main: str) -> None:
    state = state_of(main)

    assert state == "blocked"


@pytest.mark.parametrize(
    "main",
    [
        "<h1>Are you of legal drinking age?</h1><button>Yes</button><button>No</button>",
        "<h1>Sind Sie über 18?</h1><p>Unsere Seiten handeln von Bränden.</p><button>Ja</button><button>Nein</button>",
        "<h1>Avez-vous 18 ans ?</h1><p>L’accès est réservé aux personnes majeures.</p><button>Oui</button>",
        "<h1>¿Eres mayor de edad?</h1><button>Sí, entrar</button><button>No</button>",
        "<h1>Вам есть 18 лет?</h1><button>Да</button><button>Нет</button>",
        "<h1>年齢確認</h1><p>あなたは20歳以上ですか？</p><button>はい</button><button>いいえ</button>",
    ],
)
def test_a_question_for_the_visitors_age_is_a_closed_door(main: str) -> None:
    state = state_of(main)

    assert state == "blocked"


@pytest.mark.parametrize(
    "main",
    [
        "<h1>Zu viele Anfragen</h1><p>Bitte warten Sie einige Minuten.</p>",
        "<h1>Demasiadas solicitudes</h1><p>Has superado el número de consultas permitidas.</p>",
        "<h1>Votre navigateur n’est plus pris en charge</h1><p>Merci d’installer une version récente.</p>",
        "<h1>Your browser is not supported</h1><p>Please upgrade to a recent version of one of these:</p>",
    ],
)
def test_a_limit_and_a_demand_for_another_browser_are_closed_doors(main: str) -> None:
    state = state_of(main)

    assert state == "blocked"


@pytest.mark.parametrize(
    "main",
    [
        '<h1>Enter your passcode</h1><p>We’ve emailed a passcode to a•••@mail.example.</p><input name="otp" autocomplete="one-time-code">',
        '<h1>E-Mail-Code</h1><p>Wir haben einen sechsstelligen Code an Ihre E-Mail-Adresse gesendet.</p><form><input name="code"><button>Weiter</button></form>',
        '<h1>Vérifiez votre messagerie</h1><p>Un code vient de vous être envoyé.</p><form><input name="code"><button>Valider</button></form>',
        '<h1>確認コードの入力</h1><p>メールアドレスに確認コードを送信しました。</p><form><input name="code"><button>次へ</button></form>',
    ],
)
def test_a_code_that_was_sent_is_a_log_in(main: str) -> None:
    state = state_of(main)

    assert state == "login"


@pytest.mark.parametrize(
    ("state", "main"),
    [
        ("not_found", "<h1>Новость не найдена</h1><p>Возможно, она была удалена редакцией.</p>"),
        ("not_found", "<h1>Prodotto non più disponibile</h1><p>L’articolo che cerchi non è più nel catalogo.</p>"),
        ("not_found", "<h1>عذراً</h1><p>الخبر الذي تبحث عنه غير موجود أو تم حذفه.</p>"),
        (
            "error",
            "<h1>Wir sind gleich zurück</h1><p>Unser Katalog wird gerade aktualisiert. Versuchen Sie es noch einmal.</p>",
        ),
        ("error", "<h1>Torniamo subito</h1><p>Il sito è in aggiornamento. Riprova tra qualche minuto.</p>"),
        (
            "paywall",
            "<article><h1>Son usta</h1><p>Tezgâhı geçen hafta kapandı.</p><p>Bu yazının devamı abonelere özeldir.</p></article>",
        ),
    ],
)
def test_walls_are_told_in_words_of_more_languages(state: str, main: str) -> None:
    found = state_of(main)

    assert found == state


def test_consent_or_payment_is_a_consent_wall_under_the_sites_own_banner() -> None:
    main = (
        "<h2>Sie haben die Wahl</h2><p>Nutzen Sie uns kostenlos mit Werbung und Cookies von uns und unseren 148 Partnern. "
        "Sie können Ihre Einwilligung jederzeit widerrufen.</p><button>Einwilligen und weiter</button>"
        "<p>Ohne Werbung für 2,99 € im Monat.</p>"
    )

    state = state_of(main, title="Deichverband wählt neuen Vorsitz")

    assert state == "consent"


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Access denied", "The cat flap has a chip reader now. The neighbour’s cat sat outside all night and looked at us."),
        ("Zugang verweigert", "Zwei Schiedsrichter durften am Samstag nicht ins Stadion. Das Spiel begann eine Stunde später."),
        ("Page introuvable", "Il manque au grimoire un feuillet, arraché vers 1740. Une vente à Rennes vient peut-être de le rendre."),
        ("Página não encontrada", "Exposição de Teresa Vilhena na Casa do Cais. A artista mostra cadernos a que falta uma folha."),
        ("페이지를 찾을 수 없습니다", "감독 서은주, 98분. 사라진 블로그를 좇아 부산까지 내려간 두 친구의 이야기다. 마지막 십 분이 좋다. 별 넷을 준다."),
        ("Slow down", "My physiotherapist says it, and now the bread says it too: this dough wants three days."),
        ("Inloggen tijdelijk niet mogelijk", "Inwoners konden dinsdag niet op de site van de gemeente. Een verlopen certificaat was de oorzaak."),
    ],
)  # fmt: skip
def test_an_article_may_be_called_as_a_wall_is(title: str, text: str) -> None:
    state = state_of(f"<article><h1>{title}</h1><p>{text}</p></article>", title=title)

    assert state == "ok"


def test_an_article_element_makes_no_text_of_a_message_to_the_visitor() -> None:
    main = "<article><h1>Page not found</h1><p>Sorry, but the page that you are looking for is not here. Try the search.</p></article>"

    state = state_of(main, title="Page not found")

    assert state == "not_found"


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("Servizio online temporaneamente non disponibile", "Il 3 giugno, dalle 8 alle 12, lo sportello sarà sospeso."),
        ("Manutenção programada", "No dia 12 de maio o portal do munícipe estará em manutenção."),
        (
            "サーバーメンテナンスのお知らせ",
            "5月10日（金）午前1時から5時まで、図書館ホームページをご利用いただけません。",
        ),
        ("系统维护公告", "因系统升级维护，6月8日0时至8时暂停网上续借服务。"),
        ("Przerwa techniczna", "W dniu 7 maja w godz. 20–24 system nie będzie działał."),
    ],
)
def test_a_site_that_is_up_may_tell_on_which_day_it_will_not_be(heading: str, text: str) -> None:
    state = state_of(f"<h1>{heading}</h1><p>{text}</p>", title=heading)

    assert state == "ok"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("https://shop.example/search?q=blue+teapot", "Sorry, we couldn’t find any products matching “blue teapot”."),
        ("https://shop.example/szukaj?q=herbarz", "Niestety, nie znaleziono produktów pasujących do zapytania."),
    ],
)
def test_that_a_search_found_nothing_is_its_answer(url: str, text: str) -> None:
    state = state_of(f"<h1>Search</h1><p>{text}</p>", url=url)

    assert state == "ok"


def test_a_box_that_asks_for_an_address_is_no_log_in() -> None:
    main = "<article><h1>Cannot log in to the town's site</h1><p>A certificate had expired on Tuesday.</p></article>"

    state = state_of(main, title="Cannot log in to the town's site")

    assert state == "ok"


def test_what_happens_if_one_asks_too_often_is_told_to_readers() -> None:
    main = "<h1>Rate limits</h1><p>Each key may ask once a second. If you send too many requests you get another answer.</p>"

    state = state_of(main, title="Rate limits")

    assert state == "ok"


@pytest.mark.parametrize(
    "main",
    [
        "<h1>Zu viele Anfragen für Kitaplätze</h1><p>Auf 40 Plätze kamen 212 Anträge.</p>",
        "<h1>Too many requests for allotments</h1><p>There are 140 names for 31 plots.</p>",
        "<h1>Check your email</h1><p>Thank you for subscribing. We have sent you a link to confirm your address.</p>",
        "<h1>Redeem a gift card</h1><p>The code is on the back.</p><form><input name='code'><button>Redeem</button></form>",
        "<h1>Age verification at the door</h1><p>Couriers ask anyone who looks under 25 to show an ID.</p>",
        "<h1>Which browsers we support</h1><p>Firefox, Chrome and Safari of the last two years.</p>",
        "<h1>Torniamo presto</h1><p>La gelateria riapre il primo marzo con i gusti di sempre.</p>",
    ],
)
def test_pages_that_speak_of_limits_ages_codes_and_browsers_are_pages(main: str) -> None:
    state = state_of(main, title="Notice")

    assert state == "ok"
