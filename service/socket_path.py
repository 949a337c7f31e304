"""Names of sockets in the file system, which the kernel limits to 107 bytes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

MAX_NAME: Final = 107
"""Bytes of a Unix socket's name: `sun_path` has 108 with its final zero."""


@contextmanager
def short_path(path: Path) -> Iterator[str]:
    """A name for `path` that the kernel takes, good while the block runs: long ones go through an open directory."""
    name = str(path.absolute())
    if len(os.fsencode(name)) <= MAX_NAME:
        yield name
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
