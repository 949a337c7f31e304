"""Which page versions the index holds, and from and until which log position each was the newest of its address.

A SQLite file beside the Tantivy files. Its commit is the index's commit: passages that Tantivy holds of versions above
the ledger's position do not exist yet. It holds addresses and ids, never text.
"""

from __future__ import annotations

import sqlite3
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from index.pages import Page

_TABLES = """
CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO state VALUES ('position', 0);
CREATE TABLE pages (
    position INTEGER PRIMARY KEY,  -- log position of the capture: the version's number
    until INTEGER,                 -- log position of the version that took its place
    hidden INTEGER NOT NULL DEFAULT 0,
    passages INTEGER NOT NULL,
    capture TEXT NOT NULL,
    document TEXT NOT NULL,
    url TEXT NOT NULL,
    language TEXT NOT NULL,
    content BLOB NOT NULL          -- hash of what was indexed
);
CREATE INDEX newest ON pages (url) WHERE until IS NULL;
CREATE INDEX captured ON pages (capture);
CREATE INDEX past ON pages (position) WHERE until IS NOT NULL OR hidden;
"""
# Versions whose pointers are remembered between searches: some 15 MB when full.
_MAX_REMEMBERED = 30_000
# Waits for another process's commit, which takes milliseconds.
_PATIENCE = 10.0
# SQLite takes so many values in one statement at least.
_MOST_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Standing:
    """What the ledger says at one moment. `until` has the versions that are not the newest; hidden ones have 0."""

    position: int
    until: dict[int, int]
    languages: dict[str, int]
    passages: int
    pages: int


class Version(NamedTuple):
    """Where a page version's text comes from."""

    capture: str
    document: str
    url: str


class Ledger:
    """The open file. Not safe for two threads at once: its owner holds a lock."""

    def __init__(self, path: Path, *, create: bool) -> None:
        if not create and not path.exists():
            raise sqlite3.DatabaseError("the ledger is missing")
        self._db = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            if create:
                self._db.executescript(f"BEGIN;{_TABLES}COMMIT;")
        except BaseException:
            self._db.close()
            raise
        # A replaced index is let go while searches may still run in it: the file is closed with the last of them.
        weakref.finalize(self, self._db.close)
        self._known: dict[int, Version] = {}
        self._seen = -1

    def changed(self) -> bool:
        """Whether another connection has committed since this was last asked."""
        (version,) = self._db.execute("PRAGMA data_version").fetchone()
        seen, self._seen = self._seen, version
        return bool(seen != version)

    def standing(self) -> Standing:
        """The whole of it that searches need, read at one moment."""
        self._db.execute("BEGIN")
        try:
            (position,) = self._db.execute("SELECT value FROM state WHERE name = 'position'").fetchone()
            past = self._db.execute(
                "SELECT position, CASE WHEN hidden THEN 0 ELSE until END FROM pages WHERE until IS NOT NULL OR hidden",
            ).fetchall()
            languages = self._db.execute("SELECT language, sum(passages) FROM pages GROUP BY language").fetchall()
            (pages,) = self._db.execute("SELECT count(*) FROM pages WHERE until IS NULL AND NOT hidden").fetchone()
        finally:
            self._db.execute("ROLLBACK")
        return Standing(position, dict(past), dict(languages), sum(count for _, count in languages), pages)

    def begin(self) -> None:
        """Begins a change; other writers wait."""
        self._db.execute("BEGIN IMMEDIATE")

    def commit(self, position: int) -> None:
        """Makes the change so, and with it what Tantivy has committed before."""
        self._db.execute("UPDATE state SET value = ? WHERE name = 'position'", (position,))
        self._db.execute("COMMIT")

    def rollback(self) -> None:
        """Undoes the change, if one has begun."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def newest(self, url: str) -> tuple[int, bytes] | None:
        """Version and content of the newest page at an address."""
        query = "SELECT position, content FROM pages WHERE url = ? AND until IS NULL"
        row: tuple[int, bytes] | None = self._db.execute(query, (url,)).fetchone()
        return row

    def newest_document(self, url: str) -> str | None:
        """The document of the newest page at an address, unless it is hidden."""
        query = "SELECT document FROM pages WHERE url = ? AND until IS NULL AND NOT hidden"
        row: tuple[str] | None = self._db.execute(query, (url,)).fetchone()
        return None if row is None else row[0]

    def add(self, page: Page, language: str, content: bytes) -> None:
        """A version that is now the newest of its address."""
        self._db.execute("UPDATE pages SET until = ? WHERE url = ? AND until IS NULL", (page.position, page.url))
        self._db.execute(
            "INSERT INTO pages (position, passages, capture, document, url, language, content)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (page.position, len(page.spans), page.capture, page.document, page.url, language, content),
        )

    def hide(self, captures: Collection[str]) -> None:
        """Takes the versions of these captures out of every search, at once."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("UPDATE pages SET hidden = 1 WHERE capture = ?", [(capture,) for capture in captures])
        self._db.execute("COMMIT")

    def holds(self, captures: Iterable[str]) -> bool:
        """Whether a version of any of these captures is in it."""
        query = "SELECT 1 FROM pages WHERE capture = ? LIMIT 1"
        return any(self._db.execute(query, (capture,)).fetchone() for capture in captures)

    def versions(self, positions: Iterable[int]) -> dict[int, Version]:
        """Pointers of versions; those not asked for may be among them."""
        asked = set(positions)
        missing = sorted(asked.difference(self._known))
        if len(self._known) + len(missing) > _MAX_REMEMBERED:
            self._known = {}
            missing = sorted(asked)
        known = self._known
        for at in range(0, len(missing), _MOST_AT_ONCE):
            some = missing[at : at + _MOST_AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT position, capture, document, url FROM pages WHERE position IN ({marks})"  # noqa: S608 -- only question marks
            for position, *pointer in self._db.execute(query, some):
                known[position] = Version._make(pointer)
        return known

    def close(self) -> None:
        """Closes the file."""
        self._db.close()
