"""Dates as pages write them, turned into dates that a page can have: not before the web, not after it was got."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Final

from crawler.date_words import Day, days_in, month_first
from crawler.reading import Language

# Nothing was published on the web before; an earlier date is about the content, not the page.
EARLIEST: Final = date(1991, 8, 6)

# A page dated in a zone ahead of UTC can be of tomorrow.
ZONE_SLACK: Final = timedelta(hours=14)

_ISO: Final = re.compile(
    r"^\s*(?P<date>(?:19|20)\d\d-\d\d?-\d\d?)(?:[T ]+(?P<time>\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?)\s*"
    r"(?P<zone>Z|"
    r"UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?)?"
)
_COMPACT: Final = re.compile(
    r"^\s*(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-2]\d|3[01])"
    r"(?:T?(?P<hour>[0-2]\d):?(?P<minute>[0-5]\d)(?::?(?P<second>[0-5]\d)(?:\.\d+)?)?\s*(?P<zone>Z|[+-]\d\d:?\d\d)?)?\s*$"
)
_SLASHED: Final = re.compile(r"^\s*((?:19|20)\d\d)[/.]([01]?\d)[/.]([0-3]?\d)(?!\d)")
# A day has at least two numbers in it; with the name of a month the year has all its digits.
_NUMBERS: Final = re.compile(r"\d\D+\d|元")
_NAMED: Final = re.compile(r"\d{4}")
_EPOCH: Final = re.compile(r"^\s*(1\d{9})(?:\d{3})?\s*$")


class Judge:
    """Turns what a page that was got AT gives as a date into a date that it can be.

    LANGUAGE is what the page states, DETECT says what it looks like, and is asked only if a date is in no other.
    """

    def __init__(
        self, at: datetime, language: Language | None = None, detect: Callable[[], Language | None] = lambda: None
    ) -> None:
        self.latest = at.astimezone(UTC) + ZONE_SLACK
        self.today = at.astimezone(UTC).date().isoformat()
        self._stated = language.tag if language else None
        self._detect = detect

    @cached_property
    def _detected(self) -> str | None:
        found = self._detect()
        return found.tag if found else None

    @cached_property
    def _languages(self) -> tuple[str, ...]:
        first = self._stated or self._detected
        return (first, "en") if first else ("en",)

    @property
    def month_first(self) -> bool:
        """Whether the page's language writes a day in numbers with the month first."""
        return month_first(self._languages[0])

    def possible(self, day: date) -> bool:
        """Whether a page got when this one was can be of DAY."""
        return EARLIEST <= day <= self.latest.date()

    def read(self, text: str | None) -> str | None:
        """TEXT in one of the formats that machines write, as `YYYY-MM-DD` or with time and zone; else None."""
        if not text:
            return None
        iso = _ISO.match(_spread(text))
        if iso:
            return self._iso(iso)
        parts = _SLASHED.match(text)
        if parts:
            return self.day(int(parts[1]), int(parts[2]), int(parts[3]))
        epoch = _EPOCH.match(text)
        if epoch:
            moment = datetime.fromtimestamp(int(epoch[1]), UTC)
            return moment.isoformat().replace("+00:00", "Z") if self.possible(moment.date()) else None
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return self.words(text)
        return moment.isoformat() if self.possible(moment.date()) else None

    def _iso(self, iso: re.Match[str]) -> str | None:
        year, month, number = map(int, iso["date"].split("-"))
        day = self.day(year, month, number)
        if day is None or iso["time"] is None:
            return day
        zone = iso["zone"] or ""
        if zone in ("UTC", "GMT"):
            zone = "Z"
        elif zone[:1] in ("+", "-"):
            zone = f"{zone[:3]}:{zone[-2:] if len(zone) > len('+00') else '00'}"
        clock = (
            iso["time"].replace(",", ".").rjust(5, "0")
            if iso["time"].index(":") == 1
            else iso["time"].replace(",", ".")
        )
        value = f"{day}T{clock}{zone}"
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return day
        return value if (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) <= self.latest else None

    def words(self, text: str) -> str | None:
        """A date as people write it, in the language that the page states, in English, or as the page looks."""
        iso = _ISO.match(text)
        if iso:
            return self._iso(iso)
        if not _NUMBERS.search(text):
            return None
        found = self._first_possible(days_in(text, self._languages))
        if found is None and self._stated and _NAMED.search(text) and self._detected:
            found = self._first_possible(days_in(text, (self._detected,)))
        return found

    def _first_possible(self, days: Iterable[Day]) -> str | None:
        return next(filter(None, (self.day(*day) for day in days)), None)

    def day(self, year: int, month: int, number: int) -> str | None:
        """The day as `YYYY-MM-DD`, None if there is no such day or it cannot be the page's."""
        try:
            day = date(year, month, number)
        except ValueError:
            return None
        return day.isoformat() if self.possible(day) else None


def _spread(text: str) -> str:
    """TEXT with the signs between the parts of a time, if it is one that was written without them."""
    parts = _COMPACT.match(text)
    if parts is None:
        return text
    day = f"{parts['year']}-{parts['month']}-{parts['day']}"
    if parts["hour"] is None:
        return day
    return f"{day}T{parts['hour']}:{parts['minute']}:{parts['second'] or '00'}{parts['zone'] or ''}"
