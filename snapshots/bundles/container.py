"""A ZIP file in the strict form of bundles: one way to write each, so that the same members give the same bytes.

Members are filled one by one in files of their own, where their size, checksum and hash are found out; then they are
put together. So every header is right when it is written, and no member is ever held in memory.
"""

import shutil
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final, Self

LEVEL: Final = 6
"""As gzip has it by default: higher levels take several times as long and save two per cent."""

STORED_ENDINGS: Final = (".gz", ".png", ".pdf", ".tsr")
"""Members that are compressed already, or that readers of web archives seek in."""

COPY_BYTES: Final = 1024 * 1024

_SMALL: Final = 0xFFFFFFFF
_FEW: Final = 0xFFFF
_DATE: Final = 33
"""1 January 1980, the first day that the format knows; times of making would make each bundle another."""
_MODE: Final = 0o100644 << 16
_UNIX: Final = 3 << 8
_PLAIN_VERSION: Final = 20
_ZIP64_VERSION: Final = 45

_LOCAL: Final = struct.Struct("<IHHHHHIIIHH")
_CENTRAL: Final = struct.Struct("<IHHHHHHIIIHHHHHII")
_END: Final = struct.Struct("<IHHHHIIH")
_END64: Final = struct.Struct("<IQHHIIQQQQ")
_PLACE64: Final = struct.Struct("<IIQI")


@dataclass(frozen=True, slots=True)
class Member:
    """A finished member: its bytes as they will lie in the ZIP file are in the file `path`, `packed` bytes long.

    `size`, `crc` and `digest` (SHA-256, hex) are of its plain bytes.
    """

    name: str
    path: Path
    size: int
    packed: int
    crc: int
    digest: str
    deflated: bool


class Filling:
    """A member that is being written. Use as a context manager; `member` is there after the block."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self._path = path
        self._file = path.open("xb")
        self._pack = None if name.endswith(STORED_ENDINGS) else zlib.compressobj(LEVEL, zlib.DEFLATED, -15)
        self._hash = sha256()
        self._crc = 0
        self.size = 0
        self._packed = 0
        self._member: Member | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            self._file.close()

    @property
    def member(self) -> Member:
        """What was written."""
        assert self._member is not None, "the member is still being written"
        return self._member

    def write(self, data: bytes) -> None:
        """Adds plain bytes."""
        self._hash.update(data)
        self._crc = zlib.crc32(data, self._crc)
        self.size += len(data)
        self._put(data if self._pack is None else self._pack.compress(data))

    def _put(self, data: bytes) -> None:
        self._packed += len(data)
        self._file.write(data)

    def _finish(self) -> None:
        if self._pack is not None:
            self._put(self._pack.flush())
        self._member = Member(
            name=self.name,
            path=self._path,
            size=self.size,
            packed=self._packed,
            crc=self._crc,
            digest=self._hash.hexdigest(),
            deflated=self._pack is not None,
        )


def assemble(members: Iterable[Member], out: BinaryIO) -> int:
    """Writes the ZIP file of `members`, in their order, to `out`; gives its size. The members' files are removed."""
    central = bytearray()
    count = offset = 0
    for member in members:
        central += _central(member, offset)
        head = _local(member, offset)
        out.write(head)
        with member.path.open("rb") as file:
            shutil.copyfileobj(file, out, COPY_BYTES)
        member.path.unlink()
        offset += len(head) + member.packed
        count += 1
    out.write(central)
    end = _end(count, len(central), offset)
    out.write(end)
    return offset + len(central) + len(end)


def _version(member: Member, offset: int) -> int:
    return _ZIP64_VERSION if max(member.size, member.packed, offset) >= _SMALL else _PLAIN_VERSION


def _local(member: Member, offset: int) -> bytes:
    name = member.name.encode("ascii")
    large = max(member.size, member.packed) >= _SMALL
    extra = struct.pack("<HHQQ", 1, 16, member.size, member.packed) if large else b""
    return (
        _LOCAL.pack(
            0x04034B50,
            _version(member, offset),
            0,
            zlib.DEFLATED if member.deflated else 0,
            0,
            _DATE,
            member.crc,
            _SMALL if large else member.packed,
            _SMALL if large else member.size,
            len(name),
            len(extra),
        )
        + name
        + extra
    )


def _central(member: Member, offset: int) -> bytes:
    name = member.name.encode("ascii")
    large = max(member.size, member.packed) >= _SMALL
    numbers = ([member.size, member.packed] if large else []) + ([offset] if offset >= _SMALL else [])
    extra = struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers) if numbers else b""
    version = _version(member, offset)
    return (
        _CENTRAL.pack(
            0x02014B50,
            _UNIX | version,
            version,
            0,
            zlib.DEFLATED if member.deflated else 0,
            0,
            _DATE,
            member.crc,
            _SMALL if large else member.packed,
            _SMALL if large else member.size,
            len(name),
            len(extra),
            0,
            0,
            0,
            _MODE,
            min(offset, _SMALL),
        )
        + name
        + extra
    )


def _end(count: int, length: int, offset: int) -> bytes:
    large = b""
    if count >= _FEW or length >= _SMALL or offset >= _SMALL:
        version = _ZIP64_VERSION
        large = _END64.pack(0x06064B50, 44, _UNIX | version, version, 0, 0, count, count, length, offset)
        large += _PLACE64.pack(0x07064B50, 0, offset + length, 1)
    few = min(count, _FEW)
    return large + _END.pack(0x06054B50, 0, 0, few, few, min(length, _SMALL), min(offset, _SMALL), 0)
