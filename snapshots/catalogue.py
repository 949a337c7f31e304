"""The catalogue: which captures of this address, which record names this id, where is this passage.

A view of bucket and log. It is fed entry by entry in the order of the log, and may be wiped and fed again.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from sqlalchemy import Select, delete, func, literal, select

from snapshots.answers import PassageRef
from snapshots.applying import LOGGED, NAMED_AT_ONCE, add, set_value, value, values
from snapshots.catalogue_rows import CaptureRow, Naming, PassageRow
from snapshots.database import TIMEOUT, Database, chunks
from snapshots.deeds import Deletion
from snapshots.foreign import seen_here
from snapshots.ids import from_raw, to_raw
from snapshots.rows import PREFIX, Entry, address_prefix, number
from snapshots.tables import (
    METADATA,
    SCHEMA,
    addresses,
    captures,
    considered,
    entries,
    links,
    passages,
    removed,
)
from snapshots.times import milliseconds, stamp

CANDIDATES: Final = 10
"""How many ids an ambiguous prefix is answered with."""


class Catalogue:
    """The view over one database. Thread-safe; several processes may use the same one.

    Every call may raise CatalogueBusy, StoreFull or another CatalogueError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.anything_removed = True
        """Whether anything was ever removed, as far as is known. Mostly nothing was, and then nobody needs to ask."""
        self.unfinished = True
        """Whether a deletion may have been applied here that has not been finished; who finishes it says so."""

    @classmethod
    def open(cls, url: str, *, timeout: float = TIMEOUT) -> Self:
        """Opens or makes the catalogue at a SQLAlchemy address. Raises CatalogueVersion for another version's."""
        return cls(Database(url, SCHEMA, timeout=timeout))

    # feeding

    def position(self) -> int:
        """How many entries of the log have been applied."""
        with self._database.read() as connection:
            return value(connection, "position")

    def apply(self, first: int, batch: Sequence[Entry]) -> int:
        """Applies the entries of the log from position `first` on, in one transaction; returns the new position.

        Entries that have been applied before are passed over. If entries before `first` are missing, nothing is
        applied and the position where they begin is returned.
        """
        with self._database.write() as connection:
            position, removal = values(connection, "position", "removal")
            self.anything_removed = bool(removal)
            if not first <= position < first + len(batch):
                return position
            add(connection, position, batch[position - first :])
            if any(isinstance(entry.record, Deletion) for entry in batch):
                self.anything_removed = self.unfinished = True
            return first + len(batch)

    def wipe(self) -> None:
        """Empties the catalogue, as if it were new."""
        with self._database.write() as connection:
            for table in METADATA.sorted_tables:
                connection.execute(delete(table))

    def removal(self) -> int:
        """The position after the last deletion that was applied, by whatever process; 0 if there was none."""
        with self._database.read() as connection:
            return value(connection, "removal")

    def unscrubbed(self) -> int:
        """The position after the last deletion applied, if it has not been finished by `scrub`; otherwise 0."""
        with self._database.read() as connection:
            removal = value(connection, "removal")
            return removal if value(connection, "scrubbed") < removal else 0

    def scrub(self, until: int) -> None:
        """Leaves no byte of removed rows in the database's files, and notes deletions before `until` as finished."""
        self._database.scrub()
        with self._database.write() as connection:
            if value(connection, "scrubbed") < until:
                set_value(connection, "scrubbed", until)

    # asking

    def captures(self, url: str, *, limit: int = 100, before: int | None = None) -> list[CaptureRow]:
        """The captures that asked for `url` or ended at it, the last one kept first; those below position `before`."""
        query = _captures_of(url).order_by(captures.c.position.desc()).limit(limit)
        if before is not None:
            query = query.where(captures.c.position < before)
        return self._captures(query)

    def capture(self, record_id: str) -> CaptureRow | None:
        """A capture by its id; None if it was removed or is none."""
        found = self._captures(_capture_rows().where(entries.c.id == to_raw(record_id)).limit(1))
        return found[0] if found else None

    def latest(self, url: str, *, not_before: str | datetime | None = None) -> CaptureRow | None:
        """The last capture of `url` that was seen here whole (outcome `ok`), retrieved at `not_before` or later."""
        query = _captures_of(url).where(captures.c.outcome == "ok", seen_here())
        query = query.order_by(captures.c.position.desc()).limit(1)
        if not_before is not None:
            query = query.where(captures.c.retrieved_at >= _milliseconds(not_before))
        found = self._captures(query)
        return found[0] if found else None

    def newest(self, urls: Iterable[str], states: Collection[str] | None) -> dict[str, CaptureRow]:
        """For each of `urls` the last capture with a text and one of `states`; without those as `latest` gives it."""
        wanted = set(urls)
        with_text = captures.c.document.is_not(None)
        of_these = [seen_here()] if states is None else [captures.c.page_state.in_(states), with_text]
        found: dict[str, CaptureRow] = {}
        for part in chunks(wanted, NAMED_AT_ONCE):
            last = (
                select(func.max(captures.c.position))
                .join(addresses, addresses.c.position == captures.c.position)
                .where(addresses.c.address.in_([number(address_prefix(url)) for url in part]))
                .join(entries, entries.c.position == captures.c.position)
                .where(captures.c.outcome == "ok", *of_these)
                .group_by(addresses.c.address, captures.c.asked, captures.c.final)
            )
            for row in self._captures(_capture_rows().where(captures.c.position.in_(last))):
                for url in wanted.intersection((row.asked, row.final)):
                    if url not in found or found[url].position < row.position:
                        found[url] = row
        return found

    def of_crawl(self, crawl: str, *, after: int = -1, limit: int = 1000) -> list[CaptureRow]:
        """The captures of a crawl, in the order of the log, from after position `after` on."""
        query = (
            _capture_rows()
            .join(links, (links.c.source == captures.c.position) & (links.c.target == to_raw(crawl)))
            .where(links.c.source > after, captures.c.crawl == to_raw(crawl))
            .order_by(links.c.source)
            .limit(limit)
        )
        return self._captures(query)

    def captures_between(
        self, since: datetime | None, until: datetime | None, *, after: int = -1, limit: int = 1000
    ) -> list[CaptureRow]:
        """The captures retrieved at `since` or later and before `until`, in the order of the log, after a position."""
        query = _capture_rows().where(captures.c.position > after).order_by(captures.c.position).limit(limit)
        if since is not None:
            query = query.where(captures.c.retrieved_at >= _milliseconds(since))
        if until is not None:
            query = query.where(captures.c.retrieved_at < _milliseconds(until))
        return self._captures(query)

    def passage(self, passage_id: str) -> PassageRow | None:
        """Where a passage is, and which record showed it first."""
        query = (
            select(passages, entries.c.id.label("record"))
            .join(entries, entries.c.position == passages.c.source)
            .where(passages.c.id == to_raw(passage_id))
        )
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        ref = PassageRef(
            id=passage_id, capture=from_raw(row.capture), ordinal=row.ordinal, start=row.start, end=row.end
        )
        return PassageRow(ref, from_raw(row.record), row.source)

    def passages_of(self, capture: str) -> list[str]:
        """The ids of the passages of a capture that some record shows. Reads the whole table."""
        with self._database.read() as connection:
            query = select(passages.c.id).where(passages.c.capture == to_raw(capture))
            return [from_raw(raw) for raw in connection.execute(query).scalars()]

    def position_of(self, record_id: str) -> int | None:
        """The place of a logged record."""
        query = select(func.min(entries.c.position)).where(entries.c.id == to_raw(record_id))
        with self._database.read() as connection:
            return connection.execute(query).scalar()

    def naming(
        self, target: str, *, kind: str | None = None, limit: int | None = None, after: int = -1
    ) -> list[Naming]:
        """The logged records (of one kind, after a position) that name a capture, document, blob or record, in order.

        Searches that had it as a candidate and did not show it are not among them: see `considering`.
        """
        query = _namings().join(links, links.c.source == entries.c.position).where(links.c.target == to_raw(target))
        if kind is not None:
            query = query.where(entries.c.kind == kind)
        if after >= 0:
            query = query.where(links.c.source > after)
        return self._namings(query.limit(limit))

    def named_by(self, position: int) -> list[str]:
        """What the record at a position names, for when it cannot be read any more. Reads the whole table."""
        with self._database.read() as connection:
            found = connection.execute(select(links.c.target).where(links.c.source == position)).scalars().all()
        return [from_raw(raw) for raw in found]

    def considering(self, capture: str | None = None, *, url: str | None = None) -> list[Naming]:
        """Searches that may have had a capture, or an address without capture, as a candidate: read them to be sure."""
        prefix = to_raw(capture)[:PREFIX] if capture is not None else address_prefix(url or "")
        with self._database.read() as connection:
            postgresql = connection.dialect.name == "postgresql"
            place = (
                func.position(literal(prefix).op("IN")(considered.c.prefixes))
                if postgresql
                else func.instr(considered.c.prefixes, prefix)
            )
            query = _namings().join(considered, considered.c.position == entries.c.position).where(place > 0)
            rows = connection.execute(query.order_by(entries.c.position)).all()
        return [Naming(row.position, from_raw(row.id), row.kind) for row in rows]

    def entries(self, first: int, limit: int) -> list[Naming]:
        """The entries of the log from position `first` on: ids and kinds; the kind of a lost record is empty."""
        return self._namings(_namings().where(entries.c.position >= first, entries.c.position < first + limit))

    def of_kind(self, kind: str, *, first: int = 0, end: int | None = None) -> list[Naming]:
        """The entries of one kind at positions `first` to `end` (not included)."""
        query = _namings().where(entries.c.kind == kind, entries.c.position >= first)
        return self._namings(query if end is None else query.where(entries.c.position < end))

    def recent(self, kinds: Iterable[str], *, limit: int, before: int | None = None) -> list[Naming]:
        """The newest entries of some kinds, newest first; `before` gives those at lower positions only."""
        query = _namings().where(entries.c.kind.in_(list(kinds))).order_by(entries.c.position.desc())
        if before is not None:
            query = query.where(entries.c.position < before)
        return self._namings(query.limit(limit))

    def leading_to(self, target: str) -> Naming | None:
        """The first logged record that names a document or blob and still exists."""
        found = self.naming(target, limit=1)
        return found[0] if found else None

    def named(self, targets: Iterable[str]) -> set[str]:
        """Those of `targets` that a logged record names and that record still exists."""
        found: set[str] = set()
        with self._database.read() as connection:
            for part in chunks(targets, NAMED_AT_ONCE):
                query = select(links.c.target).distinct().where(links.c.target.in_([to_raw(name) for name in part]))
                found.update(from_raw(raw) for raw in connection.execute(query).scalars())
        return found

    def deletion_of(self, object_id: str) -> str | None:
        """The deletion under which an id was removed; None if it never was, or has been kept again since."""
        raw = to_raw(object_id)
        query = (
            select(entries.c.id, removed.c.kind, removed.c.deletion)
            .join(removed, removed.c.deletion == entries.c.position)
            .where(removed.c.id == raw)
        )
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            if row.kind == "capture":
                again = select(captures.c.position).join(entries, entries.c.position == captures.c.position)
                again = again.where(entries.c.id == raw)
            elif row.kind in LOGGED:
                again = select(entries.c.position).where(entries.c.id == raw, entries.c.position > row.deletion)
            else:
                again = select(links.c.source).where(links.c.target == raw)
            kept_again = connection.execute(again.limit(1)).first() is not None
        return None if kept_again else from_raw(row.id)

    def at(self, moment: str | datetime) -> int:
        """How many entries the log had at a time: the position of the first record kept after it, or all."""
        query = select(func.min(entries.c.position)).where(entries.c.at > _milliseconds(moment))
        with self._database.read() as connection:
            found: int | None = connection.execute(query).scalar()
            return value(connection, "position") if found is None else found

    def find(self, prefix: str) -> list[str]:
        """Up to ten ids, of whatever kind and removed ones too, that begin with these hex digits (12 to 64)."""
        low, high = bytes.fromhex(prefix.ljust(64, "0")), bytes.fromhex(prefix.ljust(64, "f"))
        found: set[bytes] = set()
        with self._database.read() as connection:
            for column in (entries.c.id, passages.c.id, links.c.target, removed.c.id):
                query = select(column).distinct().where(column.between(low, high)).order_by(column).limit(CANDIDATES)
                found.update(connection.execute(query).scalars())
        return [from_raw(raw) for raw in sorted(found)[:CANDIDATES]]

    def counts(self) -> dict[str, int]:
        """How many entries, captures and passages the catalogue knows."""
        with self._database.read() as connection:
            return {
                table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
                for table in (entries, captures, passages, removed)
            }

    @contextmanager
    def _stream(self, query: Select[Any]) -> Iterator[Iterator[Any]]:
        with self._database.read() as connection:
            yield iter(connection.execution_options(yield_per=NAMED_AT_ONCE).execute(query))

    def removals(self, *, unscrubbed: bool = False) -> Iterator[tuple[str, str]]:
        """Every removed id and its kind, by id; only those of deletions that are not finished if so asked."""
        query = select(removed.c.id, removed.c.kind).order_by(removed.c.id)
        if unscrubbed:
            with self._database.read() as connection:
                query = query.where(removed.c.deletion >= value(connection, "scrubbed"))
        with self._stream(query) as rows:
            for row in rows:
                yield from_raw(row.id), row.kind

    def removed_among(self, ids: Iterable[str]) -> set[str]:
        """Those of `ids` under which something was removed by an entry before the last ones applied here."""
        found: set[str] = set()
        if self.anything_removed:
            with self._database.read() as connection:
                for part in chunks(ids, NAMED_AT_ONCE):
                    query = select(removed.c.id).where(removed.c.id.in_([to_raw(name) for name in part]))
                    found.update(from_raw(raw) for raw in connection.execute(query).scalars())
        return found

    def targets(self) -> Iterator[str]:
        """Every capture, document, blob and record that a logged record names, by id; not what searches dropped."""
        with self._stream(select(links.c.target).distinct().order_by(links.c.target)) as rows:
            for row in rows:
                yield from_raw(row.target)

    def backup_to(self, path: Path) -> None:
        """Writes a whole copy to the new file `path` while others go on writing (SQLite only)."""
        self._database.backup_to(path)

    def close(self) -> None:
        """Gives back the connections."""
        self._database.close()

    def _captures(self, query: Select[Any]) -> list[CaptureRow]:
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return [_capture_row(row) for row in rows]

    def _namings(self, query: Select[Any]) -> list[Naming]:
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(entries.c.position)).all()
        return [Naming(row.position, from_raw(row.id), row.kind) for row in rows]


def _capture_rows() -> Select[Any]:
    return select(captures, entries.c.id).join(entries, entries.c.position == captures.c.position)


def _captures_of(url: str) -> Select[Any]:
    return (
        _capture_rows()
        .join(addresses, addresses.c.position == captures.c.position)
        .where(addresses.c.address == number(address_prefix(url)))
        .where((captures.c.final == url) | (captures.c.asked == url))
    )


def _namings() -> Select[Any]:
    return select(entries.c.position, entries.c.id, entries.c.kind)


def _capture_row(row: Any) -> CaptureRow:
    return CaptureRow(
        position=row.position,
        id=from_raw(row.id),
        asked=row.asked,
        final=row.final,
        retrieved_at=stamp(datetime.fromtimestamp(row.retrieved_at / 1000, UTC)),
        document=_named(row.document),
        body=_named(row.body),
        outcome=row.outcome,
        page_state=row.page_state,
        method=row.method,
        crawl=_named(row.crawl),
    )


def _named(raw: bytes | None) -> str | None:
    return None if raw is None else from_raw(raw)


def _milliseconds(moment: str | datetime) -> int:
    return milliseconds(moment if isinstance(moment, str) else stamp(moment))
