"""Passages as callers see them, with the sentence to cite them by."""

from typing import Any

from service.cutting import cuts
from snapshots import Capture, Document, Passage, Reading, in_pages, pages_of, passage_of

SHORT = 12
"""Hex digits in a citation: the shortest prefix that is accepted on reading."""


def passages_of(capture: Capture, document: Document) -> tuple[Passage, ...]:
    """All passages of a captured document, as the index cuts it."""
    return tuple(
        passage_of(capture, document, ordinal=span.ordinal, start=span.start, end=span.end)
        for span in cuts.of(document)
    )


def cite(passage: Passage, title: str | None, pages: tuple[int, int] | None = None) -> str:
    """One line that names the source, its pages if it has any, its time and the passage: for behind a sentence."""
    day = passage.retrieved_at[:10]
    name = " ".join(title.split()) if title else passage.url
    place = "" if pages is None else f", {in_pages(*pages)}"
    return f"{name}, {passage.url}{place}, retrieved {day} [{passage.id.removeprefix('sha256:')[:SHORT]}]"


def shown(passage: Passage, document: Document | Reading, *, text: bool = True) -> dict[str, Any]:
    """A passage of DOCUMENT in a reply. `start` and `end` are code points of the document's text.

    `page` is the page of a PDF that it begins on, `page_end` the one that it ends on if that is another; both are left
    out where there are no pages.
    """
    pages = pages_of(document, passage.start, passage.end)
    fields: dict[str, Any] = {"id": passage.id, "cite": cite(passage, document.title, pages)}
    if text:
        fields["text"] = passage.text
    fields |= {"ordinal": passage.ordinal, "start": passage.start, "end": passage.end}
    if pages is not None:
        fields["page"], end = pages
        fields |= {"page_end": end} if end != pages[0] else {}
    return fields
