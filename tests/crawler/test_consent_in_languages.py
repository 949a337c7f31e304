# ruff: noqa: E501, RUF001 - a table of notices in many languages
"""Notices that ask for consent, in languages other than those in which most do."""

import pytest

from tests.crawler.reading_pages import PROSE, page, paragraphs, read

NOTICES = {
"fi":("Käytämme evästeitä sivuston parantamiseen. Hyväksymällä annat suostumuksesi henkilötietojesi käsittelyyn.","Hyväksy kaikki"),
"hu":("Sütiket használunk a jobb élményért. Az elfogadással hozzájárul személyes adatai kezeléséhez.","Elfogadom"),
"tr":("Deneyiminizi geliştirmek için çerez kullanıyoruz. Kabul ederek kişisel verilerinizin işlenmesine açık rıza verirsiniz.","Kabul et"),
"el":("Χρησιμοποιούμε cookies για να βελτιώσουμε την εμπειρία σας. Με την αποδοχή δίνετε τη συγκατάθεσή σας.","Αποδοχή"),
"ro":("Folosim cookie-uri pentru a îmbunătăți experiența. Prin acceptare vă dați consimțământul.","Accept"),
"lt":("Naudojame slapukus. Sutikdami duodate sutikimą tvarkyti asmens duomenis.","Sutinku"),
"lv":("Mēs izmantojam sīkdatnes. Nospiežot pogu, jūs piekrītat personas datu apstrādei un piekrišanai.","Piekrītu"),
"et":("Kasutame küpsiseid. Nõustudes annate nõusoleku isikuandmete töötlemiseks.","Nõustun"),
"hr":("Koristimo kolačiće za bolje iskustvo. Klikom dajete privolu za obradu osobnih podataka.","Prihvaćam"),
"sl":("Uporabljamo piškotke za boljšo izkušnjo. S klikom daste privolitev za obdelavo osebnih podatkov.","Sprejmi"),
"bg":("Използваме бисквитки за по-добро изживяване. С натискане давате съгласие за обработка на лични данни.","Приемам"),
"he":("אנו משתמשים בעוגיות כדי לשפר את החוויה שלך. בלחיצה על הכפתור את או אתה נותנים הסכמה לעיבוד מידע אישי.","אישור"),
"fa":("ما از کوکی‌ها برای بهبود تجربه شما استفاده می‌کنیم. با ادامه، رضایت خود را برای پردازش داده‌ها اعلام می‌کنید.","پذیرش"),
"ar":("نستخدم ملفات تعريف الارتباط لتحسين تجربتك. بالمتابعة فإنك تعطي موافقتك على معالجة البيانات الشخصية.","قبول"),
"is":("Við notum vafrakökur til að bæta upplifun þína. Með því að halda áfram veitir þú samþykki þitt.","Samþykkja"),
"nb":("Vi bruker informasjonskapsler for å gjøre siden bedre. Ved å fortsette gir du samtykke til behandling av personopplysninger.","Godta"),
"sv":("Vi använder kakor för att sajten ska fungera. Genom att fortsätta ger du ditt samtycke till att vi behandlar personuppgifter.","Godkänn"),
"th":("เราใช้คุกกี้เพื่อพัฒนาประสบการณ์ของคุณ การใช้งานต่อถือว่าคุณยินยอมให้ประมวลผลข้อมูลส่วนบุคคล","ยอมรับ"),
"vi":("Chúng tôi dùng cookie để cải thiện trải nghiệm của bạn. Khi tiếp tục, bạn đồng ý cho chúng tôi xử lý dữ liệu cá nhân.","Đồng ý"),
"id":("Kami memakai cookie untuk meningkatkan pengalaman Anda. Dengan melanjutkan, Anda memberi persetujuan atas pemrosesan data pribadi.","Setuju"),
"hi":("हम आपके अनुभव को बेहतर बनाने के लिए कुकी का उपयोग करते हैं। जारी रखकर आप अपनी सहमति देते हैं।","स्वीकार"),
"cs":("Používáme soubory cookie ke zlepšení stránek. Pokračováním dáváte souhlas se zpracováním osobních údajů.","Souhlasím"),
"ca":("Utilitzem galetes per millorar la vostra experiència. En continuar doneu el vostre consentiment al tractament de dades personals.","Accepto"),
}  # fmt: skip
TEXT = f"<h1>Lock gates</h1>{paragraphs()}"


@pytest.mark.parametrize(
    "around",
    [
        "<div class=x>{notice}</div><div>{text}</div>",
        "<main><aside>{text}</aside><div>{notice}</div></main>",
        "<aside>{text}</aside><section>{notice}</section>",
    ],
)
@pytest.mark.parametrize("language", NOTICES)
def test_a_notice_beside_a_text_is_none_of_it_in_any_language(language: str, around: str) -> None:
    said, button = NOTICES[language]
    notice = f"<p>{said}</p><button>{button}</button>"

    reading = read(page(around.format(notice=notice, text=TEXT), "<title>Lock gates</title>", f" lang={language}"))

    assert reading.page_state == "ok"
    assert said[:20] not in reading.text
    assert all(text in reading.text for text in PROSE)


@pytest.mark.parametrize("language", NOTICES)
def test_a_page_with_nothing_but_a_notice_asks_for_consent_in_any_language(language: str) -> None:
    said, button = NOTICES[language]

    reading = read(page(f"<div><p>{said}</p><button>{button}</button></div>", "<title>Harbour</title>"))

    assert reading.page_state == "consent"
