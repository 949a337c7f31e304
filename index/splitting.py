"""Cuts a document into passages of 60 to 200 words. Pure and deterministic: the same text gives the same passages.

What a reader sees as one thing stays together where it can: a passage begins at a heading, ends at the end of a block
or of a sentence, and rows of tables, lines of code and items of lists are not cut. All of the text except the space
between passages belongs to exactly one of them. A section under 60 words is a passage of its own, and so is a document.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import regex

from index.pages import Block, Span
from index.sentences import WORD, border_after, border_before, lines, pieces, sentences, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHORTEST = 60 * WORD  # a document up to here is one passage, headings or not
LONGEST = 200 * WORD  # more is cut
BEST = 140 * WORD  # about how long the parts of a long section are made

# What a cut costs, in hundredths of a passage's wanted size, on top of how far from that size it is.
_INSIDE_PROSE = 20
_INSIDE_ROWS = 60
# A passage ends where it has at least so much of its wanted size, in hundredths.
_LEAST = 50

_ROWS = frozenset({"table", "code", "list"})


@dataclass(frozen=True, slots=True)
class _Atom:
    """A piece that is not cut any more. `cost` is what a cut before it costs; `opens` says that a heading begins."""

    start: int
    end: int
    size: int
    cost: int
    opens: bool
    heading: bool


def split(text: str, blocks: Sequence[Block] = (), language: str | None = None) -> list[Span]:
    """The passages of a text, in order. Blocks may overlap, lie outside or be missing: they are taken as advice."""
    del language  # the script of each piece of text says what is needed; kept, as dictionaries may come
    atoms = list(_atoms(text, blocks))
    if sum(atom.size for atom in atoms) <= SHORTEST:
        groups = [atoms] if atoms else []
    else:
        groups = [part for section in _sections(atoms) for part in _parts(section)]
    return [Span(ordinal, group[0].start, group[-1].end) for ordinal, group in enumerate(groups)]


def headings(text: str, blocks: Sequence[Block], spans: Sequence[Span]) -> tuple[tuple[str, ...], ...]:
    """For each passage the headings that it stands under, outermost first; one that it begins with included."""
    found = sorted(
        (b for b in blocks if b.type == "heading" and 0 <= b.start < b.end <= len(text)), key=lambda b: b.start
    )
    chains: list[tuple[str, ...]] = []
    chain: list[Block] = []
    upcoming = 0
    for span in spans:
        while upcoming < len(found) and found[upcoming].start <= span.start:
            level = found[upcoming].level or 1
            chain = [above for above in chain if (above.level or 1) < level] + [found[upcoming]]
            upcoming += 1
        chains.append(tuple(" ".join(text[b.start : b.end].split()) for b in chain))
    return tuple(chains)


def _flat(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """Blocks that lie in the text in order without overlap, and paragraphs for what lies between them."""
    place = 0
    for block in sorted(blocks, key=lambda b: (b.start, -b.end, b.type)):
        start, end = max(block.start, place), min(block.end, len(text))
        if start >= end:
            continue
        yield from _paragraphs(text, place, start)
        yield Block(block.type, start, end, block.level)
        place = end
    yield from _paragraphs(text, place, len(text))


@cache
def _gaps() -> regex.Pattern[str]:
    return regex.compile(r"\n[^\S\n]*\n\s*")


def _paragraphs(text: str, start: int, end: int) -> Iterator[Block]:
    """What lies between blocks, or a text without any, at its empty lines."""
    begun = start
    for gap in _gaps().finditer(text, start, end):
        yield Block("paragraph", begun, gap.end())
        begun = gap.end()
    if begun < end:
        yield Block("paragraph", begun, end)


def _atoms(text: str, blocks: Sequence[Block]) -> Iterator[_Atom]:
    last: _Atom | None = None
    for block in _flat(text, blocks):
        heading = block.type == "heading"
        within = 0 if heading else _INSIDE_ROWS if block.type in _ROWS else _INSIDE_PROSE
        first = True
        for start, end in _cuts(text, block):
            trimmed = _trimmed(text, start, end)
            if trimmed is None:
                continue
            begin, finish = trimmed
            if last is not None and begin < last.end:  # a mark stands on the space between them: one piece
                finish = max(finish, last.end)
                last = _Atom(
                    last.start, finish, size(text[last.start : finish]), last.cost, last.opens, last.heading and heading
                )
                continue
            if last is not None:
                yield last
            last = _Atom(begin, finish, size(text[begin:finish]), 0 if first else within, heading and first, heading)
            first = False
    if last is not None:
        yield last


def _cuts(text: str, block: Block) -> Iterator[tuple[int, int]]:
    """A block in its smallest pieces."""
    if block.type == "heading":
        borders = []
    elif block.type in _ROWS:
        borders = list(lines(text, block.start, block.end))
    else:
        borders = list(sentences(text, block.start, block.end))
    begun = block.start
    for border in [*borders, block.end]:
        if size(text[begun:border]) > LONGEST:
            for place in pieces(text, begun, border, BEST):
                yield begun, place
                begun = place
        yield begun, border
        begun = border


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The range without space around it, except space that carries a mark; None where nothing else is there."""
    piece = text[start:end]
    kept = piece.strip()
    if not kept:
        return None
    start += len(piece) - len(piece.lstrip())
    return border_before(text, start), border_after(text, start + len(kept))


def _sections(atoms: Sequence[_Atom]) -> Iterator[list[_Atom]]:
    """Pieces from heading to heading. A heading right below a heading does not part them."""
    section: list[_Atom] = []
    for atom in atoms:
        if atom.opens and any(not earlier.heading for earlier in section):
            yield section
            section = []
        section.append(atom)
    if section:
        yield section


def _parts(section: list[_Atom]) -> Iterator[list[_Atom]]:
    """A section in parts of like size, cut where it costs least."""
    rest = section
    left = sum(atom.size for atom in rest)
    while left > LONGEST and len(rest) > 1:
        wanted = left // -(-left // BEST)
        cut = _cut(rest, wanted)
        yield rest[:cut]
        left -= sum(atom.size for atom in rest[:cut])
        rest = rest[cut:]
    if rest:
        yield rest


def _cut(atoms: Sequence[_Atom], wanted: int) -> int:
    """How many of the pieces make the next part: the number nearest to the wanted size at the least cost."""
    best, least = 1, None
    filled = 0
    for count, atom in enumerate(atoms):
        if count and filled > LONGEST:
            break
        if count and filled * 100 >= wanted * _LEAST and not atoms[count - 1].heading:
            cost = abs(filled - wanted) * 100 + wanted * atom.cost
            if least is None or cost < least:
                best, least = count, cost
        filled += atom.size
        if not count:
            best = 1
    if least is None:
        best = _fitting(atoms)
    return best


def _fitting(atoms: Sequence[_Atom]) -> int:
    """As many pieces as a passage holds, one at least."""
    filled = 0
    for count, atom in enumerate(atoms):
        filled += atom.size
        if count and filled > LONGEST:
            return count
    return len(atoms)
