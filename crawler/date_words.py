"""Days as people write them: in numbers or with the names of months, in the languages and calendars of the world.

The names of months, and whether a language says the day or the month first, come from the Unicode CLDR (by Babel).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from itertools import chain
from typing import Final

from babel import Locale, UnknownLocaleError

Day = tuple[int, int, int]
"""Year, month and day of the Gregorian calendar; it need not exist."""

# Words around a date that are looked at: no line that is one is longer.
MAX_LOOKED_AT: Final = 300

# The beginning of the years 2000: of two digits, those above this are of the century before.
LAST_SHORT_YEAR: Final = 69

# Regions whose names of months differ from those of their language at large.
_REGIONS: Final = {"ar": ("ar_SY", "ar_MA", "ar_MR", "ar_TN"), "de": ("de_AT",), "es": ("es_UY",), "en": ("en_GB",)}

# Scripts that set no space between words.
_UNSPACED: Final = frozenset(("th", "lo", "km", "my", "bo", "dz", "ja", "zh", "yue"))

# A name may be cut to this many letters, if no other month begins so; from one more on it may have an ending.
MIN_CUT: Final = 3
# Some languages have names of two letters.
SHORTEST_NAME: Final = 2

_BUDDHIST_AHEAD: Final = 543
_BUDDHIST_CENTURY: Final = 2500
_JALALI_MONTHS: Final = (
    "فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند",
)  # fmt: skip
# What the sum of days below is ahead of the count of `date.toordinal`.
_JALALI_AHEAD: Final = 356_033
_ERAS: Final = {"令和": 2018, "平成": 1988, "民國": 1911, "民国": 1911, "r": 2018, "h": 1988}
"""What is added to a year of an emperor or of a republic."""
_REPUBLIC: Final = frozenset(("zh-tw", "zh-hant", "zh-hant-tw"))
_ROMAN: Final = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")

_YEAR: Final = r"(?<!\d)(?P<year>(?:1[34]|19|20|2[45])\d\d)(?!\d)"
_DAY: Final = r"(?<![\d:.,])(?P<day>\d{1,2})(?![\d:])(?:[^\W\d_]{1,2}(?![^\W\d_]))?"
# Between two parts of a date: signs, and at most one short word ("de", "gada").
_GAP: Final = r"[\s.,/|·°'\u2019()\-\u2010-\u2015\u060c]{0,4}(?:[^\W\d_]{1,4}[\s.,'\u2019]{1,3})?"
# Mail and version control write the year last: "Feb 17 09:31:05 UTC 2015".
_CLOCK: Final = r"\d\d?:\d\d(?::\d\d)?(?:\s[a-z]{2,5}|\s?[+-]\d{4})?"
_SIGN: Final = r"\s?[./|\-\u2010-\u2015]\s?"
_YEAR_FIRST: Final = re.compile(rf"(?<![\d.])(\d{{4}}){_SIGN}(\d{{1,2}}){_SIGN}(\d{{1,2}})(?![\d]|\.\d)")
_YEAR_LAST: Final = re.compile(
    rf"(?<![a-z\d.,:/])(\d{{1,2}})(?P<sign>{_SIGN})(\d{{1,2}}){_SIGN}(\d{{4}}|\d\d)(?![\d:%]|[.,/]\d)"
)
_EAST: Final = re.compile(
    r"(?P<era>令和|平成|民國|民国)?\s*(?<!\d)(?P<year>\d{1,4}|元)\s*[年년]\s*(?P<month>\d{1,2})\s*[月월]\s*(?P<day>\d{1,2})\s*(?:[日号號일]|(?!\d))"
)
# Notices of offices write the numbers as words: 二〇二四年十月二十八日.
_EAST_IN_WORDS: Final = re.compile(
    r"([〇零○一二三四五六七八九]{4})年([一二三四五六七八九十]{1,2})月([一二三四五六七八九十]{1,3})日"
)
_EAST_DIGITS: Final[dict[str, int]] = dict(zip("〇零○一二三四五六七八九", (0, 0, *range(10)), strict=True))
_SHORT_ERA: Final = re.compile(r"(?<!\w)(?P<era>[rh])\.?\s?(\d{1,2})[./-](\d{1,2})[./-](\d{1,2})(?!\d)")
_SHORT_REPUBLIC: Final = re.compile(r"(?<![\w./-])(1\d\d)([./-])(\d{1,2})\2(\d{1,2})(?![\w./-])")
_ROMAN_MONTH: Final = re.compile(
    r"(?<![\w.])(?P<day>\d{1,2})[\s.]\s?(?P<month>x?i{1,3}|i?[vx]|vi{1,3})[\s.]\s?(?P<year>(?:19|20)\d\d)(?!\d)"
)
_LETTERS: Final = str.maketrans("يىك", "ییک", "\u200c\u200d\u200e\u200f\u061c\u2066\u2067\u2068\u2069\u0640")
# What Thai pages set before a year; which count it is, the year itself shows.
_THAI_COUNT: Final = re.compile(r"[คพ]\.ศ\.")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")


def days_in(text: str, languages: tuple[str, ...]) -> Iterator[Day]:
    """The days that TEXT names, most certain reading first; LANGUAGES are BCP 47 tags, the page's own first."""
    text = folded(text[:MAX_LOOKED_AT])
    for found in _EAST.finditer(text):
        year = 1 if found["year"] == "元" else int(found["year"])
        yield year + _ERAS.get(found["era"] or "", 0), int(found["month"]), int(found["day"])
    for found in _EAST_IN_WORDS.finditer(text):
        yield int("".join(str(_EAST_DIGITS[c]) for c in found[1])), _east_number(found[2]), _east_number(found[3])
    for found in _YEAR_FIRST.finditer(text):
        yield _gregorian(int(found[1]), int(found[2]), int(found[3]), languages)
    yield from _in_short_eras(text, languages)
    for language in languages:
        yield from _with_names(text, language)
    yield from _in_numbers(text, languages)


def _east_number(written: str) -> int:
    """A number below 100 as it is written in words: 八, 十八, 二十八."""
    tens, ten, ones = written.rpartition("十")
    return (_EAST_DIGITS.get(tens, 1) * 10 if ten else 0) + _EAST_DIGITS.get(ones, 0)


def folded(text: str) -> str:
    """TEXT without case, accents and marks of direction, with plain digits and spaces, for comparing words."""
    plain = "".join(
        str(unicodedata.decimal(c)) if c.isdecimal() and not c.isascii() else c
        for c in unicodedata.normalize("NFKC", text)
    )
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", plain.casefold()))
    return " ".join(_THAI_COUNT.sub(" ", unicodedata.normalize("NFC", bare)).translate(_LETTERS).split())


def _with_names(text: str, language: str) -> Iterator[Day]:
    names, patterns = _patterns(language)
    for pattern in patterns:
        for found in pattern.finditer(text):
            month = names.get(_spelling(found["month"]))
            if month:
                yield _gregorian(int(found["year"]), month, int(found["day"]), (language,))
    if language.partition("-")[0] == "fa":
        jalali, patterns = _jalali_patterns()
        for found in chain.from_iterable(pattern.finditer(text) for pattern in patterns):
            yield _from_jalali(int(found["year"]), jalali[found["month"]], int(found["day"]))


def _in_short_eras(text: str, languages: tuple[str, ...]) -> Iterator[Day]:
    """Days with the letter of an era ("R7.8.14"), or with a year of the republic, as offices write them."""
    first = languages[0].lower() if languages else ""
    if first.partition("-")[0] == "ja":
        for found in _SHORT_ERA.finditer(text):
            yield int(found[2]) + _ERAS[found["era"]], int(found[3]), int(found[4])
    if first in _REPUBLIC:
        for found in _SHORT_REPUBLIC.finditer(text):
            yield int(found[1]) + _ERAS["民國"], int(found[3]), int(found[4])


def _in_numbers(text: str, languages: tuple[str, ...]) -> Iterator[Day]:
    for found in _ROMAN_MONTH.finditer(text):
        yield int(found["year"]), _ROMAN.index(found["month"]) + 1, int(found["day"])
    for found in _YEAR_LAST.finditer(text):
        first, second, last = int(found[1]), int(found[3]), int(found[4])
        year = last if len(found[4]) > 2 else last + (2000 if last <= LAST_SHORT_YEAR else 1900)  # noqa: PLR2004 - digits
        day, month = first, second
        if found["sign"].strip() != "." and month_first(languages[0] if languages else ""):
            day, month = second, first
        if month > 12 >= day:  # noqa: PLR2004 - months of a year
            day, month = month, day
        yield _gregorian(year, month, day, languages)


def _gregorian(year: int, month: int, day: int, languages: tuple[str, ...]) -> Day:
    """The day, if the page's language counts years otherwise and this one must be counted so."""
    spoken = {tag.partition("-")[0] for tag in languages}
    if spoken & {"th", "lo"} and year < 100:  # noqa: PLR2004 - its last two digits
        year += _BUDDHIST_CENTURY
    if spoken & {"th", "lo"} and year > 2400:  # noqa: PLR2004 - the Buddhist count is beyond, the common one before
        return year - _BUDDHIST_AHEAD, month, day
    if spoken & {"fa", "ps", "ckb"} and 1300 < year < 1500:  # noqa: PLR2004 - the Persian count is within
        return _from_jalali(year, month, day)
    return year, month, day


def _from_jalali(year: int, month: int, day: int) -> Day:
    if not (1 <= month <= 12 and 1 <= day <= 31):  # noqa: PLR2004 - no such day
        return 0, month, day
    # Eight leap years in 33, the rule of which holds for the years of our time.
    ahead = year + 1595
    before = (month - 1) * 31 if month <= 6 else (month - 7) * 30 + 186  # noqa: PLR2004 - the first six have 31 days
    days = 365 * ahead + ahead // 33 * 8 + (ahead % 33 + 3) // 4 + before + day
    found = date.fromordinal(days - _JALALI_AHEAD)
    return found.year, found.month, found.day


@lru_cache(maxsize=64)
def _locales(language: str) -> tuple[Locale, ...]:
    """What the CLDR has for a tag: its own, that of the language, and those of regions with names of their own."""
    base = language.partition("-")[0].lower()
    found = []
    for name in (language.replace("-", "_"), base, *_REGIONS.get(base, ())):
        try:
            found.append(Locale.parse(name))
        except (UnknownLocaleError, ValueError, TypeError):
            continue
    return tuple(found)


def month_first(language: str) -> bool:
    """Whether LANGUAGE writes a day in numbers as the month, the day, the year."""
    locales = _locales(language)
    if not locales:
        return False
    pattern = str(locales[0].date_formats["short"].pattern)
    return 0 <= pattern.find("M") < pattern.find("d") < pattern.find("y")


@lru_cache(maxsize=64)
def _patterns(language: str) -> tuple[dict[str, int], tuple[re.Pattern[str], ...]]:
    """The month of each name in LANGUAGE, and how days are written with it. Nothing for a language without names."""
    wide: dict[str, set[int]] = {}
    names: dict[str, set[int]] = {}
    for locale in _locales(language):
        for form, width in (("format", "wide"), ("stand-alone", "wide"), ("format", "abbreviated")):
            for month, name in locale.months[form][width].items():
                spelling = _spelling(folded(name))
                if len(spelling) >= SHORTEST_NAME and not spelling[0].isdecimal():
                    names.setdefault(spelling, set()).add(month)
                    if width == "wide" and spelling.isalpha():
                        wide.setdefault(spelling, set()).add(month)
    cuts: dict[str, set[int]] = {}
    for name, months in wide.items():
        for end in range(MIN_CUT, len(name)):
            cuts.setdefault(name[:end], set()).update(months)
    known = {name: months for name, months in (cuts | names).items() if len(months) == 1}
    return {name: next(iter(months)) for name, months in known.items()}, _written_with(known, language)


def _spelling(name: str) -> str:
    """A name of a month without the signs that may or may not stand in it ("tháng 03", "set.")."""
    return re.sub(r"\b0(?=\d)", "", name.rstrip(". "))


@lru_cache(maxsize=1)
def _jalali_patterns() -> tuple[dict[str, int], tuple[re.Pattern[str], ...]]:
    names = {folded(name): month for month, name in enumerate(_JALALI_MONTHS, 1)}
    return names, _written_with(names, "fa")


def _written_with(names: Iterable[str], language: str) -> tuple[re.Pattern[str], ...]:
    """The orders in which a day, a month of these NAMES and a year stand, the safest first."""
    longest = sorted(names, key=len, reverse=True)
    if not longest:
        return ()
    some = "|".join(re.sub(r"(\d+)$", r"0?\1(?!\\d)", re.escape(name)) for name in longest)
    month = f"(?P<month>{some})(?:(?<=[^\\W\\d_]{{{MIN_CUT + 1}}})[^\\W\\d_])?"
    other = rf"(?:\s?/\s?(?:{some}))?"  # Arabic pages say the month in the words of two regions
    if language.partition("-")[0] not in _UNSPACED:
        month = rf"(?<![^\W\d_])\u05d1?{month}(?![^\W\d_])"  # Hebrew sets "in" before it, without a space
    # Thai pages leave the century out: nobody takes their count for the common one.
    short = rf"{_DAY}{_GAP}{month}{_GAP}(?<!\d)(?P<year>[4-9]\d)(?![\d:])"
    return tuple(
        re.compile(order)
        for order in (
            f"{_DAY}{_GAP}{month}{other}{_GAP}{_YEAR}",
            f"{month}{_GAP}{_DAY}{_GAP}{_YEAR}",
            rf"{month}\s{_DAY}\s{_CLOCK}\s{_YEAR}",
            f"{_YEAR}{_GAP}{month}{_GAP}{_DAY}",
            f"{_YEAR}{_GAP}{_DAY}{_GAP}{month}",
            *([short] if language.partition("-")[0] == "th" else []),
        )
    )
