"""Where a directory store writes before a rename makes things visible, and how what the dead left there is found."""

import fcntl
import itertools
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from snapshots.files import Files


class Staging:
    """Writes the temporary files of one call below `folder`; `paths` are those not yet renamed to where they belong."""

    _numbers = itertools.count()

    def __init__(self, files: Files, folder: str) -> None:
        self._files = files
        self._folder = folder
        self.paths: set[str] = set()

    def write(self, data: bytes) -> str:
        """Writes `data` to a new temporary file and returns its path."""
        path = f"{self._folder}/{os.getpid()}-{next(self._numbers)}"
        self.paths.add(path)
        self._files.create(path, data)
        return path


class OwnFolder:
    """A folder below `area` that belongs to one open store: as long as its lock is held, the owner is alive.

    A lock and no process number, because the kernel frees it at any death, and because two containers that share a
    directory do not see each other's processes.
    """

    def __init__(self, area: str) -> None:
        Path(area).mkdir(parents=True, exist_ok=True)
        while True:
            folder = Path(area, secrets.token_hex(8))
            folder.mkdir()
            lock = _try_lock(folder / "lock")
            if lock is not None:
                break
        self._lock = lock
        self.folder = str(folder)

    def there(self) -> bool:
        """Whether the folder still exists; someone may have cleared the area away."""
        return Path(self.folder).is_dir()

    def close(self) -> None:
        """Removes the folder, then frees the lock."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def clean(area: str) -> None:
    """Removes the folders in `area` whose owners are dead; what may not be removed stays."""
    with suppress(OSError):
        for folder in Path(area).iterdir():
            if not folder.is_dir():
                continue
            lock = _try_lock(folder / "lock")
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _try_lock(path: Path) -> int | None:
    """Locks the file at `path` without waiting; None if someone else has it, or has removed it meanwhile."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), path.stat()):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None
