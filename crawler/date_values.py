"""Dates as pages write them, turned into dates that a page can have: not before the web, not after it was got."""

import re
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

# Nothing was published on the web before; an earlier date is about the content, not the page.
EARLIEST: Final = date(1991, 8, 6)

# A page dated in a zone ahead of UTC can be of tomorrow.
ZONE_SLACK: Final = timedelta(hours=14)

_ISO: Final = re.compile(
    r"^\s*(?P<date>(?:19|20)\d\d-\d\d?-\d\d?)(?:[T ]+(?P<time>\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?)\s*"
    r"(?P<zone>Z|"
    r"UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?)?"
)
_COMPACT: Final = re.compile(r"^\s*((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?:T?\d{4,6}Z?)?\s*$")
_SLASHED: Final = re.compile(r"^\s*((?:19|20)\d\d)[/.]([01]?\d)[/.]([0-3]?\d)(?!\d)")
_EPOCH: Final = re.compile(r"^\s*(1\d{9})(?:\d{3})?\s*$")


class Judge:
    """Turns what a page gives as a date into a date that it can be."""

    def __init__(self, at: datetime) -> None:
        self.latest = at.astimezone(UTC) + ZONE_SLACK

    def possible(self, day: date) -> bool:
        """Whether a page got when this one was can be of DAY."""
        return EARLIEST <= day <= self.latest.date()

    def read(self, text: str | None) -> str | None:
        """TEXT in one of the formats that machines write, as `YYYY-MM-DD` or with time and zone; else None."""
        if not text:
            return None
        iso = _ISO.match(text)
        if iso:
            return self._iso(iso)
        for pattern in (_COMPACT, _SLASHED):
            parts = pattern.match(text)
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

    def day(self, year: int, month: int, number: int) -> str | None:
        """The day as `YYYY-MM-DD`, None if there is no such day or it cannot be the page's."""
        try:
            day = date(year, month, number)
        except ValueError:
            return None
        return day.isoformat() if self.possible(day) else None

    def words(self, text: str) -> str | None:
        """A date as people write it, in the languages that htmldate knows."""
        iso = _ISO.match(text)
        if iso:
            return self._iso(iso)
        from htmldate.extractors import try_date_expr  # noqa: PLC0415 - in workers only

        earliest = datetime(EARLIEST.year, EARLIEST.month, EARLIEST.day)  # noqa: DTZ001 - htmldate compares without zones
        found = try_date_expr(text, "%Y-%m-%d", False, earliest, self.latest.replace(tzinfo=None))  # noqa: FBT003 - its signature
        return found if isinstance(found, str) else None
