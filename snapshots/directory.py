# ruff: noqa: PTH103, PTH120 - paths are strings here: for files this small pathlib costs more than the calls
"""A bucket in a local directory.

Layout: a name is a path below the root. `.tmp/` holds what is being written, one folder per open store, and the two
lock files; no name begins with a dot, so they never meet.

How a batch is kept: each object is written under a temporary path, one sync makes their contents durable, a rename
makes each visible whole, a second sync makes the names durable. A kill at any point leaves whole objects and rubbish
in `.tmp/`, which the next one to open the directory removes.
"""

import errno
import fcntl
import hashlib
import os
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from snapshots.errors import Conflict, Missing, StoreError, StoreFull, StoreRefused
from snapshots.files import Disk, Files
from snapshots.store import Stat, checked, well_named
from snapshots.temporary import OwnFolder, Staging, clean

SETTING = "CITATOR_BUCKET"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_RIGHT = {errno.EACCES, errno.EPERM, errno.EROFS}
_NO_OBJECT = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


class Directory:
    """The contract of `Store` on a local directory `root`, which is made if it is not there."""

    def __init__(self, root: Path, *, files: Files | None = None) -> None:
        self._root = os.path.abspath(root)  # noqa: PTH100 - plain strings below; pathlib costs more than the calls
        self._files: Files = files if files is not None else Disk()
        self._area = f"{self._root}/.tmp"
        self._temporary: OwnFolder | None = None
        self._guard = threading.Lock()
        self._unsynced: set[str] = set()
        with self._explained():
            os.makedirs(self._root, exist_ok=True)
            clean(self._area)

    def put_new(self, objects: Mapping[str, bytes]) -> frozenset[str]:
        """See `Store`."""
        with self._explained(), self._staging() as staging:
            return self._put_new(staging, objects)

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """See `Store`."""
        path = self._path(checked(name))
        with self._explained(), self._staging() as staging:
            temporary = staging.write(data)
            if durable:
                self._files.sync(self._root, [temporary])
            with self._locked("lock"):
                self._publish(staging, temporary, path)
            if durable:
                self._files.sync(self._root, self._folders([path]))
                return
        with self._guard:
            self._unsynced.add(path)

    def get(self, name: str) -> bytes:
        """See `Store`."""
        if not well_named(name):
            raise Missing(name)
        with self._explained():
            try:
                return self._files.read(self._path(name))
            except _NO_OBJECT:
                raise Missing(name) from None

    def exists(self, names: Iterable[str]) -> frozenset[str]:
        """See `Store`."""
        return frozenset(self.sizes(names))

    def sizes(self, names: Iterable[str]) -> dict[str, int]:
        """See `Store`."""
        with self._explained():
            found = {name: self._size(self._path(name)) for name in names if well_named(name)}
        return {name: size for name, size in found.items() if size is not None}

    def read(self, name: str) -> tuple[bytes, str]:
        """See `Store`."""
        with self._explained(), self._locked("swap", shared=True):
            data = self.get(name)
        return data, _token(data)

    def swap(self, name: str, data: bytes, expected: str | None, *, after: Mapping[str, bytes] | None = None) -> str:
        """See `Store`. The token is the SHA-256 of the bytes."""
        path = self._path(checked(name))
        with self._explained(), self._staging() as staging:
            temporary = staging.write(data)
            if after:
                self._put_new(staging, after, beside=temporary)
            else:
                self._files.sync(self._root, [temporary])
            # The lock is held until the name is durable: nobody reads a value that a loss of power would take back.
            with self._locked("swap"):
                if self._version(path) != expected:
                    raise Conflict(name)
                self._publish(staging, temporary, path)
                self._files.sync(self._root, self._folders([path]))
        return _token(data)

    def list(self, prefix: str) -> Iterator[Stat]:
        """See `Store`."""
        with self._explained():
            yield from self._walk(prefix.rpartition("/")[0], prefix)

    def delete(self, names: Iterable[str]) -> None:
        """See `Store`."""
        paths = [self._path(name) for name in names if well_named(name)]
        with self._explained():
            for path in paths:
                with suppress(*_NO_OBJECT):
                    self._files.unlink(path)
            if paths:
                self._files.sync(self._root, self._folders(paths))

    def sync(self) -> None:
        """See `Store`."""
        with self._guard:
            paths, self._unsynced = self._unsynced, set()
        if not paths:
            return
        try:
            with self._explained():
                self._files.sync(self._root, [*paths, *self._folders(paths)])
        except StoreError:
            with self._guard:
                self._unsynced |= paths
            raise

    def close(self) -> None:
        """See `Store`."""
        with self._guard:
            temporary, self._temporary = self._temporary, None
        if temporary is not None:
            temporary.close()

    def _put_new(self, staging: Staging, objects: Mapping[str, bytes], *, beside: str | None = None) -> frozenset[str]:
        """Writes what is new; the contents of the temporary file `beside` become durable with theirs."""
        paths = {name: self._path(checked(name)) for name in objects}
        taken = {name for name, path in paths.items() if self._size(path) is not None}
        staged = {name: staging.write(data) for name, data in objects.items() if name not in taken}
        written = [*staged.values(), *([] if beside is None else [beside])]
        if written:
            self._files.sync(self._root, written)
        if staged:
            with self._locked("lock"):
                for name, temporary in staged.items():
                    if self._size(paths[name]) is None:
                        self._publish(staging, temporary, paths[name])
                    else:
                        taken.add(name)
        # Names that another writer made a moment ago may not be durable yet: they are synced here too.
        self._files.sync(self._root, self._folders(paths.values()))
        return frozenset(taken)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _size(self, path: str) -> int | None:
        try:
            return self._files.size(path)
        except _NO_OBJECT:
            return None

    def _version(self, path: str) -> str | None:
        try:
            return _token(self._files.read(path))
        except _NO_OBJECT:
            return None

    def _publish(self, staging: Staging, temporary: str, path: str) -> None:
        try:
            self._files.rename(temporary, path)
        except FileNotFoundError:
            self._files.make_directory(os.path.dirname(path))
            self._files.rename(temporary, path)
        staging.paths.remove(temporary)

    def _folders(self, paths: Iterable[str]) -> Collection[str]:
        """The directories that lead to `paths`: each may be new."""
        folders: set[str] = set()
        for path in paths:
            folder = os.path.dirname(path)
            while len(folder) >= len(self._root) and folder not in folders:
                folders.add(folder)
                folder = os.path.dirname(folder)
        return folders

    def _walk(self, folder: str, prefix: str) -> Iterator[Stat]:
        path = f"{self._root}/{folder}" if folder else self._root
        entries = [entry for entry in self._files.entries(path) if well_named(entry.name)]  # the rest is not ours
        # A directory sorts as its name with a slash, so that the whole listing is in the order of the names.
        for entry in sorted(entries, key=lambda entry: entry.name + "/" * entry.directory):
            name = f"{folder}/{entry.name}" if folder else entry.name
            if not entry.directory:
                if name.startswith(prefix):
                    yield Stat(name, entry.size)
            elif f"{name}/".startswith(prefix) or prefix.startswith(f"{name}/"):
                yield from self._walk(name, prefix)

    @contextmanager
    def _staging(self) -> Iterator[Staging]:
        """A place for temporary files of one call; what has not been renamed by its end is removed."""
        with self._guard:
            if self._temporary is None or not self._temporary.there():
                self._temporary = OwnFolder(self._area)
            folder = self._temporary.folder
        staging = Staging(self._files, folder)
        try:
            yield staging
        finally:
            for path in staging.paths:
                with suppress(OSError):
                    self._files.unlink(path)

    @contextmanager
    def _locked(self, name: str, *, shared: bool = False) -> Iterator[None]:
        """Holds one of the two locks that processes and threads share; the kernel frees it when a process dies."""
        path = f"{self._area}/{name}"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as problem:
            if shared and problem.errno in {errno.ENOENT, *_NO_RIGHT}:  # a directory that nobody here writes to
                yield
                return
            raise
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turns what the system says into what it means for whoever runs this."""
        try:
            yield
        except OSError as problem:
            what = f"the directory {self._root}"
            if problem.errno in _NO_ROOM:
                raise StoreFull(f"{what} has no room left: {problem.strerror}") from problem
            if problem.errno in _NO_RIGHT:
                raise StoreRefused(f"{what} may not be used: {problem.strerror}", setting=SETTING) from problem
            if problem.errno in {errno.ENOTDIR, errno.EEXIST, errno.EXDEV}:
                raise StoreRefused(f"{what} cannot hold objects: {problem.strerror}", setting=SETTING) from problem
            raise StoreError(f"{what} does not work: {problem.strerror or problem}") from problem


def _token(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
