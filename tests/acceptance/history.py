"""The log read from its published files alone, after the C2SP specifications: is it a continuation of what was seen?"""

import base64
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import zstandard

WIDTH = 256  # entries of a full tile


@dataclass(frozen=True)
class Checkpoint:
    """The signed part of a checkpoint."""

    origin: str
    size: int
    root: bytes

    @classmethod
    def of(cls, note: bytes) -> "Checkpoint":
        origin, size, root = note.decode().split("\n")[:3]
        return cls(origin, int(size), base64.b64decode(root))


def tile_name(number: int) -> str:
    """A tile's number as the specification writes it: x001/x234/067."""
    parts = [f"{number % 1000:03d}"]
    while number >= 1000:
        number //= 1000
        parts.insert(0, f"x{number % 1000:03d}")
    return "/".join(parts)


def entries(read: Callable[[str], bytes], size: int) -> list[bytes]:
    """The first `size` entries; `read` gives a file of the log by its path below the log."""
    found: list[bytes] = []
    for number in range((size + WIDTH - 1) // WIDTH):
        width = min(WIDTH, size - number * WIDTH)
        bundle = read(f"tile/entries/{tile_name(number)}" + (f".p/{width}" if width < WIDTH else ""))
        while bundle:
            length = int.from_bytes(bundle[:2], "big")
            found.append(bundle[2 : 2 + length])
            bundle = bundle[2 + length :]
    assert len(found) == size
    return found


def root(leaves: list[bytes]) -> bytes:
    """The Merkle tree hash of RFC 6962, by its definition."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hashlib.sha256(b"\x01" + root(leaves[:split]) + root(leaves[split:])).digest()


def continues(read: Callable[[str], bytes], seen: list[bytes]) -> bool:
    """Whether the log as it is now is a continuation of each checkpoint that was seen."""
    now = Checkpoint.of(read("checkpoint"))
    leaves = entries(read, now.size)
    earlier = [Checkpoint.of(note) for note in seen]
    return root(leaves) == now.root and all(
        old.origin == now.origin and old.size <= now.size and root(leaves[: old.size]) == old.root for old in earlier
    )


def files_of(bucket: Path) -> Callable[[str], bytes]:
    """Reads the log's files from a bucket that is a directory."""
    return lambda name: (bucket / "log" / name).read_bytes()


def objects(bucket: Path) -> Iterator[tuple[str, bytes]]:
    """Each object of a bucket that is a directory: its hash and its plain bytes, which must match."""
    for path in sorted((bucket / "objects").rglob("*")):
        if path.is_file():
            stored = path.read_bytes()
            plain = stored
            if hashlib.sha256(stored).hexdigest() != path.name:
                plain = zstandard.ZstdDecompressor().decompressobj().decompress(stored)
            assert hashlib.sha256(plain).hexdigest() == path.name, f"{path} is not what its name says"
            yield path.name, plain
