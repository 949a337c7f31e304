"""Verifies bundles and other web archives for the doors, with what only an installation has at hand."""

import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from anyio import CapacityLimiter, fail_after, run_process
from anyio.to_thread import run_sync

from service.doors import Json
from service.errors import DONE, NOT_HELD
from service.failures import Unreadable
from service.rereading import text_check
from service.settings import load_settings
from snapshots import (
    BadProof,
    BadTrust,
    TextCheck,
    Trust,
    Verification,
    parse_vkey,
    second_opinion,
    trust_of,
    verify_path,
)

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


APART_SECONDS: Final = 300.0
"""Seconds for a file that came over HTTP; the largest that is taken by default needs a few."""

APART_MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of memory for one; a bundle of 10,000 pages needs some two hundred million."""

AT_ONCE: Final = CapacityLimiter(2)
"""Files that are verified at the same time: each fills a processor."""

_PROGRAM: Final = (
    f"import resource, sys; resource.setrlimit(resource.RLIMIT_AS, ({APART_MEMORY}, {APART_MEMORY})); "
    "from snapshots.verify.command import main; sys.exit(main(sys.argv[1:], ''))"
)


async def verified_apart(path: Path, keys: Sequence[str], required: Sequence[str]) -> Json:
    """Verifies a file of unknown origin in a process of its own, with limits; the answer is that of `told_as_json`.

    Raises:
        BadTrust: a key is none, or there is no such claim.
        Unreadable: it took too long or too much memory.
    """
    for key in keys:  # the option can name a file too, and nobody may ask for files here
        try:
            parse_vkey(key)
        except BadProof as error:
            raise BadTrust(f"trust_key: {error}") from error
    trust_of(keys, [], required)
    options = [f"--trust-key={key}" for key in keys] + [f"--require={claim}" for claim in required]
    command = [sys.executable, "-I", "-c", _PROGRAM, "--json", *options, str(path)]
    async with AT_ONCE:
        try:
            with fail_after(APART_SECONDS):
                done = await run_process(command, check=False)
        except TimeoutError:
            raise Unreadable(f"the file was not verified within {APART_SECONDS:.0f} seconds") from None
    if done.returncode not in {DONE, NOT_HELD} or not done.stdout:  # Python also ends with 1 when it gives up
        raise Unreadable("the file could not be verified: it needs more memory than is given")
    found: Json = json.loads(done.stdout)
    return {**found, "file": "the body"}


def _verifier(trust: Trust, check: TextCheck | None) -> Verifier:
    async def verify(path: Path) -> Verification:
        return await run_sync(_verify, path, trust, check)

    return verify


def _verify(path: Path, trust: Trust, check: TextCheck | None) -> Verification:
    try:
        if path != STDIN:
            return verify_path(path, trust, check, second_opinion)
        with tempfile.NamedTemporaryFile(suffix=".wacz") as copy:  # a ZIP file is read from its end
            shutil.copyfileobj(sys.stdin.buffer, copy)
            copy.flush()
            return verify_path(Path(copy.name), trust, check, second_opinion)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from error
