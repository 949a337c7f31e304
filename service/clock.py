"""What time it is."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Gives the time as an aware datetime; replaced in tests by one that stands still."""


def system_clock() -> datetime:
    """The time of this machine."""
    return datetime.now(UTC)
