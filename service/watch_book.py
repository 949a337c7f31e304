"""All watches as they stand, taken from the records in the order of the log: nothing else has to be remembered."""

import hashlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Final

import structlog

from service.failures import UnknownWatch
from service.watch_alarms import Alarm, Standing, alarm_of
from service.watch_calendar import Pace
from snapshots import Archive, EvidenceError, PassageCheck, Recheck, RemovedId, UnknownId, Watch, WatchedSource, moment

log = structlog.get_logger(__name__)

REMEMBERED: Final = 100
"""Alarms of a watch that are shown and fed; the rechecks of all others stay."""


@dataclass
class Source:
    """One address of a watch as it stands. `trouble` says why it cannot be visited."""

    watched: WatchedSource
    pace: Pace
    last: datetime
    standing: Standing = field(default_factory=Standing)
    verdict: str | None = None
    reason: str | None = None
    visits: int = 0
    recheck: str | None = None
    trouble: str | None = None
    not_before: datetime | None = None

    @property
    def due(self) -> datetime:
        """When it is visited next."""
        due = self.pace.due(self.last)
        return due if self.not_before is None else max(due, self.not_before)


@dataclass
class Watched:
    """One watch as it stands."""

    record: Watch
    state: str
    changed_at: str
    sources: dict[str, Source]
    alarms: deque[Alarm] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    alarms_total: int = 0


class WatchBook:
    """The watches of one archive. Thread-safe; blocking."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._watches: dict[str, Watched] = {}
        self._position = 0
        self._removal = 0
        self._lock = Lock()

    def follow(self) -> None:
        """Take in what was kept since the last time, by whomever."""
        with self._lock:
            catalogue = self._archive.catalogue
            removal = catalogue.removal()
            if removal != self._removal:  # watches may be among what went
                self._watches, self._position, self._removal = {}, 0, removal
            end = catalogue.position()
            if end <= self._position:  # nothing new, or the catalogue is being made anew
                return
            found = [
                *catalogue.of_kind("watch", first=self._position, end=end),
                *catalogue.of_kind("recheck", first=self._position, end=end),
            ]
            for naming in sorted(found, key=lambda one: one.position):
                self._take(naming.id, naming.position)
            self._position = end

    def _take(self, name: str, position: int) -> None:
        try:
            record = self._archive.record(name)
            if isinstance(record, Watch | Recheck) and not self._archive.imported(name, position):
                self._add(record)
        except RemovedId:  # with what it named
            return
        except EvidenceError as error:  # a record that is damaged: the rest goes on without it
            log.warning("a record of a watch cannot be read", record=name, reason=str(error))

    def _add(self, record: Watch | Recheck) -> None:
        if isinstance(record, Recheck):
            self._visited(record)
        elif record.watch is None:
            self._start(record)
        elif (watched := self._watches.get(record.watch)) is not None and watched.state != "ended":
            watched.state = {"paused": "paused", "resumed": "active", "ended": "ended"}[record.phase]
            watched.changed_at = record.at

    def _start(self, record: Watch) -> None:
        assert record.min_seconds is not None, "the record's form sees to it"
        assert record.max_seconds is not None, "the same"
        pace = Pace.at_first(record.min_seconds, record.max_seconds)
        sources = {one.url: Source(one, pace, self._seen_at(one, record.at)) for one in record.sources}
        self._watches[record.id] = Watched(record, "active", record.at, sources)

    def _seen_at(self, source: WatchedSource, started: str) -> datetime:
        """When the page was seen that the watch begins with; when it began, if nobody can say any more."""
        row = self._archive.catalogue.capture(source.capture)
        return moment(row.retrieved_at if row is not None else started)

    def _visited(self, record: Recheck) -> None:
        watched = self._watches.get(record.watch) if record.watch is not None else None
        source = watched.sources.get(record.url) if watched is not None else None
        if watched is None or source is None:
            return
        words = [self._words(record, check) for check in record.passages]
        alarm = alarm_of(source.standing, record, watched.record.id, words)
        found: set[str] = {check.verdict for check in record.passages} or {record.page}
        if alarm is not None or moment(record.at) > source.last:  # else it is the same visit, of another capture
            source.pace = source.pace.after(changed=alarm is not None, conclusive="inconclusive" not in found)
        source.last = max(source.last, moment(record.at))
        source.verdict, source.reason, source.recheck = record.page, record.reason, record.id
        source.visits += 1
        if alarm is not None:
            watched.alarms.append(alarm)
            watched.alarms_total += 1

    def _words(self, record: Recheck, check: PassageCheck) -> str | None:
        """What stands for the words that were found in a passage's place."""
        text = text_found(self._archive, record, check)
        return None if text is None else hashlib.sha256(" ".join(text.split()).encode()).hexdigest()

    # asking

    def measured_by(self) -> set[str]:
        """The captures that watches which have not ended measure by."""
        return {
            capture
            for watched in self.all()
            if watched.state != "ended"
            for source in watched.sources.values()
            for capture in (source.watched.capture, *(ref.capture for ref in source.watched.passages))
        }

    def get(self, text: str) -> Watched:
        """The watch that an id, or a unique prefix of one, means. Raises UnknownWatch, BadId, AmbiguousId."""
        try:
            found = self._archive.resolve(text)
        except UnknownId as error:
            raise UnknownWatch(f"there is no watch {text}") from error
        with self._lock:
            watched = self._watches.get(found)
        if watched is None:
            raise UnknownWatch(f"{found} is no watch")
        return watched

    def all(self) -> list[Watched]:
        """All watches, the newest first."""
        with self._lock:
            return list(reversed(self._watches.values()))

    def active(self) -> Iterator[tuple[Watched, Source]]:
        """Every source that is to be visited some time."""
        for watched in self.all():
            if watched.state == "active":
                yield from ((watched, source) for source in watched.sources.values() if source.trouble is None)


def text_found(archive: Archive, record: Recheck, check: PassageCheck) -> str | None:
    """The words that a recheck found in a passage's place; None if there are none, or they were removed."""
    if record.new is None or check.where is None or check.start is None or check.end is None:
        return None
    try:
        document = archive.capture(record.new).document
        if document is None:
            return None
        read = archive.document(document)
    except EvidenceError:
        return None
    return (read.text if check.where == "text" else read.visible)[check.start : check.end]
