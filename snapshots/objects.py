"""The content-addressed layer on a store: every blob and record under the SHA-256 of its plain bytes.

An object lies at `objects/<first two hex digits>/<64 hex digits>`, plain, or as one zstd frame where that is smaller.
Which of the two needs no mark: the name says what the hash of the plain bytes is. See `docs/formats/bucket.md`.
"""

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import zstandard

from snapshots.errors import DamagedObject, Missing, UnknownId
from snapshots.ids import digest, is_id, parse_prefix
from snapshots.store import Store

FOLDER = "objects/"

LEVEL = 10
"""Measured on Debian's HTML documentation, pages with their documents, against gzip -6 of the pages (1 ms of CPU):
level 3 keeps 1.82 for 0.3 ms a page, 9 1.62 for 1.5, 10 1.61 for 1.6, 12 1.60 for 4.0, 15 1.55 for 10, 16 1.54 for 17.
A page costs some 60 ms to read, so 10 is the last step that costs nothing to speak of."""

QUICK_LEVEL = 3
"""For what somebody waits for: a search's record and reply take 0.3 ms instead of 1.2, and a tenth more room."""

WORTHWHILE = 0.95
"""A frame above this share of the plain size is not kept: reading it would cost time and save nothing."""

SAMPLE = 128 * 1024
"""Bytes of a larger object that are tried first, quickly, so that no second is spent on a video or a zip file."""

BATCH_BYTES = 32 * 1024 * 1024
"""At-rest bytes handed to the store at once; bounds memory, and is far more than one page or one search makes."""

MAX_OBJECT = 2 * 1024 * 1024 * 1024
"""Plain bytes of the largest object that is read; a damaged frame must not make us allocate what its header claims."""


@dataclass(frozen=True, slots=True)
class Held:
    """One object of a listing: its id, and its size at rest in bytes."""

    id: str
    size: int


class Objects:
    """Keeps blobs in `store` under their ids. Thread-safe; several processes may share the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._local = threading.local()

    def put(self, blobs: Iterable[bytes], *, fresh: bool = False) -> list[str]:
        """Keeps each blob, durably when it returns; gives their ids in order.

        What is there already is read and checked, and written anew if it is damaged. With `fresh` it is not: for
        blobs that cannot have been kept before, such as records with a nonce.
        """
        ids: list[str] = []
        batch: dict[str, bytes] = {}
        waiting = 0
        for blob in blobs:
            ids.append(digest(blob))
            name = _name(ids[-1])
            if name in batch:
                continue
            batch[name] = self._at_rest(blob)
            waiting += len(batch[name])
            if waiting >= BATCH_BYTES:
                self._write(batch, fresh=fresh)
                batch, waiting = {}, 0
        if batch:
            self._write(batch, fresh=fresh)
        return ids

    def at_rest(self, blobs: Iterable[bytes]) -> dict[str, bytes]:
        """What is stored of each blob, by the name of its object; for whoever writes it to the store with more.

        Compressed in haste: these are records and replies, which somebody waits for.
        """
        return {_name(digest(blob)): self._at_rest(blob, QUICK_LEVEL) for blob in blobs}

    def get(self, object_id: str) -> bytes:
        """The plain bytes of a full id, checked against it; raises `UnknownId`, `DamagedObject`."""
        try:
            stored = self._store.get(_name(object_id))
        except Missing:
            raise UnknownId(object_id) from None
        return self._plain(object_id, stored)

    def find(self, prefix: str) -> list[str]:
        """The ids that begin with `prefix` (12 or more hex digits, `sha256:` may go before), sorted; raises `BadId`."""
        digits = parse_prefix(prefix)
        return [held.id for held in self._list(f"{FOLDER}{digits[:2]}/{digits}")]

    def exists(self, ids: Iterable[str]) -> frozenset[str]:
        """Those of the full ids `ids` that are kept; whether whole is not looked at."""
        return frozenset(self.sizes(ids))

    def sizes(self, ids: Iterable[str]) -> dict[str, int]:
        """The size at rest, in bytes, of each of the full ids `ids` that is kept."""
        names = {_name(object_id): object_id for object_id in ids}
        return {names[name]: size for name, size in self._store.sizes(names).items()}

    def all(self) -> Iterator[Held]:
        """Every object that is kept, by id."""
        return self._list(FOLDER)

    def delete(self, ids: Iterable[str]) -> None:
        """Removes the objects of the full ids `ids`, durably; one that is not kept is no error."""
        self._store.delete([_name(object_id) for object_id in ids])

    def _write(self, batch: dict[str, bytes], *, fresh: bool) -> None:
        taken = self._store.put_new(batch)
        for name in () if fresh else sorted(taken):
            try:
                self.get(_id(name))
            except (DamagedObject, UnknownId):  # unknown: removed by someone else since, and now seen again
                self._store.put(name, batch[name])

    def _list(self, prefix: str) -> Iterator[Held]:
        for stat in self._store.list(prefix):
            object_id = _id(stat.name)
            if is_id(object_id) and stat.name == _name(object_id):  # what else lies there is not ours
                yield Held(object_id, stat.size)

    def _at_rest(self, blob: bytes, level: int = LEVEL) -> bytes:
        if len(blob) > SAMPLE:
            sample = blob[:SAMPLE]
            if len(zstandard.ZstdCompressor(level=1).compress(sample)) > WORTHWHILE * len(sample):
                return blob
        frame = self._compressor(level).compress(blob)
        return frame if len(frame) < WORTHWHILE * len(blob) else blob

    def _plain(self, object_id: str, stored: bytes) -> bytes:
        if stored.startswith(zstandard.FRAME_HEADER):
            plain = self._unpacked(stored)
            if plain is not None and digest(plain) == object_id:
                return plain
        if digest(stored) == object_id:  # plain, and a zstd file that someone served is plain too
            return stored
        raise DamagedObject(object_id)

    def _unpacked(self, frame: bytes) -> bytes | None:
        try:
            if not 0 <= zstandard.get_frame_parameters(frame).content_size <= MAX_OBJECT:
                return None
            return self._decompressor().decompress(frame)
        except (zstandard.ZstdError, MemoryError):
            return None

    def _compressor(self, level: int) -> zstandard.ZstdCompressor:
        """One for each thread and level: they keep their working memory, and are not for several threads at once."""
        made: dict[int, zstandard.ZstdCompressor] = self._local.__dict__.setdefault("compressors", {})
        if level not in made:
            made[level] = zstandard.ZstdCompressor(level=level)
        return made[level]

    def _decompressor(self) -> zstandard.ZstdDecompressor:
        if not hasattr(self._local, "decompressor"):
            self._local.decompressor = zstandard.ZstdDecompressor()
        decompressor: zstandard.ZstdDecompressor = self._local.decompressor
        return decompressor


def _name(object_id: str) -> str:
    digits = object_id.removeprefix("sha256:")
    return f"{FOLDER}{digits[:2]}/{digits}"


def _id(name: str) -> str:
    return "sha256:" + name.rpartition("/")[2]
