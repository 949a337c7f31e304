"""The folder of temporary files that one bundle is put together in."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from snapshots.errors import BundleError, StoreFull

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


@contextmanager
def spooled(folder: Path) -> Iterator[Path]:
    """A folder below `folder` that is gone after the block, however it ends.

    Raises:
        StoreFull: the disk took no more. BundleError: it did not do its part otherwise.
    """
    try:
        with TemporaryDirectory(dir=folder) as name:
            yield Path(name)
    except OSError as problem:
        if problem.errno in _NO_ROOM:
            raise StoreFull(f"there is no room to put a bundle together in {folder}") from problem
        raise BundleError(f"a bundle cannot be put together in {folder}: {problem.strerror or problem}") from problem
