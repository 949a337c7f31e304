"""The index of a web archive: where each page lies. CDXJ in compressed blocks, and the list of the blocks.

Line for line what the usual indexers make of the same archive, so that every reader finds what it looks for.
"""

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from snapshots.bundles.surt import surt
from snapshots.bundles.warc import FIELDS, Written

BLOCK_LINES: Final = 1024
"""Lines of a block: what a reader unpacks to find one page."""

ARCHIVE: Final = "data.warc.gz"
INDEX: Final = "index.cdx.gz"
INDEXED: Final = frozenset({"response", "resource"})

_GZIP: Final = 31


def line_of(written: Written) -> str | None:
    """The line of a record, with its newline; None for those that no index lists."""
    record = written.record
    if record.type not in INDEXED or record.target is None or record.content_type == FIELDS:
        return None
    told = {"url": record.target}
    if record.mime is not None:
        told["mime"] = _essence(record.mime)
    if record.status is not None:
        told["status"] = str(record.status)
    told |= {
        "digest": written.payload_digest,
        "length": str(written.length),
        "offset": str(written.offset),
        "filename": ARCHIVE,
    }
    return f"{surt(record.target)} {fourteen_digits(record.date)} {json.dumps(told)}\n"


def fourteen_digits(date: str) -> str:
    """A time of the form `2026-11-29T19:28:36Z` as indexes have it."""
    return "".join(digit for digit in date if digit.isdigit())


@dataclass(frozen=True)
class Block:
    """One gzip member of the index, and the line of the list that leads to it."""

    packed: bytes
    line: str


def first_line() -> str:
    """The line that the list of blocks begins with."""
    return f"!meta 0 {json.dumps({'format': 'cdxj-gzip-1.0', 'filename': INDEX})}\n"


def blocks_of(lines: Iterable[str]) -> Iterator[Block]:
    """The blocks of the sorted lines; one without lines if there are none."""
    offset, waiting = 0, list[str]()
    for line in sorted(lines):
        waiting.append(line)
        if len(waiting) == BLOCK_LINES:
            block = _block(waiting, offset)
            yield block
            offset, waiting = offset + len(block.packed), []
    if waiting:
        yield _block(waiting, offset)
    elif offset == 0:
        yield Block(_packed(b""), "")


def _block(lines: list[str], offset: int) -> Block:
    packed = _packed("".join(lines).encode())
    told = {"offset": offset, "length": len(packed), "digest": f"sha256:{sha256(packed).hexdigest()}"}
    return Block(packed, f"{lines[0].partition('{')[0].strip()} {json.dumps(told)}\n")


def _packed(data: bytes) -> bytes:
    pack = zlib.compressobj(6, zlib.DEFLATED, _GZIP)
    return pack.compress(data) + pack.flush()


def _essence(value: str) -> str:
    """A media type without parameters, as a header's bytes spell it."""
    raw = value.strip().encode("latin-1", "replace")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    for place, letter in enumerate(text):
        if letter == ";" or letter.isspace():
            return text[:place]
    return text
