"""What the imitated APIs share: requests read tolerantly, and what was done with each of their parameters. Pure.

Clients send what their API has, and more with each version. What is known is honoured; everything else is left aside,
and the record of the reply says what that was.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from service.failures import BadRequest
from service.mending import mended
from service.requests import MAX_AGE, MAX_LIST

MAX_IGNORED: Final = 40
"""Names of parameters that a record lists as ignored: no API has more that matter."""

MAX_NAME: Final = 64
"""Characters of such a name."""

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_SPANS: Final = {"h": 1 / 24, "d": 1, "w": 7, "m": 31, "y": 366}


def json_of(body: bytes) -> Mapping[str, Any]:
    """A JSON object.

    Raises:
        BadRequest: the body is none.
    """
    try:
        found = orjson.loads(mended(body) or b"{}")
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"the body is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise BadRequest("the body is no JSON object")
    return found


@dataclass
class Asked:
    """A request's parameters. Each is read once, by name; `quiet` are those that change nothing anywhere."""

    given: Mapping[str, Any]
    quiet: frozenset[str] = frozenset()
    _read: set[str] = field(default_factory=set)
    _aside: list[str] = field(default_factory=list)

    def aside(self, name: str) -> None:
        """Note that a parameter, or a value of one, has no effect here."""
        if name not in self._aside:
            self._aside.append(name)

    def value(self, name: str) -> Any:
        """A parameter as it is; None if it says nothing."""
        self._read.add(name)
        found = self.given.get(name)
        return None if found == "" else found

    def text(self, name: str) -> str | None:
        """A text; a number is taken as one.

        Raises:
            BadRequest: it is something else.
        """
        found = self.value(name)
        if found is None or isinstance(found, str):
            return found
        if isinstance(found, int | float) and not isinstance(found, bool):
            return str(found)
        raise BadRequest(f"{name} is a text")

    def needed(self, name: str, missing: str) -> str:
        """A text that has to be there.

        Raises:
            BadRequest: it is not, or blank; `missing` are the API's words for that.
        """
        found = self.text(name)
        if found is None or not found.strip():
            raise BadRequest(missing)
        return found

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        """A whole number within bounds; one outside is taken as the bound, and noted.

        Raises:
            BadRequest: it is no number.
        """
        found = self.value(name)
        if found is None:
            return default
        try:
            number = float(found) if not isinstance(found, bool) else math.nan
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise BadRequest(f"{name} is a number")
        bounded = min(max(int(number), least), most)
        if bounded != number:
            self.aside(f"{name}={number:g}, taken as {bounded}")
        return bounded

    def flag(self, name: str) -> bool:
        """Whether something is wanted."""
        found = self.value(name)
        return found.strip().lower() not in {"false", "0", "no"} if isinstance(found, str) else bool(found)

    def texts(self, name: str) -> tuple[str, ...]:
        """Several texts: a list, or one text with commas."""
        found = self.value(name)
        parts = found.split(",") if isinstance(found, str) else found if isinstance(found, list) else []
        return tuple(part.strip() for part in parts[:MAX_LIST] if isinstance(part, str) and part.strip())

    def domains(self, name: str) -> tuple[str, ...]:
        """Several domains, also where addresses were given for them."""
        return tuple(host for one in self.texts(name) if (host := domain(one)))

    def ignored(self) -> list[str]:
        """What was given and has no effect."""
        unread = [
            name
            for name, value in self.given.items()
            if name not in self._read and name not in self.quiet and value not in (None, "", [], {}, False)
        ]
        return [_printable(name) for name in [*self._aside, *unread]][:MAX_IGNORED]

    def noted(self, api: str) -> dict[str, Any]:
        """What the record says of the request besides what was honoured."""
        ignored = self.ignored()
        return {"api": api} | ({"ignored": ignored} if ignored else {})


def _printable(name: str) -> str:
    return "".join(char if char.isprintable() else "�" for char in name[:MAX_NAME])


def domain(text: str) -> str:
    """The host of an address, or what stands before the first slash."""
    return text.partition("://")[2].partition("/")[0] if "://" in text else text.partition("/")[0]


def since(span: str | None, now: datetime) -> datetime | None:
    """The beginning of a time span that APIs name: `day`, `w`, `qdr:m`; None if it is none of these."""
    if not span:
        return None
    days = _SPANS.get(span.lower().removeprefix("qdr:")[:1])
    return now - timedelta(days=days) if days is not None else None


def day(text: str | None) -> datetime | None:
    """The first moment of a day that is written like 2026-11-29, in UTC; None if it is none."""
    if not text or not _DAY.fullmatch(text.strip()[:10]):
        return None
    try:
        return datetime.fromisoformat(text.strip()[:10]).replace(tzinfo=UTC)
    except ValueError:
        return None


def seconds(amount: float) -> int:
    """An age that the pipeline takes."""
    return int(min(max(amount, 0), MAX_AGE))
