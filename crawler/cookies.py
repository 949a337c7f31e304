"""Cookies within one fetch: what a site sets on the way is sent on, and forgotten at the end (RFC 6265bis).

Some pages answer only to a request that carries the cookie of the first answer. A jar that outlived the fetch would
make one capture depend on another, and would let sites recognise us.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import permutations
from typing import Final

from crawler.addresses import Address, same_site

MAX_COOKIES: Final = 100
"""Cookies of one fetch; browsers keep 50 to 180 per site."""
MAX_COOKIE: Final = 4096
"""Bytes of name and value of one cookie (RFC 6265 section 6.1)."""
FIRST_YEAR: Final = 1601
"""Dates before it are none (RFC 6265bis section 5.1.1)."""
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DELIMITERS: Final = re.compile(r"[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
TIME: Final = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)", re.ASCII)
DAY: Final = re.compile(r"(\d{1,2})(?!\d)", re.ASCII)
YEAR: Final = re.compile(r"(\d{2,4})(?!\d)", re.ASCII)
CONTROLS: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
"""What no cookie holds; bytes beyond ASCII are sent back as they came."""


@dataclass(frozen=True, slots=True)
class Cookie:
    """One cookie. `domain` is the host that set it, or the domain it is meant for if not `host_only`."""

    name: str
    value: str
    domain: str
    host_only: bool
    path: str
    secure: bool

    def goes_to(self, address: Address) -> bool:
        """Whether a request for `address` carries it."""
        host = address.host
        at_home = host == self.domain or (not self.host_only and host.endswith("." + self.domain))
        path = address.path
        below = path == self.path or path.startswith(self.path if self.path.endswith("/") else self.path + "/")
        return at_home and below and (not self.secure or address.scheme == "https")


class Jar:
    """The cookies of one fetch, in the order in which they were set."""

    def __init__(self) -> None:
        self._cookies: dict[tuple[str, str, str], Cookie] = {}

    def take(self, address: Address, lines: Iterable[str], now: datetime) -> int:
        """Keep what the Set-Cookie `lines` of an answer from `address` set, and drop what they take back.

        Gives how many the limits left out.
        """
        left_out = 0
        for line in lines:
            left_out += _is_too_long(line)
            cookie, gone = _read(address, line, now)
            if cookie is None:
                continue
            key = (cookie.name, cookie.domain, cookie.path)
            if address.scheme == "http" and any(_shelters(kept, cookie) for kept in self._cookies.values()):
                continue
            if gone:
                self._cookies.pop(key, None)
            elif key in self._cookies or len(self._cookies) < MAX_COOKIES:
                self._cookies[key] = cookie
            else:
                left_out += 1
        return left_out

    @property
    def cookies(self) -> tuple[Cookie, ...]:
        """All that are set now."""
        return tuple(self._cookies.values())

    def header(self, address: Address) -> str | None:
        """Give the Cookie header for a request, longest paths first; None without cookies."""
        going = [cookie for cookie in self._cookies.values() if cookie.goes_to(address)]
        going.sort(key=lambda cookie: -len(cookie.path))
        return "; ".join(f"{cookie.name}={cookie.value}" if cookie.name else cookie.value for cookie in going) or None


def _read(address: Address, line: str, now: datetime) -> tuple[Cookie | None, bool]:
    """Read one Set-Cookie line: the cookie (None if it is to be ignored) and whether it takes itself back."""
    pair, *rest = line.split(";")
    name, equals, value = pair.partition("=")
    name, value = (name.strip(), value.strip()) if equals else ("", name.strip())
    if not (name or value) or _is_too_long(line) or CONTROLS.search(name + value):
        return None, False
    attributes: dict[str, str] = {}
    for part in rest:
        key, _, given = part.partition("=")
        attributes[key.strip().lower()] = given.strip()
    secure = "secure" in attributes
    domain = attributes.get("domain", "").lstrip(".").lower()
    if (secure and address.scheme == "http") or (domain and not _may_set(address, domain)):
        return None, False
    path = attributes.get("path", "")
    if not _keeps_its_word(name or value, attributes):
        return None, False
    cookie = Cookie(
        name=name,
        value=value,
        domain=domain or address.host,
        host_only=not domain or not _is_shared(domain),
        path=path if path.startswith("/") else address.path[: address.path.rfind("/")] or "/",
        secure=secure,
    )
    return cookie, _is_over(attributes, now)


def _is_too_long(line: str) -> bool:
    """Whether name and value together are more than is taken."""
    name, _, value = line.partition(";")[0].partition("=")
    return len(name.strip()) + len(value.strip()) > MAX_COOKIE


def _keeps_its_word(name: str, attributes: dict[str, str]) -> bool:
    """Whether a cookie is set as the prefix of its name promises (RFC 6265bis section 4.1.3)."""
    name = name.lower()
    if name.startswith("__host-"):
        return "secure" in attributes and not attributes.get("domain") and attributes.get("path") == "/"
    return not name.startswith("__secure-") or "secure" in attributes


def _shelters(kept: Cookie, new: Cookie) -> bool:
    """Whether KEPT, set over an encrypted connection, may not be covered by NEW (RFC 6265bis section 5.7)."""
    at_home = any(one == other or one.endswith("." + other) for one, other in permutations((kept.domain, new.domain)))
    below = new.path == kept.path or new.path.startswith(kept.path.rstrip("/") + "/")
    return kept.secure and kept.name == new.name and at_home and below


def _may_set(address: Address, domain: str) -> bool:
    """Whether a host may set cookies for `domain`: its own, or a parent that is no public suffix."""
    return domain == address.host or (
        address.kind == "name" and address.host.endswith("." + domain) and _is_shared(domain)
    )


def _is_shared(domain: str) -> bool:
    """Whether hosts below `domain` belong to one site, which those below a public suffix do not."""
    return same_site(f"http://{domain}/", f"http://below.{domain}/")


def _is_over(attributes: dict[str, str], now: datetime) -> bool:
    """Whether the cookie has run out already, which is how one is taken back. Max-Age wins over Expires."""
    age = attributes.get("max-age", "")
    if age.removeprefix("-").isdecimal():
        return age.startswith("-") or not age.strip("0")
    expires = _moment(attributes.get("expires", ""))
    return expires is not None and expires <= now


def _moment(text: str) -> datetime | None:
    """Read a date as the standard does (RFC 6265bis section 5.1.1): parts in any order, whatever stands between."""
    time = day = month = year = None
    for part in DELIMITERS.split(text):
        if time is None and (found := TIME.match(part)):
            time = found
        elif day is None and (found := DAY.match(part)):
            day = int(found[1])
        elif month is None and part[:3].lower() in MONTHS:
            month = MONTHS.index(part[:3].lower()) + 1
        elif year is None and (found := YEAR.match(part)):
            year = int(found[1])
    if time is None or day is None or month is None or year is None:
        return None
    year += 1900 if 70 <= year <= 99 else 2000 if year <= 69 else 0  # noqa: PLR2004 - the standard's own numbers
    try:
        return (
            datetime(year, month, day, int(time[1]), int(time[2]), int(time[3]), tzinfo=UTC)
            if year >= FIRST_YEAR
            else None
        )
    except ValueError:
        return None
