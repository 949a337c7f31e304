"""Feeding the catalogue: what one entry of the log changes in its tables. Runs inside a transaction of the caller."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, delete, select, update

from snapshots.database import chunks
from snapshots.deeds import Deletion
from snapshots.ids import to_raw
from snapshots.rows import Entry, Rows
from snapshots.tables import (
    INTO_ADDRESSES,
    INTO_CAPTURES,
    INTO_CONSIDERED,
    INTO_ENTRIES,
    INTO_LINKS,
    INTO_PASSAGES,
    INTO_REMOVED,
    addresses,
    captures,
    considered,
    entries,
    links,
    removed,
)

LOGGED: Final = ("capture", "session", "event", "agent", "search", "fetch", "recheck", "serving", "watch")
"""Kinds of removed objects that stand in the log themselves."""
NAMED_AT_ONCE: Final = 500
"""Ids in one statement; both databases allow many more."""


def add(connection: Connection, position: int, batch: Sequence[Entry]) -> None:
    """Adds the entries of the log from `position` on."""
    rows = Rows()
    for at, entry in enumerate(batch, position):
        rows.add(at, entry)
        if isinstance(entry.record, Deletion):
            # What it removes may stand before it in this very batch.
            _insert(connection, rows)
            rows = Rows()
            _remove(connection, at, entry.record)
    _insert(connection, rows)
    set_value(connection, "position", position + len(batch))


def _insert(connection: Connection, rows: Rows) -> None:
    INTO_ENTRIES.run(connection, rows.entries)
    INTO_CAPTURES.run(connection, rows.captures)
    INTO_ADDRESSES.run(connection, rows.addresses)
    INTO_LINKS.run(connection, rows.links)
    INTO_CONSIDERED.run(connection, rows.considered)
    INTO_PASSAGES.run(connection, rows.passages)


def _remove(connection: Connection, position: int, deletion: Deletion) -> None:
    """Takes out what a deletion removes: what removed captures named, and who named removed documents and blobs.

    A document or blob that a later record names again is therefore there again, and only then.
    """
    for part in chunks([to_raw(gone.id) for gone in deletion.removed], NAMED_AT_ONCE):
        # One that was removed before, and kept again since, is removed by this deletion from now on.
        connection.execute(delete(removed).where(removed.c.id.in_(part)))
    INTO_REMOVED.run(connection, [(to_raw(gone.id), position, gone.kind) for gone in deletion.removed])
    for kind in LOGGED:
        gone = [to_raw(one.id) for one in deletion.removed if one.kind == kind]
        for part in chunks(gone, NAMED_AT_ONCE):
            places = connection.execute(select(entries.c.position).where(entries.c.id.in_(part))).scalars().all()
            connection.execute(update(entries).where(entries.c.position.in_(places)).values(kind=kind, at=None))
            _unnamed(connection, kind, places)
    gone_objects = [to_raw(gone.id) for gone in deletion.removed if gone.kind not in LOGGED]
    for part in chunks(gone_objects, NAMED_AT_ONCE):
        connection.execute(delete(links).where(links.c.target.in_(part)))
    set_value(connection, "removal", position + 1)


def _unnamed(connection: Connection, kind: str, places: Sequence[int]) -> None:
    """Takes out what removed records named. Both tables of them are read whole, so only if there is anything."""
    found = places
    if kind == "capture":
        there = select(captures.c.position).where(captures.c.position.in_(places))
        found = connection.execute(there).scalars().all()
        if found:
            connection.execute(delete(captures).where(captures.c.position.in_(found)))
            connection.execute(delete(addresses).where(addresses.c.position.in_(found)))
    if kind == "search":
        connection.execute(delete(considered).where(considered.c.position.in_(places)))
    if found:
        connection.execute(delete(links).where(links.c.source.in_(found)))


def value(connection: Connection, name: str) -> int:
    """One line of `progress`; 0 if it is not there."""
    query = f"SELECT value FROM progress WHERE name = '{name}'"  # noqa: S608 - a constant of this module
    found: int | None = connection.exec_driver_sql(query).scalar()
    return found or 0


def values(connection: Connection, *names: str) -> tuple[int, ...]:
    """Several lines of `progress`; 0 for one that is not there."""
    lines = {row.name: row.value for row in connection.exec_driver_sql("SELECT name, value FROM progress")}
    return tuple(lines.get(name, 0) for name in names)


def set_value(connection: Connection, name: str, number: int) -> None:
    """Writes one line of `progress`."""
    kept = f"INSERT INTO progress (name, value) VALUES ('{name}', {number})"  # noqa: S608 - a constant and a number
    connection.exec_driver_sql(f"{kept} ON CONFLICT (name) DO UPDATE SET value = {number}")
