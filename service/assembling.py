"""Puts a search's answer together: pages in order, passages packed into the token budget. Pure.

Pages stand in the order of their best passage. Packing first gives each page its best passage, from the top down, then
goes through the remaining passages by score; a passage that does not fit is passed over for a shorter one further down.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from index import Hit
from service import tokens

KEPT = "kept"
NEAR_DUPLICATE = "near_duplicate"
BELOW_MAX_RESULTS = "below_max_results"
REMOVED = "removed"
DAMAGED = "damaged"


@dataclass(frozen=True)
class Candidate:
    """A page that came into question: its matching passages, best first, and its place (from 1)."""

    rank: int
    url: str
    capture: str
    document: str
    hits: tuple[Hit, ...]
    duplicate_of: str | None
    """The address of the page that says nearly the same, if every passage was folded."""

    @property
    def best(self) -> Hit:
        """The passage that decides the page's place."""
        return self.hits[0]


def candidates_of(hits: Sequence[Hit]) -> tuple[Candidate, ...]:
    """Group passages by page, in the order of each page's best passage that was not folded away."""
    own: dict[str, list[Hit]] = {}
    folded: dict[str, list[Hit]] = {}
    for hit in hits:
        (own if hit.folded_into is None else folded).setdefault(hit.capture, []).append(hit)
    pages: list[tuple[list[Hit], str | None]] = [(kept, None) for kept in own.values()]
    pages += [(gone, hits[gone[0].folded_into or 0].url) for capture, gone in folded.items() if capture not in own]
    return tuple(
        Candidate(
            rank=rank,
            url=page[0].url,
            capture=page[0].capture,
            document=page[0].document,
            hits=tuple(page),
            duplicate_of=duplicate_of,
        )
        for rank, (page, duplicate_of) in enumerate(pages, start=1)
    )


@dataclass(frozen=True)
class Offer:
    """A passage that wants to be shown: `page` is the place of its page among the results (from 0)."""

    page: int
    score: float
    text: str


def pack(
    offers: Sequence[Offer], budget: int, per_page: int | None, cost_of: Callable[[str], int] = tokens.estimate
) -> tuple[frozenset[int], int]:
    """Choose which offers are shown. `offers` are grouped by page, best first within each. `cost_of` is in tokens.

    Returns the places of the chosen ones in `offers`, and the tokens they cost.
    """
    spent, spent_on = 0, dict[int, int]()
    chosen: set[int] = set()
    for place in _order(offers):
        offer = offers[place]
        cost = cost_of(offer.text)
        on_page = spent_on.get(offer.page, 0) + cost
        if spent + cost > budget or (per_page is not None and on_page > per_page):
            continue
        spent, spent_on[offer.page] = spent + cost, on_page
        chosen.add(place)
    return frozenset(chosen), spent


def _order(offers: Sequence[Offer]) -> Iterable[int]:
    """The best of each page from the top down, then the rest by score; ties go to the earlier place."""
    firsts: dict[int, int] = {}
    for place, offer in enumerate(offers):
        firsts.setdefault(offer.page, place)
    yield from sorted(firsts.values())
    taken = set(firsts.values())
    yield from sorted(
        (place for place in range(len(offers)) if place not in taken), key=lambda place: (-offers[place].score, place)
    )
