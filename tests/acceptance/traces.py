"""Looking for text in files, also where it is compressed or lies in a database."""

import gzip
import sqlite3
import zlib
from collections.abc import Collection, Iterator
from contextlib import closing, suppress
from pathlib import Path

import zstandard

ZSTD = b"\x28\xb5\x2f\xfd"
GZIP = b"\x1f\x8b\x08"
SQLITE = b"SQLite format 3\x00"
MAX_FRAME = 256 * 1024 * 1024  # bytes; nothing that is kept is larger once decompressed


def traces(needles: Collection[bytes], *places: Path) -> dict[str, list[bytes]]:
    """Which needles are found in which file below `places`; an empty answer says that there is no trace."""
    found: dict[str, list[bytes]] = {}
    for place in places:
        for path in sorted(place.rglob("*")):
            if path.is_file() and not path.is_symlink():
                data = path.read_bytes()
                hits = {needle for layer in layers(data) for needle in needles if needle in layer}
                hits |= {needle for needle in needles if any(needle in row for row in rows(path, data))}
                if hits:
                    found[str(path.relative_to(place))] = sorted(hits)
    return found


def layers(data: bytes) -> Iterator[bytes]:
    """The bytes themselves, and what each compressed frame anywhere in them holds."""
    yield data
    yield data.replace(b"\x00", b"")  # UTF-16 and UTF-32 of plain letters
    at = data.find(ZSTD)
    while at >= 0:
        reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(data[at:])
        yield from _as_far_as_it_goes(reader)
        at = data.find(ZSTD, at + 1)
    at = data.find(GZIP)
    while at >= 0:
        unpacker = zlib.decompressobj(wbits=31)
        with suppress(zlib.error):  # three bytes may only look like a beginning
            yield unpacker.decompress(data[at:], MAX_FRAME)
        at = data.find(GZIP, at + 1)


def _as_far_as_it_goes(reader: zstandard.ZstdDecompressionReader) -> Iterator[bytes]:
    """A frame that is cut off or only looks like one gives what it gives."""
    parts, size = [], 0
    with suppress(zstandard.ZstdError):
        while size < MAX_FRAME and (part := reader.read(1024 * 1024)):
            parts.append(part)
            size += len(part)
    yield b"".join(parts)


def rows(path: Path, data: bytes) -> Iterator[bytes]:
    """Every value of every table of an SQLite file: long ones are scattered over pages of the file."""
    if not data.startswith(SQLITE):
        return
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in database.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    if isinstance(value, bytes):
                        yield from layers(value)
                    elif isinstance(value, str):
                        yield value.encode()
    database.close()


def windows(text: str, size: int = 24, count: int = 200) -> list[bytes]:
    """Pieces of a text that would be found if its bytes lay anywhere: ASCII, within a line, spread over the text."""
    pieces = []
    for line in text.splitlines():
        stripped = line.strip()
        usable = stripped.isascii() and '"' not in stripped and "\\" not in stripped
        if usable and len(stripped) >= size:
            pieces.append(stripped[:size].encode())
            pieces.append(stripped[-size:].encode())
    step = max(1, len(pieces) // count)
    return sorted(set(pieces[::step]))


def gzip_size(data: bytes) -> int:
    """Bytes that gzip makes of it at its usual level."""
    return len(gzip.compress(data, 6, mtime=0))
