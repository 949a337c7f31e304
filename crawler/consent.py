"""Consent notices: text about cookies and partners that stands before a page's own."""

import re
from typing import Any, Final

_WORDS: Final = re.compile(
    r"consent|\bpartners?\b|legitimate interest|privacy (?:policy|settings|choices)|personal data|advertising|"
    r"\bgdpr\b|\bccpa\b|einwilligung|datenschutz|zustimm|partnern|personenbezogen|consentement|donn[ée]es personnelles|"
    r"partenaires|consentimiento|datos personales|socios|consenso|dati personali|toestemming|persoonsgegevens|"
    r"samtycke|samtykke|zgod[ayę]|dane osobowe|súhlas|souhlas|согласи|персональн|файл\w* куки|同意|隐私|隱私|個人情報|"
    r"プライバシー|쿠키|개인정보",
    re.IGNORECASE,
)
_COOKIES: Final = re.compile(r"cookie|куки|クッキー|쿠키", re.IGNORECASE)

# A notice rarely is longer; a text that is, is about cookies.
MAX_NOTICE_WORDS: Final = 400

# Of the sentences, one share must be about cookies or consent, and one about consent itself: an article about cookies
# has the first only.
MIN_SHARE: Final = 0.5
MIN_CONSENT_SHARE: Final = 0.3

_SENTENCE_END: Final = re.compile(r"[.!?。\uff01\uff1f]+\s*|\n+")


def is_consent_text(text: str) -> bool:
    """Whether TEXT as a whole is a consent notice: short, names cookies, and most sentences are about it."""
    if not _COOKIES.search(text) or len(text.split()) > MAX_NOTICE_WORDS:
        return False
    sentences = [s for s in _SENTENCE_END.split(text) if len(s.split()) > 2 or not s.isascii()]  # noqa: PLR2004 - "OK", "Read more"
    consent = [_WORDS.search(s) is not None for s in sentences]
    about = sum(said or _COOKIES.search(s) is not None for s, said in zip(sentences, consent, strict=True))
    return (
        bool(sentences) and about >= MIN_SHARE * len(sentences) and sum(consent) >= MIN_CONSENT_SHARE * len(sentences)
    )


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
        if not _COOKIES.search(text):
            continue
        if is_consent_text(text):
            found.append(element)
        else:
            todo.extend(element)
    return found
