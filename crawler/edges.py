"""Lines that stand right before or after an article and are not of it, told by what they say.

The words are those of the trade in many languages; what is told by them is only looked for at the edge of a text.
"""

import re
from collections.abc import Sequence
from typing import Final

# A line of more words is a paragraph, whatever it names.
MAX_DATELINE: Final = 20
MAX_CREDIT: Final = 15
MAX_CALL: Final = 60
MAX_HANDLE: Final = 40
MAX_SHARE: Final = 25
MAX_HEAR: Final = 8

# A day with its year, as numbers or with the month's name between; and words for coming out and being changed.
_DAY: Final = re.compile(
    r"(?<!\d)(?:\d{1,2}(?:\s?[./-]\s?\d{1,2}\s?[./-]\s?|\.?\s+(?:de\s+)?[^\W\d_]{3,12}\.?,?\s+(?:de\s+)?)(?:19|20)\d\d"
    r"|(?:19|20)\d\d\s?[-年./]\s?\d{1,2}\s?[-月./]\s?\d{1,2})(?!\d)"
    r"|[^\W\d_]{3,12}\.?\s+\d{1,2},?\s+(?:19|20)\d\d(?!\d)"
)
_CAME_OUT: Final = re.compile(
    r"publi(?:shed|cado|cada|é|ée|catie)|pubblicat|updated|posted|last (?:modified|changed|edited)|veröffentlicht|"
    r"aktualisiert|letzte änderung|erstellt am|actualizado|mis à jour|aggiornat|atualizado|postado|gepubliceerd|"
    r"bijgewerkt|publicerad|uppdaterad|publisert|oppdatert|opdateret|opublikowano|aktualizacja|опубликован|обновлен|"
    r"yayınlan|güncelle|diterbitkan|发布|發布|发表|發表|発表|编辑[:：]|更新|掲載|게시|수정|입력|نُ?شر|تحديث",  # noqa: RUF001 - a full-width mark is meant
    re.IGNORECASE,
)
_SENTENCE_ENDS: Final = re.compile(r"[.!?…。！？।؟]\W*$")  # noqa: RUF001 - full-width marks are meant
_NUMBERS: Final = re.compile(r"\d+")

_NETWORKS: Final = re.compile(
    r"facebook|twitter|instagram|youtube|tiktok|telegram|whatsapp|linkedin|pinterest|mastodon|bluesky|snapchat|spotify|"
    r"vkontakte|вконтакте|微信|微博|公众号",
    re.IGNORECASE,
)
_HANDLE: Final = re.compile(r"(?<!\w)@\w")
# Asking for it, and nothing before: that somebody follows somebody is news.
_FOLLOW: Final = re.compile(
    r"^\W*(?:(?:follow|join|like)\b|folgen? |folg uns|besuchen sie uns|suivez|retrouvez|[uú]nete a|s[ií]gue|siga\b|"
    r"sigam?-nos|seguici|segui\b|volg\b|följ\b|følg\b|seuraa\b|obserwuj|śledź|polub|bizi takip|следите|подпис|ikuti\b)"
    r"|关注我|關注我|フォローして|팔로우하|تابعو?نا",
    re.IGNORECASE,
)
_BY_MAIL: Final = re.compile(
    r"\bsign up\b.{0,60}?\b(?:newsletters?|updates|e-?mails?|alerts|inbox)\b|\byour inbox\b|"
    r"\bsubscribe (?:to|now|for|today|here)\b|abonnez-vous|abonnieren sie|inscrivez-vous|suscr[ií]b[ae]|iscriviti|"
    r"inscreva-se|assine (?:a|já|agora)|zapisz się|prenumeruj|abone ol|подпишитесь|подписывайтесь|订阅我们|訂閱我們|"
    r"メルマガ登録|구독하세요|اشترك في|berlangganan sekarang|^\W*join\b.{0,40}\bsubscribers\b"
    r"|\b(?:our|your|free|unser\w*|notre|nuestr\w+|nostr\w+|noss\w|onze|vår\w?|vores) (?:\S+ )?newsletter",
    re.IGNORECASE,
)
# Asking readers for money, in the name of those who write; others that a text is about are quoted.
_QUOTED: Final = re.compile(r'["“”„«»「]|\bsaid\b')
_GIVE: Final = re.compile(
    r"\b(?:your|every) (?:\w+ )?(?:support|donation|gift|contribution)\b.{0,60}\b(?:us|our)\b|"
    r"\bhelp us (?:to )?(?:continue|keep)\b|\b(?:support|donate to) (?:us\b|our (?:work|journalism|mission))|"
    r"unterstützen sie (?:uns|unser)|mit ihrer spende|soutenez(?:-| )(?:nous|notre|nos)|faites un don|"
    r"ap[oó]ya(?:nos| nuestr)|con tu donación|apoie (?:o nosso|a nossa|nosso)|sostieni(?:ci| il nostro| la nostra)|"
    r"steun ons|stöd (?:oss|vår)|støt (?:os|vores)|wesprzyj nas|поддержите (?:нас|наш)|支持我们|支持我們|ご支援",
    re.IGNORECASE,
)
# Asking to share or rate the text, or to say something below it.
_SHARE: Final = re.compile(
    r"^\W*(?:please )?(?:share|tweet|pin|rate) (?:this|it|on|with|via)\b|\b(?:liked?|enjoyed?|loved?) this "
    r"(?:article|post|story|recipe)\b.*\?|\bdid you (?:make|try|like|enjoy) this\b|"
    r"^\W*teilen(?: mit| auf)?\W*$|\bteilen? (?:sie )?(?:ihn|sie|es|diesen|dieses) (?:gerne? |doch )?(?:mit|auf)\b|"
    r"\bhat (?:dir|ihnen) (?:dieser|der|das|dieses) (?:artikel|beitrag|rezept)|\bhast du (?:das|dieses) rezept\b.*\?|"
    r"^\W*bewerte (?:diesen|dieses)|^\W*partagez?\b.{0,3}(?:le|cet|sur)\b|\bcet article vous a plu|"
    r"^\W*compart[ei]r?\b.{0,12}\b(?:est[ea]|en)\b|\bte (?:ha )?gust(?:ó|ado) (?:este|esta)\b.*\?|^\W*compartilhe\b|"
    r"\bgostou d\w+.*\?|^\W*condividi\b|\bti è piaciut[oa]\b.*\?|^\W*udostępnij\b|podobał\w? ci się .*\?|"
    r"^\W*deel (?:dit|deze)|^\W*dela (?:artikeln|inlägget)|^\W*поделит(?:есь|ься)\b|"
    r"понравил(?:ась|ось|ся) (?:статья|пост|рецепт)|シェアして|シェアする|(?:分享给|分享到|转发给)|공유하기",
    re.IGNORECASE,
)
# To hear a text rather than to read it, and how long that takes.
_HEAR: Final = re.compile(
    r"^\W*(?:listen to (?:this|the) (?:article|story)|artikel (?:anhören|vorlesen)|écouter (?:l.article|cet article)|"
    r"escuchar (?:el artículo|la noticia)|ouvir (?:a )?notícia|ascolta (?:l.articolo|la notizia)|"
    r"luister naar dit artikel)\W*$|^\W*(?:reading time|lesezeit|lesedauer|temps de lecture|tempo di lettura|"
    r"tiempo de lectura|tempo de leitura|leestijd|lästid|czas czytania|время чтения)?\W*\d{1,2}(?:-\d{1,2})?\s*"
    r"min(?:\.|ut\w*)?(?: (?:read|lesezeit|de lecture))?\W*$",
    re.IGNORECASE,
)
_RIGHTS: Final = re.compile(
    r"©|\(c\) ?\d{4}|^\W*copyright\b|\bcopyright (?:©|\d{4})|all rights reserved|rechte vorbehalten|"
    r"tous droits réservés|derechos reservados|direitos reservados|diritti riservati|все права защищены|"
    r"prawa zastrzeżone|rechten voorbehouden|版权所有|版權所有|(?:请勿|不得|禁止|授权|無断)(?:转载|轉載|転載)|转载请|"
    r"轉載請|ICP备|무단\s?전재|جميع الحقوق محفوظة",
    re.IGNORECASE,
)
# A credit names who it goes to right behind the word; "The photo shows" is a sentence.
_CREDIT: Final = re.compile(
    r"^\W*(?:(?:titel|beitrags|symbol|header|cover)?(?:foto|photo|bild|image|picture)s?"
    r"(?:[- ]?(?:credits?|quelle|nachweis|rechte))?|fot|cr[eé]dits?(?: photos?)?|immagine|imagen|imagem|foto's|фото|"
    r"图片来源|图|写真|사진|صورة)\.?(?: \w+){0,2}\s*[:：/©]",  # noqa: RUF001 - full-width marks are meant
    re.IGNORECASE,
)
_TAGS: Final = re.compile(
    r"^\W*(?:tags?|schlagw[oö]rter|schlagworte|schlüsselw[oö]rter|keywords|topics|mots[- ]cl[ée]s|etiquetas|temas|"
    r"palabras clave|palavras-chave|parole chiave|trefwoorden|emneord|nyckelord|tagi|słowa kluczowe|etiketler|"
    r"теги|метки|ключевые слова|标签|標籤|关键词|關鍵詞|タグ|태그|الوسوم)\s*(?:[:：]|$)",  # noqa: RUF001 - a full-width mark is meant
    re.IGNORECASE,
)


def is_tags(text: str) -> bool:
    """Whether TEXT is, or begins, a list of the words that the page is filed under."""
    return _TAGS.search(text) is not None


def is_dateline(text: str, words: int, days: Sequence[str]) -> bool:
    """Whether TEXT of so many WORDS only says when the page came out, and perhaps who wrote it.

    DAYS are those of the page (`2024-03-05`). A line with another day is about something else, unless it says so.
    """
    if words > MAX_DATELINE or _SENTENCE_ENDS.search(text):
        return False
    if _CAME_OUT.search(text) and _DAY.search(text):
        return True
    numbers = {int(number) for number in _NUMBERS.findall(text) if len(number) <= 4}  # noqa: PLR2004 - of a year
    return any(
        int(day) in numbers and not numbers.isdisjoint((int(year), int(year) % 100))
        for year, _, day in (one[:10].split("-") for one in days)
    )


def is_credit(text: str, words: int) -> bool:
    """Whether TEXT, one line, only says whose a picture is."""
    return words <= MAX_CREDIT and "\n" not in text and _CREDIT.search(text) is not None


def is_rights(text: str, words: int) -> bool:
    """Whether TEXT, one line, says who has the rights, and what may not be done."""
    return words <= MAX_CALL and "\n" not in text and _RIGHTS.search(text) is not None


def is_call(text: str, words: int) -> bool:
    """Whether TEXT asks to follow the site elsewhere, to have it sent, to give for it, or to share it."""
    if words > MAX_CALL:
        return False
    if words <= MAX_SHARE and _SHARE.search(text):
        return True
    if _NETWORKS.search(text) and (_FOLLOW.search(text) or (words <= MAX_HANDLE and _HANDLE.search(text))):
        return True
    return _BY_MAIL.search(text) is not None or (_GIVE.search(text) is not None and _QUOTED.search(text) is None)


def is_offer_to_hear(text: str, words: int) -> bool:
    """Whether TEXT, a line above an article, only offers to read it aloud or says how long reading takes."""
    return words <= MAX_HEAR and _HEAR.search(text) is not None
