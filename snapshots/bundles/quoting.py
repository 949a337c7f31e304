"""Passages and pages as quotations that can be taken elsewhere: what the formats beside the bundle are made of."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from snapshots.archive import Archive
from snapshots.bundles.collecting import BundleAsked, Collected, Collector, Progress
from snapshots.bundles.pages import Page
from snapshots.bundles.spool import spooled
from snapshots.bundles.warc import target_of
from snapshots.capture import Capture
from snapshots.errors import NothingToBundle
from snapshots.passages import Passage
from snapshots.records import read


@dataclass(frozen=True)
class Quoted:
    """One capture and the passages of it that were asked for; none: the whole page is meant.

    `url` is the final address in printable ASCII, `title` the page's own or that address.
    """

    capture: str
    url: str
    title: str
    retrieved_at: str
    language: str | None
    text: str
    passages: tuple[Passage, ...]
    pages: tuple[tuple[int, int], ...] = ()
    """Where in the text each page of a PDF begins, and its number."""


def quoted(archive: Archive, asked: BundleAsked, *, folder: Path, progress: Progress) -> Iterator[Quoted]:
    """What was asked for, page by page in the order of their times. Temporary files lie in `folder` meanwhile.

    Of a search only what it showed; a page that was asked for by itself stands without passages.

    Raises:
        NothingToBundle, UnknownId, RemovedId: nothing of it is kept.
    """
    with spooled(folder) as spool, ExitStack() as stack:
        collector = Collector(archive, spool, progress)
        stack.enter_context(collector.found.records)
        stack.enter_context(collector.found.blobs)
        found = collector.collect(asked)
        empty = True
        for _, name in found.captures:
            one = _quoted(name, found)
            if one is not None:
                empty = False
                yield one
        if empty:
            raise NothingToBundle("nothing that was asked for has text to quote")


def _quoted(name: str, found: Collected) -> Quoted | None:
    capture = read(found.records.get(name), canonical=True)
    assert isinstance(capture, Capture), "what was gathered as a capture is one"
    wanted = found.passages.get(name, {})
    document = capture.document
    if document is None or document not in found.records or not (wanted or name in found.roots):
        return None
    page = Page(found.records.get(document))
    return Quoted(
        capture=name,
        url=target_of(capture.final),
        title=page.title or capture.final,
        retrieved_at=capture.retrieved_at,
        language=page.language,
        text=page.text,
        passages=tuple(page.passages(capture, wanted)),
        pages=page.pages,
    )
