"""Checking the whole archive: every entry's record, every named object, every hash, and the log itself.

Nothing is repaired and nothing raised: what is wrong is listed. The quick check believes the catalogue about what
names what; the deep one reads every object and finds out for itself.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, Literal

from snapshots.answers import Fetch, PassageRef, Search
from snapshots.batches import OrderedLog, Progress
from snapshots.capture import Capture
from snapshots.catalogue import Catalogue
from snapshots.database import chunks
from snapshots.deeds import Deletion, Import
from snapshots.document import Document
from snapshots.errors import BadRecord, DamagedObject, RemovedId, UnknownId
from snapshots.ids import from_raw, to_raw
from snapshots.log_check import LogReport
from snapshots.objects import Objects
from snapshots.reading import Reader
from snapshots.recheck import Recheck
from snapshots.record import Record, UnknownRecord
from snapshots.records import names, read
from snapshots.rows import passages_of
from snapshots.watch import Watch

AT_ONCE: Final = 1000
MAX_FINDINGS: Final = 1000
"""What is listed; `wrong` counts all."""

Problem = Literal["missing", "damaged", "not_removed", "not_a_record", "not_in_catalogue", "passage_differs", "log"]


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with one id, and the logged record that shows it."""

    problem: Problem
    id: str
    detail: str


@dataclass(frozen=True)
class CheckReport:
    """What a check found. `unnamed` objects do no harm: a writer was killed before it logged what names them."""

    log: LogReport
    entries: int
    removed: int
    objects: int
    bytes: int
    unnamed: int
    behind: int
    """Entries that the catalogue has yet to take over."""
    wrong: int
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether everything is as it should be."""
        return not self.wrong


@dataclass
class _State:
    """What is known so far. Ids are raw bytes: there can be millions."""

    there: dict[bytes, int]
    removed: set[bytes] = field(default_factory=set)
    named: set[bytes] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    wrong: int = 0

    def add(self, problem: Problem, name: str, detail: str) -> None:
        self.wrong += 1
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(Finding(problem, name, detail))


class Checker:
    """One check of one archive."""

    def __init__(self, objects: Objects, log: OrderedLog, catalogue: Catalogue) -> None:
        self._objects = objects
        self._log = log
        self._catalogue = catalogue
        self._reader = Reader(objects, catalogue)

    def check(self, *, deep: bool, progress: Progress | None = None) -> CheckReport:
        """Checks everything up to the entries the log has now. Raises only what the store or database raise."""
        size = self._log.size
        log = self._log.check(deep=deep)
        state = _State({to_raw(held.id): held.size for held in self._objects.all()})
        for problem in log.problems:
            state.add("log", "log", problem)
        state.removed.update(to_raw(name) for name, _ in self._catalogue.removals())
        lost = self._entries(state, size, deep=deep, progress=progress)
        if not deep:
            state.named.update(map(to_raw, self._catalogue.targets()))
        self._settle(state, lost)
        unnamed = self._rest(state, deep=deep, progress=progress)
        return CheckReport(
            log=log,
            entries=size,
            removed=len(state.removed),
            objects=len(state.there),
            bytes=sum(state.there.values()),
            unnamed=unnamed,
            behind=max(0, size - self._catalogue.position()),
            wrong=state.wrong,
            findings=tuple(state.findings),
        )

    def _entries(self, state: _State, size: int, *, deep: bool, progress: Progress | None) -> set[bytes]:
        """Goes through the log; returns the ids of entries whose record is not there."""
        lost: set[bytes] = set()
        known = self._catalogue.position()
        for first in range(0, size, AT_ONCE):
            ids = self._log.entries(first, min(size, first + AT_ONCE))
            listed = {one.position: one.id for one in self._catalogue.entries(first, AT_ONCE)}
            for position, name in enumerate(ids, first):
                raw = to_raw(name)
                state.named.add(raw)
                if position < known and listed.get(position) != name:
                    state.add("not_in_catalogue", name, f"the catalogue has another entry at {position}")
                if raw not in state.there:
                    lost.add(raw)
                elif deep:
                    self._record(state, name)
            if progress is not None:
                progress(min(size, first + AT_ONCE), size)
        return lost

    def _record(self, state: _State, name: str) -> None:
        """Reads a logged record and what it names."""
        record = self._read(state, name)
        if record is None:
            return
        if isinstance(record, Deletion):
            state.removed.update(to_raw(one.id) for one in record.removed)
            return
        shown = {ref.id: ref for ref in passages_of(record)} if isinstance(record, Search | Fetch) else {}
        state.named.update(to_raw(one) for one in names(record) if one not in shown)
        if isinstance(record, Capture) and record.document is not None and to_raw(record.document) in state.there:
            document = self._read(state, record.document)
            if document is not None and (
                not isinstance(document, Document) or document.source not in {record.body, record.rendered}
            ):
                state.add("not_a_record", record.document, f"is not a document of what {name} saw")
        for ref in shown.values():
            if to_raw(ref.capture) in state.there:
                self._passage(state, name, ref)

    def _passage(self, state: _State, name: str, ref: PassageRef) -> None:
        try:
            self._reader.passage(ref)
        except BadRecord as error:
            state.add("passage_differs", ref.id, f"named by {name}: {error}")
        except (RemovedId, DamagedObject):
            return  # told where the capture itself is looked at

    def _read(self, state: _State, name: str) -> Record | UnknownRecord | None:
        try:
            return read(self._objects.get(name))
        except BadRecord as error:
            state.add("not_a_record", name, str(error))
        except (UnknownId, DamagedObject):
            pass  # told where all objects are looked at
        return None

    def _settle(self, state: _State, lost: AbstractSet[bytes]) -> None:
        """Holds what is named and what was removed against what is there."""
        excused = state.removed | self._absent()
        absent = [raw for raw in sorted(state.named | lost) if raw not in state.there and raw not in excused]
        if absent:
            passages = self._passages_checked()
            absent = [raw for raw in absent if raw not in passages and self._catalogue.passage(from_raw(raw)) is None]
        for part in chunks(absent, AT_ONCE):
            # What was kept while we were looking is not in the list of objects, and may be named by now.
            since = self._objects.exists(map(from_raw, part))
            for name in map(from_raw, part):
                if name not in since:
                    what = "the log has its entry" if to_raw(name) in lost else "a logged record names it"
                    state.add("missing", name, f"{what}, the bucket does not have it")
        for part in chunks(sorted(state.removed & state.there.keys()), AT_ONCE):
            for raw in part:
                if self._catalogue.deletion_of(from_raw(raw)) is not None:
                    state.add("not_removed", from_raw(raw), "a deletion names it, and it is still in the bucket")

    def _passages_checked(self) -> set[bytes]:
        """The passages that were looked for again, or are watched. Nothing is stored under the id of a passage."""
        found: set[bytes] = set()
        for naming in (*self._catalogue.of_kind("recheck"), *self._catalogue.of_kind("watch")):
            try:
                record = read(self._objects.get(naming.id))
            except (BadRecord, UnknownId, DamagedObject):
                continue  # told where the entries are looked at
            if isinstance(record, Recheck):
                found.update(to_raw(one.passage.id) for one in record.passages if one.passage is not None)
            elif isinstance(record, Watch):
                found.update(to_raw(ref.id) for source in record.sources for ref in source.passages)
        return found

    def _absent(self) -> set[bytes]:
        """What imported records name and their bundles did not hold, as the bundles said."""
        found: set[bytes] = set()
        for naming in self._catalogue.of_kind("import"):
            before = self._catalogue.naming(naming.id, kind="import", limit=1)
            if before and before[0].position < naming.position:
                continue  # it came with a bundle itself: what it says is of another installation
            try:
                record = read(self._objects.get(naming.id))
            except (BadRecord, UnknownId, DamagedObject):
                continue  # told where the entries are looked at
            if isinstance(record, Import):
                found.update(map(bytes.fromhex, record.absent))
        return found

    def _rest(self, state: _State, *, deep: bool, progress: Progress | None) -> int:
        """Verifies every object if asked to; returns how many nothing names."""
        if deep:
            for done, raw in enumerate(sorted(state.there), 1):
                try:
                    self._objects.get(from_raw(raw))
                except DamagedObject:
                    state.add("damaged", from_raw(raw), "what is stored does not have this hash")
                except UnknownId:
                    pass  # removed while we were looking
                if progress is not None and done % AT_ONCE == 0:
                    progress(done, len(state.there))
        return len(state.there.keys() - state.named)
