"""What a search provider is: the values that go in and come out, and what it promises."""

from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

from crawler.errors import CrawlError

LANGUAGE: Final = "language"
TIME: Final = "time window"
DOMAINS: Final = "domains"
"""Kinds of limits of a query, as a reader is told of them."""


class ProviderFailed(CrawlError):
    """The provider gave no usable reply.

    `reason` is a machine code: `unreachable`, `timeout`, `refused`, `quota` (its limit, or ours), `bad_reply`.
    `raw` is what it answered, if it did: kept as evidence.
    """

    def __init__(self, reason: str, message: str, raw: bytes | None = None) -> None:
        self.reason = reason
        self.raw = raw
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of a provider. One that knows no such limit ignores it, and says so in its `notes`.

    Days are inclusive, `today` is the day on which is asked.
    """

    text: str
    limit: int
    language: str | None = None
    published_after: date | None = None
    published_before: date | None = None
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    today: date | None = None

    @property
    def limits(self) -> frozenset[str]:
        """Which kinds of limits are asked for."""
        timed = self.published_after is not None or self.published_before is not None
        asked = {LANGUAGE: self.language is not None, TIME: timed}
        asked[DOMAINS] = bool(self.include_domains or self.exclude_domains)
        return frozenset(kind for kind, there in asked.items() if there)


@dataclass(frozen=True, slots=True)
class Found:
    """One address that a provider proposes: its rank there (from 1), and what it says about it (untrusted text).

    `published` is a day as the provider claims it.
    """

    url: str
    rank: int
    title: str | None = None
    snippet: str | None = None
    published: str | None = None


@dataclass(frozen=True, slots=True)
class ProviderReply:
    """What a provider answered: the exact bytes (kept as evidence), and the candidates read from them.

    `notes` is what it said of itself: engines that failed, words that it changed.
    """

    raw: bytes
    media_type: str
    found: tuple[Found, ...]
    notes: tuple[str, ...] = ()


class Provider(Protocol):
    """Asks one search service.

    Implementations keep credentials out of replies, messages and records, keep the provider's order, and drop nothing:
    what is no address stays in, as it is for the caller to say why it is not used. They remember nothing between
    queries but when they may ask again, and are safe for use by several tasks.
    """

    @property
    def name(self) -> str:
        """The name under which records speak of this provider: lower case, `[a-z0-9.-]+`, never changed later."""
        ...

    async def search(self, query: Query, *, seconds: float) -> ProviderReply:
        """Ask, within `seconds`.

        Raises:
            ProviderFailed: there is no usable reply.
        """
        ...

    def close(self) -> None:
        """Give back what it holds."""
        ...
