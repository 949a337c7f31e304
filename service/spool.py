"""What was got from the web and the bucket did not take: it waits in files of the data directory.

One file holds one batch: a line of JSON that says how long each part is and what all of them hash to, then the parts.
It is written aside, made durable and renamed, so that what has a name is whole.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock

import orjson
import structlog

from snapshots import (
    Archive,
    BadRecord,
    Batch,
    Capture,
    Document,
    EvidenceError,
    Record,
    StoreError,
    StoreUnreachable,
    read,
)

MAX_BYTES = 256 * 1024 * 1024
"""Of all waiting files: some thousand pages. A bucket that is away for long must not fill the disk beside it."""
MAX_FILES = 5_000
"""Each time a page is added the folder is listed."""
MAX_HEAD = 1024 * 1024
"""Bytes of a file's first line; one part takes ten."""
AT_ONCE = 16
"""Files kept after a commit that succeeded: whoever made it should not wait for all of them."""
PAUSE = 10.0
"""Seconds after a failure in which commits that succeed do not try again: a bucket may take one and not the other."""
SUFFIX = ".batch"
DAMAGED = ".damaged"

Notice = Callable[[int], None]
"""Told the log position of a capture that was kept."""

log = structlog.get_logger()


class KeptForRetry(StoreError):
    """The bucket did not take what was fetched; it waits in a file and is kept later. `means`: what the bucket said."""

    def __init__(self, means: StoreError, waiting: str) -> None:
        self.means = means
        super().__init__(f"{means}. {waiting}")


class Spool:
    """The waiting batches of one data directory, which this process holds. Thread-safe; calls block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._turn = Lock()
        self._number = max((int(path.stem) for path in self._files()), default=0)
        self.waiting = len(list(self._files()))
        """How many batches wait."""
        self._again = float("-inf")

    def put(self, batch: Batch, cause: StoreError) -> KeptForRetry | None:
        """Write down the captures and documents of a batch that could not be kept; None if it has none of the web's.

        The error to be raised says where they wait, or why they do not.
        """
        records = [record for record in batch.records if isinstance(record, Capture | Document)]
        if not any(isinstance(one, Capture) and one.method in ("http", "browser") for one in records):
            return None
        try:
            with self._turn:
                path = self._write(batch.blobs, [record.encoded for record in records])
        except OSError as error:
            return KeptForRetry(
                cause, f"What was fetched is lost, since it could not be written down: {error.strerror}"
            )
        if path is None:
            return KeptForRetry(cause, f"What was fetched is lost: {self._folder} holds as much as may wait there")
        return KeptForRetry(cause, f"What was fetched waits in {path} and is kept as soon as the bucket takes it")

    def retry(self, archive: Archive, notice: Notice, *, limit: int | None = None) -> int:
        """Keep what waits, the first that came first; returns how many batches were kept.

        With a limit at most so many, and none soon after a failure. What the bucket still does not take goes on
        waiting; that is no error.
        """
        if not self.waiting or (limit is not None and time.monotonic() < self._again):
            return 0
        done = 0
        with self._turn:
            for path in sorted(self._files())[:limit]:
                try:
                    self._keep(path, archive, notice)
                except (EvidenceError, OSError) as error:
                    self._again = time.monotonic() + PAUSE
                    log.warning("what was fetched goes on waiting", path=str(path), reason=str(error))
                    if isinstance(error, StoreUnreachable):
                        break
                else:
                    done += 1
            self.waiting = len(list(self._files()))
        if done:
            log.info("what was fetched while the bucket failed is kept now", batches=done, waiting=self.waiting)
        return done

    def _keep(self, path: Path, archive: Archive, notice: Notice) -> None:
        try:
            blobs, records = _parts(path.read_bytes())
        except BadRecord as error:
            log.warning("a waiting batch is damaged and set aside", path=str(path), reason=str(error))
            path.rename(path.with_suffix(DAMAGED))
            return
        # The bucket may have been lost in the very moment of the commit: then they are in the log already.
        archive.catch_up()
        new = [one for one in records if isinstance(one, Document) or archive.catalogue.position_of(one.id) is None]
        if any(isinstance(one, Capture) for one in new):
            kept = archive.keep(Batch(blobs=blobs, records=tuple(new))).result()
            notice(max(kept.positions.values()))
        path.unlink()

    def _write(self, blobs: tuple[bytes, ...], records: list[bytes]) -> Path | None:
        body = b"".join((*blobs, *records))
        told = {"blobs": list(map(len, blobs)), "records": list(map(len, records))}
        data = orjson.dumps(told | {"sha256": hashlib.sha256(body).hexdigest()}) + b"\n" + body
        held = [path.stat().st_size for path in self._files()]
        if len(held) >= MAX_FILES or sum(held) + len(data) > MAX_BYTES:
            return None
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._number += 1
        path = self._folder / f"{self._number:012}{SUFFIX}"
        new = self._folder / "new"
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.rename(path)
        for folder in (self._folder, self._folder.parent):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        self.waiting += 1
        return path

    def _files(self) -> Iterator[Path]:
        return (path for path in self._folder.glob(f"*{SUFFIX}") if path.stem.isdecimal())


def _parts(data: bytes) -> tuple[tuple[bytes, ...], list[Record]]:
    """The blobs and records of a file. Raises BadRecord if it is not what was written."""
    head, _, body = data.partition(b"\n")
    try:
        told = orjson.loads(head[:MAX_HEAD])
        lengths = [*told["blobs"], *told["records"]]
        if hashlib.sha256(body).hexdigest() != told["sha256"] or sum(lengths) != len(body):
            raise BadRecord("its bytes are not those that were written")
        parts, at = [], 0
        for length in lengths:
            parts.append(body[at : at + length])
            at += length
        count = len(told["blobs"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadRecord(f"it has no head: {error}") from None
    records = [read(part) for part in parts[count:]]
    return tuple(parts[:count]), [record for record in records if isinstance(record, Capture | Document)]
