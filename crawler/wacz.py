"""Finds the WARC files in a WACZ file, and holds them against the hashes that the file gives for them."""

import hashlib
import json
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from crawler.archived import Archive, Turned
from crawler.errors import BadArchive
from crawler.warc import LEAST_GIVEN, MAX_EXPANSION

MANIFEST: Final = "datapackage.json"
OWN: Final = "evidence/bundle.json"
"""What only bundles of Citator hold; they are imported, not added."""
MAX_ENTRIES: Final = 100_000
"""Members of a file; honest ones have some ten."""
MAX_MANIFEST: Final = 64 * 1024 * 1024
"""Bytes of the manifest, which is read whole; it names members, not pages."""
MAX_MEMBER: Final = 1024 * 1024 * 1024 * 1024
"""Bytes of a WARC file inside: far more than any has."""
PACKINGS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
PIECE: Final = 1024 * 1024
HASHES: Final = frozenset({"sha256", "sha512", "sha1", "md5"})


@dataclass(frozen=True)
class Packed:
    """A WARC file in a ZIP file."""

    path: Path
    member: str

    @property
    def name(self) -> str:
        """The file and the name within it."""
        return f"{self.path.name}!{self.member}"

    @contextmanager
    def open(self) -> Iterator["Reading"]:
        """Its bytes. What is wrong with the ZIP file shows as BadArchive, here or where it is read."""
        with ExitStack() as stack:
            with _named():
                opened = stack.enter_context(zipfile.ZipFile(self.path))
                file = stack.enter_context(opened.open(self.member))
            yield Reading(file)


@dataclass(frozen=True)
class Reading:
    """A member of a ZIP file that is being read."""

    file: IO[bytes]

    def read(self, size: int, /) -> bytes:
        """The next bytes. Raises BadArchive."""
        with _named():
            return self.file.read(size)


def read_wacz(path: Path) -> Archive | None:
    """The WARC files in a ZIP file; None if it is no WACZ. What a manifest says of them is checked.

    Raises:
        BadArchive: it cannot be read, or is a bundle of Citator.
    """
    with _named(), zipfile.ZipFile(path) as opened:
        infos = opened.infolist()
        names = Counter(info.filename for info in infos)
        warcs = [name for name in names if _is_warc(name)]
        if not warcs and MANIFEST not in names:
            return None
        if OWN in names:
            raise BadArchive("this is a bundle of Citator: `citator import` takes it with its proofs")
        twice = sorted(name for name, count in names.items() if count > 1)
        if twice:
            raise BadArchive(f"the name {twice[0][:200]!r} stands in it twice")
        if len(infos) > MAX_ENTRIES:
            raise BadArchive(f"it has {len(infos)} entries, more than {MAX_ENTRIES}")
        _refuse_bombs(infos, path.stat().st_size)
        remarks: list[str] = []
        listed = _listed(opened, names, remarks)
        members, turned = [], []
        for name in sorted(warcs):
            wrong = _wrong(opened, name, listed)
            if wrong is not None:
                turned.append(Turned(None, name, 0, "member_hash", wrong))
                continue
            if name not in listed:
                remarks.append(f"{name} stands in no manifest: nothing vouches for it")
            members.append(Packed(path, name))
    return Archive("wacz", tuple(members), tuple(turned), tuple(remarks))


def _refuse_bombs(infos: list[zipfile.ZipInfo], size: int) -> None:
    """Raises BadArchive for packings whose memory the file chooses, and for members that are far larger than it."""
    other = next((info for info in infos if info.compress_type not in PACKINGS), None)
    if other is not None:
        raise BadArchive(f"{other.filename[:200]!r} is packed in a way that is not read")
    if sum(info.file_size for info in infos) > max(LEAST_GIVEN, MAX_EXPANSION * size):
        raise BadArchive(f"its members have more than {MAX_EXPANSION} times its bytes")


def _is_warc(name: str) -> bool:
    return name.startswith("archive/") and name.lower().endswith((".warc", ".warc.gz"))


def _listed(opened: zipfile.ZipFile, names: Counter[str], remarks: list[str]) -> dict[str, str]:
    """The hash that the manifest gives for each member, by name."""
    if MANIFEST not in names:
        remarks.append(f"there is no {MANIFEST}: nothing vouches for the members")
        return {}
    if opened.getinfo(MANIFEST).file_size > MAX_MANIFEST:
        raise BadArchive(f"{MANIFEST} is larger than {MAX_MANIFEST} bytes")
    try:
        manifest: Any = json.loads(opened.read(MANIFEST))
        resources = manifest["resources"]
        return {str(one["path"]): str(one["hash"]) for one in resources if one.get("hash")}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadArchive(f"{MANIFEST} cannot be read") from None


def _wrong(opened: zipfile.ZipFile, name: str, listed: dict[str, str]) -> str | None:
    """What does not hold about a member; None if all of it does, or nothing is said."""
    if opened.getinfo(name).file_size > MAX_MEMBER:
        return f"{name} claims {opened.getinfo(name).file_size} bytes"
    algorithm, _, value = listed.get(name, "").partition(":")
    if algorithm not in HASHES:
        return None if name not in listed else f"{name} has a hash of an unknown kind, {algorithm[:20]!r}"
    hashed = hashlib.new(algorithm, usedforsecurity=False)
    try:
        with _named(), opened.open(name) as file:
            while piece := file.read(PIECE):
                hashed.update(piece)
    except BadArchive as error:
        return f"{name} cannot be read: {error}"
    return None if hashed.hexdigest() == value.lower() else f"{name} has not the hash that {MANIFEST} gives for it"


@contextmanager
def _named() -> Iterator[None]:
    """Whatever a ZIP file that makes no sense leads to, as BadArchive."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        NotImplementedError,
        RuntimeError,
        EOFError,
        KeyError,
        ValueError,
        OverflowError,
        OSError,  # as where a member is said to begin before the file does
        struct.error,
        zlib.error,
    ) as error:
        raise BadArchive(f"the ZIP file cannot be read: {error}") from None
