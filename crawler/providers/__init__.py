"""Search providers: a query in, their raw reply and its candidates out.

Each provider is a module of its own beside this protocol; none is built yet.
"""

from dataclasses import dataclass
from typing import Protocol

from crawler.errors import CrawlError


class ProviderFailed(CrawlError):
    """The provider gave no usable reply. `reason` is a machine code: `unreachable`, `refused`, `bad_reply`, `quota`."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One address that a provider proposes: its rank there (from 1), and what it says about it (untrusted text)."""

    url: str
    rank: int
    title: str | None = None
    snippet: str | None = None


@dataclass(frozen=True, slots=True)
class ProviderReply:
    """What a provider answered: the exact bytes of its reply (kept as evidence), and the candidates read from them."""

    raw: bytes
    media_type: str
    candidates: tuple[Candidate, ...]


class Provider(Protocol):
    """Asks one search service.

    Implementations reach the operator's endpoint through a `Fetcher` of their own that has it in `allow_origins`. They
    keep credentials out of replies, messages and records, keep the provider's order, and drop nothing: candidates that
    are no addresses stay in, as it is for the caller to say why they are not used. They hold no state between queries
    and are safe for use by several tasks.
    """

    @property
    def name(self) -> str:
        """The name under which records speak of this provider: lower case, `[a-z0-9-]+`, never changed later."""

    async def search(self, query: str, *, limit: int, language: str | None, deadline: float) -> ProviderReply:
        """Ask for up to `limit` candidates for `query`, within `deadline` seconds.

        Raises:
            ProviderFailed: there is no usable reply.
        """
