"""When a watch has something to tell: one alarm for each real change, and one when what was cited is back. Pure.

What is known of each passage follows from the rechecks in the order of the log alone, so that the same alarms come out
again after a restart or a rebuild. A visit of which nothing can be said changes nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from snapshots import PRESENT, PageVerdict, Recheck

Turn = Literal["changed", "returned"]

GONE: Final = frozenset({"gone", "redirected"})
"""What can have become of a page of which no passage is watched, and is worth an alarm."""


@dataclass(frozen=True)
class Found:
    """What one visit found of a passage, or of a page without passages (`of` is its address then).

    `words` stands for what is there in its place, and is None where nothing is or nobody can say.
    """

    of: str
    verdict: str
    words: str | None = None


@dataclass(frozen=True)
class Change:
    """What became of a passage since its last alarm; `place` is its number in the recheck, None for the page."""

    of: str
    verdict: str
    turn: Turn
    place: int | None


@dataclass(frozen=True)
class Alarm:
    """All that one visit found changed on one page. Its id is that of the recheck."""

    id: str
    watch: str
    url: str
    at: str
    page: PageVerdict
    changes: tuple[Change, ...]

    @property
    def turn(self) -> Turn:
        """`returned` if everything that changed is as it was cited again."""
        return "returned" if all(one.turn == "returned" for one in self.changes) else "changed"


class Standing:
    """What is known of each passage of one page: those that are not listed stand there."""

    def __init__(self) -> None:
        self.missed: dict[str, Found] = {}

    def take(self, found: Found) -> Turn | None:
        """What this visit says that was not known before."""
        if found.verdict == "inconclusive":
            return None
        if found.verdict in PRESENT:
            return "returned" if self.missed.pop(found.of, None) is not None else None
        before = self.missed.get(found.of)
        self.missed[found.of] = found
        if before is None or before.verdict != found.verdict:
            return "changed"
        differs = before.words is not None and found.words is not None and before.words != found.words
        return "changed" if differs else None


def alarm_of(standing: Standing, record: Recheck, watch: str, words: Iterable[str | None]) -> Alarm | None:
    """The alarm that a recheck means, if any; WORDS stand for what it found of each of its passages."""
    changes = []
    for place, (check, there) in enumerate(zip(record.passages, words, strict=True)):
        of = check.passage.id if check.passage is not None else f"{record.url}#{place}"
        turn = standing.take(Found(of, check.verdict, there))
        if turn is not None:
            changes.append(Change(of, check.verdict, turn, place))
    if not record.passages:
        verdict = record.page if record.page in GONE | {"inconclusive"} else "exact"
        turn = standing.take(Found(record.url, verdict, record.redirected))
        if turn is not None:
            changes.append(Change(record.url, record.page, turn, None))
    return Alarm(record.id, watch, record.url, record.at, record.page, tuple(changes)) if changes else None
