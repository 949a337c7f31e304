"""What changed between two texts, for a person to read: lines first, then words within changed lines. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

MAX_LINES: Final = 5_000  # lines compared on each side: the comparison is quadratic where much has changed
MAX_WORDS: Final = 3_000  # words compared within one change, for the same reason
CONTEXT: Final = 1
"""Unchanged lines shown before and after a change."""

Op = Literal["same", "gone", "new"]

_WORD: Final = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+|\s+|[^\w\s]")
"""A word, a stretch of space, a sign. Where a script has no spaces, each character is a word."""


@dataclass(frozen=True)
class Piece:
    """A stretch of text that both have, or only one of them."""

    op: Op
    text: str


@dataclass(frozen=True)
class Change:
    """A run of lines. `skipped` unchanged lines lie before it and are not shown."""

    pieces: tuple[Piece, ...]
    skipped: int = 0


@dataclass(frozen=True)
class Difference:
    """All changes, and how much stayed. `cut` says which end of which text was not compared."""

    changes: tuple[Change, ...]
    words_gone: int
    words_new: int
    skipped_at_end: int
    cut: str | None

    @property
    def same(self) -> bool:
        """Whether nothing that was compared differs."""
        return not self.changes


def difference(old: str, new: str) -> Difference:
    """What changed from `old` to `new`."""
    before, after = old.splitlines(), new.splitlines()
    cut = None
    if max(len(before), len(after)) > MAX_LINES:
        cut = f"only the first {MAX_LINES:,} lines of each text were compared"
        before, after = before[:MAX_LINES], after[:MAX_LINES]
    changes: list[Change] = []
    waiting: list[Piece] = []
    skipped = 0
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for place, (op, a, b, c, d) in enumerate(blocks):
        if op == "equal":
            lines = before[a:b]
            head = CONTEXT if place > 0 else 0
            tail = CONTEXT if place < len(blocks) - 1 else 0
            if waiting:
                changes.append(Change((*waiting, *_lines("same", lines[:head])), skipped))
                waiting = []
                lines = lines[head:]
            shown = lines[len(lines) - tail :] if tail else []
            skipped = len(lines) - len(shown)
            waiting = list(_lines("same", shown))
        else:
            waiting += _words("\n".join(before[a:b]), "\n".join(after[c:d]))
    if any(piece.op != "same" for piece in waiting):
        changes.append(Change(tuple(waiting), skipped))
        skipped = 0
    gone, fresh = (
        sum(_count(piece.text) for change in changes for piece in change.pieces if piece.op == op)
        for op in ("gone", "new")
    )
    return Difference(tuple(changes), gone, fresh, skipped, cut)


def _lines(op: Op, lines: Sequence[str]) -> Iterator[Piece]:
    if lines:
        yield Piece(op, "\n".join(lines) + "\n")


def _words(old: str, new: str) -> list[Piece]:
    """The pieces of one change, word by word where that is not too much."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    if not before or not after or max(len(before), len(after)) > MAX_WORDS:
        return [Piece(op, text + "\n") for op, text in (("gone", old), ("new", new)) if text]  # type: ignore[arg-type]
    pieces: list[Piece] = []
    for op, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if op == "equal":
            pieces.append(Piece("same", "".join(before[a:b])))
            continue
        if a < b:
            pieces.append(Piece("gone", "".join(before[a:b])))
        if c < d:
            pieces.append(Piece("new", "".join(after[c:d])))
    return [*pieces, Piece("same", "\n")]


def _count(text: str) -> int:
    return sum(1 for word in _WORD.findall(text) if not word.isspace())
