"""What is said around a date, in the languages that say it often: whether it is the page's, or something else's."""

import re
from typing import Final

ANNOUNCES: Final = re.compile(
    r"\b(?:publi\w*|posted|updated|written|last modified|by|von|par|por|af|av|door|veröffentlicht|erschienen|"
    r"erstellt|stand|"
    r"aktualisiert|geändert|mis à jour|actualizado|aggiornato|pubblicato|gepubliceerd|opublikowano)\b|更新|发布|投稿",
    re.IGNORECASE,
)
# What is said of a date that belongs to an event, an offer, a deadline, a life or a member.
OCCASION: Final = re.compile(
    r"\b(?:opens?|opening|opened|clos(?:es|ed|ing)|starts?|starting|begins?|ends?|ending|when|deadline|due|valid|until|till|"
    r"expir\w+|through|born|died|births?|deaths?|events?|takes place|held|offers?|doors|arriv\w+|depart\w+|check-?in|"
    r"availab\w+|deliver\w+|prices (?:as of|from)|review(?:ed on|ed:)|(?:last|medically|legally) reviewed|"
    r"(?:regulation|directive|act|decree|ordinance) of|(?:verordnung|gesetz|richtlinie) vom|(?:loi|décret|arrêté) du|"
    r"lieferbar|lieferung|disponible|livraison|"
    r"apply|appl\w+ by|regist\w+|founded|established|since|next|joined|member|version|release[ds]?|"
    r"beginnt?|öffnet|eröffn\w+|start\w*|endet|ende|bis|gültig|frist|\w*schluss|anmeld\w+|geboren|gestorben|findet|termin|wann|"
    r"seit|mitglied|beigetreten|"
    r"ouvr\w+|ferm\w+|début\w*|jusqu\w+|limite|valable|née?s?|mort|quand|dès|échéance|lieu|depuis|membre|"
    r"abre\w*|apertura|cierra|cierre|inicio|empieza|hasta|válid\w+|vence|plazo|límite|naci\w+|fallec\w+|cuándo|desde|miembro|"
    r"apre|chiud\w+|inizi\w+|fino|scad\w+|entro|valid\w+|nat[oa]|mort[oa]|quando|dal|iscritt\w+|"
    r"fecha(?:do|da|r|m)|encerra\w*|início|começa\w*|até|prazo|nascid\w+|membro|"
    r"opent|sluit|begint|tot|geldig|uiterlijk|wanneer|vanaf|sinds|lid|öppnar|börjar|giltig\w*|född|när|senast den|"
    r"sista|sedan|medlem\w*|åbner|født|siden|alkaa|päättyy|syntynyt|"
    r"otwar\w+|otwier\w+|rozpocz\w+|ważn\w+|termin\w*|urodz\w+|kiedy|członek|"
    r"začína\w*|končí|narozen\w*|platí|kezdőd\w*|határidő|született|începe|născut\w*|termen|başla\w*|doğum\w*|üye\w*|"
    r"откры\w+|закры\w+|нача\w+|начин\w+|действ\w+|срок\w*|родил\w+|умер\w*|когда|до|участник\w*|"
    r"поча\w+|народи\w+|дійсн\w+|термін\w*)\b|"
    r"开放|開放|活动|活動|开幕|開幕|截止|有效|到期|出生|举行|舉行|报名|報名|注册|註冊|開催|締切|期限|まで|生まれ|開始|日時|登録|"
    r"개최|마감|까지|출생|시작|가입|"
    r"متى|موعد|يفتتح|حتى|ولد|عضو|يبدأ|ينتهي|متولد|عضویت|مهلت|برگزار|آغاز|افتتاح|आरंभ|जन्म|अंतिम तिथि|เปิด|เริ่ม|หมดเขต|เกิด",
    re.IGNORECASE,
)
CHANGED: Final = re.compile(
    r"updat|modif|edit|chang|revis|aktuali|geänd|mise? à jour|actuali[sz]|aggiorn|bijgewerkt|gewijzigd|atualiza|"
    r"zaktuali|zmieni|ändrad|oppdater|opdater|päivit|muokattu|güncelle|обновл|измен|оновл|ενημέρωσ|更新|修改|수정|"
    r"تحديث|به‌روز|बदला|แก้ไข",
    re.IGNORECASE,
)
SAYS_WRITTEN: Final = re.compile(
    r"\b(?:publi\w*|posted|updated|written|modified|veröffentlich\w+|erschienen|erscheinungsdatum|erstellt|"
    r"aktualisiert|geändert|"
    r"mis à jour|actualizado|aggiornato|pubblica\w+|gepubliceerd|geplaatst|julkaistu|"
    r"opublikowan\w+|zveřejněn\w*|közzétéve|yayınlan\w+|опубликован\w*|опубліковано|δημοσιεύ\w*)\b"
    r"|更新|发布|發布|发表|發表|投稿|公開|掲載|게시|등록일|نشر|تاریخ انتشار|प्रकाशित|เผยแพร่",
    re.IGNORECASE,
)
# What the heading of a row says in which a page has its date.
DATE: Final = re.compile(
    r"\b(?:dat(?:e|um|a|o)|dátum|fecha|data|tarih|tanggal|ngày|päivä\w*|дата|ημερομηνία)\b|"
    r"تاريخ|تاریخ|תאריך|日期|日付|日時|날짜|วันที่|दिनांक",
    re.IGNORECASE,
)
# What is said of a date that is certainly none of the page's own publication.
OF_OTHERS: Final = re.compile(r"©|\(c\)|copyright|all rights|alle rechte|tous droits|foto|photo|bild:", re.IGNORECASE)

# How a sentence begins that tells of a day. A line with the date of a page has no such word before it.
TELLS: Final = re.compile(
    r"^\W*(?:on|in|by|from|as of|am|im|ab|vom|le|en|du|dès|el|il|nel|em|no|op|in|den|på|dnia|w|dne|в|с|у|на|στις|في|"
    r"من|于|於|自)\b"
    r"(?! ?\d{1,2}[./]\d)",
    re.IGNORECASE,
)


_CAME_OUT: Final = re.compile(
    r"\b(?:publi(?:sh|shed|cado|cada|é|ée|cerad|sert)|posted|veröffentlicht|erschienen|erstellt|pubblicat[oa]|"
    r"gepubliceerd|geplaatst|julkaistu|opublikowan\w+|zveřejněn\w*|yayınlan\w+|опубликован\w*|опубліковано|δημοσιεύ\w*)\b"
    r"|发布|發布|发表|發表|公開|掲載|投稿|게시|등록|입력|نشر|انتشار|प्रकाशित|เผยแพร่",
    re.IGNORECASE,
)


DIGITS_OF_A_DAY: Final = 5
"""Digits that a day with its year has at least."""


def parts_of_publication(said: str) -> tuple[str, str]:
    """What is SAID of publication, and of a change; both are empty unless one line says both, each before its date.

    A day before what is said of a change and its day is that of publication, whatever stands before it.
    """
    came_out, changed = _CAME_OUT.search(said), CHANGED.search(said)
    if changed is None or (came_out is not None and came_out.start() == changed.start()):
        return "", ""
    if came_out is None:
        first, second = said[: changed.start()], said[changed.start() :]
        return (first, second) if _has_a_year(first) and _has_a_year(second) else ("", "")
    later = max(came_out.start(), changed.start())
    first, second = said[:later], said[later:]
    if not any(sign.isdecimal() for sign in first) or not any(sign.isdecimal() for sign in second):
        return "", ""
    return (first, second) if came_out.start() < changed.start() else (second, first)


def _has_a_year(said: str) -> bool:
    return sum(sign.isdecimal() for sign in said) >= DIGITS_OF_A_DAY


def is_of_occasion(said: str) -> bool:
    """Whether what is SAID around a date makes it that of an event, an offer, a life; not where it says "published"."""
    return bool(OCCASION.search(said)) and not SAYS_WRITTEN.search(said)


def is_of_something_else(said: str) -> bool:
    """Whether what is SAID around a date makes it none of the page's publication."""
    return bool(OF_OTHERS.search(said) or CHANGED.search(said)) or is_of_occasion(said)
