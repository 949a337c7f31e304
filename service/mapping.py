"""From one library's values to another's, where both say the same thing in their own words."""

from datetime import date

from index import Page, headings
from service.cutting import cuts, index_blocks
from snapshots import Capture, Document, moment


def index_page(position: int, capture: Capture, document: Document) -> Page:
    """What the index needs of a captured document; `position` is the capture's place in the log, from 0.

    The index counts from 1: its positions are sizes of the log with which a page is the newest of its address.
    """
    blocks = index_blocks(document)
    language = document.language.tag if document.language else None
    spans = cuts.of(document)
    published = document.published
    return Page(
        capture=capture.id,
        document=document.id,
        url=capture.final,
        retrieved_at=moment(capture.retrieved_at),
        position=position + 1,
        text=document.text,
        title=document.title,
        language=language,
        # A date that is only guessed at is no ground to leave a page out of an answer.
        published=_day(published.value) if published and published.firm else None,
        spans=spans,
        headings=headings(document.text, blocks, spans),
    )


def _day(value: str) -> date | None:
    """The day of a date or time as pages give it; None for a year or month alone."""
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        return None
