"""When the pages of a crawl are visited again: each at the pace at which it changes itself."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from service.following import ANSWERS
from service.watch_calendar import Pace
from snapshots import Archive, CaptureRow, EvidenceError, moment

LOOKED_BACK: Final = 20
"""Captures of a page that its pace is told by: what it did years ago says little."""


def due(archive: Archive, url: str, interval: tuple[int, int]) -> datetime | None:
    """When a page is to be visited next; None if it was never visited. Blocking."""
    pace, last = Pace.at_first(*interval), None
    before: CaptureRow | None = None
    for row in reversed(archive.catalogue.captures(url, limit=LOOKED_BACK)):
        good = row.outcome == "ok" and row.page_state in ANSWERS and row.document is not None
        if last is not None:
            pace = pace.after(changed=good and before is not None and _changed(archive, before, row), conclusive=good)
        before = row if good else before
        last = moment(row.retrieved_at)
    return None if last is None else pace.due(last)


def next_round(archive: Archive, urls: Iterable[str], interval: tuple[int, int], ended: datetime) -> datetime:
    """When the pages of a crawl that ended are walked again: as soon as one of them is due. Blocking."""
    soonest = Pace(*interval, seconds=float(interval[0])).due(ended)
    found = [when for url in dict.fromkeys(urls) if (when := due(archive, url, interval)) is not None]
    return max(soonest, min(found, default=Pace.at_first(*interval).due(ended)))


def _changed(archive: Archive, old: CaptureRow, new: CaptureRow) -> bool:
    """Whether a page says something else. What changes in its markup at each visit is no change."""
    if old.document == new.document:
        return False
    try:
        return _text(archive, old) != _text(archive, new)
    except EvidenceError:
        return False


def _text(archive: Archive, row: CaptureRow) -> str:
    return archive.document(row.document).text if row.document is not None else ""
