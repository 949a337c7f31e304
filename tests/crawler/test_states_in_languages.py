# ruff: noqa: E501, RUF001 - a table of pages in many languages
"""Walls, missing pages and pages like them in languages beyond those of the labelled set."""

import pytest

from tests.crawler.reading_pages import PROSE, page, read

NAV = "<header><nav><ul>" + "<li><a href=/s>A part of the site</a></li>" * 12 + "</ul></nav></header>"
FOOT = "<footer><p>Imprint, privacy, contact. All rights reserved.</p></footer>"
PAGES = [
    (
        "not_found",
        "hr",
        "Luka",
        f"{NAV}<h1>Stranica nije pronađena</h1><p>Stranica koju tražite ne postoji ili je premještena.</p>{FOOT}",
    ),
    (
        "not_found",
        "sk",
        "Prístav",
        "<h1>Stránka sa nenašla</h1><p>Požadovaná stránka neexistuje alebo bola odstránená.</p>",
    ),
    ("not_found", "sl", "Pristanišče", "<h1>Ups!</h1><p>Strani, ki jo iščete, ni mogoče najti.</p>"),
    ("not_found", "sr", "Лука", "<h1>Страница није пронађена</h1><p>Страница коју тражите не постоји.</p>"),
    ("not_found", "et", "Sadam", "<h1>Lehte ei leitud</h1><p>Otsitud lehekülge ei leitud või on see eemaldatud.</p>"),
    ("not_found", "lv", "Osta", "<h1>Lapa nav atrasta</h1><p>Meklētā lapa neeksistē vai ir pārvietota.</p>"),
    (
        "not_found",
        "lt",
        "Uostas",
        "<h1>Puslapis nerastas</h1><p>Jūsų ieškomas puslapis neegzistuoja arba buvo pašalintas.</p>",
    ),
    ("not_found", "is", "Höfn", "<h1>Síða fannst ekki</h1><p>Síðan sem þú leitaðir að er ekki til.</p>"),
    ("not_found", "nb", "Havn", "<h1>Beklager!</h1><p>Vi finner ikke siden du leter etter.</p>"),
    ("not_found", "ms", "Pelabuhan", "<h1>Halaman tidak dijumpai</h1><p>Maaf, halaman yang anda cari tidak wujud.</p>"),
    ("not_found", "bn", "বন্দর", "<h1>দুঃখিত</h1><p>আপনি যে পৃষ্ঠাটি খুঁজছেন তা পাওয়া যায়নি।</p>"),
    ("not_found", "zh-TW", "港口", "<h1>找不到網頁</h1><p>很抱歉，您要瀏覽的網頁不存在或已移除。</p>"),
    (
        "not_found",
        "en",
        "Shop",
        f"{NAV}<h1>Hmm, that didn't work</h1><p>We looked everywhere but this page is missing.</p>{FOOT}",
    ),
    (
        "not_found",
        "en",
        "Jobs",
        f"{NAV}<h1>This job has expired</h1><p>The position is no longer open. See similar jobs below.</p>{FOOT}",
    ),
    ("blocked", "hr", "Trenutak", "<h1>Provjera preglednika</h1><p>Potvrdite da niste robot.</p>"),
    ("blocked", "cs", "Okamžik", "<h1>Ověření</h1><p>Potvrďte, že nejste robot.</p>"),
    ("blocked", "vi", "Vui lòng chờ", "<p>Vui lòng xác minh bạn không phải là robot.</p>"),
    ("blocked", "en", "Verification", "<p>Slide to verify that you are not a bot.</p>"),
    ("blocked", "uk", "Зачекайте", "<h1>Перевірка безпеки</h1><p>Підтвердьте, що ви не робот.</p>"),
    ("blocked", "ar", "لحظة", "<h1>التحقق</h1><p>يرجى التأكيد على أنك لست روبوتًا.</p>"),
    (
        "login",
        "hu",
        "Belépés",
        "<h1>Bejelentkezés</h1><form><input name=email><input type=password><button>Belépés</button></form>",
    ),
    ("login", "ro", "Autentificare", "<p>Trebuie să te autentifici pentru a vedea această pagină.</p>"),
    ("login", "th", "เข้าสู่ระบบ", "<p>กรุณาเข้าสู่ระบบเพื่อดูเนื้อหานี้</p>"),
    (
        "login",
        "id",
        "Masuk",
        "<p>Silakan masuk untuk melihat konten ini.</p><form><input name=username><input type=password></form>",
    ),
    (
        "paywall",
        "da",
        "Nyhed",
        f"<h1>Sluserne</h1><p>{PROSE[0]}</p><div>Denne artikel er kun for abonnenter. Bliv abonnent og læs videre.</div>",
    ),
    (
        "paywall",
        "fi",
        "Uutinen",
        f"<h1>Sulut</h1><p>{PROSE[0]}</p><div>Tämä artikkeli on vain tilaajille. Tilaa ja lue koko juttu.</div>",
    ),
    (
        "paywall",
        "cs",
        "Zpráva",
        f"<h1>Zdymadla</h1><p>{PROSE[0]}</p><div>Tento článek je jen pro předplatitele. Předplaťte si a čtěte dál.</div>",
    ),
    ("paywall", "tr", "Haber", f"<h1>Kapılar</h1><p>{PROSE[0]}</p><div>Devamını okumak için abone olun.</div>"),
    (
        "consent",
        "da",
        "Før du fortsætter",
        "<h1>Vi værner om dit privatliv</h1><p>Vi og vores partnere bruger cookies. Giv samtykke til cookies for at fortsætte.</p><button>Accepter alle</button>",
    ),
    (
        "consent",
        "cs",
        "Souhlas",
        "<h1>Vaše soukromí</h1><p>Používáme cookies. Pro pokračování udělte souhlas s cookies.</p><button>Přijmout vše</button>",
    ),
    (
        "error",
        "tr",
        "Bakım",
        "<h1>Bakım çalışması</h1><p>Sitemiz şu anda bakımdadır. Lütfen daha sonra tekrar deneyin.</p>",
    ),
    ("error", "hu", "Hiba", "<h1>Karbantartás</h1><p>Az oldal jelenleg karbantartás alatt áll.</p>"),
    ("ok", "en", "Notice", f"<h1>Notice</h1><p>The notice board at pier two was removed on Monday.</p>{FOOT}"),
    (
        "ok",
        "en",
        "Page 404 of the log",
        "<h1>Page 404 of the log</h1><p>On this page the keeper wrote that the ferry could not be found in the fog.</p>",
    ),
    (
        "ok",
        "en",
        "Change log",
        f"<h1>Change log</h1><p>The page on tariffs was removed from the menu. The document on moorings was renamed.</p><p>{PROSE[0]}</p>",
    ),
    (
        "ok",
        "de",
        "Fundbüro",
        "<h1>Fundbüro</h1><p>Nicht gefunden? Fragen Sie im Hafenamt nach, dort liegen Schlüssel und Schirme ein Jahr lang bereit.</p>",
    ),
    (
        "ok",
        "en",
        "Robots",
        f"<h1>Robots at the quay</h1><p>The crane is not a robot, says the foreman, though it moves like one.</p><p>{PROSE[1]}</p>",
    ),
    (
        "ok",
        "fr",
        "Horaires",
        "<h1>Horaires</h1><p>Le guichet est fermé le lundi; les billets ne sont plus disponibles après midi.</p>",
    ),
    ("ok", "en", "Haiku", "<h1>Old pond</h1><p>A frog jumps in. The sound of water.</p>"),
    (
        "ok",
        "en",
        "Release 4.10",
        f"<h1>Release 4.10</h1><p>File names with spaces are found again; the error page says which file is missing.</p><p>{PROSE[2]}</p>",
    ),
    (
        "ok",
        "en",
        "Subscribe",
        f"<h1>Membership</h1><p>Members of the harbour society pay 30 pounds a year and read the yearbook for free.</p><p>{PROSE[3]}</p>",
    ),
    (
        "ok",
        "es",
        "Aviso",
        f"<h1>Aviso</h1><p>El documento ha sido retirado de la vitrina para su restauración y volverá en mayo.</p><p>{PROSE[0]}</p>",
    ),
    ("not_found", "hr", "Vijesti", f"{NAV}<h1>404</h1><p>Žao nam je, tražena stranica ne postoji.</p>"),
    ("not_found", "sl", "Novice", "<h1>Stran ne obstaja</h1><p>Iskana stran ni bila najdena.</p>"),
    ("not_found", "sr", "Вести", "<h1>Грешка 404</h1><p>Тражена страница није пронађена.</p>"),
    ("not_found", "lv", "Ziņas", "<h1>Kļūda</h1><p>Diemžēl šāda lapa netika atrasta.</p>"),
    ("not_found", "lt", "Naujienos", "<h1>Klaida 404</h1><p>Atsiprašome, tokio puslapio nėra.</p>"),
    (
        "not_found",
        "en",
        "Recipes",
        f"{NAV}<h1>Uh oh</h1><p>We couldn't find that recipe. It may have been deleted by its author.</p>",
    ),
    (
        "not_found",
        "en",
        "Docs",
        f"{NAV}<h1>Page Not Found</h1><p>We could not find what you were looking for.</p><p>Please contact the owner of the site that linked you to the original URL and let them know their link is broken.</p>",
    ),
    (
        "not_found",
        "de",
        "Shop",
        f"{NAV}<h1>Artikel nicht mehr verfügbar</h1><p>Dieser Artikel ist leider nicht mehr im Sortiment.</p>",
    ),
    ("not_found", "es", "Tienda", f"{NAV}<h1>¡Ups!</h1><p>Parece que esta página ya no existe.</p>"),
    ("not_found", "pt", "Notícias", f"{NAV}<h1>Conteúdo indisponível</h1><p>Este conteúdo foi removido.</p>"),
    ("not_found", "it", "Notizie", "<h1>Ops!</h1><p>Questa pagina non esiste o è stata spostata.</p>"),
    ("not_found", "ja", "ニュース", "<h1>エラー</h1><p>ご指定のページは存在しないか、移動した可能性があります。</p>"),
    ("not_found", "ko", "뉴스", "<p>존재하지 않는 페이지입니다.</p>"),
    ("blocked", "de", "Moment", "<h1>Sicherheitsprüfung</h1><p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p>"),
    ("blocked", "sk", "Overenie", "<p>Potvrďte, že nie ste robot.</p>"),
    (
        "blocked",
        "en",
        "One more step",
        "<h1>One more step</h1><p>Please complete the security check to access the site.</p>",
    ),
    ("login", "pl", "Zaloguj", "<p>Musisz się zalogować, aby zobaczyć tę stronę.</p>"),
    ("login", "sv", "Logga in", "<h1>Logga in</h1><form><input name=user><input type=password></form>"),
    (
        "paywall",
        "no",
        "Nyhet",
        f"<h1>Slusene</h1><p>{PROSE[0]}</p><p>Denne saken er for abonnenter. Logg inn for å lese videre.</p>",
    ),
    (
        "paywall",
        "hu",
        "Hír",
        f"<h1>Zsilipek</h1><p>{PROSE[0]}</p><p>A cikk folytatása csak előfizetőknek érhető el.</p>",
    ),
    ("ok", "en", "Board", f"<h1>Minutes</h1><p>This item was removed from the agenda.</p><p>{PROSE[0]}</p>"),
    ("ok", "en", "Quiz", "<h1>Which page is missing?</h1><p>Find the page that was torn out of the log.</p>"),
    ("ok", "en", "Poem", "<h1>Lost</h1><p>The boat was never found, nor the man, nor the oar.</p>"),
    (
        "ok",
        "en",
        "Archive",
        "<h1>Box 12</h1><p>This document was moved to box 14 in 1903. It holds letters of the keeper.</p>",
    ),
    ("ok", "de", "Aushang", "<h1>Aushang</h1><p>Dieser Aushang wird am Montag entfernt.</p>"),
    ("ok", "en", "FAQ", f"<h1>FAQ</h1><p>Why is a link broken? Write to us and we mend it.</p><p>{PROSE[1]}</p>"),
    (
        "ok",
        "fr",
        "Musée",
        "<h1>Le tableau</h1><p>Ce tableau a été retiré pour restauration.</p><p>La salle reste ouverte.</p>",
    ),
]


@pytest.mark.parametrize(("state", "language", "title", "body"), PAGES)
def test_a_page_is_what_it_says_in_its_language(state: str, language: str, title: str, body: str) -> None:
    reading = read(page(body, f"<title>{title}</title>", f' lang="{language}"'))

    assert reading.page_state == state
