"""A disk that kills its own process: everything up to the n-th operation happens, the n-th by half."""

import os
import signal
from collections.abc import Collection

from snapshots.files import Entry, Files


class StoppingFiles:
    """The contract of `Files` over `inner`; at operation number `stop` (from 0) the process is killed with SIGKILL.

    An operation that is killed has happened by half: of a file that is created the first half is written, all others
    have not begun. Reading is not counted. `done` says how many operations there were.
    """

    def __init__(self, inner: Files, stop: int | None) -> None:
        self._inner = inner
        self._stop = stop
        self.done = 0

    def create(self, path: str, data: bytes) -> None:
        if self._counted():
            self._inner.create(path, data[: len(data) // 2])
            self._die()
        self._inner.create(path, data)

    def read(self, path: str) -> bytes:
        return self._inner.read(path)

    def size(self, path: str) -> int:
        return self._inner.size(path)

    def entries(self, path: str) -> list[Entry]:
        return self._inner.entries(path)

    def rename(self, old: str, new: str) -> None:
        if self._counted():
            self._die()
        self._inner.rename(old, new)

    def unlink(self, path: str) -> None:
        if self._counted():
            self._die()
        self._inner.unlink(path)

    def make_directory(self, path: str) -> None:
        if self._counted():
            self._die()
        self._inner.make_directory(path)

    def sync(self, root: str, paths: Collection[str]) -> None:
        if self._counted():
            self._die()
        self._inner.sync(root, paths)

    def _counted(self) -> bool:
        self.done += 1
        return self.done - 1 == self._stop

    def _die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)
