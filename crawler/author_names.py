# ruff: noqa: RUF001 - words in many scripts are meant
"""The names in a line that says who wrote something, without what stands around them."""

import re
from html import unescape
from typing import Final

from crawler.scalars import one_line, scalars

# Characters: room for a dozen names.
MAX_AUTHOR: Final = 300
MIN_NAME: Final = 2
# Of one person or office; more are a sentence.
MAX_WORDS_OF_NAME: Final = 6

# What is said before a name with a colon behind it, in the languages of the world.
LABEL: Final = (
    r"autor(?:in|en|innen|es|as?|ka|i|zy)?|authors?|auteure?s?|autrice|autore|por|texte?s?|texto|testo|tekst|teksti|"
    r"words|story|interview|skribent|journalist|forfatter|kirjoittaja|szerző|írta|penulis|oleh|yaza[nr]|tác giả|"
    r"napsal\w?|napisała?|scris de|a cura di|автор\w?|текст|автори|συντάκτ\w+|συγγραφέας|γράφει|κείμενο|"
    r"redacción|redação|redazione|redakcja|"
    r"بقلم|كتبت?|الكاتبة?|نویسنده|מאת|כתבה?|लेखक|लेखिका|লেখক|ผู้เขียน|เขียนโดย|作者|撰文|撰稿|記者|记者|文|執筆者?|著者|筆者|글|기자"
)
# The same without a colon: scripts without capital letters have no other mark.
_PLAIN_LABEL: Final = r"بقلم|كتبت?|מאת|द्वारा|โดย|เขียนโดย|記者|记者|γράφει (?:ο|η)"
SAID: Final = re.compile(
    rf"(?:(?:^|[\s|·,，、/])(?:{LABEL})\s*[:：＝]|(?:^|\|)\s*(?:{_PLAIN_LABEL})(?=\s)"
    r"|[|·•]\s*(?:by|von|par|por|door|di)(?=\s))\s*(?=[^\s:])",
    re.IGNORECASE,
)
BY: Final = re.compile(
    rf"^(?:(?:{LABEL})\s*[:：＝]|(?:{_PLAIN_LABEL})(?=\s))\s*|"
    r"^(?:\d[\d./:,\s]*(?:Uhr\s+)?(?:[|–—-]\s*)?(?:von|by|par|por)|"
    r"(?:propos recueillis|récit|reportage|dossier) par|un (?:texte|article|reportage|récit|dossier) de|"
    r"(?:written|posted|published|story|words|reported|articles?|(?:view |see )?all posts|posts|more)\s+(?:by|from)|"
    r"(?:zeige )?(?:alle (?:beiträge|artikel)|alles|mehr) von|(?:eine? )?(?:artikel|beitrag|kolumne|interview|"
    r"gastbeitrag|essay|kommentar|reportage|erstellt|geschrieben|verfasst|publiziert|veröffentlicht|text) von|"
    r"(?:écrit|rédigé|publié|plus) par|(?:escrito|publicado) por|scritto da|"
    r"te?xte?\s*(?:&|\+|und|and|et)\s*(?:fotos?|photos?|bilder|interview)|"
    r"by|von|par|por|di|da|door|av|af|od|του|της|των|"
    r"autor(?:in|en|innen|es|a)?|authors?|auteure?s?|autrice|autore|texte?(?! ?size)|interview|redaktion(?=:))\b"
    r"[\s:\uff1a]*"
    r"|^(?:作者|文|記者|记者|责任编辑|编辑|撰文|著者)[\s:\uff1a/●]*",
    re.IGNORECASE,
)
# What follows a name: a date, a place of work, what can be done with it.
_CUT: Final = re.compile(
    r"\s*(?:\||•|·|\u2014|\u2013|\u00bb|\u203a|[\s,;](?:[^\s\d:：,;]{2,20}\s?[:：]|翻訳者?\s)|"
    r"\b(?:fotos?|photos?|pictures?|bild(?:er)?|фото)\s*(?::|by\b|von\b)|"
    r"\b(?:erschienen|aktualisiert|publié|mis à jour|actualizado|atualizado|aggiornato|publicado|pubblicato|"
    r"gepubliceerd|bijgewerkt|publicerad|opublikowan\w|опубликован\w|обновлен\w)\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:mo|di|mi|do|fr|sa|so|mon|tue|wed|thu|fri|sat|sun)\.?,?\s+\d|"
    r"\bon\b\s+\w+\s+\d|\bam\b\s+\d|\bpublished\b|\bupdated\b|\bposted\b|"
    r"\s\d|\s\(|\d{1,2}[./]\s*\d{1,2}[./]|\bdat(?:um|e|a):|\bfor\s+(?:the\s+)?(?=\w)|\b(?:19|20)\d\d\b|@|\bhttps?:|"
    r"\b\d{1,2}:\d\d|\b(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]*\.?,?\s*\d|"
    r"\bstaff writer|\bfollow\b|\bview (?:all|author)|"
    r"\bsee (?:more|full)|\bmore (?:from|by)\b|\bget author\b|\bveröffentlicht).*$",
    re.IGNORECASE | re.DOTALL,
)
_NOT_A_NAME: Final = re.compile(
    r"^(?:(?:text|font)? ?size.*|schriftgröße|textgröße|admin(?:istrator)?|author|autor|anonymous|guest|webmaster|root|"
    r"user|"
    r"unknown|n/?a|none|null|"
    r"view all posts.*|more (?:from|by).*|read more.*|about .*|share|follow|comments?|login|sign in|home|"
    r"datum|date|autor\w*(?: von)?|authors?|publi.*|alle (?:beiträge|artikel))$|"
    r"^(?:fotos?|photos?|bild|images?|video|quelle|source)\b|https?:|www\.|[{}<>#]",
    re.IGNORECASE,
)
# A note on one of several: "Ada Smith (now) and Ben Jones (earlier)".
_IN_BRACKETS: Final = re.compile(r"\s\([^()]{1,40}\)\s*(?=[,;&]|(?:and|und|et|y|e)\s)")
_PHOTOGRAPHER: Final = re.compile(
    r"\s*(?:[,;&/]|\b(?:and|und|et|y|e)\b)\s+[^,;()]{2,40}\((?:fotos?|photos?|bild(?:er)?|pictures?|imágenes)\)",
    re.IGNORECASE,
)
# What stands between names, at their ends, and after them. A single letter may be of a name ("Ortega y Gasset").
_BETWEEN: Final = re.compile(
    r"\s*[;,|&/\uff0f、]\s*(?:(?:and|und|et|y|e|och|og|en|и)\s+)?|\s+(?:and|und|et|mit|with|-)\s+", re.IGNORECASE
)
_ALSO: Final = re.compile(r"\s+(?:y|e|i|och|og|en|a|и|і|ve|dan|και)\s+")
_SIGNS: Final = " \t.,;:-/|()[]\"'\u2013\u2014•·●@"
_SUFFIX: Final = re.compile(r"(?:jr|sr|ph\.? ?d|m\.?d|m\.?a|esq|ii|iii)\.?", re.IGNORECASE)
# Beside the name of a person, one of an agency or broadcaster in capitals is where the person works.
_AGENCY: Final = re.compile(r"[A-Z]{2,5}|dpa|afp|sid|.* (?:Inc|Ltd|GmbH|LLC)\.?")
# What somebody does for a paper: alone, and behind a name with a rank or an errand.
_DOES: Final = (
    r"(?:correspondents?|reporters?|editors?|writers?|columnists?|journalists?|korrespondent(?:in)?|redakteur(?:in)?|"
    r"journaliste|corresponsal|periodista|giornalista)"
)
_ROLE: Final = re.compile(rf"(?:.*\s)?{_DOES}", re.IGNORECASE)
_BEHIND: Final = re.compile(
    r"\s(?:(?:senior|chief|staff|executive|associate|deputy|managing|contributing|special)\b.*"
    rf"\b{_DOES}|envoyée?s? spécia\w+)\b.*$",
    re.IGNORECASE,
)
FIRM: Final = re.compile(r"\b(?:e\. ?V|GmbH|AG|SE|Inc|Ltd|LLC|Verlag|S\.A)\b\.?")
# Says that nobody signed: taken where nothing says more.
OFFICE: Final = re.compile(
    r"(?:die |the |la )?(?:editors?|editorial(?: staff| team)?|staff|redaktion|redacción|rédaction|redazione|redactie|"
    r"redakcja|редакция|编辑部|編集部)",
    re.IGNORECASE,
)


def names_in(line: str) -> str | None:
    """The names in a line, set apart by `; `, without what stands around them; None if there is none."""
    said = _IN_BRACKETS.sub(" ", _PHOTOGRAPHER.sub("", one_line(scalars(unescape(line)))))
    text = _CUT.sub("", BY.sub("", BY.sub("", said))).strip(_SIGNS)
    if not any(c.isalpha() for c in text) or len(text) > MAX_AUTHOR or _NOT_A_NAME.search(text):
        return None
    found: list[str] = []
    for part in (name for several in _BETWEEN.split(text) for name in _each(several)):
        name = _without_role(BY.sub("", part.strip(_SIGNS)).strip(_SIGNS), first=not found)
        if found and _SUFFIX.fullmatch(name):
            found[-1] = f"{found[-1]} {name}"
        elif len(name) >= MIN_NAME and any(c.isalpha() for c in name) and not _NOT_A_NAME.search(name):
            found.append(name)
    if found and len(found[0].split()) > 1:
        found = [found[0], *(name for name in found[1:] if not _AGENCY.fullmatch(name))]
    if any(len(name.split()) > MAX_WORDS_OF_NAME for name in found):
        return None
    return "; ".join(n for n in dict.fromkeys(found) if not any(n != m and n in m for m in found)) or None


_PARTICLES: Final = frozenset(
    ("al", "bin", "da", "de", "del", "della", "den", "der", "di", "do", "dos", "du", "el", "ibn", "la", "le", "ten",
     "ter", "van", "von", "y", "zu")
)  # fmt: skip


def are_people(names: str) -> bool:
    """Whether NAMES, as `names_in` has them, are written as those of people are: no word of them begins small."""
    return not any(word[0].islower() and word not in _PARTICLES for word in names.replace(";", " ").split())


def _each(several: str) -> list[str]:
    """SEVERAL people, joined by a short word that may be of a name too, if each has more than one name."""
    people = _ALSO.split(several)
    return people if all(len(name.split()) > 1 for name in people) else [several]


def _without_role(name: str, *, first: bool) -> str:
    """NAME without what its bearer does; nothing is left of what is only that, unless it is the FIRST."""
    shorter = _BEHIND.sub("", name)
    return "" if not first and _ROLE.fullmatch(shorter) else shorter if len(shorter.split()) > 1 else name
