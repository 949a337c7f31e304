"""One thread that commits. What waits is committed together, so that a hundred callers pay for one sync."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, TypeVar

from snapshots.batches import Batch, Kept
from snapshots.errors import ArchiveClosed

T = TypeVar("T")

MAX_WAITING: Final = 64 * 1024 * 1024
"""Bytes that may wait to be committed; who brings more waits. A bucket that is slow must not fill the memory."""
MAX_GROUP: Final = 16 * 1024 * 1024
"""Bytes that are committed together: what comes first should not wait long for what came after."""
MAX_GROUP_RECORDS: Final = 4096
"""Records that are committed together; a log takes more at once, and one caller's batch may be larger."""

PUBLISH_AFTER: Final = 0.05
"""Seconds without a commit after which what was committed is published: publishing costs as much as committing, and
nobody waits for it."""
PUBLISH_COMMITS: Final = 8
"""Commits that wait to be published at most; the log lets 16."""

Commit = Callable[[Sequence[Batch]], Sequence[Kept | BaseException]]


@dataclass(frozen=True)
class _Waiting:
    batch: Batch
    size: int
    future: Future[Kept]


@dataclass(frozen=True)
class _Task:
    run: Callable[[], None]


class Committer:
    """Runs `commit` on groups of waiting batches, `afterwards` once in a while when callers know, and tasks alone.

    `commit` gives, for each batch, what became of it. Neither may raise.
    """

    def __init__(self, commit: Commit, afterwards: Callable[[], None]) -> None:
        self._commit = commit
        self._afterwards = afterwards
        self._unpublished = 0
        self._queue: deque[_Waiting | _Task] = deque()
        self._waiting = 0
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="citator-commit", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> Future[Kept]:
        """Hands a batch over. Blocks while too much is waiting; raises ArchiveClosed after `close`."""
        size = batch.size
        waiting = _Waiting(batch, size, Future())
        with self._changed:
            while not self._closed and self._waiting and self._waiting + size > MAX_WAITING:
                self._changed.wait()
            self._require_open()
            self._waiting += size
            self._queue.append(waiting)
            self._changed.notify_all()
        return waiting.future

    def run(self, task: Callable[[], T]) -> T:
        """Runs `task` in the committing thread, with nothing being committed meanwhile; gives back what it gives."""
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(task())
                except BaseException as error:  # noqa: BLE001 - whatever it is, it belongs to the caller
                    future.set_exception(error)

        with self._changed:
            self._require_open()
            self._queue.append(_Task(run))
            self._changed.notify_all()
        return future.result()

    def close(self) -> None:
        """Commits what is waiting and takes nothing more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _require_open(self) -> None:
        if self._closed:
            raise ArchiveClosed("the archive is closed")

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._queue and not self._closed:
                    if not self._changed.wait(PUBLISH_AFTER if self._unpublished else None):
                        break
                ended = self._closed and not self._queue
                task, group = self._next()
                self._changed.notify_all()
            if group:
                self._settle([waiting for waiting in group if waiting.future.set_running_or_notify_cancel()])
            elif self._unpublished:
                self._unpublished = 0
                self._afterwards()
            if task is not None:
                task.run()
            if ended:
                return

    def _next(self) -> tuple[_Task | None, list[_Waiting]]:
        """The task whose turn it is, or all batches before the next task that fit in one group; at least one."""
        group: list[_Waiting] = []
        size = records = 0
        while self._queue:
            first = self._queue[0]
            if isinstance(first, _Task):
                if not group:
                    self._queue.popleft()
                    return first, []
                break
            size += first.size
            records += len(first.batch.records)
            if group and (size > MAX_GROUP or records > MAX_GROUP_RECORDS):
                break
            self._queue.popleft()
            self._waiting -= first.size
            group.append(first)
        return None, group

    def _settle(self, group: Sequence[_Waiting]) -> None:
        if not group:
            return
        results = self._commit([waiting.batch for waiting in group])
        for waiting, result in zip(group, results, strict=True):
            if isinstance(result, BaseException):
                waiting.future.set_exception(result)
            else:
                waiting.future.set_result(result)
        self._unpublished += 1
        if self._unpublished >= PUBLISH_COMMITS:
            self._unpublished = 0
            self._afterwards()
