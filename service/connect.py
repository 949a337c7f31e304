"""Which Citator a command talks to: one elsewhere, the one that is running here, or one of its own."""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from service.doors import Actions, Citator
from service.exchange import Exchange
from service.failures import BadSetting, DataInUse
from service.remote import Remote
from service.requests import Caller, Scope
from service.socket_path import short_path

if TYPE_CHECKING:
    from service.settings import Settings

ME: Final = Caller(key=None, name="command line", scopes=frozenset({Scope.ADMIN}), surface="cli")
"""Who asks when the command itself opens the data directory: its owner."""

WAIT_SECONDS: Final = 10.0
"""Seconds to wait for a data directory that is held without answering: a server that starts, a command that ends."""

LOOK_SECONDS: Final = 0.1


@asynccontextmanager
async def connected(settings: "Settings | None" = None, *, wait: float = WAIT_SECONDS) -> AsyncIterator[Citator]:
    """The Citator that CITATOR_URL names, else the server of this data directory, else the directory opened here.

    With `settings` it is the data directory that they name, whatever the environment says.

    Raises:
        BadSetting: a setting cannot be used.
        DataInUse: another process holds the data directory and does not answer within `wait` seconds.
    """
    url = os.environ.get("CITATOR_URL")
    if url and settings is None:
        yield Remote(Exchange(url, os.environ.get("CITATOR_KEY")))
        return
    # Slow to import, and not needed by who talks to a server elsewhere.
    from service.settings import load_settings  # noqa: PLC0415

    async with AsyncExitStack() as stack:
        yield await _here(settings or load_settings(), stack, wait)


def opening(settings: "Settings", *, resume: bool = False) -> "AbstractAsyncContextManager[Actions]":
    """The composition of this process; imported late, since it imports everything.

    `resume` goes on with crawls that an earlier process left unfinished: servers do, single commands do not.
    """
    from service.build import build  # noqa: PLC0415 - see above

    return build(settings, resume=resume)


async def _here(settings: "Settings", stack: AsyncExitStack, wait: float) -> Citator:
    """The server of this data directory, or the directory itself, which `stack` closes."""
    until = time.monotonic() + wait
    while not answers(settings.socket_path):
        try:
            opened = await stack.enter_async_context(opening(settings))
        except DataInUse:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(LOOK_SECONDS)
        else:
            return opened
    return Remote(Exchange(settings.socket_path))


def answers(path: Path) -> bool:
    """Whether a server listens on this socket. What a killed one left behind does not."""
    if not path.exists():
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial, short_path(path) as name:
        trial.settimeout(WAIT_SECONDS)
        try:
            trial.connect(name)
        except ConnectionRefusedError:
            return False
        except OSError as error:
            raise BadSetting(f"{path} cannot be used: {error.strerror or error}") from error
        return True
