"""How the C library gives memory to a process that runs for long."""

import ctypes
from typing import Final

M_ARENA_MAX: Final = -8
"""glibc's number for it (`malloc.h`)."""
HEAPS: Final = 2
"""Threads share so many heaps. By default there are eight for each core, and what was freed in one is of no use to the
others: after some hundred pages a server held a third more than it used."""


def keep_heaps_few() -> None:
    """Let the threads of this process share a few heaps, where the C library is glibc; elsewhere nothing happens."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, HEAPS)
