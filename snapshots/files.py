# ruff: noqa: PTH103, PTH104, PTH108, PTH116 - paths are strings: for files this small pathlib costs more than the calls
"""The few operations on files that a directory store is made of: the seam where a test can take away the disk."""

import ctypes
import os
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a directory; `size` is 0 for directories."""

    name: str
    directory: bool
    size: int


class Files(Protocol):
    """Operations on files below one root. Paths are absolute; errors are the `OSError` that the system gives."""

    def create(self, path: str, data: bytes) -> None:
        """Writes a new file; `FileExistsError` if the path is taken."""
        ...

    def read(self, path: str) -> bytes:
        """The whole file."""
        ...

    def size(self, path: str) -> int:
        """The size of a regular file in bytes; `FileNotFoundError` for anything else."""
        ...

    def entries(self, path: str) -> list[Entry]:
        """The files and directories in a directory, in any order; nothing if it is not there."""
        ...

    def rename(self, old: str, new: str) -> None:
        """Gives a file a new path at one stroke, over what was there."""
        ...

    def unlink(self, path: str) -> None:
        """Removes a file."""
        ...

    def make_directory(self, path: str) -> None:
        """Makes a directory and those above it; no error if it is there."""
        ...

    def sync(self, root: str, paths: Collection[str]) -> None:
        """Makes durable the contents of those `paths` that are files and the entries of those that are directories.

        Paths that are not there (any more) are passed over. It may make everything below `root` durable.
        """
        ...


class Disk:
    """The real thing. One `syncfs` stands for any number of `fsync`; without it each path is synced by itself."""

    def __init__(self, *, syncfs: bool = True) -> None:
        self._syncfs = _find_syncfs() if syncfs else None

    def create(self, path: str, data: bytes) -> None:
        """See `Files`."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        finally:
            os.close(descriptor)

    def read(self, path: str) -> bytes:
        """See `Files`."""
        with _opened(path) as descriptor:
            parts = []
            while part := os.read(descriptor, max(os.fstat(descriptor).st_size, 1)):
                parts.append(part)
            return parts[0] if len(parts) == 1 else b"".join(parts)

    def size(self, path: str) -> int:
        """See `Files`."""
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise FileNotFoundError(path)
        return found.st_size

    def entries(self, path: str) -> list[Entry]:
        """See `Files`."""
        found = []
        try:
            with os.scandir(path) as scan:
                for entry in scan:
                    with suppress(FileNotFoundError):  # removed by another process since it was listed
                        if entry.is_dir():
                            found.append(Entry(entry.name, directory=True, size=0))
                        elif entry.is_file():
                            found.append(Entry(entry.name, directory=False, size=entry.stat().st_size))
        except (FileNotFoundError, NotADirectoryError):
            return []
        return found

    def rename(self, old: str, new: str) -> None:
        """See `Files`."""
        os.rename(old, new)

    def unlink(self, path: str) -> None:
        """See `Files`."""
        os.unlink(path)

    def make_directory(self, path: str) -> None:
        """See `Files`."""
        os.makedirs(path, exist_ok=True)

    def sync(self, root: str, paths: Collection[str]) -> None:
        """See `Files`."""
        if self._syncfs is not None:
            with _opened(root) as descriptor:
                self._syncfs(descriptor)
            return
        for path in paths:
            with suppress(FileNotFoundError), _opened(path) as descriptor:
                os.fsync(descriptor)


@contextmanager
def _opened(path: str) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _find_syncfs() -> Callable[[int], None] | None:
    """The C library's `syncfs`, raising `OSError`; None where there is none (macOS, BSD)."""
    try:
        function = ctypes.CDLL(None, use_errno=True).syncfs
    except (AttributeError, OSError):
        return None

    def syncfs(descriptor: int) -> None:
        if function(descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    return syncfs
