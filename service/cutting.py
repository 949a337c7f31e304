"""Where documents are cut into passages, remembered of those that were cut last.

A page is cut for the index, for what is shown of it, and again for each check; and it is the same cuts every time.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final

from index import Block as IndexBlock
from index import Span, split
from snapshots import Document

REMEMBERED: Final = 100_000
"""Passages whose places are remembered: some 10 MB. They hold no text."""


class Cuts:
    """The passages of documents as places in their texts. Thread-safe."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._limit = remembered
        self._held = 0
        self._known: OrderedDict[str, tuple[Span, ...]] = OrderedDict()
        self._turn = Lock()

    def of(self, document: Document) -> tuple[Span, ...]:
        """The passages of a document, as the index cuts it."""
        with self._turn:
            known = self._known.get(document.id)
            if known is not None:
                self._known.move_to_end(document.id)
                return known
        cut = tuple(split(document.text, index_blocks(document), document.language.tag if document.language else None))
        with self._turn:
            if document.id not in self._known:
                self._known[document.id] = cut
                self._held += len(cut)
            while self._held > self._limit:
                self._held -= len(self._known.popitem(last=False)[1])
        return cut


def index_blocks(document: Document) -> tuple[IndexBlock, ...]:
    """The document's blocks as the index reads them."""
    return tuple(
        IndexBlock(type=block.type, start=block.start, end=block.end, level=block.level) for block in document.blocks
    )


cuts: Final = Cuts()
"""Those of this process: they follow from the text alone, whatever archive it is kept in."""
