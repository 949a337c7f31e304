"""Cookies within one fetch: what a site sets on the way is sent on, and forgotten at the end (RFC 6265).

Some pages answer only to a request that carries the cookie of the first answer. A jar that outlived the fetch would
make one capture depend on another, and would let sites recognise us.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from crawler.addresses import Address, same_site

MAX_COOKIES: Final = 100
"""Cookies of one fetch; browsers keep 50 to 180 per site."""
MAX_COOKIE: Final = 4096
"""Bytes of name and value of one cookie (RFC 6265 section 6.1)."""
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

    def take(self, address: Address, lines: Iterable[str], now: datetime) -> None:
        """Keep what the Set-Cookie `lines` of an answer from `address` set, and drop what they take back."""
        for line in lines:
            cookie, gone = _read(address, line, now)
            if cookie is None:
                continue
            key = (cookie.name, cookie.domain, cookie.path)
            if gone:
                self._cookies.pop(key, None)
            elif key in self._cookies or len(self._cookies) < MAX_COOKIES:
                self._cookies[key] = cookie

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
    if not (name or value) or len(name) + len(value) > MAX_COOKIE or CONTROLS.search(name + value):
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
    cookie = Cookie(
        name=name,
        value=value,
        domain=domain or address.host,
        host_only=not domain or not _is_shared(domain),
        path=path if path.startswith("/") else address.path[: address.path.rfind("/")] or "/",
        secure=secure,
    )
    return cookie, _is_over(attributes, now)


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
    if age.lstrip("-").isdecimal():
        return age.startswith("-") or not age.strip("0")
    try:
        expires = parsedate_to_datetime(attributes.get("expires", "").replace("-", " "))
    except (ValueError, TypeError, IndexError, OverflowError):
        return False
    return (expires if expires.tzinfo else expires.replace(tzinfo=UTC)) <= now
