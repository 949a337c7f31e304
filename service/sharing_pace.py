"""The pace of hosts among the processes that share a database."""

import structlog

from service.clock import Clock
from snapshots import EvidenceError, State

log = structlog.get_logger(__name__)


class PaceInState:
    """Keeps the pace in the state. If that cannot be reached, each process keeps its own."""

    def __init__(self, state: State, clock: Clock) -> None:
        self._state = state
        self._clock = clock

    def take(self, host: str, gap: float, patience: float) -> tuple[float, bool]:
        """Take the next turn at a host: seconds until it begins, and whether it was taken."""
        try:
            wait, taken = self._state.take_turn(
                host, now=self._now(), gap=round(gap * 1000), patience=round(patience * 1000)
            )
        except EvidenceError as error:
            log.warning("the pace of a host is not shared", host=host, reason=str(error))
            return 0.0, True
        return wait / 1000, taken

    def hold(self, host: str, seconds: float) -> None:
        """Have nobody ask a host for so long."""
        try:
            self._state.hold_host(host, until=self._now() + round(seconds * 1000))
        except EvidenceError as error:
            log.warning("what a host asked for is not shared", host=host, reason=str(error))

    def _now(self) -> int:
        return round(self._clock().timestamp() * 1000)
