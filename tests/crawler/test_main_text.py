import pytest

from tests.crawler.reading_pages import PROSE, page, paragraphs, read

NOTICES = {
    "en": "We and our partners store cookies on your device to measure visits. You can change your consent at any "
    "time. Some partners rely on legitimate interest. Read our privacy policy before you decide.",
    "de": "Wir und unsere Partner verwenden Cookies, um die Nutzung zu messen. Mit Ihrer Einwilligung zeigen wir "
    "Anzeigen. Sie können Ihre Einwilligung jederzeit widerrufen. Mehr steht in der Datenschutzerklärung.",
    "fr": "Nous et nos partenaires utilisons des cookies pour mesurer l'audience. Votre consentement peut être retiré "
    "à tout moment. Vos données personnelles sont décrites dans notre politique.",
    "es": "Nosotros y nuestros socios usamos cookies para medir las visitas. Puede retirar su consentimiento cuando "
    "quiera. Lea cómo tratamos sus datos personales.",
    "it": "Noi e i nostri partner usiamo cookie per misurare le visite. Il consenso si può revocare. I dati personali "
    "sono trattati come descritto.",
    "pl": "My i nasi partnerzy używamy plików cookie do pomiaru wizyt. Zgodę można wycofać. Dane osobowe chronimy.",
}
WITHOUT_COOKIES = (
    "We and our partners process personal data such as your address. With your consent we use it for advertising. "
    "You can withdraw your consent at any time. Some partners rely on legitimate interest."
)
HEADING = "<h1>Old ferry sails again</h1>"
SENTENCE = "The old ferry crossed the sound on Sunday for the first time in eleven years."
ARTICLE = HEADING + paragraphs(PROSE[0], SENTENCE, PROSE[1])


@pytest.mark.parametrize("element", ["aside", "footer", "nav", "header", "form", "figure", "main", "section", "div"])
@pytest.mark.parametrize("language", sorted(NOTICES))
def test_a_consent_notice_never_stands_in_for_the_text(element: str, language: str) -> None:
    notice = f'<div id="notice"><p>{NOTICES[language]}</p></div>'

    reading = read(page(f'{notice}<{element} class="main-col">{ARTICLE}</{element}>'))

    assert reading.outcome == "ok"
    assert SENTENCE in reading.text
    assert NOTICES[language][:30] not in reading.text
    assert NOTICES[language][:30] in reading.visible


@pytest.mark.parametrize("element", ["aside", "form", "div", "footer", "nav", "section class=popup"])
@pytest.mark.parametrize("place", ["main", "nav", "section role=dialog", "footer", "ul", ""])
def test_a_consent_notice_is_one_wherever_it_stands(place: str, element: str) -> None:
    bare = f"<p>{NOTICES['en']}</p><button>Accept all</button>"
    notice = f"<{place}>{bare}</{place.split(maxsplit=1)[0]}>" if place else bare

    reading = read(page(f"{notice}<{element}>{ARTICLE}{paragraphs()}</{element.split(maxsplit=1)[0]}>"))

    assert (reading.page_state, SENTENCE in reading.text) == ("ok", True)
    assert NOTICES["en"][:30] not in reading.text


@pytest.mark.parametrize("element", ["section", "div class=gdpr"])
@pytest.mark.parametrize("holder", ["main", "article"])
def test_a_consent_notice_with_its_button_in_the_text_is_none_of_it(holder: str, element: str) -> None:
    notice = (
        f"<{element}><p>{NOTICES['en']}</p><a href=/p>Privacy</a> <button>OK</button></{element.split(maxsplit=1)[0]}>"
    )

    reading = read(page(f"<{holder}>{notice}<section>{ARTICLE}</section></{holder}>"))

    assert NOTICES["en"][:30] not in reading.text
    assert SENTENCE in reading.text


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("ja", "古い渡し船が日曜日に十一年ぶりに海峡を渡り、岸壁には約四百人が集まって出港を見守った。"),
        ("zh", "旧渡轮星期日十一年来首次横渡海峡,约四百人站在码头上目送它离开,费用由市政府支付三分之一,其余来自基金。"),
        ("th", "เรือข้ามฟากลำเก่าข้ามช่องแคบเมื่อวันอาทิตย์เป็นครั้งแรกในรอบสิบเอ็ดปีและมีคนราวสี่ร้อยคนยืนดูอยู่ที่ท่าเรือ"),
    ],
)
def test_a_short_text_without_spaces_is_enough_beside_a_notice(language: str, sentence: str) -> None:
    notice = f"<div><p>{' '.join([NOTICES['en']] * 5)}</p><button>OK</button></div>"

    reading = read(page(f"<div><h1>Ferry</h1><p>{sentence}</p></div>{notice}", attributes=f' lang="{language}"'))

    assert reading.text.endswith(sentence)
    assert NOTICES["en"][:30] not in reading.text


@pytest.mark.parametrize("language", sorted(NOTICES))
def test_a_page_with_nothing_but_a_consent_notice_is_not_ok(language: str) -> None:
    reading = read(page(f"<div><p>{NOTICES[language]}</p><button>OK</button></div>"))

    assert reading.outcome == "empty"
    assert reading.page_state == "consent"
    assert reading.text == ""
    assert reading.detail is not None
    assert NOTICES[language][:30] in reading.visible


def test_a_notice_that_names_no_cookies_is_known_too() -> None:
    alone = read(page(f"<div>{paragraphs(WITHOUT_COOKIES)}</div>"))
    beside = read(page(f"<div>{paragraphs(WITHOUT_COOKIES)}</div><aside>{ARTICLE}</aside>"))

    assert alone.page_state == "consent"
    assert SENTENCE in beside.text
    assert "legitimate interest" not in beside.text


@pytest.mark.parametrize("title", ["Cookie policy", "Privacy policy of the harbour", "Datenschutz"])
def test_a_page_that_is_about_consent_is_read(title: str) -> None:
    reading = read(page(f"<h1>{title}</h1>{paragraphs(NOTICES['en'])}", f"<title>{title}</title>"))

    assert reading.outcome == "ok"
    assert "legitimate interest" in reading.text


def test_an_article_about_cookies_is_an_article() -> None:
    body = paragraphs(*(f"{text} The browser keeps each cookie in a file of its own." for text in PROSE * 3))

    reading = read(page(f"<article><h1>How cookies are kept</h1>{body}</article>"))

    assert reading.outcome == "ok"
    assert reading.text.count("in a file of its own") == 12


def test_navigation_and_footers_are_no_main_text_but_can_be_seen() -> None:
    html = page(
        "<nav><a href='/'>Home</a> <a href='/boats'>All boats</a> <a href='/tides'>Tide tables</a></nav>"
        f"<article>{ARTICLE}</article><footer><p>Town of Millbrook, harbour office, quay 4</p></footer>"
    )

    reading = read(html)

    assert SENTENCE in reading.text
    assert "Tide tables" not in reading.text
    assert "Tide tables" in reading.visible
    assert "Town of Millbrook" in reading.visible


ENGINES = {
    "discourse": ('<div class="topic-post"><div class="names">{who}</div><div class="cooked">{what}</div></div>', ""),
    "phpbb": ('<div class="post bg1"><p class="author">{who}</p><div class="content">{what}</div></div>', ""),
    "xenforo": ('<article class="message"><h4>{who}</h4><div class="bbWrapper">{what}</div></article>', ""),
    "vbulletin": ('<li class="b-post"><b>{who}</b><div class="js-post__content-text">{what}</div></li>', ""),
    "questions": (
        '<div class="answer" itemprop="suggestedAnswer"><div class="post-body" itemprop="text">{what}</div>{who}</div>',
        '<script type="application/ld+json">{"@context":"https://schema.org","@type":"QAPage"}</script>',
    ),
    "comments": ('<li class="comment"><cite>{who}</cite><div class="comment-content">{what}</div></li>', ""),
}
REPLIES = [f"{text} That is how it was in year {number}." for number, text in enumerate(PROSE * 2, 1)]


@pytest.mark.parametrize("engine", sorted(set(ENGINES) - {"phpbb"}))
def test_the_posts_of_a_thread_are_its_text(engine: str) -> None:
    post, head = ENGINES[engine]
    posts = "".join(post.format(who=f"Member {n}", what=f"<p>{text}</p>") for n, text in enumerate(REPLIES))

    reading = read(page(f"<h1>Gates</h1><div>{posts}</div>", head), url="https://forum.example/t/gates/17")

    assert [text for text in REPLIES if text not in reading.text] == []
    assert "Member 3" not in reading.text


def test_what_a_reply_quotes_from_an_earlier_one_stands_once() -> None:
    post = ENGINES["xenforo"][0]
    quote = f"<blockquote>Member 1 said: {REPLIES[0]}</blockquote><p>{REPLIES[1]}</p>"
    html = post.format(who="Member 1", what=REPLIES[0]) + post.format(who="Member 2", what=quote)

    reading = read(page(html), url="https://forum.example/threads/gates.17/")

    assert reading.text.count(REPLIES[0]) == 1
    assert REPLIES[1] in reading.text


def test_comments_below_an_article_are_not_its_text() -> None:
    post = ENGINES["comments"][0]
    comments = "".join(post.format(who=f"Reader {n}", what=f"<p>{text}</p>") for n, text in enumerate(REPLIES))

    reading = read(page(f"<article>{ARTICLE}</article><ol class='commentlist' id='comments'>{comments}</ol>"))

    assert SENTENCE in reading.text
    assert not [text for text in REPLIES if text in reading.text]
    assert not [text for text in REPLIES if text not in reading.visible]


@pytest.mark.slow
def test_a_page_of_very_many_elements_is_read_in_a_simpler_way_and_says_so() -> None:
    cells = "".join(f"<tr><td>{n}</td><td>depth {n % 7}</td></tr>" for n in range(15_000))

    reading = read(page(f"{ARTICLE}<table>{cells}</table>"))

    assert reading.outcome == "ok"
    assert "simpler" in (reading.detail or "")
    assert SENTENCE in reading.text


def test_reading_the_same_bytes_again_gives_the_same() -> None:
    html = page(f"<article>{ARTICLE}</article>")

    readings = {repr(read(html)) for _ in range(7)}

    assert len(readings) == 1


@pytest.mark.parametrize(
    "reference", ["&#1;", "&#x1F;", "&#0;", "&#x0b", "&#12;", "&#127;", "&#xFFFF;", "\x01", "\x0c"]
)
def test_control_characters_cost_a_page_nothing(reference: str) -> None:
    reading = read(page(f"<article>{ARTICLE}<p>left{reference} right{reference}</p></article>"))

    assert SENTENCE in reading.text
    assert "left right" in reading.text


def test_references_that_are_no_control_characters_stay() -> None:
    reading = read(
        page(f"<article>{ARTICLE}<p>Open&#10;from &#8364;12 &#x1F6A2; &#160;on &#130;this&#x10; day.</p></article>")
    )

    assert "from €12 \N{SHIP} on" in reading.text


@pytest.mark.parametrize("wrapped", ["{0}", '<div class="row">{0}<div class="ad">Buy a boat</div></div>'])
def test_a_text_that_is_cut_up_for_advertisements_is_put_together(wrapped: str) -> None:
    chunks = "".join(wrapped.format(f'<div class="body-chunk">{paragraphs(text)}</div>') for text in PROSE * 2)

    reading = read(page(f"<article><h1>Lock gates</h1>{chunks}</article>"))

    assert [text for text in PROSE if reading.text.count(text) < 2] == []
    assert reading.text.index(PROSE[0]) < reading.text.index(PROSE[1]) < reading.text.index(PROSE[2])


@pytest.mark.parametrize("refrains", [1, 2])
def test_the_paragraphs_of_a_short_text_stand_as_often_as_on_the_page(refrains: int) -> None:
    item = f'<div class="item"><span class="year">1931</span><p>{SENTENCE}</p></div>' * refrains

    reading = read(page(f'<main><h1>History</h1><div class="timeline">{item}</div></main>'))

    assert reading.text.count(SENTENCE) == refrains


@pytest.mark.parametrize("name", ["leg", "tab-info", "c-1", ""])
def test_lists_and_headings_stay_where_the_page_names_no_element_as_its_article(name: str) -> None:
    duties = (
        "<h2>Lights to be carried</h2><p>A boat shows at night</p><ol><li>a white light, or</li><li>a torch</li></ol>"
    )
    menu = '<div class="top"><ul><li><a href="/a">Acts of the harbour</a></li></ul></div>'

    text = read(page(f'{menu}<div class="{name}">{HEADING}{paragraphs()}{duties}{paragraphs(SENTENCE)}</div>')).text

    assert all(line in text for line in ("Lights to be carried", "a white light, or", "a torch", SENTENCE))
    assert "Acts of the harbour" not in text


def test_cards_of_other_stories_are_not_put_together_with_the_text() -> None:
    cards = "".join(f'<div class="card"><h3>Story {n}</h3><p>{text}</p></div>' for n, text in enumerate(PROSE))

    reading = read(page(f"<article>{ARTICLE}{paragraphs()}</article><div class='more'>{cards}</div>"))

    assert "Story" not in reading.text


@pytest.mark.parametrize("mark", ["¶", "#", "§", "\N{LINK SYMBOL}", "¶\ufe0e"])
def test_signs_that_only_lead_to_their_heading_are_no_words_of_it(mark: str) -> None:
    body = f'<article>{PROSE}<h2>Ferries<a class="x" href="#ferries">{mark}</a></h2>{PROSE}</article>'

    reading = read(page(body))

    assert mark not in reading.text
    assert "Ferries" in reading.text


def test_links_in_headings_that_say_something_stay() -> None:
    heading = '<h2><a href="#c">C</a> and <a href="#notes">3</a> more</h2>'

    reading = read(page(f"<article>{PROSE}{heading}{PROSE}</article>"))

    assert "C and 3 more" in reading.text


@pytest.mark.parametrize(
    "head",
    ["<!DOCTYPE html><title>Notice</title>", "<html><head><title>Notice</title>", "<title>Notice</title><meta name=a>"],
)
def test_a_head_ends_where_the_page_begins_whatever_its_tags_say(head: str) -> None:
    words = "The toll at the swing bridge ends on Friday, says the harbour office in its notice to all skippers. " * 4
    html = f"{head}<main><h1>Notice</h1><p>{words}</p></main><p>And a last line.</p>"

    found = read(html)

    assert "ends on Friday" in found.visible
    assert found.visible.endswith("And a last line.")
    assert (found.title, found.page_state) == ("Notice", "ok")
