"""Verifies bundles and other web archives for the doors, with what only an installation has at hand."""

import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from anyio.to_thread import run_sync

from service.failures import Unreadable
from service.rereading import text_check
from service.settings import load_settings
from snapshots import TextCheck, Trust, Verification, verify_path

STDIN: Final = Path("-")

Verifier = Callable[[Path], Awaitable[Verification]]
"""Verifies one file or directory; raises Unreadable."""


@asynccontextmanager
async def verifier(trust: Trust, *, reread: bool) -> AsyncIterator[Verifier]:
    """A verifier of files. With `reread`, pages are read again in worker processes, which end with the block."""
    if not reread:
        yield _verifier(trust, None)
        return
    async with text_check(load_settings()) as check:
        yield _verifier(trust, check)


def _verifier(trust: Trust, check: TextCheck | None) -> Verifier:
    async def verify(path: Path) -> Verification:
        return await run_sync(_verify, path, trust, check)

    return verify


def _verify(path: Path, trust: Trust, check: TextCheck | None) -> Verification:
    try:
        if path != STDIN:
            return verify_path(path, trust, check)
        with tempfile.NamedTemporaryFile(suffix=".wacz") as copy:  # a ZIP file is read from its end
            shutil.copyfileobj(sys.stdin.buffer, copy)
            copy.flush()
            return verify_path(Path(copy.name), trust, check)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from error
