"""Where on a page a date stands, and what that says about whose date it is: the page's, or something else's."""

import re
from typing import Any, Final

from crawler.scalars import one_line

_ANNOUNCES: Final = re.compile(
    r"\b(?:publi\w*|posted|updated|written|last modified|by|von|par|por|af|av|door|veröffentlicht|erschienen|"
    r"erstellt|stand|"
    r"aktualisiert|geändert|mis à jour|actualizado|aggiornato|pubblicato|gepubliceerd|opublikowano)\b|更新|发布|投稿",
    re.IGNORECASE,
)
ELSEWHERE: Final = re.compile(
    r"(?:^|[\s_-])(?:related|recommend|sidebar|side-bar|widget(?! Blog)|teaser|comment(?!ary)|repl(?:y|ies)|"
    r"popular|trending|latest|more-|recent|"
    r"archive|event|calendar|promo|newsletter|navigation|breadcrumb|copyright|disqus|weather|ticker|read-?next|"
    r"most-?read|tweet)",
    re.IGNORECASE,
)
DATE_NAMES: Final = re.compile(
    r"date|time(?!line)|publi[sc]|posted|byline|meta(?!d)|pub[-_]|stamp|fecha|datum|article-?info|post-?info|"
    r"entry-?info|created|submitted|erschienen",
    re.IGNORECASE,
)
# What is said of a date that belongs to an event, an offer, a deadline or a life, in the languages that say it often.
_OCCASION: Final = re.compile(
    r"\b(?:opens?|opening|opened|clos(?:es|ed|ing)|starts?|starting|begins?|ends?|ending|when|deadline|due|valid|until|till|"
    r"expir\w+|through|born|died|births?|deaths?|events?|takes place|held|offers?|doors|arriv\w+|depart\w+|check-?in|"
    r"apply|appl\w+ by|regist\w+|founded|established|since|next|"
    r"beginnt?|öffnet|eröffn\w+|start\w*|endet|ende|bis|gültig|frist|\w*schluss|anmeld\w+|geboren|gestorben|findet|termin|wann|"
    r"ouvr\w+|ferm\w+|début\w*|jusqu\w+|limite|valable|née?s?|mort|quand|dès|échéance|lieu|"
    r"abre\w*|apertura|cierra|cierre|inicio|empieza|hasta|válid\w+|vence|plazo|límite|naci\w+|fallec\w+|cuándo|"
    r"apre|chiud\w+|inizi\w+|fino|scad\w+|entro|valid\w+|nat[oa]|mort[oa]|quando|"
    r"fecha\w*|encerra\w*|início|até|prazo|nascid\w+|"
    r"opent|sluit|begint|tot|geldig|uiterlijk|wanneer|vanaf|öppnar|börjar|giltig\w*|född|åbner|født|"
    r"otwar\w+|otwier\w+|rozpocz\w+|ważn\w+|termin\w*|urodz\w+|kiedy|"
    r"откры\w+|закры\w+|нача\w+|начин\w+|действ\w+|срок\w*|родил\w+|умер\w*|когда|до)\b|"
    r"开放|開放|开幕|開幕|截止|有效|到期|出生|举行|舉行|报名|報名|開催|締切|期限|まで|生まれ|開始|개최|마감|까지|출생|시작",
    re.IGNORECASE,
)
_SAYS_WRITTEN: Final = re.compile(
    r"\b(?:publi\w*|posted|updated|written|modified|veröffentlicht|erschienen|erstellt|aktualisiert|geändert|"
    r"mis à jour|actualizado|aggiornato|pubblicato|gepubliceerd|opublikowano|опубликован\w*)\b"
    r"|更新|发布|發布|投稿|公開",
    re.IGNORECASE,
)
_OF_SOMETHING_ELSE: Final = re.compile(
    r"start|end(?:date|time)|birth|death|founding|door|expir|valid|avail|deadline|arrival|departure|check",
    re.IGNORECASE,
)
# A `time` with this many other words around it is part of what they say, unless they announce it.
WORDS_AROUND_TIME: Final = 4
MAX_LABELLED_WORDS: Final = 8
"""Words around a `time` up to which one of them can tell what it is of; more are a text of its own."""

MOST_WORDS_OF_LABEL: Final = 6
"""Words right before a date that are looked at: a label is no longer."""


def is_of_something_else(time: Any) -> bool:
    """Whether a `time` is in no byline: it stands in a sentence, is labelled as an event's, or is one of many."""
    if _OF_SOMETHING_ELSE.search(time.get("itemprop") or ""):
        return True
    holder = next(time.iterancestors("p", "li", "td", "dd", "blockquote"), None)
    if holder is None:
        label, around, listed = " ".join(words_before(time).split()[-MOST_WORDS_OF_LABEL:]), "", False
    else:
        label = words_before(holder) if holder.tag in ("dd", "td") else ""
        around = one_line("".join(holder.itertext())).replace(one_line("".join(time.itertext())), " ")
        listed = holder.tag in ("li", "td", "dd") and _is_one_of_many(time, holder)
    words = len(around.split())
    said = f"{label} {around}"
    if _SAYS_WRITTEN.search(said):
        return False
    if words <= MAX_LABELLED_WORDS and _OCCASION.search(said):
        return True
    unnamed = holder is not None and not DATE_NAMES.search(f"{holder.get('class') or ''} {holder.get('id') or ''}")
    return unnamed and (listed or (words >= WORDS_AROUND_TIME and not _ANNOUNCES.search(around)))


def _is_one_of_many(time: Any, holder: Any) -> bool:
    """Whether the list or table of which HOLDER is an item has a date in other items as well."""
    listing = next(holder.iterancestors("ul", "ol", "dl", "table"), None)
    return listing is not None and any(other is not time for other in listing.iter("time"))


def own_item(title: Any | None) -> Any | None:
    """The article, or the item of microdata, in which the page's main heading TITLE stands; None for none."""
    if title is None:
        return None
    return next((a for a in title.iterancestors() if _is_item(a)), None)


def is_of_another_item(element: Any, own: Any | None) -> bool:
    """Whether ELEMENT belongs to an article or item of microdata that OWN, the page's, does not hold."""
    if own is None:
        return False
    item = next((a for a in element.iterancestors() if _is_item(a)), None)
    return item is not None and item is not own and own not in item.iterancestors()


def _is_item(element: Any) -> bool:
    return element.tag == "article" or (element.get("itemscope") is not None and element.tag not in ("html", "body"))


def is_elsewhere(element: Any, around: set[Any]) -> bool:
    """Whether ELEMENT is part of something else than the article. AROUND, what holds the title, is not."""
    for ancestor in (element, *element.iterancestors()):
        if ancestor in around:
            return False
        if ancestor.tag in ("nav", "form", "blockquote"):
            return True
        if ancestor.tag in ("footer", "aside"):
            # An article has its own; those of the page are about other things.
            return next(ancestor.iterancestors("article"), None) is None
        if ancestor.tag in ("body", "article", "main"):
            return False
        if ELSEWHERE.search(f"{ancestor.get('class') or ''} {ancestor.get('id') or ''}"):
            return True
    return False


def words_before(element: Any) -> str:
    """The words right before an element: "Updated", "Published on"."""
    before = element.getprevious()
    parent = element.getparent()
    said = (
        (before.tail or "") + "".join(before.itertext())
        if before is not None
        else (parent.text or "")
        if parent is not None
        else ""
    )
    return said[-40:] if isinstance(said, str) else ""
