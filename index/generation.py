"""One directory of the index: Tantivy's files and the ledger beside them."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING

import tantivy

from index.analysis import base_language
from index.errors import IndexDamaged, IndexFull
from index.ledger import Ledger
from index.schema import ORDINAL_BITS, build_schema, documents, register

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from index.pages import Page

# What the writer gathers before it writes a segment. Memory is taken as it fills; more makes fewer, larger segments.
_WRITER_BYTES = 64_000_000
# Passages of a commit that the ledger never saw: at most so many are looked through when writing begins.
_MOST_LEFT_OVER = 5_000_000

# How the system and SQLite say it; Tantivy hands the system's words on.
_FULL = ("No space left on device", "Disk quota exceeded", "disk is full")


@contextmanager
def damage_named(what: str) -> Iterator[None]:
    """Turns what Tantivy and SQLite say about broken files into `IndexDamaged`, and about a full disk `IndexFull`."""
    try:
        yield
    except (ValueError, OSError, RuntimeError, sqlite3.DatabaseError) as error:
        if any(sign in str(error) for sign in _FULL):
            raise IndexFull(f"{what}: {error}") from error
        raise IndexDamaged(f"{what}: {error}") from error
    except BaseException as error:
        # a panic in Tantivy is no Exception, on purpose of its makers; here it means files that make no sense
        if type(error).__name__ == "PanicException":
            raise IndexDamaged(f"{what}: {error}") from error
        raise


class Generation:
    """An open index directory. Searches may run in any thread; `apply` one at a time."""

    def __init__(self, path: Path, *, create: bool) -> None:
        self.path = path
        self.lock = RLock()
        self._writer: tantivy.IndexWriter | None = None
        self._left_over: frozenset[int] = frozenset()
        files = path / "tantivy"
        if create:
            files.mkdir(parents=True)
        with damage_named("the index cannot be opened"):
            self.tantivy = tantivy.Index(build_schema(), str(files)) if create else tantivy.Index.open(str(files))
            register(self.tantivy)
            self.tantivy.config_reader("manual")
            self.ledger = Ledger(path / "ledger.sqlite3", create=create)
            try:
                self.standing = self.ledger.standing()
                self.tantivy.reload()
            except BaseException:
                self.ledger.close()
                raise

    @property
    def position(self) -> int:
        """The log position up to which this index has read."""
        return self.standing.position

    def refresh(self) -> None:
        """Sees what another process has committed."""
        with self.lock, damage_named("the index cannot be read"):
            if self.ledger.changed():
                self._reload()

    def _reload(self) -> None:
        # the ledger first: passages newer than it are not looked at, but those that it names must be there
        standing = self.ledger.standing()
        self.tantivy.reload()
        self.standing = standing

    def apply(self, pages: Sequence[Page], position: int) -> None:
        """See `Index.apply`."""
        with self.lock, damage_named("the index cannot be written"):
            writer = self._open_writer()
            self.ledger.begin()
            try:
                added = 0
                for page in sorted(pages, key=lambda page: page.position):
                    added += self._add(page, position, writer)
                if added:
                    writer.commit()
                self.ledger.commit(max(position, self.standing.position))
            except BaseException:
                self.ledger.rollback()
                writer.rollback()
                self._left_over = self._find_left_over()
                raise
            self._reload()

    def _add(self, page: Page, position: int, writer: tantivy.IndexWriter) -> int:
        """Adds a page version, unless it is known or says what the newest one says; the number of passages added."""
        if page.position <= self.standing.position or page.position > position:
            return 0
        content = _content(page)
        newest = self.ledger.newest(page.url)
        if newest is not None and newest[1] == content:
            return 0
        self.ledger.add(page, base_language(page.language) or "", content)
        if page.position in self._left_over:
            return 0
        for document in documents(page):
            writer.add_document(document)
        return len(page.spans)

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self.tantivy.writer(_WRITER_BYTES, 1)
            self._left_over = self._find_left_over()
        return self._writer

    def _find_left_over(self) -> frozenset[int]:
        """Versions that Tantivy has committed but the ledger has not: a crash, or a full disk, came between."""
        self.tantivy.reload()
        searcher = self.tantivy.searcher()
        lowest = (self.standing.position + 1) << ORDINAL_BITS
        beyond = tantivy.Query.range_query(self.tantivy.schema, "key", tantivy.FieldType.Unsigned, lowest)
        hits = searcher.search(beyond, max(1, min(searcher.num_docs, _MOST_LEFT_OVER)), count=False).hits
        keys = searcher.fast_field_values("key", [address for _, address in hits])
        return frozenset(int(key) >> ORDINAL_BITS for key in keys if key is not None)

    def close(self) -> None:
        """Ends writing. Searches that still run finish."""
        with self.lock:
            if self._writer is not None:
                writer, self._writer = self._writer, None
                with damage_named("the index cannot be closed"):
                    writer.wait_merging_threads()

    def end(self) -> None:
        """Closes all of it. No search may run any more."""
        self.close()
        with self.lock:
            self.ledger.close()


def _content(page: Page) -> bytes:
    """A hash of everything that is indexed of a page but its address and place."""
    told = hashlib.blake2b(digest_size=16)
    facts = (page.title, page.language, page.published, page.headings, [(s.start, s.end) for s in page.spans])
    told.update(repr(facts).encode("utf-8", "surrogatepass"))
    told.update(page.text.encode("utf-8", "surrogatepass"))
    return told.digest()
