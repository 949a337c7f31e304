"""Removing pages and sessions: what goes, found through the catalogue, read from the records. Nothing is changed here.

With a capture go its document and blobs, unless something that stays needs them, and every reply in which the page was
shown: the bodies that were served for the searches and fetches that name it, the raw replies of the providers that
found it, and what sessions repeat of it. The records of those searches and fetches stay; they hold no text. With a
session go its steps and what was said in them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from snapshots.answers import Search, Serving, Serving2
from snapshots.capture import Capture
from snapshots.catalogue import Catalogue
from snapshots.catalogue_rows import Naming
from snapshots.deeds import Removed
from snapshots.errors import BadRecord, DamagedObject, RemovedId, UnknownId
from snapshots.reading import Reader
from snapshots.record import Record, UnknownRecord
from snapshots.records import names
from snapshots.records_naming import RecordsNaming, Telling
from snapshots.retelling import Retelling
from snapshots.session import Agent, Event, Session

Kind = Literal["capture", "document", "blob", "reply", "session", "event", "agent"] | Telling


@dataclass(frozen=True)
class Selection:
    """What to remove: ids of captures, passages, documents, blobs, records of replies or sessions; addresses of pages.

    `asked` is how the choice was put, where it was not put as these. With `records` the records go too that only tell
    of what is removed: searches, fetches, rechecks, servings, and watches that have ended.
    """

    ids: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    records: bool = False

    @property
    def shown(self) -> dict[str, Any]:
        """As a deletion record holds it. Addresses stand there plainly: searches that stay name them too.

        Where the records go that name them, they do not.
        """
        if self.records:
            return {"ids": list(self.ids), "records": True}
        if self.asked:
            return dict(self.asked)
        return {"ids": list(self.ids), "pages": list(self.pages)}


@dataclass(frozen=True)
class Removal:
    """What goes, or has gone. `deletion` is the id of the record that says so; None if nothing was done.

    `staying` are the records that name it and stay, by id with their kinds.
    """

    removed: tuple[Removed, ...]
    counts: dict[str, int]
    deletion: str | None = None
    staying: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Plan:
    """Ids to remove, each once; `seen` are those whose other users have been looked for.

    `named` are the records that name captures or pages that go, with their kinds.
    """

    captures: dict[str, Capture | None] = field(default_factory=dict)
    others: dict[str, Kind] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    sessions: list[Session] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)
    staying: dict[str, str] = field(default_factory=dict)


class Planner:
    """Finds out what a selection means. Raises UnknownId and RemovedId for ids, and what reading raises."""

    def __init__(self, reader: Reader, catalogue: Catalogue) -> None:
        self._reader = reader
        self._catalogue = catalogue
        self._retelling = Retelling(reader, catalogue)
        self._records = RecordsNaming(reader, catalogue)

    def plan(self, selection: Selection) -> Removal:
        """Everything that goes, captures first, and what names it and stays."""
        plan = Plan()
        for name in selection.ids:
            self._select(plan, name)
        plan.others |= parts_of(plan.sessions, self._reader, self._catalogue)
        for page in selection.pages:
            for row in self._captures_of(page):
                plan.captures[row] = None
        for name in plan.captures:
            plan.captures[name] = self._readable(name)
        for name in plan.captures:
            self._contents(plan, name)
        for name in list(plan.captures):
            self._replies(plan, self._showing(name), capture=name)
            plan.others.update(dict.fromkeys(self._retelling.contents(name, self._text(plan.captures[name])), "reply"))
        for page in selection.pages:
            self._replies(plan, self._catalogue.considering(url=page), url=page)
        self._telling(plan, selection)
        listed: list[tuple[str, Kind]] = [(name, "capture") for name in plan.captures]
        listed += [(name, kind) for name, kind in plan.others.items() if self._catalogue.deletion_of(name) is None]
        removed = tuple(Removed(id=name, kind=kind, bytes=self._size(name)) for name, kind in listed)
        return Removal(removed, counts_of(removed), staying=plan.staying)

    def _telling(self, plan: Plan, selection: Selection) -> None:
        """The records that tell of what goes, with what was served for them, if they are to go too."""
        found = self._records.of(plan.named, plan.captures, selection.ids if selection.records else ())
        plan.staying = {name: kind for name, kind in found.staying.items() if name not in plan.others}
        if not selection.records:
            plan.staying |= {name: kind for name, kind in found.going.items() if name not in plan.others}
            return
        for name, kind in found.going.items():
            plan.others[name] = kind
            record = self._records.read(name)
            if isinstance(record, Serving):
                plan.others.update(dict.fromkeys(_forms(record), "reply"))
            elif isinstance(record, Search):
                self._provided(plan, record, set())

    def _select(self, plan: Plan, name: str) -> None:
        """Adds what one id stands for."""
        shown = self._catalogue.passage(name)
        if shown is not None:
            name = shown.ref.capture
        deletion = self._catalogue.deletion_of(name)
        if deletion is not None:
            raise RemovedId(name, deletion)
        if self._catalogue.position_of(name) is None:
            self._select_unlogged(plan, name)
            return
        record = self._reader.record(name)
        match record:
            case Capture():
                plan.captures[name] = None
            case Serving():
                plan.others.update(dict.fromkeys(_forms(record), "reply"))
            case Session():
                plan.sessions.append(record)
            case _:
                self._whole_reply(plan, record)

    def _select_unlogged(self, plan: Plan, name: str) -> None:
        """A document or blob: the captures that have it go; a reply goes alone."""
        naming = self._catalogue.naming(name)
        if not naming:
            raise UnknownId(name)
        for one in naming:
            if one.kind == "capture":
                plan.captures[one.id] = None
            else:
                plan.others[name] = "reply"

    def _captures_of(self, page: str) -> Iterator[str]:
        before = None
        while rows := self._catalogue.captures(page, limit=1000, before=before):
            yield from (row.id for row in rows)
            before = rows[-1].position

    def _readable(self, name: str) -> Capture | None:
        """A capture, or None if it is damaged: it is removed all the same."""
        try:
            return self._reader.capture(name)
        except (DamagedObject, BadRecord):
            return None

    def _contents(self, plan: Plan, capture_id: str) -> None:
        """What only captures that go need."""
        capture, row = plan.captures[capture_id], self._catalogue.capture(capture_id)
        if row is None:
            return
        for name in self._catalogue.named_by(row.position) if capture is None else names(capture):
            if name == row.crawl or name in plan.seen:
                continue
            plan.seen.add(name)
            # A certificate can be named by every capture of a site: one more than there are to go is enough.
            naming = self._catalogue.naming(name, limit=len(plan.captures) + 1)
            if all(one.id in plan.captures for one in naming):
                plan.others[name] = "document" if name == row.document else "blob"

    def _showing(self, capture: str) -> Iterator[Naming]:
        yield from self._catalogue.naming(capture)
        yield from self._catalogue.considering(capture)

    def _replies(self, plan: Plan, showing: Iterable[Naming], *, capture: str | None = None, url: str = "") -> None:
        """The replies of records that show a capture, or an address that was found and not captured."""
        for one in showing:
            record = self._reader.record(one.id)
            if capture is not None and capture not in names(record):
                continue  # a search that only seemed to have it
            if url and not (isinstance(record, Search) and any(each.url == url for each in record.candidates)):
                continue
            plan.named[one.id] = one.kind
            if isinstance(record, Serving):
                plan.others.update(dict.fromkeys(_forms(record), "reply"))
                continue
            if isinstance(record, Search) and all(result.capture != capture for result in record.results):
                self._dropped(plan, record, capture, url)
            else:
                self._whole_reply(plan, record, capture)

    def _dropped(self, plan: Plan, search: Search, capture: str | None, url: str) -> None:
        """The replies of a search that found a page and did not show it: those that repeat its title or a snippet."""
        found = [one for one in search.candidates if one.capture == capture and (capture or one.url == url)]
        if not found:
            return
        by = {rank.provider for one in found for rank in one.ranks}
        self._provided(plan, search, by)
        marks = [_written(found[0].url)]
        if capture is not None:
            seen = plan.captures.get(capture)
            title = self._title(seen) if seen is not None else None
            if seen is not None and title is None:
                return  # an address is all that can have been told of it
            marks += [] if title is None else [_written(title)]
        for body in self._bodies(search):
            try:
                data = self._reader.get(body)
            except (UnknownId, RemovedId, DamagedObject):
                continue
            if all(any(form in data for form in mark) for mark in marks):
                plan.others[body] = "reply"

    def _text(self, capture: Capture | None) -> str | None:
        """What a captured page says; None if it cannot be read any more."""
        if capture is None:
            return None
        try:
            return self._reader.document(capture.document).visible if capture.document else ""
        except (UnknownId, DamagedObject, BadRecord):
            return None

    def _title(self, capture: Capture) -> str | None:
        """The title of a capture that goes; empty, which every reply contains, if it cannot be read any more."""
        if capture.document is None:
            return None
        try:
            return self._reader.document(capture.document).title or None
        except (UnknownId, DamagedObject, BadRecord):
            return ""

    def _whole_reply(self, plan: Plan, record: Record | UnknownRecord, capture: str | None = None) -> None:
        """What was served for one record, and the providers' replies it was made of: those that found `capture`."""
        if isinstance(record, Search):
            found = [one for one in record.candidates if capture in {None, one.capture}]
            self._provided(plan, record, {rank.provider for one in found for rank in one.ranks})
        plan.others.update(dict.fromkeys(self._bodies(record), "reply"))

    def _provided(self, plan: Plan, search: Search, by: set[str]) -> None:
        for provider in search.providers:
            if provider.reply is not None and (not by or provider.name in by):
                plan.others[provider.reply] = "reply"

    def _bodies(self, record: Record | UnknownRecord) -> Iterator[str]:
        """The bodies that were served for a record."""
        for one in self._catalogue.naming(record.id, kind="serving"):
            serving = self._reader.record(one.id)
            if isinstance(serving, Serving):
                yield from _forms(serving)

    def _size(self, name: str) -> int:
        """Plain bytes; 0 for what is damaged or was lost."""
        try:
            return len(self._reader.get(name))
        except (UnknownId, DamagedObject):
            return 0


def _forms(serving: Serving) -> tuple[str, ...]:
    """The blobs of what was served."""
    structured = serving.structured if isinstance(serving, Serving2) else None
    return (serving.body,) if structured is None else (serving.body, structured)


def parts_of(sessions: Sequence[Session], reader: Reader, catalogue: Catalogue) -> dict[str, Kind]:
    """All that sessions are: their records, their steps, and what was said in them, unless others have the same bytes.

    With them go the definitions of agents that took part in no other session.
    """
    found: dict[str, Kind] = {}
    said: dict[str, None] = {}
    agents: dict[str, None] = {}
    for session in sessions:
        found[session.id] = "session"
        said |= dict.fromkeys([session.system] if session.system else [])
        agents |= dict.fromkeys([session.agent] if session.agent else [])
        for one in catalogue.naming(session.id, kind="event"):
            record = reader.record(one.id)
            if isinstance(record, Event) and record.session == session.id:
                found[one.id] = "event"
                said |= dict.fromkeys([record.content] if record.content else [])
                agents |= dict.fromkeys([record.agent] if record.agent else [])
    for name in agents:
        agent = reader.record(name) if _only(name, found, catalogue) else None
        if isinstance(agent, Agent):
            found[name] = "agent"
            said |= dict.fromkeys(names(agent))
    found |= dict.fromkeys((name for name in said if _only(name, found, catalogue)), "blob")
    return found


def _only(name: str, among: Mapping[str, Kind], catalogue: Catalogue) -> bool:
    """Whether something is still there and only records `among` these name it, and imports, which bring no bytes."""
    naming = catalogue.naming(name)
    return catalogue.deletion_of(name) is None and all(one.kind == "import" or one.id in among for one in naming)


def _written(words: str) -> set[bytes]:
    """The forms in which words can stand in a reply: plain, and in JSON with or without escapes."""
    return {words.encode(), orjson.dumps(words)[1:-1], json.dumps(words)[1:-1].encode()}


def counts_of(removed: Iterable[Removed]) -> dict[str, int]:
    """How many of each kind, and bytes in all."""
    counts = {"captures": 0, "documents": 0, "blobs": 0, "replies": 0, "bytes": 0}
    plurals = {"reply": "replies", "search": "searches", "fetch": "fetches", "watch": "watches"}
    for one in removed:
        name = plurals.get(one.kind, f"{one.kind}s")
        counts[name] = counts.get(name, 0) + 1
        counts["bytes"] += one.bytes
    return counts
