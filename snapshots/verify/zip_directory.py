"""Reads the central directory of a ZIP file: what it says is there, without believing any of it.

`zipfile` is not used: it takes what it finds, and two readers can then see two different archives in one file.
"""

import struct
from dataclasses import dataclass
from typing import BinaryIO

from snapshots.errors import Unsound

MAX_MEMBERS = 1_000_000
"""Members of one archive; a bundle of a hundred thousand pages has about as many."""

MAX_DIRECTORY = 256 * 1024 * 1024
"""Bytes of a central directory: a million members with names of two hundred characters."""

STORED = 0
DEFLATED = 8

_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64 = struct.Struct("<4sLQL")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_MAX_COMMENT = 0xFFFF  # the format has two bytes for its length
_FULL16, _FULL32 = 0xFFFF, 0xFFFFFFFF
_ZIP64 = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One member as the central directory describes it."""

    name: str
    made_by: int
    needs: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    packed: int
    size: int
    internal: int
    external: int
    offset: int
    extra: bytes
    comment: int
    """Bytes of its comment."""


@dataclass(frozen=True, slots=True)
class LocalHeader:
    """What stands before a member's bytes; `begin` is where those begin."""

    needs: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    packed: int
    size: int
    name: bytes
    extra: bytes
    begin: int


@dataclass(frozen=True)
class Directory:
    """All entries in their order. `begin` and `end` enclose the directory, `tail` is what follows the end record.

    `shift` is how far everything lies behind the place where it says it does.
    """

    entries: tuple[Entry, ...]
    begin: int
    end: int
    end_record: int
    shift: int
    comment: int
    tail: int
    file_size: int


def read_directory(file: BinaryIO) -> Directory:
    """The central directory of `file`. Raises Unsound(zip-malformed) if there is none that can be read."""
    file_size = file.seek(0, 2)
    at, comment = _find_end(file, file_size)
    file.seek(at)
    _, disk, first_disk, here, total, size, offset, _ = _END.unpack(file.read(_END.size))
    end = at
    if _FULL16 in {disk, first_disk, here, total} or _FULL32 in {size, offset}:
        end, (disk, first_disk, here, total, size, offset) = _end64(file, at)
    if disk or first_disk or here != total:
        raise _malformed("is one of several disks")
    if total > MAX_MEMBERS or size > MAX_DIRECTORY:
        raise _malformed(f"has more than {MAX_MEMBERS} members, or a directory of more than {MAX_DIRECTORY} bytes")
    begin, shift = _place(file, offset, size, end)
    entries = _entries(file, begin, size, total)
    tail = file_size - (at + _END.size + comment)
    return Directory(entries, begin, end, at, shift, comment, tail, file_size)


def _find_end(file: BinaryIO, file_size: int) -> tuple[int, int]:
    """Where the end record begins, and how long its comment is."""
    reach = min(file_size, _END.size + _MAX_COMMENT)
    file.seek(file_size - reach)
    data = file.read(reach)
    found = len(data)
    while (found := data.rfind(b"PK\x05\x06", 0, found)) >= 0:
        if found + _END.size <= len(data):
            comment = _END.unpack_from(data, found)[-1]
            if found + _END.size + comment <= len(data):
                return file_size - reach + found, comment
    raise _malformed("has no end record, as every ZIP file has: it is none, or a part is missing")


def _end64(file: BinaryIO, at: int) -> tuple[int, tuple[int, int, int, int, int, int]]:
    place = at - _LOCATOR64.size
    file.seek(max(0, place))
    mark, disk, record, disks = _LOCATOR64.unpack(_exactly(file, _LOCATOR64.size))
    if place < 0 or mark != b"PK\x06\x07" or disk or disks != 1:
        raise _malformed("needs the end record of a large archive and has none")
    record = place - _END64.size if record != place - _END64.size else record
    file.seek(max(0, record))
    mark, length, _, _, *rest = _END64.unpack(_exactly(file, _END64.size))
    if record < 0 or mark != b"PK\x06\x06" or length != _END64.size - 12:
        raise _malformed("has a damaged end record of a large archive")
    return record, (rest[0], rest[1], rest[2], rest[3], rest[4], rest[5])


def _place(file: BinaryIO, offset: int, size: int, end: int) -> tuple[int, int]:
    """Where the directory begins, and how far that is behind where it says it does."""
    if offset + size == end:
        return offset, 0
    for begin in (offset, end - size):
        if 0 <= begin <= end - size:
            file.seek(begin)
            if file.read(4) == b"PK\x01\x02":
                return begin, begin - offset
    raise _malformed("has no directory where its end record says")


def _entries(file: BinaryIO, begin: int, size: int, total: int) -> tuple[Entry, ...]:
    file.seek(begin)
    data = memoryview(_exactly(file, size))
    entries: list[Entry] = []
    at = 0
    while at < size:
        if at + _CENTRAL.size > size:
            raise _malformed("has a directory that ends in the middle of an entry")
        fields = _CENTRAL.unpack_from(data, at)
        name_end = at + _CENTRAL.size + fields[10]
        extra_end = name_end + fields[11]
        following = extra_end + fields[12]
        if fields[0] != b"PK\x01\x02" or following > size or len(entries) == total:
            raise _malformed("has a damaged directory, or one with more entries than it says")
        name, extra = bytes(data[at + _CENTRAL.size : name_end]), bytes(data[name_end:extra_end])
        entries.append(_entry(fields, name, extra))
        at = following
    if len(entries) != total:
        raise _malformed(f"has {len(entries)} entries in its directory and says {total}")
    return tuple(entries)


def _entry(fields: tuple[int, ...], name: bytes, extra: bytes) -> Entry:
    made_by, needs, flags, method, time, date, crc, packed, size = fields[1:10]
    disk, internal, external, offset = fields[13:17]
    values = zip64_values(extra, [("size", size), ("packed", packed), ("offset", offset)])
    if disk:
        raise _malformed("is one of several disks")
    return Entry(
        _text(name),
        made_by,
        needs,
        flags,
        method,
        time,
        date,
        crc,
        values["packed"],
        values["size"],
        internal,
        external,
        values["offset"],
        extra,
        fields[12],
    )


def read_local(file: BinaryIO, at: int) -> LocalHeader:
    """The header before a member's bytes. Raises Unsound(zip-malformed) if there is none."""
    if at < 0:
        raise _malformed("has lost bytes at its beginning")
    if at > file.seek(0, 2):
        raise _malformed(f"has no member at byte {at}, where its directory says")
    file.seek(at)
    fields = _LOCAL.unpack(_exactly(file, _LOCAL.size))
    if fields[0] != b"PK\x03\x04":
        raise _malformed(f"has no member at byte {at}, where its directory says")
    name, extra = _exactly(file, fields[9]), _exactly(file, fields[10])
    _, needs, flags, method, time, date, crc, packed, size, _, _ = fields
    values = zip64_values(extra, [("size", size), ("packed", packed)])
    begin = at + _LOCAL.size + len(name) + len(extra)
    return LocalHeader(needs, flags, method, time, date, crc, values["packed"], values["size"], name, extra, begin)


def zip64_values(extra: bytes, fields: list[tuple[str, int]]) -> dict[str, int]:
    """The fields, with those that do not fit into 32 bits taken from the extra field of large archives."""
    found = dict(fields)
    large = [name for name, value in fields if value == _FULL32]
    if large:
        content = extra_fields(extra).get(_ZIP64, b"")
        if len(content) < 8 * len(large):
            raise _malformed("has a large member without its size")
        found.update(zip(large, struct.unpack_from(f"<{len(large)}Q", content), strict=True))
    return found


def extra_fields(extra: bytes) -> dict[int, bytes]:
    """The extra field's parts by their kind; what cannot be read is left out."""
    found: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        found.setdefault(kind, extra[at + 4 : at + 4 + length])
        at += 4 + length
    return found


def needed_extra(size: int, packed: int, offset: int | None = None) -> bytes:
    """The extra field of a member whose sizes (both then) or offset do not fit into 32 bits, and nothing else."""
    large = [size, packed] if max(size, packed) >= _FULL32 else []
    large += [offset] if offset is not None and offset >= _FULL32 else []
    return struct.pack(f"<2H{len(large)}Q", _ZIP64, 8 * len(large), *large) if large else b""


def _text(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("cp437")


def _exactly(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise _malformed("ends too early")
    return data


def _malformed(detail: str) -> Unsound:
    return Unsound("zip-malformed", f"the file {detail}")
