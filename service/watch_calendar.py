"""When a source is visited next: soon where it changes often, seldom where it does not. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

FIRST: Final = 86_400.0
"""Seconds between the first visits, within the bounds: nothing is known yet, and most pages change seldom."""
QUIETER: Final = 1.5
"""Each quiet visit makes the time to the next this much longer: ten of them take a day to over a month."""
BUSIER: Final = 0.5
"""A change halves it."""
AHEAD: Final = 0.05
"""Share of the least time by which a visit may be early if the page is visited for another watch anyway."""


@dataclass(frozen=True)
class Pace:
    """The time between two visits of one source, in seconds, and its bounds."""

    least: int
    most: int
    seconds: float

    @classmethod
    def at_first(cls, least: int, most: int) -> "Pace":
        """Before anything is known."""
        return cls(least, most, min(max(FIRST, least), most))

    def after(self, *, changed: bool, conclusive: bool) -> "Pace":
        """The pace after a visit. One of which nothing can be said leaves it as it is."""
        if not changed and not conclusive:
            return self
        factor = BUSIER if changed else QUIETER
        return Pace(self.least, self.most, min(max(self.seconds * factor, self.least), self.most))

    def due(self, last: datetime) -> datetime:
        """When the next visit is due."""
        return last + timedelta(seconds=self.seconds)

    def joins(self, last: datetime, now: datetime) -> bool:
        """Whether a page that is visited for another watch is visited for this one too."""
        return (now - last).total_seconds() >= self.least * (1 - AHEAD)
