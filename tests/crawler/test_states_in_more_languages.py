# ruff: noqa: E501, RUF001 - tables in many languages
"""Missing pages and challenges in languages that few sites of the labelled set are in; and texts that hold such words."""

import pytest

from tests.crawler.reading_pages import page, paragraphs, read

MENU = "<nav><a href=/1>A</a> <a href=/2>B</a> <a href=/3>C</a></nav>"
FOOT = "<footer>© Harbour 2026</footer>"
MISSING = {
    "ta": ("பக்கம் கிடைக்கவில்லை", "மன்னிக்கவும், நீங்கள் தேடும் பக்கம் இல்லை."),
    "eu": ("Ez da orria aurkitu", "Bilatzen duzun orria ez da existitzen."),
    "gl": ("Páxina non atopada", "A páxina que buscas non existe."),
    "cy": ("Heb ddod o hyd i'r dudalen", "Yn anffodus, nid yw'r dudalen yn bodoli."),
    "ga": ("Níor aimsíodh an leathanach", "Ár leithscéal, níl an leathanach ann."),
    "sq": ("Faqja nuk u gjet", "Na vjen keq, faqja që kërkoni nuk ekziston."),
    "mk": ("Страницата не е пронајдена", "Страницата што ја барате не постои."),
    "be": ("Старонка не знойдзена", "На жаль, старонка не існуе або была выдалена."),
    "ka": ("გვერდი ვერ მოიძებნა", "სამწუხაროდ, თქვენ მიერ მოთხოვნილი გვერდი არ არსებობს."),
    "hy": ("Էջը չի գտնվել", "Ցավոք, ձեր փնտրած էջը գոյություն չունի։"),
    "az": ("Səhifə tapılmadı", "Axtardığınız səhifə mövcud deyil."),
    "kk": ("Бет табылмады", "Кешіріңіз, сіз іздеген бет жоқ."),
    "tl": ("Hindi makita ang pahina", "Paumanhin, hindi umiiral ang pahinang hinahanap mo."),
    "sw": ("Ukurasa haujapatikana", "Samahani, ukurasa unaotafuta haupo."),
    "af": ("Bladsy nie gevind nie", "Jammer, die bladsy wat u soek bestaan nie."),
    "ur": ("صفحہ نہیں ملا", "معذرت، آپ جو صفحہ تلاش کر رہے ہیں وہ موجود نہیں ہے۔"),
    "ne": ("पृष्ठ फेला परेन", "माफ गर्नुहोस्, तपाईंले खोज्नुभएको पृष्ठ फेला परेन।"),
    "si": ("පිටුව හමු නොවීය", "ඔබ සොයන පිටුව හමු නොවීය."),
    "km": ("រកមិនឃើញទំព័រ", "សូមអភ័យទោស រកមិនឃើញទំព័រដែលអ្នកស្វែងរក។"),
    "my": ("စာမျက်နှာ မတွေ့ပါ", "သင်ရှာနေသော စာမျက်နှာ မရှိပါ။"),
    "mn": ("Хуудас олдсонгүй", "Уучлаарай, таны хайсан хуудас олдсонгүй."),
    "eo": ("Paĝo ne trovita", "Bedaŭrinde la serĉata paĝo ne ekzistas."),
    "et": ("Lehekülge ei leitud", "Kahjuks otsitavat lehte ei leitud."),
    "is": ("Síða fannst ekki", "Því miður fannst síðan sem þú leitar að ekki."),
    "hu2": ("Hoppá!", "Sajnos a kért oldal nem található."),
    "vi": ("Không tìm thấy trang", "Rất tiếc, trang bạn yêu cầu không tồn tại hoặc đã bị xóa."),
    "th": ("ไม่พบหน้าที่คุณต้องการ", "ขออภัย ไม่พบหน้าเว็บที่คุณค้นหา หน้านี้อาจถูกลบไปแล้ว"),
    "he": ("הדף לא נמצא", "מצטערים, הדף שחיפשת אינו קיים או שהוסר."),
    "uk": ("Сторінку не знайдено", "На жаль, запитувана сторінка не існує або була видалена."),
}
CHALLENGES = {
    "hu": "Annak ellenőrzése, hogy Ön ember-e. Ez eltarthat néhány másodpercig.",
    "th": "กำลังตรวจสอบว่าคุณเป็นมนุษย์ การดำเนินการนี้อาจใช้เวลาสักครู่",
    "el": "Επαλήθευση ότι είστε άνθρωπος. Αυτό μπορεί να διαρκέσει μερικά δευτερόλεπτα.",
    "id": "Memverifikasi bahwa Anda adalah manusia. Ini mungkin memerlukan beberapa detik.",
    "fa": "در حال بررسی اینکه شما انسان هستید. این کار ممکن است چند ثانیه طول بکشد.",
    "ro": "Se verifică dacă sunteți om. Acest lucru poate dura câteva secunde.",
    "bg": "Проверяваме дали сте човек. Това може да отнеме няколко секунди.",
    "hi": "सत्यापित किया जा रहा है कि आप मनुष्य हैं। इसमें कुछ सेकंड लग सकते हैं।",
    "fi": "Vahvistetaan, että olet ihminen. Tämä voi kestää muutaman sekunnin.",
}


@pytest.mark.parametrize("language", MISSING)
def test_a_missing_page_says_so_in_its_title_a_heading_or_its_text_alone(language: str) -> None:
    title, text = MISSING[language]
    titled = page(f"<h1>{title}</h1><p>{text}</p>", f"<title>{title}</title>", "")
    headed = page(f"{MENU}<main><h2>{title}</h2><p>{text}</p></main>{FOOT}", "<title>Harbour</title>", "")
    told = page(f"{MENU}<main><p>{text}</p></main>{FOOT}", "<title>Harbour</title>", "")

    assert [read(one).page_state for one in (titled, headed, told)] == ["not_found"] * 3


@pytest.mark.parametrize("language", CHALLENGES)
def test_a_challenge_asks_for_a_person(language: str) -> None:
    reading = read(page(f"<h1>{CHALLENGES[language]}</h1>", "<title>harbour.example</title>", ""))

    assert reading.page_state == "blocked"


@pytest.mark.parametrize("words", [*(text for _, text in MISSING.values()), *CHALLENGES.values()])
def test_a_text_that_quotes_such_words_is_a_page(words: str) -> None:
    article = (
        f"<article><h1>What sites say</h1>{paragraphs()}<p>One of them says: “{words}”</p>{paragraphs()}</article>"
    )

    assert read(page(article, "<title>What sites say</title>")).page_state == "ok"
