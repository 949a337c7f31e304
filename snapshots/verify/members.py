"""The members of what is verified, read as streams: out of a ZIP file, or out of a directory it was unpacked into.

Each is read once. While it passes by, it is hashed, so that it need not be read again for its hash.
"""

import os
import stat
import zlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Protocol

from snapshots.errors import Unsound
from snapshots.verify.claims import Faults
from snapshots.verify.strict_json import MAX_LINE
from snapshots.verify.zip_directory import DEFLATED, Entry, read_local
from snapshots.verify.zip_rules import good_name, may_expand, order_of

PIECE = 128 * 1024
"""Bytes that are read at once: enough to keep the hash busy, little enough to stay in the processor's cache."""

MAX_FOLDER_DEPTH = 8
"""Folders within folders that are looked into."""


class Source(Protocol):
    """Where members come from. What is wrong with them is noted as it is found, and their pieces end there."""

    @property
    def sizes(self) -> dict[str, int]:
        """Each member's size, in the members' order."""
        ...

    def pieces(self, name: str) -> Iterator[bytes]:
        """The bytes of a member."""
        ...


class ZipSource:
    """Members of a ZIP file."""

    def __init__(self, file: BinaryIO, entries: dict[str, Entry], shift: int, faults: Faults) -> None:
        self._file = file
        self._entries = entries
        self._shift = shift
        self._faults = faults
        self.sizes = {name: entry.size for name, entry in entries.items()}

    def pieces(self, name: str) -> Iterator[bytes]:
        """The member's plain bytes; its CRC and size are checked at the end."""
        entry = self._entries[name]
        try:
            begin = read_local(self._file, entry.offset + self._shift).begin
        except Unsound:
            return  # noted when the directory was read
        crc, size = 0, 0
        packed = self._packed(begin, entry)
        for piece in self._inflated(entry, packed) if entry.method == DEFLATED else packed:
            crc = zlib.crc32(piece, crc)
            size += len(piece)
            yield piece
        if size != entry.size:
            self._faults.add("zip-size", name, f"has {size} bytes instead of {entry.size}")
        if crc != entry.crc:
            self._faults.add("zip-crc", name, "its check sum (CRC-32) is wrong")

    def _packed(self, begin: int, entry: Entry) -> Iterator[bytes]:
        at, end = begin, begin + entry.packed
        while at < end:
            self._file.seek(at)
            piece = self._file.read(min(PIECE, end - at))
            if not piece:
                return
            at += len(piece)
            yield piece

    def _inflated(self, entry: Entry, packed: Iterator[bytes]) -> Iterator[bytes]:
        engine = zlib.decompressobj(-15)
        given = 0
        try:
            for piece in packed:
                waiting = piece
                while waiting and not engine.eof:
                    plain = engine.decompress(waiting, PIECE)
                    given += len(plain)
                    if given > entry.size or not may_expand(entry.packed, given):
                        self._faults.add("zip-size", entry.name, f"has more bytes than the {entry.size} it says")
                        return
                    yield plain
                    waiting = engine.unconsumed_tail
                if engine.unused_data or (waiting and engine.eof):
                    self._faults.add("zip-size", entry.name, "has bytes after the end of its packed content")
                    return
            rest = engine.flush()
            if rest:
                yield rest
        except zlib.error as problem:
            self._faults.add("zip-malformed", entry.name, f"cannot be unpacked: {problem}")
            return
        if not engine.eof:
            self._faults.add("zip-malformed", entry.name, "its packed content ends too early")


class DirectorySource:
    """Files of a directory into which an archive was unpacked. Links are not followed; `strict`: it is a bundle."""

    def __init__(self, root: Path, faults: Faults, *, strict: bool) -> None:
        self._root = root
        self._faults = faults
        self._strict = strict
        self.sizes = dict(sorted(self._walk(root, "", 0), key=lambda each: order_of(each[0])))

    def _walk(self, folder: Path, prefix: str, depth: int) -> Iterator[tuple[str, int]]:
        with os.scandir(folder) as found:
            for each in found:
                name = prefix + each.name
                if each.is_dir(follow_symlinks=False) and depth < MAX_FOLDER_DEPTH:
                    yield from self._walk(folder / each.name, f"{name}/", depth + 1)
                    continue
                if not each.is_file(follow_symlinks=False) or not good_name(name, strict=self._strict):
                    self._faults.add("zip-bad-name", name, "is a link, no plain file, or has a name no member may have")
                if each.is_file(follow_symlinks=False):
                    yield name, each.stat(follow_symlinks=False).st_size

    def pieces(self, name: str) -> Iterator[bytes]:
        """The bytes of the file."""
        descriptor = os.open(self._root / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return
            while piece := file.read(PIECE):
                yield piece


class FileSource:
    """One file that is no archive of files, under its own name."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self.sizes = {name: file.seek(0, 2)}

    def pieces(self, name: str) -> Iterator[bytes]:
        """The bytes of the file."""
        del name
        self._file.seek(0)
        while piece := self._file.read(PIECE):
            yield piece


class Members:
    """Reads members once each, and knows the hash and size of each that it has read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.sizes = source.sizes
        self.digests: dict[str, tuple[str, int]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.sizes

    def pieces(self, name: str) -> Iterator[bytes]:
        """The bytes of a member. Whoever stops before the end has the rest hashed all the same."""
        digest, size = sha256(), 0
        source = self._source.pieces(name)
        try:
            for piece in source:
                digest.update(piece)
                size += len(piece)
                yield piece
        finally:
            for piece in source:
                digest.update(piece)
                size += len(piece)
            self.digests[name] = digest.hexdigest(), size

    def whole(self, name: str, limit: int) -> bytes:
        """A member of at most `limit` bytes. Raises Unsound(malformed) if it is not there or is larger."""
        if name not in self.sizes:
            raise Unsound("malformed", f"{name} is not there")
        data = bytearray()
        for piece in self.pieces(name):
            if len(data) <= limit:
                data += piece
        if len(data) > limit:
            raise Unsound("malformed", f"{name} has more than {limit} bytes")
        return bytes(data)

    def lines(self, name: str, *, loose: bool = False) -> Iterator[tuple[int, bytes]]:
        """The lines of a member without their ends, numbered from 1.

        Raises:
            Unsound: `malformed` if it is not there, for a line that is too long, and, unless `loose`, for a last one
                without its end.
        """
        if name not in self.sizes:
            raise Unsound("malformed", "it is not there")
        number = 0
        rest = bytearray()
        for piece in self.pieces(name):
            rest += piece
            if b"\n" in piece:
                *whole, last = rest.split(b"\n")
                for line in whole:
                    number += 1
                    yield number, bytes(line)
                rest = bytearray(last)
            if len(rest) > MAX_LINE:
                raise Unsound("malformed", f"line {number + 1} has more than {MAX_LINE} bytes")
        if rest and not loose:
            raise Unsound("malformed", f"line {number + 1} has no end")
        if rest:
            yield number + 1, bytes(rest)

    def read_the_rest(self) -> None:
        """Hashes every member that nobody has read."""
        for name in self.sizes:
            if name not in self.digests:
                for _ in self.pieces(name):
                    pass
