"""Backup and restore: one tar file with the bucket, the state database and the log key.

Catalogue and index are not in it: they are made anew from the bucket. The log is read before the objects, so that
whatever a log entry names is among the objects that follow.
"""

import io
import os
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from service.failures import BackupRefused
from service.parts import Parts
from service.settings import Settings
from snapshots import Missing, Store, copy_of_log, open_store

Told = Callable[[str, int, int | None], None]

FORMAT: Final = "citator-backup-1\n"
MARK: Final = "citator-backup"
BUCKET: Final = "bucket/"
STATE: Final = "state.db"
KEY: Final = "log.key"
BUNDLE_KEY: Final = "bundle.key"
LOG: Final = "log/"
# The log changes these by compare-and-swap, which a plain write must not be mixed with.
SWAPPED: Final = ("log/lock", "log/checkpoint")
# Far more than any log key or state row needs; a larger member is not ours.
MAX_SMALL: Final = 1 << 30


def write_backup(parts: Parts, path: Path, told: Told) -> dict[str, Any]:
    """Write everything that cannot be made again to the tar file `path`. Blocking.

    Raises:
        BackupRefused: `path` exists, or cannot be written.
    """
    settings, store = parts.settings, parts.store
    parts.log.publish()  # what is committed and not yet published would be left out
    if path.exists():
        raise BackupRefused(f"{path} exists; a backup never overwrites")
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("xb") as file, tarfile.open(fileobj=file, mode="w") as tar:
            os.fchmod(file.fileno(), 0o600)  # the log key is in it
            _add(tar, MARK, FORMAT.encode())
            if settings.key_path.is_file():
                _add(tar, KEY, settings.key_path.read_bytes())
            if settings.bundle_key_path.is_file():
                _add(tar, BUNDLE_KEY, settings.bundle_key_path.read_bytes())
            if settings.database_url is None:
                _add(tar, STATE, _copy_of_state(settings))
            count, size = 0, 0
            for name, data in _contents(store):
                _add(tar, BUCKET + name, data)
                count, size = count + 1, size + len(data)
                told("backup", count, None)
            tar.close()
            file.flush()
            os.fsync(file.fileno())
        partial.rename(path)
    except OSError as error:
        raise BackupRefused(f"{path} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
    return {
        "path": str(path),
        "objects": count,
        "bytes": size,
        "state": settings.database_url is None,
        "note": None if settings.database_url is None else "state lies in the database server; back that up as well",
    }


def restore_backup(settings: Settings, path: Path, told: Told) -> dict[str, Any]:
    """Put a backup back into an empty bucket and data directory. Blocking; the service must not run.

    Raises:
        BackupRefused: `path` is no backup, or bucket or data directory already hold something.
    """
    data = settings.data
    if data.exists() and any(entry.name not in {"lock", "version"} for entry in data.iterdir()):
        raise BackupRefused(f"{data} is not empty; restore into a new data directory")
    if settings.key_path.exists():
        raise BackupRefused(f"{settings.key_path} exists; it is not overwritten")
    store = open_store(settings.bucket_address, **settings.store_options)
    try:
        if next(iter(store.list("")), None) is not None:
            raise BackupRefused("the bucket is not empty; restore into a new one")
        count = 0
        with tarfile.open(path, mode="r:") as tar:
            first = tar.next()
            if first is None or first.name != MARK or _content(tar, first) != FORMAT.encode():
                raise BackupRefused(f"{path} is no backup of Citator")
            for member in tar:
                _restore_member(settings, store, member.name, _content(tar, member))
                count += 1
                told("restore", count, None)
        store.sync()
    except tarfile.TarError as error:
        raise BackupRefused(f"{path} cannot be read: {error}") from error
    except OSError as error:
        raise BackupRefused(f"{path} cannot be restored: {error.strerror or error}") from error
    finally:
        store.close()
    return {"path": str(path), "members": count, "next": "catalogue and index are made anew at the next start"}


def _restore_member(settings: Settings, store: Store, name: str, data: bytes) -> None:
    if name.removeprefix(BUCKET) in SWAPPED:
        store.swap(name.removeprefix(BUCKET), data, None)
    elif name.startswith(BUCKET):
        store.put(name.removeprefix(BUCKET), data, durable=False)
    elif name == KEY:
        _write_private(settings.key_path, data)
    elif name == BUNDLE_KEY:
        _write_private(settings.bundle_key_path, data)
    elif name == STATE and settings.database_url is None:
        _write_private(settings.data / "state.db", data)


def _write_private(path: Path, data: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _contents(store: Store) -> Iterator[tuple[str, bytes]]:
    """Everything in the bucket, the log as it is at one moment before the objects that it names."""
    yield from copy_of_log(store)
    for found in store.list(""):
        if found.name.startswith(LOG):
            continue
        try:
            yield found.name, store.get(found.name)
        except Missing:
            continue  # removed since it was listed; the log that was copied says nothing else about it than before


def _copy_of_state(settings: Settings) -> bytes:
    """A consistent copy of the state database, made while it is in use."""
    with tempfile.TemporaryDirectory(dir=settings.data) as scratch:
        copy = Path(scratch) / STATE
        source = sqlite3.connect(settings.data / "state.db")
        target = sqlite3.connect(copy)
        try:
            source.backup(target)
        finally:
            source.close()
            target.close()
        return copy.read_bytes()


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    if not member.isfile() or member.size > MAX_SMALL:
        raise BackupRefused(f"the backup holds something that is no file of ours: {member.name[:200]!r}")
    file = tar.extractfile(member)
    return file.read() if file else b""


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(data), 0o600, int(time.time())
    tar.addfile(member, io.BytesIO(data))
