"""What stood around a quotation when it was taken, and where that stands now."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from snapshots.quotes.folding import fold
from snapshots.quotes.reading import Readable

REACH: Final = 600
"""Folded characters on each side of a quotation on the old page that can say where it was."""
PIECE: Final = 24
"""Characters of a piece that is looked for: long enough to be found in one place, short enough to survive edits."""
LEAST: Final = 8
"""A shorter piece says nothing."""
DRIFT: Final = 240
"""Characters by which what lies between a quotation and a piece of its surroundings may have grown."""
BOTH: Final = 2
"""Sides of a range, as `Place.sides` counts them."""
_MANY: Final = 5
"""A piece that stands in more places than this says nothing."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the surroundings: `text`, and how far it was from the quotation."""

    text: str
    distance: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Pieces of the text before and after a quotation, nearest first. Empty where nothing is known."""

    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    prefix: str
    suffix: str

    @property
    def known(self) -> bool:
        """Whether there is anything to go by."""
        return bool(self.prefix or self.suffix)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the surroundings put the quotation on a page: after `begin` and before `end`, if these are known.

    `slack` is how far the nearest pieces that were found are from the quotation, before and after.
    """

    begin: int | None
    end: int | None
    slack: tuple[int, int]

    @property
    def closed(self) -> bool:
        """Whether what was before and what was after the quotation now follow each other."""
        if self.begin is None or self.end is None:
            return False
        return 0 <= self.end - self.begin <= sum(self.slack) + LEAST

    def sides(self, start: int, end: int) -> int:
        """On how many sides a range has the quotation's old neighbours: 0, 1 or 2."""
        before = self.begin is not None and -LEAST <= start - self.begin <= self.slack[0] + DRIFT
        after = self.end is not None and -LEAST <= self.end - end <= self.slack[1] + DRIFT
        return before + after


def surroundings(prefix: str, suffix: str, quote: str) -> Surroundings:
    """What a prefix and a suffix, as they were kept or as they stand on the old page, say about a quotation's place.

    Pieces that the quotation (folded) itself has say nothing.
    """
    before, after = fold(prefix).text[-REACH:], fold(suffix).text[:REACH]
    return Surroundings(
        before=tuple(_pieces(before, quote, forward=False)),
        after=tuple(_pieces(after, quote, forward=True)),
        prefix=before,
        suffix=after,
    )


def _pieces(text: str, quote: str, *, forward: bool) -> Iterator[Piece]:
    for near in range(0, len(text), PIECE):
        far = min(len(text), near + PIECE)
        piece = (text[near:far] if forward else text[len(text) - far : len(text) - near]).strip()
        if len(piece) >= LEAST and piece not in quote:
            yield Piece(piece, near)


def place(around: Surroundings, page: Readable) -> Place:
    """Where on a page the surroundings put the quotation. Of several readings the narrowest is taken."""
    text = page.folded.text
    best: tuple[int, Place] | None = None
    begins = [(at + len(piece.text), piece.distance) for piece, at in _found(text, around.before)]
    ends = [(at, piece.distance) for piece, at in _found(text, around.after)]
    for begin, far in begins:
        for end, off in ends:
            between = end - begin - far - off
            if between >= -LEAST and (best is None or (between + far + off) < best[0]):
                best = (between + far + off, Place(begin, end, (far, off)))
    if best is not None:
        return best[1]
    begin_alone = min(begins, key=lambda one: one[1], default=None)
    end_alone = min(ends, key=lambda one: one[1], default=None)
    if begin_alone and end_alone:  # they stand, in the other order: the text was turned around
        return (
            Place(begin_alone[0], None, (begin_alone[1], 0))
            if begin_alone[1] <= end_alone[1]
            else Place(None, end_alone[0], (0, end_alone[1]))
        )
    return Place(
        begin_alone[0] if begin_alone else None,
        end_alone[0] if end_alone else None,
        (begin_alone[1] if begin_alone else 0, end_alone[1] if end_alone else 0),
    )


def _found(text: str, pieces: tuple[Piece, ...]) -> list[tuple[Piece, int]]:
    """The places of the nearest pieces that stand on the page, of some distance apart at most."""
    found: list[tuple[Piece, int]] = []
    for piece in pieces:
        places: list[int] = []
        at = text.find(piece.text)
        while at >= 0 and len(places) <= _MANY:
            places.append(at)
            at = text.find(piece.text, at + 1)
        if len(places) <= _MANY:
            found += [(piece, place) for place in places]
        if len(places) == 1 or len(found) > _MANY:
            break  # one that stands once is sure; those farther away say less
    return found
