"""The operators that narrow a search: which sites, languages and days, and words that a title must have. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final

_SITE: Final = re.compile(r"(-?)site:(.*)", re.IGNORECASE | re.DOTALL)
_HOST: Final = re.compile(
    r"(?:[a-z]{1,20}://)?(?:\*\.|\.)?([\w-]+(?:\.[\w-]+)*)\.?(?::\d+)?(/.*)?", re.IGNORECASE | re.DOTALL
)
_LANGUAGE: Final = re.compile(r"(-?)lang(?:uage)?:([a-z]{2,3})(?:[-_][a-z0-9]{2,8})*", re.IGNORECASE)
_DAY: Final = re.compile(r"(before|after):(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?", re.IGNORECASE)
TITLE: Final = re.compile(r"(-?)(?:all)?(?:in)?title:(.+)", re.IGNORECASE | re.DOTALL)

# Codes of two letters that are languages (ISO 639-1). `lang:go` is about a programming language.
_CODES: Final = (
    "aaabaeafakamanarasavayazbabebgbhbibmbnbobrbscacechcocrcscucvcydadedvdzeeeleneoeseteufafffifjfofrfyga"
    "gdglgngugvhahehihohrhthuhyhziaidieigiiikioisitiujajvkakgkikjkkklkmknkokrkskukvkwkylalblglilnloltlulv"
    "mgmhmimkmlmnmrmsmtmynanbndnengnlnnnonrnvnyocojomorospapiplpsptqurmrnrorurwsascsdsesgshsiskslsmsnsosq"
    "srssstsusvswtatetgthtitktltntotrtstttwtyugukuruzvevivowawoxhyiyozazhzu"
)
_TWO: Final = 2
_LANGUAGES: Final = frozenset(_CODES[at : at + _TWO] for at in range(0, len(_CODES), _TWO))


@dataclass(slots=True)
class Narrowed:
    """What operators ask for. Days are inclusive; of several the narrowest counts."""

    sites: list[str] = field(default_factory=list)
    other_sites: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    other_languages: list[str] = field(default_factory=list)
    after: date | None = None
    before: date | None = None

    def take(self, word: str) -> tuple[bool, str]:
        """Whether a word was an operator and is taken; and what of it was not understood."""
        site = _SITE.fullmatch(word)
        if site:
            host = _HOST.fullmatch(site[2])
            if host:
                (self.other_sites if site[1] else self.sites).append(host[1].lower())
            return host is not None, (host[2] or "").rstrip("/") if host else ""
        language = _LANGUAGE.fullmatch(word)
        if language and (len(language[2]) > _TWO or language[2].lower() in _LANGUAGES):
            (self.other_languages if language[1] else self.languages).append(language[2].lower())
            return True, ""
        day = _DAY.fullmatch(word)
        return day is not None and self._day(day), ""

    def _day(self, found: re.Match[str]) -> bool:
        try:
            first = date(int(found[2]), int(found[3] or 1), int(found[4] or 1))
        except ValueError:
            return False
        if found[1].lower() == "after":
            self.after = max(self.after or first, first)
        else:
            last = first - timedelta(days=1) if first > date.min else first
            self.before = min(self.before or last, last)
        return True
