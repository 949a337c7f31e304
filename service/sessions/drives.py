"""Which process drives which run: leases over all processes, so that another one can go on where one died."""

import secrets
from datetime import timedelta
from typing import Final

from anyio.to_thread import run_sync

from service.parts import Parts
from snapshots import stamp

PREFIX: Final = "drive/"


class Drives:
    """The leases of one process. Each lasts `seconds` unless it is taken again."""

    def __init__(self, parts: Parts, seconds: float) -> None:
        self._parts = parts
        self._state = parts.keyring.state
        self._seconds = seconds
        self._owner = secrets.token_hex(8)

    async def take(self, session: str, run: str) -> bool:
        """Take or keep a run; False while another process drives it."""
        return await run_sync(self._take, _name(session, run), self._seconds)

    async def let_go(self, session: str, run: str) -> None:
        """Leave a run to whoever looks for abandoned ones next."""
        await run_sync(self._take, _name(session, run), 0.0)

    async def give_back(self, session: str, run: str) -> None:
        """A run is over, or is nobody's to drive any more."""

        def give_back() -> None:
            now = stamp(self._parts.clock())
            lease = self._state.lease(_name(session, run), now=now)
            if lease is not None and lease.owner == self._owner:
                self._state.release_lease(lease)

        await run_sync(give_back)

    async def abandoned(self) -> list[tuple[str, str]]:
        """Session and run of each run that is under way and that no process drives."""
        now = stamp(self._parts.clock())
        found = await run_sync(lambda: self._state.lapsed_leases(PREFIX, now=now))
        names = [lease.name.removeprefix(PREFIX).partition("/") for lease in found]
        return [(session, run) for session, _, run in names]

    def _take(self, name: str, seconds: float) -> bool:
        now = self._parts.clock()
        until = stamp(now + timedelta(seconds=seconds))
        return self._state.take_lease(name, self._owner, now=stamp(now), until=until) is not None


def _name(session: str, run: str) -> str:
    return f"{PREFIX}{session}/{run}"
