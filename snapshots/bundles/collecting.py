"""What belongs into a bundle: everything that what was asked for names, and what that names, to the end.

Records, documents and blobs that are no pages are read once and put down in temporary files; of pages only the names
are gathered, because they are read when the archive is written. What is not there is told, with the deletion if there
was one.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import orjson

from snapshots.answers import Fetch, PassageRef, Search, Serving
from snapshots.archive import Archive
from snapshots.bundles.shelf import Shelf
from snapshots.capture import Capture
from snapshots.deeds import Crawl, Deletion
from snapshots.errors import DamagedObject, NothingToBundle, RemovedId, UnknownId
from snapshots.ids import hex_of
from snapshots.reading import Reader
from snapshots.recheck import Recheck
from snapshots.record import Record, UnknownRecord
from snapshots.records import names
from snapshots.rows import passages_of
from snapshots.session import Event, Session, is_claim
from snapshots.watch import Watch

Progress = Callable[[str, int, int | None], None]
"""Told what is being done, how far it is, and how far it goes (None: unknown)."""

AT_ONCE: Final = 500
"""Captures of an address that are asked for at once."""

TELL_EVERY: Final = 50

Role = Literal["record", "document", "blob", "page", "passage", "any"]


@dataclass(frozen=True)
class BundleAsked:
    """What a bundle was asked for: ids (whole ones), all captures of an address, a search with what it served."""

    ids: tuple[str, ...] = ()
    url: str | None = None
    search: str | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """Why something is not in the bundle; `deletion` is the record that says so."""

    why: Literal["removed", "not-kept"]
    deletion: str | None = None


@dataclass
class Collected:
    """Everything that belongs together. `records` holds records and documents, `blobs` those that are no pages."""

    records: Shelf
    blobs: Shelf
    roots: tuple[str, ...] = ()
    logged: dict[str, int] = field(default_factory=dict)
    """Logged records and their places in the log."""
    captures: list[tuple[str, str]] = field(default_factory=list)
    """When each capture was retrieved, and its id."""
    passages: dict[str, dict[str, PassageRef]] = field(default_factory=dict)
    """The passages of each capture, by id."""
    searches: list[tuple[str, str]] = field(default_factory=list)
    """When each search was over, and its id."""
    servings: dict[str, list[str]] = field(default_factory=dict)
    """What was served for each record."""
    sessions: set[str] = field(default_factory=set)
    steps: dict[str, list[str]] = field(default_factory=dict)
    """The events of each session."""
    pages: set[str] = field(default_factory=set)
    """Blobs that go into the web archive."""
    endings: dict[str, str] = field(default_factory=dict)
    """What screenshots and prints may be called."""
    deletions: dict[str, Deletion] = field(default_factory=dict)
    missing: dict[str, Missing] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    newest: str = ""

    def shown(self, picture: str | None) -> str | None:
        """The file beside the report that holds a screenshot or a print; None if there is none, or something else."""
        if picture is None or picture not in self.blobs or picture in self.pages:
            return None
        member = member_of(picture, self.endings.get(picture), self.blobs.get(picture))
        return None if member.endswith(".bin") else member.rpartition("/")[2]

    def lost(self, name: str, *, damaged: bool) -> None:
        """Notes that something was kept and cannot be given any more."""
        self.missing[name] = Missing("not-kept")
        why = "it is damaged" if damaged else "it is lost"
        self.notes.append(f"{name} was kept and is not in this bundle: {why}.")


class Collector:
    """Follows names from the roots on. Raises what reading the archive raises, except for what is not there."""

    def __init__(self, archive: Archive, folder: Path, progress: Progress) -> None:
        self._reader = Reader(archive.objects, archive.catalogue)
        self._catalogue = archive.catalogue
        self._progress = progress
        self._waiting: list[tuple[str, Role, PassageRef | None]] = []
        self._seen: set[tuple[str, Role]] = set()
        self.found = Collected(Shelf(folder / "records"), Shelf(folder / "blobs"))

    def collect(self, asked: BundleAsked) -> Collected:
        """Everything that belongs to what was asked for.

        Raises:
            NothingToBundle, UnknownId, RemovedId: nothing of it is kept.
        """
        found = self.found
        roots = list(self._roots(asked))
        if not roots:
            raise NothingToBundle(f"nothing is kept of {asked.url or 'what was asked for'}")
        found.roots = tuple(sorted(set(roots)))
        for name in reversed(found.roots):
            self._waiting.append((name, "any", None))
        self._follow()
        for of_capture in found.passages.values():
            self._check_passages(of_capture)
        if all(name in found.missing for name in found.roots):
            first = found.roots[0]
            gone = found.missing[first]
            raise RemovedId(first, gone.deletion) if gone.deletion else UnknownId(first)
        self._removed_besides()
        found.captures.sort()
        self._progress("collecting", len(found.records), len(found.records))
        return found

    def _roots(self, asked: BundleAsked) -> Iterator[str]:
        for name in (*asked.ids, *([asked.search] if asked.search else [])):
            yield name
            if self._catalogue.passage(name) is not None:
                continue
            position = self._catalogue.position_of(name)
            if position is None:
                leading = self._catalogue.leading_to(name)
                if leading is not None:
                    yield leading.id
                continue
            yield from self._besides(name, position)
        if asked.url is not None:
            before = None
            while rows := self._catalogue.captures(asked.url, limit=AT_ONCE, before=before):
                yield from (row.id for row in rows)
                before = rows[-1].position

    def _besides(self, name: str, position: int) -> Iterator[str]:
        """What somebody who asks for a record means too: what was served for it, a crawl's pages, a session's steps."""
        kind = self._catalogue.entries(position, 1)[0].kind
        if kind == "session":
            yield from (one.id for one in self._catalogue.naming(name, kind="event"))
            yield from self._served_in(name, position)
        elif kind == "crawl":
            yield from (one.id for one in self._catalogue.naming(name, kind="crawl"))
            after = -1
            while rows := self._catalogue.of_crawl(name, after=after, limit=AT_ONCE):
                yield from (row.id for row in rows)
                after = rows[-1].position
        else:
            yield from (one.id for one in self._catalogue.naming(name, kind="serving"))

    def _served_in(self, session: str, position: int) -> Iterator[str]:
        """What was served for a session, by the word of those who asked. Nobody could name it before it was there."""
        for one in self._catalogue.of_kind("serving", first=position):
            try:
                record = self._reader.record(one.id)
            except (UnknownId, RemovedId, DamagedObject):
                continue
            if isinstance(record, Serving) and is_claim(record.session, session):
                yield one.id

    def _follow(self) -> None:
        while self._waiting:
            name, role, ref = self._waiting.pop()
            if (name, role) in self._seen or name in self.found.missing:
                continue
            self._seen.add((name, role))
            try:
                self._take(name, role, ref)
            except RemovedId as gone:
                self._removed(name, gone.deletion)
            except DamagedObject as gone:
                self.found.lost(name, damaged=type(gone) is DamagedObject)
            except UnknownId:
                self.found.missing[name] = Missing("not-kept")

    def _removed(self, name: str, deletion: str) -> None:
        self.found.missing[name] = Missing("removed", deletion)
        self._waiting.append((deletion, "record", None))

    def _take(self, name: str, role: Role, ref: PassageRef | None) -> None:
        match role:
            case "any":
                self._take(name, *self._what(name))
            case "record" if name not in self.found.records:
                self._record(name)
            case "document" if name not in self.found.records:
                data = self._reader.get(name)
                self.found.records.put(name, data)
                self._wait([orjson.loads(data)["source"]], "blob")
            case "blob" if name not in self.found.blobs and name not in self.found.pages:
                self.found.blobs.put(name, self._reader.get(name))
            case "page":
                self.found.pages.add(name)
            case "passage":
                assert ref is not None, "passages are named with their place"
                self.found.passages.setdefault(ref.capture, {})[name] = ref
                self._wait([ref.capture], "record")
            case _:
                pass

    def _what(self, name: str) -> tuple[Role, PassageRef | None]:
        """What an id stands for of which nothing else is known."""
        shown = self._catalogue.passage(name)
        if shown is not None:
            return "passage", shown.ref
        if self._catalogue.position_of(name) is not None:
            return "record", None
        deletion = self._catalogue.deletion_of(name)
        if deletion is not None:
            raise RemovedId(name, deletion)
        leading = self._catalogue.leading_to(name)
        if leading is not None and leading.kind == "capture":
            capture = self._reader.capture(leading.id)
            if capture.document == name:
                return "document", None
            if name in {capture.body, capture.rendered}:
                return "page", None
        return "blob", None

    def _record(self, name: str) -> None:
        record = self._reader.record(name)
        position = self._catalogue.position_of(name)
        if position is None:
            raise UnknownId(name)
        found = self.found
        found.records.put(name, record.encoded)
        found.logged[name] = position
        found.newest = max(found.newest, time_of(record))
        if len(found.logged) % TELL_EVERY == 0:
            self._progress("collecting", len(found.records), None)
        match record:
            case Capture():
                self._capture(name, record)
            case Search():
                found.searches.append((record.retrieved_at, name))
                self._wait((one.reply for one in record.providers), "blob")
                self._wait((one.capture for one in record.candidates), "record")
                self._wait((one.capture for one in record.results), "record")
                self._passages(passages_of(record))
            case Fetch():
                self._wait([record.capture], "record")
                self._passages(passages_of(record))
            case Serving():
                found.servings.setdefault(record.record, []).append(name)
                self._wait([record.record], "record")
                self._wait((one for one in names(record) if one != record.record), "blob")
            case Crawl():
                self._wait([record.crawl], "record")
            case Recheck() | Watch():
                self._checked(record)
            case Deletion():
                found.deletions[name] = record
            case _:
                self._step(name, record)
                self._wait(names(record), "any")

    def _checked(self, record: Recheck | Watch) -> None:
        if isinstance(record, Watch):
            self._wait((record.watch, *(source.capture for source in record.sources)), "record")
            self._passages(ref for source in record.sources for ref in source.passages)
        else:
            self._wait((record.old, record.new, *record.visits, record.watch), "record")
            self._passages(one.passage for one in record.passages if one.passage is not None)

    def _step(self, name: str, record: Record | UnknownRecord) -> None:
        """Notes what belongs to a session, for the report."""
        if isinstance(record, Session):
            self.found.sessions.add(name)
        elif isinstance(record, Event):
            self.found.steps.setdefault(record.session, []).append(name)

    def _capture(self, name: str, capture: Capture) -> None:
        self.found.captures.append((capture.retrieved_at, name))
        # At once, so that a document that was read out of one of them does not ask for it as something else.
        self.found.pages.update(blob for blob in (capture.body, capture.rendered) if blob is not None)
        self._wait([capture.screenshot, capture.pdf], "blob")
        for picture, ending in ((capture.screenshot, ".png"), (capture.pdf, ".pdf")):
            if picture is not None:
                self.found.endings.setdefault(picture, ending)
        self._wait([capture.document], "document")
        self._wait([capture.crawl], "record")
        for hop in capture.hops:
            if hop.tls is not None:
                self._wait(hop.tls.chain, "blob")

    def _passages(self, refs: Iterable[PassageRef]) -> None:
        for ref in refs:
            self._waiting.append((ref.id, "passage", ref))

    def _wait(self, ids: Iterable[str | None], role: Role) -> None:
        self._waiting.extend((name, role, None) for name in ids if name is not None)

    def _check_passages(self, of_capture: dict[str, PassageRef]) -> None:
        """A passage goes the way of its capture and its text."""
        found = self.found
        capture = next(iter(of_capture.values())).capture
        gone = found.missing.get(capture)
        if gone is None:
            record = self._reader.capture(capture)
            gone = found.missing.get(record.document) if record.document else Missing("not-kept")
        if gone is not None:
            found.missing.update(dict.fromkeys(of_capture, gone))
            of_capture.clear()

    def _removed_besides(self) -> None:
        """A deletion names everything that went with it; what of that is not here for another reason is told too."""
        found = self.found
        passages = {name for of_capture in found.passages.values() for name in of_capture}
        for deletion in sorted(found.deletions):
            for one in found.deletions[deletion].removed:
                if not (one.id in found.records or one.id in found.blobs or one.id in found.pages | passages):
                    found.missing.setdefault(one.id, Missing("removed", deletion))


def time_of(record: Record | UnknownRecord) -> str:
    """When what a record tells of was over, by its own word; empty if it does not say."""
    match record:
        case Capture() | Search() | Fetch():
            return record.retrieved_at
        case Serving():
            return record.served_at
        case UnknownRecord():
            return ""
        case _:
            return str(getattr(record, "at", ""))


def member_of(name: str, ending: str | None, data: bytes) -> str:
    """What the member is called that holds a blob which is no page."""
    shape = {".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-"}
    if ending is None or not data.startswith(shape[ending]):
        ending = ".bin"
    return f"evidence/{hex_of(name)}{ending}"
