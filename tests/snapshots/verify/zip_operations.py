"""What the list of mutations does to the written ZIP file, and to an unpacked bundle."""

import bz2
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.snapshots.verify.mutable import Bundle
from tests.snapshots.verify.zips import FIELDS, ZipEntry, ZipFile, deflated, entry

Step = dict[str, Any]
Change = Callable[[ZipFile, ZipEntry], None]


def zips(bundle: Bundle, step: Step) -> None:
    what = step["do"]
    change = _named_entry(what) if what in _NAMES else _DONE[what]
    bundle.zip_changes.append(lambda file: change(file, file.entry(step.get("entry", "README"))))


_NAMES = {
    "an entry ../evil.txt is put in after README": b"../evil.txt",
    "an entry evidence/../evil.txt is put in after README": b"evidence/../evil.txt",
    "an entry /tmp/evil.txt is put in after README": b"/tmp/evil.txt",
    "an entry evidence\\evil.txt is put in after README": b"evidence\\evil.txt",
    "an entry C:evil.txt is put in after README": b"C:evil.txt",
    "an entry evidence/.evil is put in after README": b"evidence/.evil",
    "an entry evidence//evil.txt is put in after README": b"evidence//evil.txt",
    "an entry README, NUL, .exe is put in after README": b"README\0.exe",
    "an entry evidence/évil.txt in UTF-8, flags 0, is put in after README": "evidence/évil.txt".encode(),
}


def _named_entry(what: str) -> Change:
    def change(file: ZipFile, _: ZipEntry) -> None:
        new = entry("README", b"evil")
        new.name = _NAMES[what]
        file.after("README", new)

    return change


def _twin(name: str | None, data: bytes | None) -> Change:
    def change(file: ZipFile, one: ZipEntry) -> None:
        old = one.name.decode()
        plain = one.data if one.central["method"] == 0 else zlib.decompress(one.data, -15)
        file.after(old, entry(name or old, plain if data is None else data))

    return change


def _directory(file: ZipFile, _: ZipEntry) -> None:
    file.after("pages/pages.jsonl", entry("evidence/", b"", stored=True))


def _both(**changes: int) -> Change:
    return lambda _, one: one.both(**changes)


def _external(mode: int) -> Change:
    def change(_: ZipFile, one: ZipEntry) -> None:
        one.external = mode << 16

    return change


def _descriptor(_: ZipFile, one: ZipEntry) -> None:
    said = dict(one.central)
    one.both(flags=8)
    one.local |= {"crc": 0, "packed": 0, "size": 0}
    one.after = struct.pack("<4s3L", b"PK\x07\x08", said["crc"], said["packed"], said["size"])


def _file(**changes: Any) -> Change:
    def change(file: ZipFile, _: ZipEntry) -> None:
        for name, value in changes.items():
            setattr(file, name, value)

    return change


def _entry(**changes: Any) -> Change:
    def change(_: ZipFile, one: ZipEntry) -> None:
        for name, value in changes.items():
            setattr(one, name, value)

    return change


def _local(what: str, change: Callable[[int], int]) -> Change:
    def done(_: ZipFile, one: ZipEntry) -> None:
        one.local[what] = change(one.local[what])

    return done


def _said(what: str, new: Callable[[int], int]) -> Change:
    def done(_: ZipFile, one: ZipEntry) -> None:
        one.both(**{what: new(one.central[what])})

    return done


def _packed(change: Callable[[bytes], bytes]) -> Change:
    def done(_: ZipFile, one: ZipEntry) -> None:
        one.data = change(one.data)
        one.both(packed=len(one.data))

    return done


def _bomb(_: ZipFile, one: ZipEntry) -> None:
    one.data = deflated(bytes(1 << 28))
    one.both(method=8, packed=len(one.data), size=1000)


def _overlap(file: ZipFile, one: ZipEntry) -> None:
    other = file.entry("evidence/index.html")
    other.central |= {name: one.central[name] for name in ("method", "crc", "packed", "size")}
    file.gap = b""
    _ = file.data  # so that the place of the one is known
    other.said_offset = one.offset


def _quoted(file: ZipFile, one: ZipEntry) -> None:
    after = file.entries[file.entries.index(one) + 1]
    name = after.name if after.local_name is None else after.local_name
    length = 30 + len(name) + len(after.data)
    plain = zlib.decompress(one.data, -15) if one.central["method"] else one.data
    one.data = plain
    one.both(method=0, size=len(plain) + length, packed=len(plain) + length)
    said = [after.local[field] for field in FIELDS]
    head = struct.pack("<4s5H3L2H", b"PK\3\4", *said, len(name), 0)
    one.both(crc=zlib.crc32(plain + head + name + after.data))


def _bzip2(_: ZipFile, one: ZipEntry) -> None:
    one.data = bz2.compress(zlib.decompress(one.data, -15))
    one.both(method=12, packed=len(one.data))


def _deflate(_: ZipFile, one: ZipEntry) -> None:
    one.data = deflated(one.data)
    one.both(method=8, packed=len(one.data))


def _extra(kind: int) -> Change:
    def change(_: ZipFile, one: ZipEntry) -> None:
        sizes = struct.pack("<2Q", one.central["size"], one.central["packed"])
        body = b"\1" + struct.pack("<L", zlib.crc32(one.name)) + b"evil.txt" if kind == 0x7075 else sizes
        one.local_extra = one.central_extra = struct.pack("<2H", kind, len(body)) + body

    return change


def _other_order(file: ZipFile, one: ZipEntry) -> None:
    order = list(file.entries)
    at = order.index(one)
    order[at], order[at + 1] = order[at + 1], order[at]
    file.central_order = order


_SHELL = b"#!/bin/sh\n"
_EMPTY_END = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0, 0, 0, 0, 0)
_DONE: dict[str, Change] = {
    "a second entry of the same name and bytes after it": _twin(None, None),
    "a second entry of the same name with other bytes after it": _twin(None, b"other bytes"),
    "a second entry evidence/Records.jsonl": _twin("evidence/Records.jsonl", None),
    "an entry evidence/ without bytes is put in before the first of evidence/": _directory,
    "the central external attributes say 0o120777": _external(0o120777),
    "the central external attributes say 0o100755": _external(0o100755),
    "the upper byte of version made by is 0": _entry(made_by=20),
    "flag bit 0 is set in both headers": _both(flags=1),
    "flag bit 11 is set in both headers": _both(flags=1 << 11),
    "flag bit 3 in both headers, sizes and CRC 0 in the local one, a data descriptor after the data": _descriptor,
    "#!/bin/sh and a newline before the first entry, all offsets moved": _file(prefix=_SHELL),
    "#!/bin/sh and a newline before the first entry, offsets as they were": _file(prefix=_SHELL, prefix_counts=False),
    "16 bytes after the end record": _file(tail=bytes(16)),
    "16 bytes before its local header, offsets moved": _entry(before=bytes(16)),
    "16 bytes before the central directory, its offset moved": _file(gap=bytes(16)),
    "its central header is left out, counts and sizes fit": _entry(hidden=True),
    "the end record has the comment hello": _file(comment=b"hello"),
    "its central header has the comment hello": _entry(comment=b"hello"),
    "the end record has an empty archive's end record as its comment": _file(comment=_EMPTY_END),
    "the local name is evidence/READYY.txt": _entry(local_name=b"evidence/READYY.txt"),
    "the local method is the other one of stored and deflated": _local("method", lambda old: 8 - old),
    "the local uncompressed size is one less": _local("size", lambda old: old - 1),
    "a bit of the local CRC is flipped": _local("crc", lambda old: old ^ 4),
    "the same bit of both CRCs is flipped": _said("crc", lambda old: old ^ 4),
    "both uncompressed sizes are one less": _said("size", lambda old: old - 1),
    "both uncompressed sizes are one more": _said("size", lambda old: old + 1),
    "deflated; 16 bytes after its stream, both compressed sizes and the offsets fit": _packed(
        lambda data: data + bytes(16)
    ),
    "deflated; the last 8 bytes of its stream left out, both compressed sizes and the offsets fit": _packed(
        lambda data: data[:-8]
    ),
    "both uncompressed sizes are 4294967000": _both(size=4294967000),
    "its data is the deflate stream of 256 MiB of zeros; both uncompressed sizes are 1000": _bomb,
    "the central header of evidence/index.html has its offset, sizes, CRC and method": _overlap,
    "stored; both its sizes reach to the end of the next entry, CRC to fit": _quoted,
    "method 12 in both headers, its data compressed so": _bzip2,
    "deflated, method 8 in both headers": _deflate,
    "a field 0x7075 (Unicode path evil.txt) in both headers": _extra(0x7075),
    "a field 0x0001 with its sizes in both headers, the sizes themselves stand as they were": _extra(1),
    "2024-05-06 07:08:10 in both headers": _both(time=7 << 11 | 8 << 5 | 5, date=44 << 9 | 5 << 5 | 6),
    "its central header changes places with the next one's": _other_order,
    "both counts of the end record are one less": _file(count_off=-1),
    "the number of this disk is 1": _file(disk=1),
    "the second half of the file is left out": _file(cut=lambda data: data[: len(data) // 2]),
    "everything is left out": _file(cut=lambda _: b""),
}


# ---- unpacked


def unpack(bundle: Bundle, step: Step) -> None:
    bundle.unpacked = _DONE_UNPACKED[step["do"]]


def write_unpacked(bundle: Bundle, folder: Path) -> None:
    for name, data in bundle.members.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert bundle.unpacked is not None
    bundle.unpacked(folder)


def _link(folder: Path) -> None:
    path, copy = folder / "evidence" / "README.txt", folder.with_name(f"{folder.name}-copy.txt")
    path.rename(copy)
    path.symlink_to(copy)


_DONE_UNPACKED: dict[str, Callable[[Path], Any]] = {
    "nothing else": lambda _: None,
    "evidence/notes.txt is put in": lambda folder: (folder / "evidence" / "notes.txt").write_text("x"),
    "evidence/README.txt is a symbolic link to its copy outside of the directory": _link,
}

OPERATIONS: dict[str, Callable[[Bundle, Step], None]] = {"zip": zips, "unpack": unpack}
