"""Passages as callers see them, with the sentence to cite them by."""

from typing import Any

from service.cutting import cuts
from snapshots import Capture, Document, Passage, passage_of

SHORT = 12
"""Hex digits in a citation: the shortest prefix that is accepted on reading."""


def passages_of(capture: Capture, document: Document) -> tuple[Passage, ...]:
    """All passages of a captured document, as the index cuts it."""
    return tuple(
        passage_of(capture, document, ordinal=span.ordinal, start=span.start, end=span.end)
        for span in cuts.of(document)
    )


def cite(passage: Passage, title: str | None) -> str:
    """One line that names the source, its time and the passage: ready to be put behind a sentence."""
    day = passage.retrieved_at[:10]
    name = " ".join(title.split()) if title else passage.url
    return f"{name}, {passage.url}, retrieved {day} [{passage.id.removeprefix('sha256:')[:SHORT]}]"


def shown(passage: Passage, title: str | None, *, text: bool = True) -> dict[str, Any]:
    """A passage in a reply. `start` and `end` are code points of the document's text."""
    fields: dict[str, Any] = {"id": passage.id, "cite": cite(passage, title)}
    if text:
        fields["text"] = passage.text
    return fields | {"ordinal": passage.ordinal, "start": passage.start, "end": passage.end}
