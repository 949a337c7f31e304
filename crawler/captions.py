"""Which blocks of a main text are captions of pictures and tables.

Extractors give a caption as a paragraph, or as the first row of its table. What the page calls a caption is looked for
in their blocks; no text is added that they left out.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from crawler.blocks import BLOCK_GAP, CELL_GAP, ITEM_GAP
from crawler.main_text import MainText
from crawler.reading import Block

_LETTERS: Final = re.compile(r"[^\W_]+")


def captions_of(root: Any) -> frozenset[str]:
    """What the page ROOT calls captions, for `with_captions`."""
    said = (_folded("".join(element.itertext())) for element in root.iter("figcaption", "caption"))
    return frozenset(one for one in said if one)


def with_captions(main: MainText, captions: frozenset[str]) -> MainText:
    """MAIN with the blocks marked that are captions; the first row of a table that is one becomes its own block."""
    if not captions:
        return main
    blocks: list[Block] = []
    parts: list[str] = []
    length = 0
    for block, text in (piece for whole in main.blocks for piece in _pieces(whole, main.text, captions)):
        gap = "" if not blocks else ITEM_GAP if block.type == blocks[-1].type == "list" else BLOCK_GAP
        start = length + len(gap)
        length = start + len(text)
        parts += (gap, text)
        blocks.append(replace(block, start=start, end=length))
    return replace(main, text="".join(parts), blocks=tuple(blocks))


def _pieces(block: Block, whole: str, captions: frozenset[str]) -> Iterator[tuple[Block, str]]:
    text = whole[block.start : block.end]
    caption = replace(block, type="caption")
    if block.type in ("paragraph", "table") and _folded(text) in captions:
        yield caption, text.rstrip(CELL_GAP) if block.type == "table" else text
        return
    first, _, rest = text.partition("\n")
    if block.type == "table" and rest and _folded(first) in captions:
        yield caption, first.rstrip(CELL_GAP)
        text = rest
    yield block, text


def _folded(text: str) -> str:
    """The letters of a text in one case: marks behind a caption and the borders of cells are no part of it."""
    return "".join(_LETTERS.findall(text.casefold()))
