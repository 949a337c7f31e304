"""The data directory: who holds it, and which layout it has."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.failures import BadSetting, DataInUse, DataVersion

LAYOUT = 1


@contextmanager
def hold(data: Path) -> Iterator[Path]:
    """Make DATA if it is not there, and hold it against other processes until the block ends.

    Raises:
        DataInUse: another process holds it; the message names that process where it can.
        DataVersion: it has another layout than this version writes.
        BadSetting: it cannot be made or written.
    """
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BadSetting(f"CITATOR_DATA: {data} cannot be used: {error.strerror}") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(lock, 32, 0).decode("ascii", "replace").strip()
            raise DataInUse(f"{data} is in use by process {holder or 'unknown'}") from error
        os.truncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        _check_layout(data / "version")
        yield data
    finally:
        os.close(lock)  # the kernel lets go of the lock with it, also when the process dies


def _check_layout(path: Path) -> None:
    """Write the layout's version into a new directory, or compare it with the one that is there."""
    try:
        found = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        path.write_text(f"{LAYOUT}\n", encoding="ascii")
        return
    if found != str(LAYOUT):
        raise DataVersion(
            f"{path.parent} has layout {found[:20]!r}, this version of Citator writes {LAYOUT}: "
            "use the version that made it, or restore a backup into an empty directory"
        )
