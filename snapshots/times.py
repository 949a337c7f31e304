"""Times as records hold them: RFC 3339, UTC, milliseconds, `Z`."""

import re
from datetime import UTC, datetime

TIME_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"
_TIME = re.compile(TIME_PATTERN, re.ASCII)


def stamp(at: datetime) -> str:
    """`2026-11-29T19:28:36.123Z` for an aware datetime; what is finer than a millisecond is cut off.

    Raises ValueError for a datetime without time zone.
    """
    if at.tzinfo is None:
        raise ValueError("a time without time zone says nothing")
    return at.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def moment(text: str) -> datetime:
    """The aware datetime (UTC) of a stamp. Raises ValueError for anything that is not exactly one."""
    if _TIME.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a time such as 2026-11-29T19:28:36.123Z")
    return datetime.fromisoformat(text)


def milliseconds(text: str) -> int:
    """A stamp as milliseconds since 1970, the form in which databases compare it."""
    return round(moment(text).timestamp() * 1000)
