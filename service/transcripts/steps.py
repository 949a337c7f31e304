"""The order of a transcript: which step comes when, which are on the path that the last one ends, what was replaced."""

from dataclasses import dataclass
from typing import Final

from service.transcripts.events import Replaced, Step
from service.transcripts.findings import Result

MAX_STEPS: Final = 2_000_000
"""Steps whose parents are held; a file of 100 MB has some hundred thousand."""


@dataclass(frozen=True, slots=True)
class _Replacement:
    place: int
    step: str | None
    lane: str
    event: Replaced


class Steps:
    """Takes steps as they come. `place` counts them, from 1."""

    def __init__(self, *, is_tree: bool) -> None:
        self._is_tree = is_tree
        self.place = 0
        self.id: str | None = None
        self.lane = ""
        self.at: str | None = None
        self._known: dict[tuple[str, str], tuple[int, str | None]] = {}
        self._leaf: dict[str, str] = {}
        self._said_current: set[str] = set()
        self._replaced: list[_Replacement] = []

    def begin(self, step: Step) -> None:
        """A step begins, or (`current`) an earlier one is told to be the last."""
        if step.current:
            if step.id:
                self._leaf[step.lane] = step.id
                self._said_current.add(step.lane)
            return
        self.place += 1
        self.id, self.lane, self.at = step.id, step.lane, step.at or self.at
        if step.id and len(self._known) < MAX_STEPS:
            self._known[step.lane, step.id] = (self.place, step.parent)
            if step.lane not in self._said_current:
                self._leaf[step.lane] = step.id

    def replaced(self, event: Replaced) -> None:
        """The step that runs replaces what came before."""
        if event.scope != "none":
            self._replaced.append(_Replacement(self.place, self.id, self.lane, event))

    def settle(self, results: list[Result]) -> None:
        """Say of each result whether it is on the path, and by what it was removed later."""
        paths = {lane: self._path(lane, leaf) for lane, leaf in self._leaf.items()} if self._is_tree else {}
        for result in results:
            path = paths.get(result.lane)
            result.on_path = path is None or result.step is None or result.step in path
        for one in self._replaced:
            path = paths.get(one.lane)
            if path is not None and one.step is not None and one.step not in path:
                continue  # what another branch forgot, this one did not
            limit = self._limit(one)
            for result in results:
                if result.removed_by is None and result.lane == one.lane and _removes(one, result, limit):
                    result.removed_by = (one.event.how, one.event.line)

    def _path(self, lane: str, leaf: str) -> set[str]:
        path: set[str] = set()
        here: str | None = leaf
        while here is not None and here not in path:
            path.add(here)
            found = self._known.get((lane, here))
            here = found[1] if found else None
        return path

    def _limit(self, one: _Replacement) -> int:
        """The first place that stays."""
        kept_from = self._known.get((one.lane, one.event.kept_from or ""))
        return min(one.place, kept_from[0]) if kept_from else one.place


def _removes(one: _Replacement, result: Result, limit: int) -> bool:
    event = one.event
    if result.place >= one.place:
        return False
    match event.scope:
        case "before":
            return result.place < limit and (result.call is None or result.call not in event.kept)
        case "calls":
            return result.call in event.ids
        case "steps":
            return result.step in event.ids
        case _:
            return False
