"""What a site's robots.txt allows (RFC 9309), remembered per origin.

No rules when it answers 4xx; everything forbidden while it answers 429 or 5xx or cannot be had, and that only briefly.
Matching is Protego's.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

from protego import Protego

from crawler.addresses import Address, canonical
from crawler.clock import Clock
from crawler.errors import CrawlError
from crawler.visit import RobotsRuling

MAX_ROBOTS: Final = 500 * 1024
"""Bytes read of a robots.txt, as RFC 9309 section 2.5 asks at least."""
MAX_ROBOTS_HOPS: Final = 5
"""Redirects followed (RFC 9309 section 2.3.1.2); beyond them the site counts as having no rules."""
KEPT_AT_LEAST: Final = 300.0
"""Seconds that rules are kept even if the site's Cache-Control says less."""
KEPT: Final = 3600.0
"""Seconds that rules are kept if the site says nothing."""
KEPT_AT_MOST: Final = 24 * 3600.0
"""Seconds that rules are kept at most (RFC 9309 section 2.4)."""
REFUSAL_KEPT: Final = 60.0
"""Seconds that "cannot be had" is remembered: long enough not to hammer, short enough to recover."""
REFUSAL_KEPT_AT_MOST: Final = 3600.0
"""The same where the site asks to be left alone for longer (Retry-After)."""
MAX_ORIGINS: Final = 5000
"""Origins whose rules are remembered; the longest unused is forgotten first."""
MAX_SITEMAPS: Final = 1000
"""Sitemap lines taken from one robots.txt."""
UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
TOO_MANY_REQUESTS: Final = 429
SUCCESS: Final = 2
CLIENT_ERROR: Final = 4


FIELD: Final = re.compile(r"(?m)^[ \t]*(?P<field>[A-Za-z][A-Za-z \t-]{0,30}?)[ \t]{0,30}:[ \t]*(?P<value>[^\n]*)")
"""A field and its value on a line; bounded, so that no line can make matching slow."""
PRODUCT: Final = re.compile(r"[A-Za-z_-]+")
KNOWN_FIELDS: Final = ("dis", "dia", "allow", "sitemap", "site-map", "crawl", "request", "visit", "host")
"""How the fields begin that Protego knows, misspelt ones included."""


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """What came of asking for a robots.txt.

    `state` is `answered` (with `status` and the first bytes of the `body`), `lost` among redirects, or `failed`.
    `source` is the address that answered, or was last asked; `max_age` and `retry_after` are the site's wishes in
    seconds; `failure` is why there is no answer.
    """

    state: Literal["answered", "lost", "failed"]
    source: str
    status: int | None = None
    body: bytes = b""
    max_age: float | None = None
    retry_after: float | None = None
    failure: CrawlError | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one origin: parsed ones, none at all (`no_rules`), or nothing allowed (`unreachable`).

    `failure` says why they cannot be had, if no answer came at all.
    """

    kind: Literal["rules", "no_rules", "unreachable"]
    source: str
    parsed: Protego | None = None
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    failure: CrawlError | None = None
    cut: bool = False
    """The file is longer than what is read of it."""

    def ruling(self, address: Address, token: str) -> RobotsRuling:
        """Say what they mean for one address."""
        if self.parsed is not None:
            allowed = self.parsed.can_fetch(address.href, token)
            return RobotsRuling("allowed" if allowed else "disallowed", self.source)
        return RobotsRuling("unreachable" if self.kind == "unreachable" else "no_rules", self.source)


class Robots:
    """Asks each origin for its robots.txt, through `ask`, no more often than needed.

    `token` is the product token that stands for us in the files.
    """

    def __init__(self, ask: Callable[[Address], Awaitable[RobotsAnswer]], token: str, clock: Clock) -> None:
        self._ask = ask
        self._token = token
        self._clock = clock
        self._kept: OrderedDict[str, tuple[Rules, float]] = OrderedDict()
        self._asking: dict[str, asyncio.Lock] = {}

    async def rules(self, address: Address) -> Rules:
        """Give the rules of the address's origin, asking for them if they are not known or too old."""
        origin = address.origin
        if (known := self._known(origin)) is not None:
            return known
        lock = self._asking.setdefault(origin, asyncio.Lock())
        try:
            async with lock:
                if (known := self._known(origin)) is not None:
                    return known
                answer = await self._ask(address)
                rules, seconds = read_robots(answer, self._token)
                self._kept[origin] = (rules, self._clock.monotonic() + seconds)
                if len(self._kept) > MAX_ORIGINS:
                    self._kept.popitem(last=False)
                return rules
        finally:
            if not lock.locked():
                self._asking.pop(origin, None)

    def apply(self, rules: Rules, address: Address) -> RobotsRuling:
        """Say what the rules mean for one address."""
        return rules.ruling(address, self._token)

    def _known(self, origin: str) -> Rules | None:
        kept = self._kept.get(origin)
        if kept is None or kept[1] <= self._clock.monotonic():
            return None
        self._kept.move_to_end(origin)
        return kept[0]


def read_robots(answer: RobotsAnswer, token: str) -> tuple[Rules, float]:
    """Turn an answer into rules, and the seconds that they may be kept."""
    source, status = answer.source, answer.status or 0
    seconds = KEPT if answer.max_age is None else min(max(answer.max_age, KEPT_AT_LEAST), KEPT_AT_MOST)
    hundreds = status // 100
    if answer.state == "lost" or (hundreds == CLIENT_ERROR and status != TOO_MANY_REQUESTS):
        return Rules("no_rules", source), seconds
    if answer.state == "failed" or hundreds != SUCCESS:
        kept = min(max(answer.retry_after or 0.0, REFUSAL_KEPT), REFUSAL_KEPT_AT_MOST)
        return Rules("unreachable", source, failure=answer.failure), kept
    body = answer.body
    if cut := len(body) > MAX_ROBOTS:  # the last line within the limit may be cut, and a cut rule says something else
        body = body[:MAX_ROBOTS]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    parsed = Protego.parse(normalised(_text(body), token))
    found = (canonical(link, source) for link in list(parsed.sitemaps)[:MAX_SITEMAPS])
    delay = parsed.crawl_delay(token)
    sitemaps = tuple(dict.fromkeys(link for link in found if link))
    return Rules("rules", source, parsed, delay, sitemaps, cut=cut), seconds


def _text(body: bytes) -> str:
    """A robots.txt is in UTF-8 (RFC 9309 section 2.3); one that bears the mark of UTF-16 says plainly what it is in."""
    return body.decode("utf-16" if body.startswith(UTF16_MARKS) else "utf-8-sig", "replace")


def normalised(text: str, token: str) -> str:
    """Rewrite a robots.txt so that Protego finds the groups that the standard means for `token`.

    A user agent counts up to the first character that no product token has (`Bot/1.0`, `Bot crawler`), and must then be
    the token and not a part of it; lines of unknown kinds do not end a list of user agents.
    """

    def line(found: re.Match[str]) -> str:
        field, value = found["field"], found["value"]
        if field.lower().replace("-", "").replace(" ", "") != "useragent":
            return found[0] if field.lower().startswith(KNOWN_FIELDS) else ""
        name = PRODUCT.match(value)
        if name is None:
            return found[0]
        return f"User-agent: {token if name[0].lower() == token.lower() else 'not-' + name[0]}"

    return FIELD.sub(line, text.replace("\r\n", "\n").replace("\r", "\n"))


def product_token(user_agent: str) -> str:
    """Give the product token in front of a user agent, by which robots.txt files speak of it."""
    head = user_agent.strip().split("/", 1)[0].split(None, 1)
    return head[0] if head else "*"
