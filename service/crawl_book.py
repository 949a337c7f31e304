"""All crawls as they stand, taken from the records in the order of the log: nothing else has to be remembered."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, Literal

import structlog

from service.crawl_telling import failure_of
from service.failures import UnknownCrawl
from snapshots import Archive, CaptureRow, Crawl, Crawl2, EvidenceError

log = structlog.get_logger(__name__)

FOLLOWS: Final = "follows"
"""Under this name the options of a later round hold the record of the first one."""
DETAIL: Final = "detail"
"""Under this name the options of an end say why it came before all pages were visited, if it did."""


@dataclass
class Standing:
    """One crawl as it stands. `follows` is the crawl that it is a later round of; `rounds` are those of a first one."""

    record: Crawl
    state: Literal["waiting", "paused", "done", "cancelled", "failed"] = "waiting"
    end: Crawl | None = None
    imported: bool = False
    rounds: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The id of the record with which it began."""
        return self.record.id

    @property
    def open(self) -> bool:
        """Whether it is to be gone on with, now or once it is no longer paused. Others' crawls are theirs to finish."""
        return self.end is None and not self.imported

    @property
    def detail(self) -> str | None:
        """Why it ended before all pages were visited; None if it did not."""
        found = self.end.options.get(DETAIL) if self.end is not None else None
        return found if isinstance(found, str) else None

    @property
    def follows(self) -> str | None:
        """The crawl that this one is a later round of."""
        found = self.record.options.get(FOLLOWS)
        return found if isinstance(found, str) else None

    @property
    def interval(self) -> tuple[int, int] | None:
        """Seconds between two visits of a page, at least and at most; None if they are visited once."""
        least, most = (self.record.options.get(name) for name in ("min_interval", "max_interval"))
        return (least, most) if isinstance(least, int) and isinstance(most, int) else None


class CrawlBook:
    """The crawls of one archive. Thread-safe; blocking."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._crawls: dict[str, Standing] = {}
        self._position = 0
        self._lock = Lock()
        self._counted: dict[str, tuple[int, Counter[str]]] = {}
        """How far the captures of a crawl have been counted, and what came out."""
        self._counting = Lock()

    def follow(self) -> None:
        """Take in what was kept since the last time, by whomever."""
        with self._lock:
            catalogue = self._archive.catalogue
            end = catalogue.position()
            if end <= self._position:  # nothing new, or the catalogue is being made anew
                return
            for naming in catalogue.of_kind("crawl", first=self._position, end=end):
                self._take(naming.id, naming.position)
            self._position = end

    def _take(self, name: str, position: int) -> None:
        try:
            record = self._archive.record(name)
            if isinstance(record, Crawl | Crawl2):
                self._add(record, imported=self._archive.imported(name, position))
        except EvidenceError as error:  # a record that is damaged: the rest goes on without it
            log.warning("a record of a crawl cannot be read", record=name, reason=str(error))

    def _add(self, record: Crawl | Crawl2, *, imported: bool) -> None:
        if record.crawl is None and isinstance(record, Crawl):
            standing = Standing(record, imported=imported)
            self._crawls[record.id] = standing
            first = self._crawls.get(standing.follows or "")
            if first is not None and not imported:
                first.rounds.append(record.id)
            return
        standing_of = self._crawls.get(record.crawl or "")
        if standing_of is None or (imported and not standing_of.imported):
            return
        if isinstance(record, Crawl2):
            if standing_of.end is None or standing_of.interval is not None:
                state: Literal["paused", "waiting"] = "paused" if record.phase == "paused" else "waiting"
                standing_of.state = state if standing_of.end is None or state == "paused" else _ended(standing_of.end)
            return
        if standing_of.state == "cancelled":  # that holds, whatever came of it at another process in the same moment
            return
        standing_of.end = record
        standing_of.state = _ended(record)

    # asking

    def get(self, text: str) -> Standing:
        """The crawl that an id, or a unique prefix of one, means. Raises UnknownCrawl, and as `resolve`."""
        found = self._archive.resolve(text)
        with self._lock:
            standing = self._crawls.get(found)
        if standing is None:
            self._archive.record(found)  # for the error of an id that is not known, or was removed
            raise UnknownCrawl(f"{found} is no crawl")
        return standing

    def known(self, crawl: str) -> Standing | None:
        """A crawl by its whole id."""
        with self._lock:
            return self._crawls.get(crawl)

    def all(self) -> list[Standing]:
        """All crawls, the oldest first."""
        with self._lock:
            return list(self._crawls.values())

    def waiting(self) -> Iterator[Standing]:
        """Those that are to be gone on with now, in the order in which they began."""
        for standing in self.all():
            if self.waits(standing):
                yield standing

    def waits(self, standing: Standing) -> bool:
        """Whether one is to be gone on with now."""
        return standing.open and standing.state == "waiting" and not self._first_is_over(standing)

    def resting(self) -> Iterator[Standing]:
        """First rounds of crawls whose pages are to be visited again, of which no round is open."""
        for standing in self.all():
            if standing.interval is None or standing.follows is not None or standing.imported:
                continue
            if standing.state in {"done", "failed"} and not any(one.open for one in self.rounds_of(standing)):
                yield standing

    def rounds_of(self, first: Standing) -> list[Standing]:
        """The rounds of a crawl in their order, the first one included."""
        with self._lock:
            return [first, *(self._crawls[name] for name in first.rounds if name in self._crawls)]

    def _first_is_over(self, standing: Standing) -> bool:
        """Whether a later round belongs to a crawl that was cancelled or is paused."""
        first = self.known(standing.follows or "")
        return first is not None and first.state in {"cancelled", "paused"}

    def captures(self, crawl: str) -> list[CaptureRow]:
        """All captures of a crawl, in the order of the log."""
        rows: list[CaptureRow] = []
        while found := self._archive.catalogue.of_crawl(crawl, after=rows[-1].position if rows else -1):
            rows += found
        return rows

    def counts(self, crawl: str) -> dict[str, int]:
        """How many pages a crawl has captured and how many failed, as its captures say: each is looked at once."""
        with self._counting:
            after, counts = self._counted.setdefault(crawl, (-1, Counter(captured=0, failed=0)))
            while rows := self._archive.catalogue.of_crawl(crawl, after=after):
                for row in rows:
                    failed = failure_of(self._archive.capture(row.id), row.asked) is not None
                    counts["failed" if failed else "captured"] += 1
                    after = row.position
                    self._counted[crawl] = (after, counts)
            return dict(counts)


def _ended(record: Crawl) -> Literal["done", "cancelled", "failed"]:
    """The state that a crawl ended in."""
    assert record.state != "running", "the record's form sees to it"
    return record.state
