"""The day in the address of a page, which many sites put there when they publish it. It is a guess."""

import re
from typing import Final

from crawler.date_values import Judge

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR_FIRST: Final = (
    re.compile(r"(?:^|[/_.-])((?:19|20)\d\d)[/_-](0?[1-9]|1[0-2])[/_-](0?[1-9]|[12]\d|3[01])(?=[/_.-]|\D|$)"),
    re.compile(r"(?:^|[/_-])(20[0-4]\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[/_.-]|$)"),
    re.compile(
        r"/(20[0-4]\d)/(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*/(0?[1-9]|[12]\d|3[01])(?=/|$)",
        re.IGNORECASE,
    ),
)
# With the day first it is looked for only where a part of the path begins: later it belongs to what the words say.
_YEAR_LAST: Final = re.compile(r"/\W?(0?[1-9]|[12]\d|3[01])[-_.](0?[1-9]|1[0-2])[-_.](20[0-4]\d)(?=[/_-]|$|\.[a-z])")
# Parts of addresses below which days are those of events.
_EVENTS: Final = re.compile(
    r"/(?:[\w-]*-)?(?:events?|calendar|agenda|termine?|veranstaltung(?:en)?|kalender|evenements?|evenementen|eventos?|eventi|"
    r"calendario|calendrier|wydarzenia|schedule|fixtures|tv-guide|programm?)(?=/|-|$)",
    re.IGNORECASE,
)


def day_in_address(url: str, judge: Judge) -> str | None:
    """The day that the path of URL has as `YYYY-MM-DD`, None without one or where days are those of events."""
    path = "/" + url.split("://", 1)[-1].partition("/")[2].partition("?")[0]
    if _EVENTS.search(path):
        return None
    for pattern in _YEAR_FIRST:
        for year, month, number in pattern.findall(path):
            by_name = not month.isdigit()
            value = judge.day(int(year), _MONTHS.index(month.lower()) + 1 if by_name else int(month), int(number))
            if value:
                return value
    for number, month, year in _YEAR_LAST.findall(path):
        value = judge.day(int(year), int(month), int(number))
        # With the month first it would be another day: only a day that cannot be a month is certain.
        if value and (int(number) > len(_MONTHS) or number == month or not judge.month_first):
            return value
    return None
