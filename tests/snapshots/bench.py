"""An archive on a directory and SQLite, as tests take it apart and put it together again."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import zstandard
from sqlalchemy import select

from snapshots import Archive, Batch, Capture, Kept, Log, LogKey, Search, Serving, open_store
from snapshots.tables import METADATA
from tests.snapshots.evidence import body_of, capture_of, document_of, search_of, serving_of
from tests.snapshots.faulty import BusyCatalogue, FaultyStore, open_gate


class Bench:
    """One process's archive below `folder`; `node` has a catalogue of its own."""

    def __init__(
        self,
        folder: Path,
        *,
        gate: Callable[[str, Sequence[str]], None] = open_gate,
        node: str = "first",
        catalogue_url: str | None = None,
        **options: Any,
    ) -> None:
        self.folder = folder
        key = folder / "log.key"
        if not key.exists():
            LogKey.generate("test.example/log").save(key)
        self.store = FaultyStore(open_store(folder / "bucket"), open_gate)
        self.log = Log.open(self.store, LogKey.load(key), create=True)
        self.catalogue = BusyCatalogue.open(catalogue_url or f"sqlite:///{folder / f'{node}.db'}")
        self.archive = Archive(self.store, self.log, self.catalogue, **options)
        self.store.gate = gate

    def keep(self, *records: Any, blobs: Sequence[bytes] = ()) -> Kept:
        return self.archive.keep(Batch(tuple(blobs), records)).result(timeout=60)

    def keep_page(self, url: str, text: str) -> Capture:
        capture = capture_of(url, text)
        self.keep(document_of(text), capture, blobs=[body_of(text)])
        return capture

    def keep_search(self, shown: Sequence[tuple[Capture, str]], body: bytes, **dropped: Any) -> tuple[Search, Serving]:
        search = search_of(shown, **dropped)
        serving = serving_of(search, body)
        self.keep(search, serving, blobs=[body])
        return search, serving

    def contents(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of the catalogue that is a view of bucket and log."""
        with self.catalogue._database.read() as connection:
            return {
                table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
                for table in METADATA.sorted_tables
            }

    def traces(self, words: str) -> list[str]:
        """The files below the folder in which these words are found, compressed or not."""
        found = []
        for path in self.folder.rglob("*"):
            if not path.is_file():
                continue
            data = path.read_bytes()
            if data.startswith(zstandard.FRAME_HEADER):
                data += zstandard.ZstdDecompressor().decompress(data)
            if words.encode() in data:
                found.append(str(path.relative_to(self.folder)))
        return found

    def close(self) -> None:
        """Leaves in good order."""
        self.archive.close()
        self.log.close()
        self.catalogue.close()
        self.store.close()

    def again(self, **changes: Any) -> "Bench":
        """Closes, and opens the same again."""
        self.close()
        return Bench(self.folder, **changes)

    def die(self) -> None:
        """Lets go of everything without tidying up; what the gate of a dead process refused stays undone."""
        self.archive.close()
        self.catalogue.close()
