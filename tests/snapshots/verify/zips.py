"""ZIP files written field by field, so that each field can be wrong."""

import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

STORED_ONLY = (".gz", ".png", ".pdf", ".tsr")
FIELDS = ("needs", "flags", "method", "time", "date", "crc", "packed", "size")


def deflated(data: bytes) -> bytes:
    engine = zlib.compressobj(6, zlib.DEFLATED, -15)
    return engine.compress(data) + engine.flush()


@dataclass
class ZipEntry:
    """A member: what each header says, and the bytes between them. `before` and `after` belong to nobody."""

    name: bytes
    data: bytes
    local: dict[str, int] = field(default_factory=dict)
    central: dict[str, int] = field(default_factory=dict)
    local_name: bytes | None = None
    local_extra: bytes = b""
    central_extra: bytes = b""
    comment: bytes = b""
    before: bytes = b""
    after: bytes = b""
    hidden: bool = False
    offset: int = 0
    said_offset: int | None = None
    made_by: int = 3 << 8 | 20
    external: int = 0o100644 << 16

    def both(self, **changes: int) -> None:
        self.local |= changes
        self.central |= changes


def entry(name: str, data: bytes, *, stored: bool | None = None) -> ZipEntry:
    """An entry by the rules."""
    stored = name.endswith(STORED_ONLY) if stored is None else stored
    packed = data if stored else deflated(data)
    said = {
        "needs": 20, "flags": 0, "method": 0 if stored else 8, "time": 0, "date": 0x21, "crc": zlib.crc32(data),
        "packed": len(packed), "size": len(data),
    }  # fmt: skip
    return ZipEntry(name.encode(), packed, dict(said), dict(said))


@dataclass
class ZipFile:
    """A whole file. What is added by the last fields is against the rules."""

    entries: list[ZipEntry]
    central_order: list[ZipEntry] | None = None
    prefix: bytes = b""
    prefix_counts: bool = True
    gap: bytes = b""
    comment: bytes = b""
    tail: bytes = b""
    count_off: int = 0
    disk: int = 0
    cut: Callable[[bytes], bytes] = bytes

    def entry(self, name: str) -> ZipEntry:
        return next(each for each in self.entries if each.name == name.encode())

    def after(self, name: str, *new: ZipEntry) -> None:
        place = self.entries.index(self.entry(name)) + 1
        self.entries[place:place] = new

    @property
    def data(self) -> bytes:
        out = bytearray(self.prefix)
        for each in self.entries:
            out += each.before
            each.offset = len(out) - (0 if self.prefix_counts else len(self.prefix))
            name = each.name if each.local_name is None else each.local_name
            said = [each.local[field] for field in FIELDS]
            out += struct.pack("<4s5H3L2H", b"PK\3\4", *said, len(name), len(each.local_extra))
            out += name + each.local_extra + each.data + each.after
        out += self.gap
        begin, count = len(out) - (0 if self.prefix_counts else len(self.prefix)), 0
        directory = bytearray()
        for each in self.central_order or self.entries:
            if each.hidden:
                continue
            count += 1
            said = [each.central[field] for field in FIELDS]
            directory += struct.pack(
                "<4s6H3L5H2L", b"PK\1\2", each.made_by, *said, len(each.name), len(each.central_extra),
                len(each.comment), 0, 0, each.external, each.offset if each.said_offset is None else each.said_offset,
            )  # fmt: skip
            directory += each.name + each.central_extra + each.comment
        out += directory
        count += self.count_off
        out += struct.pack("<4s4H2LH", b"PK\5\6", self.disk, 0, count, count, len(directory), begin, len(self.comment))
        return self.cut(bytes(out + self.comment + self.tail))


def zipped(members: Mapping[str, bytes]) -> ZipFile:
    return ZipFile([entry(name, data) for name, data in members.items()])
