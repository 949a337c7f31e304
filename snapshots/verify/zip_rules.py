"""The rules a bundle's ZIP file keeps, so that every reader sees the same members in it; and laxer ones for others."""

import re
import struct
from collections.abc import Sequence
from itertools import pairwise
from typing import BinaryIO

from snapshots.errors import Unsound
from snapshots.verify.claims import Faults
from snapshots.verify.zip_directory import (
    DEFLATED,
    STORED,
    Directory,
    Entry,
    LocalHeader,
    needed_extra,
    read_local,
)

MAX_EXPANSION = 1100
"""How many times larger than its packed form anything may be; DEFLATE itself ends at 1,032."""

FREE_EXPANSION = 1024 * 1024
"""Bytes to which anything may grow, however small it is packed."""

FIRST_MEMBERS = ("archive/data.warc.gz", "indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl")
LAST_MEMBERS = ("README", "datapackage.json", "datapackage-digest.json")

_PART = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"
_BUNDLE_NAME = re.compile(f"{_PART}(?:/{_PART})?", re.ASCII)
_STORED_ONLY = (".gz", ".png", ".pdf", ".tsr")
_UNIX_FILE = 0o100644 << 16
_UNIX = 3
_VERSIONS = {10, 20, 45}
_FIRST_DAY = 0x21
_DESCRIPTOR, _UTF8, _DEFLATE_OPTIONS = 1 << 3, 1 << 11, 0b110
_MAX_NAME = 1024  # longer ones cannot be unpacked anyway


def may_expand(packed: int, size: int) -> bool:
    """Whether something of `packed` bytes may become `size` bytes."""
    return size <= max(FREE_EXPANSION, packed * MAX_EXPANSION)


def check_directory(file: BinaryIO, directory: Directory, faults: Faults, *, strict: bool) -> dict[str, Entry]:
    """Holds every entry against the rules; gives the members by name, of several under one name the first.

    `strict` are the rules for bundles. Foreign archives may have comments, extra fields, data descriptors, flags for
    them, and any order, times and attributes.
    """
    if directory.tail:
        faults.add("zip-gap", "end", f"{directory.tail} bytes stand after the end of the ZIP file")
    if directory.shift:
        faults.add("zip-gap", "beginning", f"everything lies {directory.shift} bytes from where the directory says")
    if strict and directory.comment:
        faults.add("zip-comment", "end", "the ZIP file has a comment")
    found: dict[str, Entry] = {}
    folded: dict[str, str] = {}
    for entry in directory.entries:
        other = folded.setdefault(entry.name.casefold(), entry.name)
        if entry.name in found or other != entry.name:
            faults.add("zip-duplicate-name", entry.name, f"is the same name as {other}")
        found.setdefault(entry.name, entry)
        check_entry(entry, faults, strict=strict)
    if strict:
        _check_order([entry.name for entry in directory.entries], faults)
    _check_places(file, directory, faults, strict=strict)
    return {name: entry for name, entry in found.items() if not (entry.name.endswith("/") and not entry.size)}


def good_name(name: str, *, strict: bool) -> bool:
    """Whether a member may have this name: no tricks with paths, and for bundles a plain form."""
    if strict:
        return _BUNDLE_NAME.fullmatch(name) is not None
    parts = name.removesuffix("/").split("/")
    plain = len(name) <= _MAX_NAME and name.isprintable() and "\\" not in name
    return plain and not any(part in {"", ".", ".."} or ":" in part for part in parts)


def check_entry(entry: Entry, faults: Faults, *, strict: bool) -> None:
    """Holds what the directory says of one member against the rules."""
    name = entry.name
    if not good_name(name, strict=strict):
        faults.add("zip-bad-name", name, "no member may have this name")
    only_stored = name.endswith(_STORED_ONLY) or (not strict and name.startswith("archive/"))
    if entry.method not in {STORED, DEFLATED} or (only_stored and entry.method != STORED and entry.size):
        faults.add("zip-method", name, "is packed (or packed again) in a way that is not allowed for it")
    if entry.flags & ~(0 if strict else _DESCRIPTOR | _UTF8 | _DEFLATE_OPTIONS):
        faults.add("zip-flags", name, f"has the flags {entry.flags:#06x}")
    if entry.method == STORED and entry.packed != entry.size:
        faults.add("zip-size", name, f"is stored as it is, with two sizes: {entry.packed} and {entry.size}")
    if not may_expand(entry.packed, entry.size):
        faults.add("zip-bomb", name, f"would grow from {entry.packed} to {entry.size} bytes")
    if strict:
        _check_form(entry, faults)


def _check_form(entry: Entry, faults: Faults) -> None:
    """What does not change what is read, and has one form in a bundle all the same."""
    name = entry.name
    if (entry.time, entry.date) != (0, _FIRST_DAY):
        faults.add("zip-time", name, "its time is not the fixed one, 1980-01-01 00:00")
    versions = entry.made_by & 0xFF in _VERSIONS and entry.needs in _VERSIONS
    if entry.external != _UNIX_FILE or entry.internal or entry.made_by >> 8 != _UNIX or not versions:
        faults.add("zip-attributes", name, "is not marked as a plain file with the usual rights")
    if entry.comment:
        faults.add("zip-comment", name, "has a comment")
    if entry.extra != needed_extra(entry.size, entry.packed, entry.offset):
        faults.add("zip-extra", name, "has an extra field that it does not need, or lacks one")


def order_of(name: str) -> tuple[int, str]:
    """The place of a member of a bundle among the others, as something to sort by."""
    if name in FIRST_MEMBERS:
        return FIRST_MEMBERS.index(name), name
    if name in LAST_MEMBERS:
        return len(FIRST_MEMBERS) + 1 + LAST_MEMBERS.index(name), name
    return len(FIRST_MEMBERS), name


def belongs(name: str) -> bool:
    """Whether a bundle has members of this name at all."""
    return name in FIRST_MEMBERS or name in LAST_MEMBERS or name.startswith(("attached/", "evidence/", "session/"))


def _check_order(names: Sequence[str], faults: Faults) -> None:
    for name in names:
        if not belongs(name):
            faults.add("zip-order", name, "has no place in a bundle")
    for before, after in pairwise(names):
        if order_of(before) > order_of(after):
            faults.add("zip-order", after, f"stands after {before}")


def _check_places(file: BinaryIO, directory: Directory, faults: Faults, *, strict: bool) -> None:
    """Members lie one after the other, from the first byte to the directory, with the same header twice."""
    entries = sorted(directory.entries, key=lambda entry: entry.offset)
    if strict and list(directory.entries) != entries:
        faults.add("zip-order", "directory", "lists the members in another order than they lie in")
    reached = directory.shift
    before: Entry | None = None
    for entry in entries:
        at = entry.offset + directory.shift
        _check_between(file, reached, at, before, faults)
        try:
            local = read_local(file, at)
        except Unsound as problem:
            faults.add(problem.reason, entry.name, str(problem))
            reached = max(reached, at)
            before = None
            continue
        _check_local(entry, local, faults, strict=strict)
        reached, before = local.begin + entry.packed, entry
    _check_between(file, reached, directory.begin, before, faults)
    if directory.end > directory.begin + _length(directory):
        faults.add("zip-gap", "directory", "bytes stand between the directory and the end record")


def _length(directory: Directory) -> int:
    return sum(46 + len(entry.name.encode()) + len(entry.extra) + entry.comment for entry in directory.entries)


def _check_between(file: BinaryIO, reached: int, at: int, before: Entry | None, faults: Faults) -> None:
    """Nothing lies between two members, or over them, but the one's data descriptor."""
    if at == reached:
        return
    where = before.name if before else "beginning"
    if at < reached:
        faults.add("zip-overlap", where, f"the next member begins {reached - at} bytes before this one ends")
    elif not (before and before.flags & _DESCRIPTOR and _is_descriptor(file, reached, at - reached, before)):
        faults.add("zip-gap", where, f"{at - reached} bytes that belong to no member follow")


def _is_descriptor(file: BinaryIO, at: int, length: int, entry: Entry) -> bool:
    values = (entry.crc, entry.packed, entry.size)
    forms = {mark + struct.pack(form, *values) for mark in (b"", b"PK\x07\x08") for form in _forms(entry)}
    if length not in {len(form) for form in forms}:
        return False
    file.seek(at)
    return file.read(length) in forms


def _forms(entry: Entry) -> tuple[str, ...]:
    return ("<L2Q",) if max(entry.packed, entry.size) >= 1 << 32 else ("<3L", "<L2Q")


def _check_local(entry: Entry, local: LocalHeader, faults: Faults, *, strict: bool) -> None:
    """The header before the bytes says the same as the directory."""
    later = not strict and entry.flags & _DESCRIPTOR and not (local.crc or local.packed or local.size)
    sizes = (entry.crc, entry.packed, entry.size)
    same = (local.flags, local.method, local.time, local.date) == (entry.flags, entry.method, entry.time, entry.date)
    same_sizes = later or (local.crc, local.packed, local.size) == sizes
    same_name = local.name in {entry.name.encode(), entry.name.encode("cp437", "replace")}
    same_version = not strict or local.needs == entry.needs
    if not (same and same_sizes and same_name and same_version):
        faults.add("zip-header-mismatch", entry.name, "the header before it says something else than the directory")
    if strict and local.extra != needed_extra(entry.size, entry.packed):
        faults.add("zip-extra", entry.name, "has an extra field that it does not need, or lacks one")
