# ruff: noqa: PTH103, PTH108, PTH112, PTH120 - paths are strings, as in the contract it keeps
"""A disk that forgets: what has not been synced is gone when the process is killed.

It can stand under a whole server: `open_store(path, files=LossyFiles(scratch))`. What is not yet durable lives in the
memory of the process alone and reaches the real directory at a sync, so a kill discards it by itself. It is stricter
than any real disk: a sync makes durable only the paths it was asked for, and a name that is made durable before its
contents shows half of them.
"""

import errno
import os
import random
import secrets
import threading
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from snapshots.files import Disk, Entry


@dataclass
class _File:
    data: bytes
    synced: bool


@dataclass(frozen=True)
class _Folder:
    pass


_Pending = _File | _Folder | None
"""What a path will be once its directory is synced; None: nothing."""


class LossyFiles:
    """The contract of `Files`, forgetful; `scratch` is a directory on the same file system as the store."""

    def __init__(self, scratch: Path) -> None:
        self._disk = Disk()
        self._scratch = scratch
        self._pending: dict[str, _Pending] = {}
        self._guard = threading.RLock()
        self._left: int | None = None
        self._chance = random.Random(0)
        scratch.mkdir(parents=True, exist_ok=True)

    def forget(self) -> None:
        """What a kill or a loss of power does, for tests that stay in one process."""
        with self._guard:
            self._pending.clear()

    def lose_power_at(self, operation: int, chance: random.Random) -> None:
        """From change number `operation` on every change fails; before, `chance` lets some of the unsynced through."""
        self._left = operation
        self._chance = chance

    def create(self, path: str, data: bytes) -> None:
        with self._guard:
            self._use_power()
            if self._look(path) is not None:
                raise FileExistsError(path)
            self._require_folder(path)
            self._pending[path] = _File(bytes(data), synced=False)

    def read(self, path: str) -> bytes:
        with self._guard:
            found = self._look(path)
            if isinstance(found, _File):
                return found.data
        raise FileNotFoundError(path)

    def size(self, path: str) -> int:
        return len(self.read(path))

    def entries(self, path: str) -> list[Entry]:
        with self._guard:
            found = {entry.name: entry for entry in self._disk.entries(path)}
            for other, pending in self._pending.items():
                folder, _, name = other.rpartition("/")
                if folder != path:
                    continue
                if pending is None:
                    found.pop(name, None)
                else:
                    size = len(pending.data) if isinstance(pending, _File) else 0
                    found[name] = Entry(name, isinstance(pending, _Folder), size)
        return list(found.values())

    def rename(self, old: str, new: str) -> None:
        with self._guard:
            self._use_power()
            found = self._look(old)
            if not isinstance(found, _File):
                raise FileNotFoundError(old)
            self._require_folder(new)
            self._pending[new] = found
            self._pending[old] = None

    def unlink(self, path: str) -> None:
        with self._guard:
            self._use_power()
            if not isinstance(self._look(path), _File):
                raise FileNotFoundError(path)
            self._pending[path] = None

    def make_directory(self, path: str) -> None:
        with self._guard:
            self._use_power()
            while self._look(path) is None:
                self._pending[path] = _Folder()
                path = os.path.dirname(path)

    def sync(self, root: str, paths: Collection[str]) -> None:  # noqa: ARG002 - this disk syncs no more than it must
        with self._guard:
            self._use_power()
            for path in paths:
                pending = self._pending.get(path)
                if isinstance(pending, _File):
                    pending.synced = True
            for path in sorted(paths):
                if os.path.isdir(path):
                    for other in [other for other in self._pending if os.path.dirname(other) == path]:
                        self._settle(other, self._pending.pop(other))

    def _use_power(self) -> None:
        if self._left is None:
            return
        if self._left == 0:
            for path in sorted(self._pending):
                if self._chance.random() < 0.5 and os.path.isdir(os.path.dirname(path)):
                    self._settle(path, self._pending[path])
            self.forget()
        self._left -= 1
        if self._left < 0:
            raise OSError(errno.EIO, "there is no power")

    def _look(self, path: str) -> _Pending:
        if path in self._pending:
            return self._pending[path]
        if os.path.isdir(path):
            return _Folder()
        with suppress(FileNotFoundError, NotADirectoryError):
            return _File(self._disk.read(path), synced=True)
        return None

    def _require_folder(self, path: str) -> None:
        if not isinstance(self._look(os.path.dirname(path)), _Folder):
            raise FileNotFoundError(path)

    def _settle(self, path: str, pending: _Pending) -> None:
        match pending:
            case None:
                with suppress(FileNotFoundError):
                    os.unlink(path)
            case _Folder():
                os.makedirs(path, exist_ok=True)
            case _File(data, synced):
                half = self._scratch / secrets.token_hex(8)
                half.write_bytes(data if synced else data[: len(data) // 2])
                half.replace(path)
