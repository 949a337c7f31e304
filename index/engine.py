"""The index as the rest of the program sees it: a directory that follows the log and answers queries.

Inside lies a file `current` that names the version of this format and the generation that counts; a generation is a
directory. Removal builds a new one and swaps the name.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Self

from index.analysis import folding
from index.errors import BadOption, IndexBusy, IndexDamaged, IndexVersion
from index.generation import Generation
from index.local import Known
from index.matching import Filters
from index.scripts import any_unspaced
from index.searching import run

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import date
    from types import TracebackType

    from index.pages import Hits, Page

# Raised whenever terms, fields, splitting of words or the ledger change: an older index is then built anew.
VERSION = 4

# More hits than this are no search result any more; each costs memory and time.
MAX_LIMIT = 1_000


class Index:
    """An open index. Searches may run in any number of threads and processes; one process writes.

    `Index.open(path, create=True)` makes one where there is none. Raises `IndexDamaged` where the directory is no
    whole index, `IndexVersion` where another version made it: delete it and follow the log again.
    """

    def __init__(self, path: Path, generation: Generation) -> None:
        self._path = path
        self._generation = generation
        self._lock_file: int | None = None
        self._stamp = _stamp(path)

    @classmethod
    def open(cls, path: Path | str, *, create: bool = True) -> Self:
        """Opens the index in a directory. Takes no lock: the first writing call does."""
        path = Path(path)
        if not (path / "current").exists():
            if not create or (path.is_dir() and any(entry.name != "lock" for entry in path.iterdir())):
                raise IndexDamaged(f"{path} holds no index")
            path.mkdir(parents=True, exist_ok=True)
            Generation(path / "1", create=True).end()
            _name_current(path, "1")
        return cls(path, Generation(path / _read_current(path), create=False))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def position(self) -> int:
        """The log size up to which the index has read; 0 for a new one."""
        self._refresh()
        return self._generation.position

    @property
    def passages(self) -> int:
        """How many passages it holds, of all versions."""
        self._refresh()
        return self._generation.standing.passages

    @property
    def pages(self) -> int:
        """How many pages it holds, the newest version of each address."""
        self._refresh()
        return self._generation.standing.pages

    def holds(self, captures: Collection[str]) -> bool:
        """Whether anything of these captures is in it, superseded versions too."""
        self._refresh()
        with self._generation.lock:
            return self._generation.ledger.holds(captures)

    def newest(self, url: str) -> str | None:
        """The document that is the newest at an address; None where there is none, or nobody is to find it."""
        self._refresh()
        with self._generation.lock:
            return self._generation.ledger.newest_document(url)

    def apply(self, pages: Sequence[Page], position: int) -> None:
        """Takes in what the log said up to `position`, in one commit.

        A page becomes the newest of its address, the one before is superseded at the page's position; a page that says
        what the newest says adds nothing. Pages at or below the index's position are known and passed over, so that
        the same call twice changes nothing. Raises `IndexBusy` if another process writes.
        """
        self._take_lock()
        self._generation.apply(pages, position)

    def search(
        self,
        query: str,
        *,
        limit: int = 200,
        include_domains: Collection[str] = (),
        exclude_domains: Collection[str] = (),
        language: str | None = None,
        published_after: date | None = None,
        published_before: date | None = None,
        as_of: int | None = None,
        fold: bool = True,
    ) -> Hits:
        """The best passages for what someone typed; no text is an error.

        Only the newest version of each address is searched, or the one that was newest at log size `as_of`.
        Domains take their subdomains in. Days are inclusive; a page without a day passes no date filter. A language
        filter takes `pt` and `pt-BR` alike. With `fold`, near-copies of an earlier hit name it.
        """
        if not 1 <= limit <= MAX_LIMIT:
            raise BadOption(f"limit must be between 1 and {MAX_LIMIT}")
        self._refresh()
        filters = Filters(tuple(include_domains), tuple(exclude_domains), language, published_after, published_before)
        return run(self._generation, query, filters, limit=limit, as_of=as_of, folding=fold)

    def known(self, terms: Collection[str]) -> Known:
        """How many passages have each of some terms (see `local.terms`), superseded versions among them."""
        self._refresh()
        searcher = self._generation.tantivy.searcher()
        fold = folding()
        holders = {
            term: searcher.doc_freq("words", " ".join(fold.analyze(term)))
            if any_unspaced().search(term)
            else searcher.doc_freq("stems", term)
            for term in terms
        }
        return Known(searcher.num_docs, holders)

    def remove(self, captures: Collection[str], feed: Callable[[Generation], None]) -> None:
        """Takes captures out for good: no byte of them stays in the directory when this returns.

        They are hidden from searches at once. Then `feed` is handed an empty index of the same kind and must `apply`
        everything that stays, in log order, as after a rebuild; that one takes this one's place in one step. A crash
        on the way leaves the old index with the captures hidden; call again.
        """
        self._take_lock()
        old = self._generation
        with old.lock:
            old.ledger.hide(captures)
            old.standing = old.ledger.standing()
        name = str(int(old.path.name) + 1)
        shutil.rmtree(self._path / name, ignore_errors=True)
        fresh = Generation(self._path / name, create=True)
        try:
            feed(fresh)
        except BaseException:
            fresh.end()
            shutil.rmtree(fresh.path, ignore_errors=True)
            raise
        _name_current(self._path, name)
        self._generation = fresh
        self._stamp = _stamp(self._path)
        old.close()
        self._sweep()

    def close(self) -> None:
        """Ends writing and gives the lock back. The object is of no use afterwards."""
        self._generation.end()
        if self._lock_file is not None:
            os.close(self._lock_file)
            self._lock_file = None

    def _take_lock(self) -> None:
        if self._lock_file is not None:
            return
        handle = os.open(self._path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(handle)
            raise IndexBusy(f"another process writes to the index in {self._path}") from error
        self._refresh()
        self._lock_file = handle
        self._sweep()

    def _refresh(self) -> None:
        """Follows another process that writes."""
        if self._lock_file is not None:
            return
        stamp = _stamp(self._path)
        if stamp != self._stamp:
            self._generation = Generation(self._path / _read_current(self._path), create=False)
            self._stamp = stamp
        self._generation.refresh()

    def _sweep(self) -> None:
        """Deletes what removals have left behind."""
        for entry in self._path.iterdir():
            if entry.is_dir() and entry != self._generation.path:
                shutil.rmtree(entry, ignore_errors=True)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = (path / "current").stat()
    except OSError as error:
        raise IndexDamaged(f"{path} holds no index any more") from error
    return found.st_ino, found.st_mtime_ns


def _read_current(path: Path) -> str:
    try:
        said = json.loads((path / "current").read_bytes())
        version, name = said["version"], str(said["generation"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexDamaged(f"{path / 'current'} cannot be read: {error}") from error
    if version != VERSION:
        raise IndexVersion(f"the index in {path} has version {version}, this program writes {VERSION}")
    if not name.isdecimal():
        raise IndexDamaged(f"{path / 'current'} names no generation")
    return name


def _name_current(path: Path, name: str) -> None:
    """Makes a generation the one that counts, in one step that survives a crash."""
    new = path / "current.new"
    with new.open("wb") as file:
        file.write(json.dumps({"version": VERSION, "generation": name}).encode())
        file.flush()
        os.fsync(file.fileno())
    new.replace(path / "current")
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
