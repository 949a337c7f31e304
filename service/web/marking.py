"""A captured text in pieces, so that what nobody sees in it can be shown, and words for models stand out. Pure."""

import unicodedata
from dataclasses import dataclass
from typing import Final

from crawler import signs_in

MAX_SIGNS: Final = 5_000
"""Signs that are marked on a page; a text that holds more is no better understood by them."""


@dataclass(frozen=True)
class Piece:
    """A part of a text. `kind`: `plain`, `hidden`, `addresses_model`, or `unseen`: characters, named in `text`."""

    kind: str
    text: str


def marked(text: str) -> list[Piece]:
    """All of a text, in pieces; no list at all for no text."""
    pieces, at = [], 0
    for sign in signs_in(text)[:MAX_SIGNS]:
        pieces.append(Piece("plain", text[at : sign.start]))
        words = text[sign.start : sign.end]
        pieces.append(Piece(sign.kind, _named(words) if sign.kind == "unseen" else words))
        at = sign.end
    pieces.append(Piece("plain", text[at:]))
    return [piece for piece in pieces if piece.text]


def marked_beside(text: str, hidden: str, visible: str) -> list[Piece]:
    """The same of a text that was taken from a page; its lines that the page hides and does not show are `hidden`."""
    if not hidden:
        return marked(text)
    hides, shows = _spaced(hidden), _spaced(visible)
    pieces: list[Piece] = []
    for line in text.splitlines(keepends=True):
        words = _spaced(line)
        if words and words in hides and words not in shows:
            pieces.append(Piece("hidden", line))
        else:
            pieces += marked(line)
    return pieces


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _named(unseen: str) -> str:
    """A character that cannot be seen, by its code point and its name: `U+200B zero width space`."""
    return ", ".join(f"U+{ord(one):04X} {unicodedata.name(one, 'without a name').lower()}" for one in unseen)
