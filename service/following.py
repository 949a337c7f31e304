"""Keeps the search index at the end of the log.

One thread reads what the log holds beyond the index's position, cuts new documents into passages and hands them to the
index in batches, since a commit of the index costs as much as a hundred pages. Whoever searches right after a capture
waits until the index holds it.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import structlog

from index import Index, Page, QueryError
from service.mapping import index_page
from snapshots import Archive, Capture, DamagedObject, Deletion, EvidenceError, Log, RemovedId, UnknownId

logger = structlog.get_logger(__name__)

STEP = 256
"""Log entries taken at a time: bounds the memory of one batch (a page of text each)."""
GATHER = 0.25
"""Seconds that new captures are gathered for before the index commits, unless somebody waits for them."""
IDLE = 2.0
"""Seconds between looks at what other processes may have added to the log."""

# Pages that say "not found", ask for a login or block robots are kept as evidence, and are no answers.
ANSWERS = frozenset({"ok", "unknown", "paywall"})


LOOKED_BACK = 100
"""Captures of an address that are held against one that comes from elsewhere."""

FOLLOWED = frozenset({"capture", "deletion"})


class Fresh(Protocol):
    """An index that is being filled."""

    def apply(self, pages: Sequence[Page], position: int) -> None:
        """Take in pages up to a position."""


class Follower:
    """The thread that follows. Start it once, close it before the archive."""

    def __init__(self, archive: Archive, log: Log, index: Index) -> None:
        self._archive = archive
        self._log = log
        self._index = index
        self._changed = threading.Condition()
        self._turn = threading.RLock()
        self._wanted = log.size - 1  # what an earlier process left to follow is waited for like news
        self._followed = index.position
        self._waiting = 0
        self._closing = False
        self._failure: str | None = None
        self._begun = 0
        self._failed = 0
        self._thread = threading.Thread(target=self._run, name="index-follower", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def close(self) -> None:
        """Finish the batch under way and stop; what is left is followed after the next start."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()
        with self._turn:
            if self._followed > self._index.position:
                self._index.apply((), self._followed)

    def notice(self, position: int) -> None:
        """Say that the log's entry at `position` is a capture that the index should hold."""
        with self._changed:
            self._wanted = max(self._wanted, position)
            self._changed.notify_all()

    def wait(self, seconds: float) -> int:
        """Wait until the index holds every capture noticed before this call, at most `seconds`.

        Returns how many log entries it is behind (0: none that was noticed).
        """
        with self._changed:
            wanted = self._wanted
            if self._followed > wanted:
                return 0
            self._waiting += 1
            self._changed.notify_all()
            begun = self._begun
            try:
                self._changed.wait_for(
                    # An index that is stuck is given one more try, begun after this: the answer then says how far it is
                    # behind.
                    lambda: self._followed > wanted or self._closing or self._failed > begun,
                    timeout=seconds,
                )
            finally:
                self._waiting -= 1
            return max(0, wanted + 1 - self._followed)

    @property
    def index(self) -> Index:
        """The index as it is now; a rebuild replaces it."""
        return self._index

    @property
    def followed(self) -> int:
        """How many log entries have been followed."""
        with self._changed:
            return self._followed

    @property
    def failure(self) -> str | None:
        """Why the index does not move, if it does not."""
        return self._failure

    def catch_up(self) -> None:
        """Follow to the end of the log now, in this thread."""
        while self._step():
            pass

    def remake(self, told: Callable[[int, int], None]) -> None:
        """Fill a new index from the beginning of the log and put it in the place of the old one."""
        with self._turn:
            self._rewrite((), self._log.size, told)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or self._wanted >= self._followed, timeout=IDLE)
                if self._wanted >= self._followed:
                    self._changed.wait_for(lambda: self._closing or self._waiting > 0, timeout=GATHER)
                if self._closing:
                    return
                self._begun += 1
            try:
                self._archive.catch_up()
                while self._step() and not self._closing:
                    pass
                self._failure = None
            except (EvidenceError, QueryError) as error:
                if self._failure is None:
                    logger.warning("the index cannot follow the log", error=str(error))
                with self._changed:
                    self._failure = str(error)
                    self._failed = self._begun
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: self._closing or self._waiting > 0, timeout=IDLE)

    def _step(self) -> bool:
        """Follow one batch. Returns whether there was one."""
        with self._turn:
            entries = self._archive.follow(self._followed, STEP, kinds=FOLLOWED)
            if not entries:
                return False
            end = entries[-1][0] + 1
            removed = {
                gone.id
                for _, _, record in entries
                if isinstance(record, Deletion)
                for gone in record.removed
                if gone.kind == "capture"
            }
            if removed and self._index.holds(removed):
                self._rewrite(removed, end, None)
                return True
            pages = self._pages(entries, self._index.newest)
            # Batches of searches and replies move only the position in memory: a commit for each would cost more than
            # reading them once more after a restart.
            if pages:
                self._index.apply(pages, end)
            self._move_to(end)
            return True

    def _rewrite(self, removed: Collection[str], end: int, told: Callable[[int, int], None] | None) -> None:
        """Fill a new index with everything but `removed`, up to entry `end`."""

        def feed(fresh: Fresh) -> None:
            at = 0
            while at < end:
                entries = self._archive.follow(at, min(STEP, end - at), kinds=FOLLOWED)
                if not entries:
                    break
                at = entries[-1][0] + 1
                pages = [page for page in self._pages(entries, _nothing) if page.capture not in removed]
                if pages or at >= end:
                    fresh.apply(pages, at)
                if told:
                    told(at, end)

        self._index.remove(removed, feed)
        self._move_to(end)

    def _move_to(self, end: int) -> None:
        with self._changed:
            self._followed = end
            self._changed.notify_all()

    def _pages(self, entries: Sequence[tuple[int, str, object]], newest: Callable[[str], str | None]) -> list[Page]:
        """What is new in entries. `newest` says which document an address has before them, as far as is known."""
        pages: list[Page] = []
        latest: dict[str, str | None] = {}
        for position, _, record in entries:
            if not isinstance(record, Capture):
                continue
            if record.final not in latest:
                latest[record.final] = newest(record.final)
            if record.document is not None and record.document == latest[record.final]:
                continue  # most visits find a page as it was
            page = self._page(position, record)
            if page is not None:
                pages.append(page)
                latest[record.final] = record.document
        return pages

    def _page(self, position: int, capture: Capture) -> Page | None:
        if capture.document is None or capture.outcome != "ok" or capture.page_state not in ANSWERS:
            return None
        if capture.unverified:
            return None  # whoever it was that answered, nobody else asked to believe it
        if self._archive.imported(capture.id, position) and self._newer(position, capture):
            return None
        try:
            document = self._archive.document(capture.document)
        except (RemovedId, UnknownId):
            return None
        except DamagedObject as error:
            logger.warning("a damaged document is not indexed", document=error.id)
            return None
        return index_page(position, capture, document) if document.text else None

    def _newer(self, position: int, capture: Capture) -> bool:
        """Whether a newer version of the page stands before it, whose place an older one must not take."""
        return any(
            row.position < position and row.retrieved_at > capture.retrieved_at and row.outcome == "ok"
            for row in self._archive.catalogue.captures(capture.final, limit=LOOKED_BACK, before=position)
        )


def _nothing(_url: str) -> None:
    """What an index that is made anew knows of addresses before its beginning."""
