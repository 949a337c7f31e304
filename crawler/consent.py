"""Consent notices: text about cookies and partners that stands before a page's own."""

import re
from itertools import islice, takewhile
from typing import Any, Final

from crawler.markup import cut_out
from crawler.page_signs import count_words
from crawler.page_words import AGREE

_WORDS: Final = re.compile(
    r"consent|\bpartners?\b|legitimate interest|privacy (?:policy|settings|choices)|personal data|advertising|"
    r"\bgdpr\b|\bccpa\b|einwilligung|datenschutz|zustimm|partnern|personenbezogen|consentement|donn[ée]es personnelles|"
    r"partenaires|consentimiento|datos personales|socios|consenso|dati personali|toestemming|persoonsgegevens|"
    r"samtycke|samtykke|zgod[ayę]|dane osobowe|súhlas|souhlas|согласи|персональн|файл\w* куки|同意|隐私|隱私|個人情報|"
    r"プライバシー|쿠키|개인정보|suostum|henkilötie|hozzájárul|személyes adat|adatvédel|onay\w+z|kişisel veri|"
    r"συγκατάθεσ|προσωπικ\w+ δεδομέν|consim[țt][ăa]m|date(?:le)? (?:cu caracter )?personale|privol|osobn\w+ poda[tc]|"
    r"съгласи|лични данни|сагласнос|sutikim|asmens duomen|piekriš|personas dat|nõusolek|isikuandme|samþykk|"
    r"person(?:opplysning|uppgift|oplysning)|הסכמ|מידע אישי|رضایت|موافقت|البيانات الشخصية|सहमति|ยินยอม|"
    r"ข้อมูลส่วนบุคคล|đồng ý|dữ liệu cá nhân|persetujuan|data pribadi",
    re.IGNORECASE,
)
# Every notice has one of these. Looking for them is twenty times faster than the patterns, on texts of any length.
_STEMS: Final = (
    "cookie", "consent", "consens", "einwilligung", "zustimm", "toestemming", "samtyck", "samtykk", "zgod", "souhlas",
    "súhlas", "куки", "согласи", "同意", "隐私", "隱私", "クッキー", "쿠키", "개인정보", "eväste", "süti", "çerez",
    "kakor", "informasjonskaps", "vafrak", "slapuk", "sīkdat", "küpsis", "kolačić", "piškotk", "бисквитк", "колачић",
    "galetes", "עוגי", "کوکی", "ملفات تعريف", "कुकी", "คุกกี้", "συγκατάθ", "hozzájárul", "suostumu", "съгласи",
)  # fmt: skip
_COOKIES: Final = re.compile(
    r"cookie|куки|クッキー|쿠키|eväste|süti|çerez|\bkakor\b|informasjonskaps|vafrak|slapuk|sīkdat|küpsis|kolačić|piškotk|"
    r"бисквитк|колачић|\bgaletes|עוגי|کوکی|ملفات تعريف|कुकी|คุกกี้",
    re.IGNORECASE,
)
_JOINED: Final = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Scripts in which a sentence may be written without spaces, or as two words."""

# A notice rarely is longer; a text that is, is about cookies.
MAX_NOTICE_WORDS: Final = 400

# Of the sentences, one share must be about cookies or consent, and one about consent itself: an article about cookies
# has the first only.
MIN_SHARE: Final = 0.5
MIN_CONSENT_SHARE: Final = 0.3

# A notice that does not name cookies must be about nothing else.
MIN_SHARE_WITHOUT_COOKIES: Final = 0.75
MIN_SENTENCES: Final = 3

# Headings of the first level that are looked at: each is read with all that stands around it.
MAX_TITLES: Final = 8

# A page with fewer words beside its notice has no text of its own.
MIN_OTHER_WORDS: Final = 20
_CONTAINERS: Final = frozenset(("div", "section", "aside", "form", "dialog", "footer", "header", "main", "nav"))

_BUTTONS: Final = frozenset(("button", "a"))
BUTTONS: Final = 3
"""Buttons in a notice, or elements behind it, that are looked at."""

_SENTENCE_END: Final = re.compile(r"[.!?。\uff01\uff1f]+\s*|\n+")


def is_consent_text(text: str) -> bool:
    """Whether TEXT as a whole is a consent notice: short, and most sentences are about cookies or consent."""
    if len(text.split()) > MAX_NOTICE_WORDS:
        return False
    sentences = [s for s in _SENTENCE_END.split(text) if len(s.split()) > 2 or _JOINED.search(s)]  # noqa: PLR2004 - "Read more"
    consent = sum(_WORDS.search(s) is not None for s in sentences)
    if not _COOKIES.search(text):
        return len(sentences) >= MIN_SENTENCES and consent >= MIN_SHARE_WITHOUT_COOKIES * len(sentences)
    about = sum(_WORDS.search(s) is not None or _COOKIES.search(s) is not None for s in sentences)
    return bool(sentences) and about >= MIN_SHARE * len(sentences) and consent >= MIN_CONSENT_SHARE * len(sentences)


def is_about_consent(root: Any) -> bool:
    """Whether the page with the `html` element ROOT calls itself one about cookies or privacy, as policies do."""
    titles = ("".join(e.itertext()) for e in root.iter("title", "h1"))
    return any(_COOKIES.search(t) or _WORDS.search(t) for t in titles)


def _may_hold_notice(text: str) -> bool:
    lowered = text.lower()
    return any(stem in lowered for stem in _STEMS)


def take_out_notices(root: Any, visible: str) -> None:
    """Take the containers that hold a consent notice and nothing else out of a page that has other text too.

    What stands in an article without a button that agrees is left: a section may well be about consent.
    """
    if not _may_hold_notice(visible) or is_about_consent(root):
        return
    notices = [
        e
        for e in consent_elements(root)
        if _has_button(e) or (e.tag in _CONTAINERS and next(e.iterancestors("article", "main"), None) is None)
    ]
    taken = sum(count_words("".join(e.itertext())) for e in notices)
    if notices and count_words(visible) - taken >= MIN_OTHER_WORDS:
        for element in notices:
            cut_out(element)


def _has_button(element: Any) -> bool:
    """Whether a button that agrees is in it, or one of the next elements: then even a bare paragraph is a notice."""
    near = (*islice(element.iter(*_BUTTONS), BUTTONS), *islice(element.itersiblings(), BUTTONS))
    return any(e.tag in _BUTTONS and AGREE.match(" ".join("".join(e.itertext()).split()).lower()) for e in near)


def _holds_a_text(element: Any) -> bool:
    """Whether a heading of the page is in ELEMENT with a text of its own right after it, shorter than the notice."""
    for title in islice(element.iter("h1"), MAX_TITLES):
        below = title
        for above in title.iterancestors():
            if above is element or _speaks_of_consent(above):
                break
            below = above
        own = takewhile(lambda one: not _speaks_of_consent(one), (below, *below.itersiblings()))
        if sum(count_words(" ".join(one.itertext())) for one in own) >= MIN_OTHER_WORDS:
            return True
    return False


def _speaks_of_consent(element: Any) -> bool:
    text = " ".join(element.itertext())
    return _COOKIES.search(text) is not None or _WORDS.search(text) is not None


def consent_elements(root: Any) -> list[Any]:
    """The largest elements below `body` that hold a consent notice and nothing else."""
    body = root.find("body")
    if body is None:
        return []
    found: list[Any] = []
    todo = list(body)
    while todo:
        element = todo.pop()
        if not isinstance(element.tag, str):
            continue
        text = " ".join(element.itertext())
        if not _may_hold_notice(text):
            continue
        if is_consent_text(text) and not _holds_a_text(element):
            found.append(element)
        else:
            todo.extend(element)
    return found
