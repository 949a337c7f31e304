# ruff: noqa: RUF001 - sentences in many scripts are what is tested
"""What a page is taken for: walls of all kinds in many languages, and real pages that look or speak like one."""

import pytest

from tests.crawler.reading_pages import PROSE, URL, page, paragraphs, read

ARTICLE = f"<article><h1>Lock gates</h1>{paragraphs()}</article>"
LONG = paragraphs(*PROSE, *(f"{text} And so it went on for the {n}th year." for n in range(2, 6) for text in PROSE))
NAVIGATION = "<nav><ul>" + "<li><a href='/x'>A section of this site</a></li>" * 30 + "</ul></nav>"


def titled(title: str) -> str:
    return f"<title>{title}</title>"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        (
            "Town of Millbrook",
            "<h1>Sorry</h1><p>The page you are looking for could not be found. It may have been moved.</p>",
        ),
        ("404", "<h1>404</h1><p>Oops.</p>"),
        ("Page not found | Harbour", f"{NAVIGATION}<main><h1>Page not found</h1><p>Try the search.</p></main>"),
        ("Harbour", "<h1>Seite nicht gefunden</h1><p>Die gesuchte Seite existiert nicht mehr.</p>"),
        ("Page introuvable \u2013 Le Port", "<h1>Oups !</h1><p>La page que vous recherchez n'existe plus.</p>"),
        ("El puerto", "<h1>Página no encontrada</h1><p>Lo sentimos, la página solicitada no existe.</p>"),
        ("Porto", "<h2>Erro 404</h2><p>A página que procura não foi encontrada.</p>"),
        ("Pagina non trovata", "<p>Spiacenti, la pagina richiesta non esiste.</p>"),
        ("Haven", "<h1>Pagina niet gevonden</h1><p>De pagina die u zoekt bestaat niet.</p>"),
        ("Порт", "<h1>Страница не найдена</h1><p>Возможно, она была удалена.</p>"),
        ("Liman", "<h1>Sayfa bulunamad\u0131</h1><p>Arad\u0131\u011f\u0131n\u0131z sayfa mevcut değil.</p>"),
        ("港口", "<h1>页面不存在</h1><p>抱歉\uff0c您访问的页面已被删除。</p>"),
        ("港", "<h1>ページが見つかりません</h1><p>お探しのページは削除された可能性があります。</p>"),
        ("항구", "<h1>페이지를 찾을 수 없습니다</h1><p>요청하신 페이지가 삭제되었습니다.</p>"),
        ("الميناء", "<h1>الصفحة غير موجودة</h1><p>عذراً، الصفحة المطلوبة غير متوفرة.</p>"),
        ("נמל", "<h1>הדף לא נמצא</h1><p>מצטערים, הדף שחיפשת אינו קיים.</p>"),
        ("Port", "<h1>Nie znaleziono strony</h1><p>Strona, której szukasz, została usunięta.</p>"),
        ("Oops!", f"{NAVIGATION}<h1>Oops!</h1><p>That page can't be found. Maybe try a search?</p>"),
        ("Luka", "<h1>Stranica nije pronađena</h1><p>Stranica koju tražite ne postoji.</p>"),
        ("Novice", "<h1>Ups!</h1><p>Iskana stran ni bila najdena.</p>"),
        ("Лука", "<h1>Грешка</h1><p>Страница коју тражите не постоји.</p>"),
        ("Sadam", "<h1>Viga</h1><p>Otsitud lehekülge ei leitud.</p>"),
        ("Osta", "<h1>Kļūda</h1><p>Meklētā lapa neeksistē vai ir pārvietota.</p>"),
        ("Uostas", "<h1>Klaida</h1><p>Jūsų ieškomas puslapis neegzistuoja.</p>"),
        ("Höfn", "<h1>Villa</h1><p>Síðan sem þú leitaðir að er ekki til.</p>"),
        ("বন্দর", "<h1>দুঃখিত</h1><p>আপনি যে পৃষ্ঠাটি খুঁজছেন তা পাওয়া যায়নি।</p>"),
        ("Shop", "<h1>Hoppla</h1><p>Dieser Artikel ist leider nicht mehr im Sortiment.</p>"),
        ("Forum", f"{NAVIGATION}<main><p>The requested topic does not exist.</p></main>"),
        ("Videos", f"{NAVIGATION}<main><p>This video isn't available anymore</p></main>"),
        ("Users", "<h1>This account doesn't exist</h1><p>Try searching for another.</p>"),
        ("Stadt", "<h1>Huch!</h1><p>Diese Seite existiert nicht (mehr). Vielleicht hilft die Suche?</p>"),
        ("Ville", "<h1>Oups !</h1><p>Cette page n'est plus disponible ou a changé d'adresse.</p>"),
        ("Port", "<h1>Ups</h1><p>Pagina căutată nu a fost găsită sau a fost ștearsă.</p>"),
        ("Port", "<h1>Vaja</h1><p>La pàgina que cerqueu no existeix o s'ha suprimit.</p>"),
        ("Пристанище", "<h1>Опа</h1><p>Търсената страница не е намерена или е премахната.</p>"),
        ("بندر", "<h1>متأسفیم</h1><p>صفحه مورد نظر شما یافت نشد یا حذف شده است.</p>"),
        ("बंदरगाह", "<h1>क्षमा करें</h1><p>आप जो पृष्ठ ढूंढ रहे हैं वह मौजूद नहीं है।</p>"),
    ],
)
def test_a_page_that_says_it_was_not_found_is_not_found_though_its_status_is_200(title: str, body: str) -> None:
    reading = read(page(body, titled(title)))

    assert reading.page_state == "not_found"
    assert reading.page_state_evidence


@pytest.mark.parametrize(
    ("title", "body", "status"),
    [
        (
            "Just a moment...",
            "<h1>harbour.example</h1><p>Verifying you are human. This may take a few seconds.</p>",
            200,
        ),
        (
            "Just a moment...",
            "<script>window._cf_chl_opt={}</script><noscript>Enable JavaScript and cookies</noscript>",
            503,
        ),
        ("Access Denied", "<h1>Access Denied</h1><p>You don't have permission to access this server.</p>", 200),
        ("Sicherheitsüberprüfung", "<p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p>", 200),
        ("Vérification", "<h1>Vérification de sécurité</h1><p>Confirmez que vous n'êtes pas un robot.</p>", 200),
        ("安全验证", "<h1>安全验证</h1><p>请完成验证以继续访问。</p>", 200),
        ("Доступ ограничен", "<h1>Доступ ограничен</h1><p>Подтвердите, что вы не робот.</p>", 200),
        ("アクセス制限", "<h1>アクセスが制限されています</h1><p>ロボットではないことを確認してください。</p>", 200),
        ("Pardon", "<p>Our systems have detected unusual traffic from your computer network.</p>", 200),
        ("Harbour", "<p>No.</p>", 403),
        ("Checking", "<h1>Checking your browser before accessing harbour.example</h1>", 503),
    ],
)
def test_a_challenge_or_a_closed_door_is_blocked(title: str, body: str, status: int) -> None:
    assert read(page(body, titled(title)), status=status).page_state == "blocked"


def test_a_challenge_that_only_its_header_tells_is_blocked() -> None:
    reading = read(page("<p>Hello.</p>"), headers=(("CF-Mitigated", "challenge"),))

    assert reading.page_state == "blocked"


LOGIN = "<form><input name=user><input type=password name=p><button>{}</button></form>"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Sign in", "<h1>Sign in</h1>" + LOGIN.format("Sign in")),
        ("Anmelden", "<h1>Willkommen</h1>" + LOGIN.format("Anmelden")),
        ("Connexion", "<h1>Connexion</h1>" + LOGIN.format("Se connecter")),
        ("Вход", "<h1>Вход</h1>" + LOGIN.format("Войти")),
        ("登录", "<h1>登录</h1>" + LOGIN.format("登录")),
        ("Forum", "<p>You must be logged in to view this page.</p>"),
        ("Foro", "<p>Debes iniciar sesión para ver esta página.</p>"),
        ("Sign in", "<h1>Sign in</h1><form><input type=email name=email><button>Continue with e-mail</button></form>"),
    ],
)
def test_a_page_that_asks_to_log_in_is_a_login(title: str, body: str) -> None:
    assert read(page(body, titled(title))).page_state == "login"


@pytest.mark.parametrize(
    "ending",
    [
        "Subscribe to continue reading",
        "This article is for subscribers only.",
        "Jetzt abonnieren und weiterlesen",
        "Cet article est réservé aux abonnés.",
        "Suscríbete para seguir leyendo",
        "Dalsza część tylko dla prenumeratorów",
        "この記事は会員限定です",
        "订阅后继续阅读全文",
        "Чтобы продолжить чтение, оформите подписку",
    ],
)
def test_a_teaser_that_asks_for_money_is_behind_a_paywall(ending: str) -> None:
    body = (
        f"<article><h1>Lock gates</h1>{paragraphs(PROSE[0])}<div><h3>{ending}</h3><a href='/pay'>OK</a></div></article>"
    )

    assert read(page(body, titled("Lock gates"))).page_state == "paywall"


def test_the_pages_own_data_tells_a_paywall() -> None:
    data = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script>'
    body = f"<article><h1>Lock gates</h1>{paragraphs(PROSE[0])}</article>"

    assert read(page(body, data)).page_state == "paywall"
    assert read(page(f"<article><h1>Lock gates</h1>{LONG}</article>", data)).page_state == "ok"


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Internal Server Error</h1><p>The server encountered an unexpected condition.</p>",
        "<h1>Error establishing a database connection</h1>",
        "<h1>Wartungsarbeiten</h1><p>Wir sind gleich wieder da.</p>",
        "<h1>Site en maintenance</h1><p>Nous revenons très vite.</p>",
        "<h1>Технические работы</h1><p>Сайт временно недоступен.</p>",
        "<h1>Something went wrong</h1><p>Please try again later.</p>",
        "<h1>ただいまメンテナンス中です</h1>",
    ],
)
def test_a_broken_page_is_an_error_though_its_status_is_200(body: str) -> None:
    assert read(page(body, titled("Harbour"))).page_state == "error"


@pytest.mark.parametrize(
    "body",
    [
        "<div id=root></div><script src=app.js></script>",
        "<noscript>You need to enable JavaScript to run this app.</noscript><div id=app></div><script></script>",
        "<header>Harbour</header><main></main><footer>All rights reserved.</footer>",
        "<div>Loading…</div><script></script>",
    ],
)
def test_a_shell_is_empty(body: str) -> None:
    assert read(page(body)).page_state == "empty"


@pytest.mark.parametrize("source", ["<!DOCTYPE html>", "<!doctype html>\n<!-- nothing -->", "<!-- x -->"])
def test_a_document_without_elements_is_empty(source: str) -> None:
    assert (read(source).page_state, read(source).text) == ("empty", "")


def test_a_wall_before_the_page_is_consent() -> None:
    body = (
        "<h1>Before you continue</h1><p>We use cookies and data to deliver and maintain our services.</p>"
        "<button>Accept all</button><button>Reject all</button>"
    )

    assert read(page(body, titled("Before you continue"))).page_state == "consent"


SITE = "https://harbour.example"


@pytest.mark.parametrize(
    ("asked", "final", "state"),
    [
        (f"{SITE}/news/lock-gates", f"{SITE}/", "not_found"),
        ("http://www.harbour.example/news/lock-gates?id=4", f"{SITE}/en/", "not_found"),
        (f"{SITE}/news/lock-gates", f"{SITE}/errors/404.html", "not_found"),
        (f"{SITE}/account", f"{SITE}/login?next=/account", "login"),
        (f"{SITE}/news/1", "https://consent.harbour.example/?to=/news/1", "consent"),
        (f"{SITE}/", f"{SITE}/en/", "ok"),
        (f"{SITE}/index.php", f"{SITE}/", "ok"),
        ("http://www.harbour.example/news", f"{SITE}/news/", "ok"),
        (f"{SITE}/news/1", f"{SITE}/news/lock-gates", "ok"),
        ("https://short.example/abc", f"{SITE}/", "ok"),
        (f"{SITE}/how-to-log-in/login", f"{SITE}/help/login", "ok"),
        (f"{SITE}/news/1", f"{SITE}/?error=404", "not_found"),
        (f"{SITE}/news/1", f"{SITE}/error.aspx?aspxerrorpath=/news/1", "not_found"),
        (f"{SITE}/news/1", f"{SITE}/page_not_found", "not_found"),
        (f"{SITE}/news/1", f"{SITE}/erreur-404", "not_found"),
        (f"{SITE}/news/1", f"{SITE}/Fehler404.html", "not_found"),
        (f"{SITE}/news/1", f"{SITE}/strona-nie-znaleziona/", "not_found"),
        (f"{SITE}/news/1", f"{SITE}/startseite", "not_found"),
        (f"{SITE}/news/1", f"{SITE}/accueil.html?utm_source=old", "not_found"),
        (f"{SITE}/?p=12", f"{SITE}/", "not_found"),
        (f"{SITE}/?utm_source=letter&fbclid=x", f"{SITE}/", "ok"),
        (f"{SITE}/?lang=en", f"{SITE}/en/", "ok"),
        (f"{SITE}/cars/12", f"{SITE}/cars/peugeot-404", "ok"),
        (f"{SITE}/news/1", f"{SITE}/news/harbour-blocked-by-ice", "ok"),
        (f"{SITE}/news/1", f"{SITE}/news/lock-gates?status=404b", "ok"),
        (f"{SITE}/account", f"{SITE}/users/sign_in", "login"),
        (f"{SITE}/account", f"{SITE}/authwall?to=/account", "login"),
        (f"{SITE}/account", f"{SITE}/se-connecter", "login"),
        (f"{SITE}/news/1", f"{SITE}/captcha?back=/news/1", "blocked"),
        (f"{SITE}/news/1", f"{SITE}/access-denied.html", "blocked"),
    ],
)
def test_where_one_was_sent_tells_what_came(asked: str, final: str, state: str) -> None:
    reading = read(page(ARTICLE), url=final, asked=asked)

    assert reading.page_state == state


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Lock gates", ARTICLE),
        ("Harbour", "<p>The toll ends on Friday.</p>"),
        (
            "How our site answers",
            paragraphs(
                PROSE[0],
                "If a notice has been removed, our server answers with a page not found message and the code 404.",
                PROSE[1],
            ),
        ),
        ("404 - the story of a number", f"<h1>404: the story of a number</h1>{LONG}"),
        ("Page not found: what it means", f"<h1>Page not found: what it means</h1>{LONG}"),
        ("How to fix access denied", f"<h1>How to fix “Access denied”</h1>{paragraphs()}"),
        ("Notice", "<h1>Notice</h1><p>The notice board at pier two was removed on Monday.</p>"),
        ("Log", "<h1>Log, page 404</h1><p>On this page he wrote: in a week of fog and ice a boat was not found.</p>"),
        ("Box 12", "<h1>Box 12</h1><p>This document was moved to box 14 in 1903. It holds letters.</p>"),
        ("Robots", f"<h1>Robots at the quay</h1><p>The crane is not a robot, says the foreman.</p><p>{PROSE[1]}</p>"),
        ("Poem", "<h1>Lost</h1><p>The boat was never found, nor the man, nor the oar.</p>"),
        ("Missing boy found", "<h1>Missing boy not found after three days</h1>" + paragraphs(*PROSE[:2])),
        ("Captchas", f"<h1>Why sites ask whether you are human</h1>{paragraphs()}"),
        ("Contact", f"<h1>Contact</h1>{paragraphs(PROSE[0])}<form><div class=g-recaptcha></div>I'm not a robot</form>"),
        ("Lock gates", f"<header>{LOGIN.format('Sign in')}</header>{ARTICLE}"),
        ("Lock gates", f"{ARTICLE}<aside>{LOGIN.format('Sign in')}</aside>"),
        ("Replies", f"<h1>Lock gates</h1>{paragraphs(*PROSE[:2])}<p>You must be logged in to reply to this topic.</p>"),
        ("Papers", f"<h1>Why papers put up paywalls</h1>{LONG}<p>“Subscribe to continue reading” is often seen.</p>"),
        ("Lock gates", f"{ARTICLE}<footer>Subscribe to our newsletter. Already a subscriber?</footer>"),
        ("Maintenance of lock gates", f"<h1>Maintenance of lock gates</h1>{LONG}"),
        ("Cookies", f"<h1>Baking cookies</h1>{paragraphs()}<button>Accept</button>"),
        ("Wenn eine Seite nicht gefunden wird", f"<h1>Wenn eine Seite nicht gefunden wird</h1>{LONG}"),
        ("Harbour", f"{ARTICLE}<div role=dialog hidden><h2>Sign in to continue</h2>{LOGIN.format('Sign in')}</div>"),
    ],
)  # fmt: skip
def test_a_real_page_that_speaks_of_such_things_is_ok(title: str, body: str) -> None:
    reading = read(page(body, titled(title)))

    assert (reading.page_state, reading.page_state_evidence) == ("ok", ())


@pytest.mark.parametrize(("final", "state"), [("/maintenance", "error"), ("/maintenance-of-gates", "ok")])
def test_a_short_page_at_an_address_that_says_so_is_closed_for_now(final: str, state: str) -> None:
    reading = read(page(f"<p>{PROSE[0]}</p>"), url=SITE + final, asked=f"{SITE}/news/1")

    assert reading.page_state == state


def test_the_address_of_the_page_is_no_evidence_where_nobody_asked() -> None:
    assert read(page(ARTICLE), url=URL, asked=None, status=None).page_state == "ok"
