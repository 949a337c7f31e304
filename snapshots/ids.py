"""Ids: `sha256:` and the 64 lower-case hex digits of the SHA-256 of the plain bytes."""

import hashlib
import re

from snapshots.errors import BadId

SCHEME = "sha256:"
ID_PATTERN = r"^sha256:[0-9a-f]{64}$"
"""What an id looks like where one stands in a record."""

MIN_PREFIX = 12
"""Hex digits a prefix needs. 48 bits: a bucket of a million objects has a clash once in 560 buckets, and a clash
is answered by an error that lists the candidates, never by a guess."""

_ID = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_HEX = re.compile(r"[0-9a-f]{12,64}", re.ASCII)
_FULL = 64


def digest(data: bytes) -> str:
    """The id of `data`."""
    return SCHEME + hashlib.sha256(data).hexdigest()


def is_id(text: str) -> bool:
    """Whether `text` is a whole id as records hold them: scheme and 64 lower-case digits."""
    return _ID.fullmatch(text) is not None


def parse_id(text: str) -> str:
    """The id a person means: with or without scheme, upper or lower case. Raises BadId for anything else."""
    digits = parse_prefix(text)
    if len(digits) != _FULL:
        raise BadId(text)
    return SCHEME + digits


def parse_prefix(text: str) -> str:
    """The hex digits (12 to 64, lower case) of an id or of its beginning. Raises BadId for anything else."""
    digits = text.strip().lower().removeprefix(SCHEME)
    if _HEX.fullmatch(digits) is None:
        raise BadId(text)
    return digits


def hex_of(object_id: str) -> str:
    """The 64 hex digits of a whole id."""
    return object_id[len(SCHEME) :]


def to_raw(object_id: str) -> bytes:
    """The 32 bytes of a whole id, as log entries and database rows hold it."""
    return bytes.fromhex(object_id[len(SCHEME) :])


def raw_prefix(object_id: str, length: int) -> bytes:
    """The first `length` of those bytes."""
    return bytes.fromhex(object_id[len(SCHEME) : len(SCHEME) + 2 * length])


def from_raw(raw: bytes) -> str:
    """The id whose 32 bytes are `raw`."""
    return SCHEME + raw.hex()
