"""Joins what several providers and the own index propose into one list of candidates. Pure.

Candidates of one page are joined under a key that levels what does not make another page: the scheme, `www.`, a slash
at the end, and parameters that only count visitors. Ranks are fused by reciprocal rank; each keeps the rank that every
provider gave it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from crawler import BadAddress, Found, parse_address
from index import fuse

MAX_CANDIDATES: Final = 200  # candidates of one search: a record of more is a listing that nobody reads

NOT_AN_ADDRESS: Final = "not_an_address"
DOMAIN_EXCLUDED: Final = "domain_excluded"
DOMAIN_NOT_INCLUDED: Final = "domain_not_included"
PUBLISHED_OUTSIDE: Final = "published_outside"

_COUNTERS: Final = frozenset(
    {"gclid", "fbclid", "msclkid", "dclid", "yclid", "mc_cid", "mc_eid", "igshid", "srsltid", "_ga", "_gl", "vero_id"}
)
_COUNTER_STARTS: Final = ("utm_", "hsa_", "pk_", "mtm_", "at_medium", "at_campaign")


@dataclass
class Merged:
    """One page that came into question, from whomever."""

    key: str
    url: str
    """As the best of them wrote it, without what only counts visitors."""
    title: str | None = None
    snippet: str | None = None
    published: str | None = None
    ranks: dict[str, int] = field(default_factory=dict)
    score: float = 0.0
    rank: int = 0
    drop: str | None = None
    """Why it is out of the question already."""


@dataclass(frozen=True)
class Limits:
    """What a caller wants of candidates before any page is fetched."""

    within: tuple[tuple[str, ...], ...] = ()
    """A page lies within a domain of each."""
    without: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None
    """Days are inclusive."""


def merged(
    proposed: Mapping[str, Sequence[Found]], limits: Limits, weights: Mapping[str, float] | None = None
) -> list[Merged]:
    """Candidates in fused order, each with its place, at most `MAX_CANDIDATES`; those that are out say why."""
    pages: dict[str, Merged] = {}
    rankings: dict[str, list[str]] = {}
    for provider, found in proposed.items():
        ranking = rankings.setdefault(provider, [])
        for one in found:
            key, url = _key(one.url)
            page = pages.setdefault(key, Merged(key, url))
            ranking.append(key)
            page.ranks.setdefault(provider, one.rank)
            page.title = page.title or one.title
            page.snippet = page.snippet or one.snippet
            page.published = page.published or one.published
            page.drop = page.drop or _out(url, limits)
    places = fuse(rankings, weights)[:MAX_CANDIDATES]
    for place, fused in enumerate(places, start=1):
        page = pages[fused.key]
        page.score, page.rank = fused.score, place
        page.drop = page.drop or _when(page.published, limits)
    return [pages[fused.key] for fused in places]


def _key(url: str) -> tuple[str, str]:
    """What a page is joined by, and its address as it is asked for; the text itself where it is none."""
    try:
        address = parse_address(url)
    except BadAddress:
        return url, url
    parts = address.query.removeprefix("?").split("&")
    query = "&".join(part for part in parts if part and not _counts(part.partition("=")[0].lower()))
    place = address.authority.removeprefix("www.") + address.path.rstrip("/")
    asked = address.origin + address.path + (f"?{query}" if query else "")
    return (f"{place}?{query}" if query else place), asked


def _counts(name: str) -> bool:
    """Whether a parameter is there to count visitors and changes nothing of a page."""
    return name in _COUNTERS or name.startswith(_COUNTER_STARTS)


def _out(url: str, limits: Limits) -> str | None:
    try:
        host = parse_address(url).host
    except BadAddress:
        return NOT_AN_ADDRESS
    if any(_within(host, domain) for domain in limits.without):
        return DOMAIN_EXCLUDED
    if not all(any(_within(host, domain) for domain in domains) for domains in limits.within):
        return DOMAIN_NOT_INCLUDED
    return None


def _within(host: str, domain: str) -> bool:
    wanted = domain.lower().strip(".")
    return host == wanted or host.endswith("." + wanted)


def _when(published: str | None, limits: Limits) -> str | None:
    """Out only by a day that somebody claims: a page whose day nobody knows stays in, and is looked at when fetched."""
    if published is None:
        return None
    try:
        day = date.fromisoformat(published[:10])
    except ValueError:
        return None
    return PUBLISHED_OUTSIDE if outside(day, limits.after, limits.before) else None


def outside(day: date, after: date | None, before: date | None) -> bool:
    """Whether a day is not among those that were asked for."""
    return (after is not None and day < after) or (before is not None and day > before)
