"""Quotations with dots for what was left out: their pieces must stand in order, and what was left out is shown."""

from dataclasses import dataclass
from typing import Final

import regex

from snapshots.quotes.folding import WRAP
from snapshots.quotes.lexicon import lexicon
from snapshots.quotes.reading import Readable
from snapshots.quotes.words import words_of

_DOTS: Final = regex.compile(r"\s*(?:\[\s*\.{3,}\s*\]|\(\s*\.{3,}\s*\)|\.{3,})\s*")
FARTHEST: Final = 3_000
"""Folded characters left out at one place: pieces farther apart are no quotation of one passage."""
MOST_PIECES: Final = 20
_LEAST_WORDS: Final = 2
_SENTENCE_END: Final = regex.compile(r"[.!?](?=[\s\"')\]]|$)|[。！？।؟]|\n")


@dataclass(frozen=True, slots=True)
class Pieces:
    """Where a quotation's pieces stand, in order, as ranges of the folded text."""

    spans: tuple[tuple[int, int], ...]

    @property
    def gaps(self) -> tuple[tuple[int, int], ...]:
        """The ranges left out between them."""
        return tuple((one[1], two[0]) for one, two in zip(self.spans, self.spans[1:], strict=False))


def pieces_of(quote: Readable) -> tuple[str, ...]:
    """What a quotation says before, between and after its dots; empty if it has none or a piece says too little."""
    text = quote.folded.text
    if _DOTS.search(text) is None:
        return ()
    pieces = tuple(piece for piece in _DOTS.split(text) if piece.strip(f" .,;:\"'{WRAP}"))
    if not pieces or len(pieces) > MOST_PIECES:
        return ()
    enough = all(sum(word.kind != "mark" for word in Readable(piece).words) >= _LEAST_WORDS for piece in pieces)
    return pieces if enough else ()


def find_pieces(pieces: tuple[str, ...], text: Readable) -> Pieces | None:
    """Where the pieces stand in order and near each other; of several such places the narrowest."""
    every = [text.occurrences(Readable(piece)) for piece in pieces]
    best: Pieces | None = None
    for first in every[0]:
        spans = [first]
        for found in every[1:]:
            at = next((span for span in found if span[0] >= spans[-1][1]), None)
            if at is None or at[0] - spans[-1][1] > FARTHEST:
                break
            spans.append(at)
        else:
            width = spans[-1][1] - spans[0][0]
            if best is None or width < best.spans[-1][1] - best.spans[0][0]:
                best = Pieces(tuple(spans))
    return best


def turns_around(left_out: str) -> bool:
    """Whether a folded text that was left out holds a negation that belongs to a sentence that was quoted.

    Sentences left out whole say nothing about those that stay.
    """
    ends = [found.end() for found in _SENTENCE_END.finditer(left_out)]
    kept = left_out if not ends else f"{left_out[: ends[0]]} {left_out[ends[-1] :]}"
    entries = lexicon().topics["negation"]
    words = words_of(Readable(kept).folded)
    return any(word.key in entries.words or word.key.endswith("n't") for word in words) or (
        not kept.isascii() and any(part in kept for part in entries.parts)
    )
