"""What stands around an article and changes from visit to visit though nothing was said anew."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html import escape
from random import Random
from typing import Any

from tests.eval.recheck_pairs.markup import Manner

Words = dict[str, Any]
FIRST_VISIT = datetime(2024, 3, 4, 9, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Surroundings:
    """State of a page apart from its article."""

    skeleton: str
    visited: datetime
    year: int
    views: int
    shares: int
    minutes: int
    online: int
    ticker: int
    build: str
    nonce: str
    request: str
    css: tuple[str, ...]
    variant: str
    menu: tuple[int, ...]
    ads: tuple[int, ...]
    related: tuple[int, ...]
    comments: tuple[tuple[str, str], ...]
    banner: int | None
    consent: int | None
    manner: Manner


def first(skeleton: str, words: Words, chance: Random) -> Surroundings:
    """How a page stood when it was first visited."""
    return Surroundings(
        skeleton=skeleton,
        visited=FIRST_VISIT + timedelta(days=chance.randrange(400), minutes=chance.randrange(1400)),
        year=2024,
        views=chance.randrange(90, 4000),
        shares=chance.randrange(3, 300),
        minutes=chance.randrange(2, 59),
        online=chance.randrange(4, 90),
        ticker=chance.randrange(4, 24),
        build=_hex(chance, 8),
        nonce=_hex(chance, 22),
        request=_hex(chance, 16),
        css=tuple(f"css-{_hex(chance, 6)}" for _ in range(6)),
        variant=chance.choice(["a", "b"]),
        menu=tuple(range(len(words["menu"]))),
        ads=tuple(chance.sample(range(len(words["ads"])), 2)),
        related=tuple(chance.sample(range(len(words["related"])), 4)),
        comments=tuple((who, said) for who, said in chance.sample(words["comments"], 2)),
        banner=chance.choice([None, None, 0]),
        consent=chance.choice([None, 0, 1]),
        manner=Manner(),
    )


def _hex(chance: Random, length: int) -> str:
    return "".join(chance.choice("0123456789abcdef") for _ in range(length))


def _other(chance: Random, count: int, now: tuple[int, ...]) -> tuple[int, ...]:
    while True:
        drawn = tuple(chance.sample(range(count), len(now)))
        if drawn != now:
            return drawn


def _dates(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, visited=page.visited + timedelta(days=chance.randrange(1, 260)))


def _counters(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, views=page.views * 3 + 17, shares=page.shares + chance.randrange(2, 40))


def _relative(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, minutes=60 + chance.randrange(1, 59), online=page.online + chance.randrange(1, 20))


def _ads(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, ads=_other(chance, len(words["ads"]), page.ads))


def _nonces(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, nonce=_hex(chance, 22), request=_hex(chance, 16), build=_hex(chance, 8))


def _consent(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, consent={None: 0, 0: 1, 1: 2, 2: None}[page.consent])


def _menu(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, menu=_other(chance, len(words["menu"]), page.menu))


def _banner(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, banner=chance.randrange(1, 4), variant="b" if page.variant == "a" else "a")


def _recommendations(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, related=_other(chance, len(words["related"]), page.related))


def _comments(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    left = [(who, said) for who, said in words["comments"] if (who, said) not in page.comments]
    return replace(page, comments=(*page.comments, *chance.sample(left, 2)))


def _year(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, year=page.year + 1)


def _ticker(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, ticker=page.ticker + chance.randrange(1, 9))


def _classes(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    css = tuple(f"sc-{_hex(chance, 7)}" for _ in range(6))
    return replace(page, css=css, manner=replace(page.manner, classes=f"b-{_hex(chance, 5)}", wrap=True))


def _inline(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, manner=replace(page.manner, inline=True))


def _anchors(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    return replace(page, manner=replace(page.manner, anchors=True))


def _between(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    ad = f'<div class="inline-ad">{escape(words["ads"][chance.randrange(len(words["ads"]))], quote=False)}</div>'
    box = f'<aside class="box"><p>{words["newsletter"]}</p><button>{words["subscribe"]}</button></aside>'
    return replace(page, manner=replace(page.manner, between=(ad, box)))


def _redesign(page: Surroundings, words: Words, chance: Random) -> Surroundings:
    others = [name for name in ("paper", "blog", "app", "office", "shop", "wiki") if name != page.skeleton]
    return replace(page, skeleton=chance.choice(others), manner=replace(page.manner, wrap=not page.manner.wrap))


NOISE: dict[str, Callable[[Surroundings, Words, Random], Surroundings]] = {
    "dates": _dates,
    "counters": _counters,
    "relative times": _relative,
    "advertisements": _ads,
    "nonces": _nonces,
    "consent text": _consent,
    "menu order": _menu,
    "A/B banner": _banner,
    "recommendations": _recommendations,
    "comments": _comments,
    "copyright year": _year,
    "ticker": _ticker,
    "classes and containers": _classes,
    "inline markup": _inline,
    "heading anchors": _anchors,
    "boxes between paragraphs": _between,
    "redesign": _redesign,
}
"""Kinds that change what is around the article. Typographic kinds and moved blocks change the article's own source."""
