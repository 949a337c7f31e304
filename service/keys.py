"""API keys: how they look, how they are kept, how they are told.

A key is `citator_<12 hex digits>_<43 characters>`. The digits are the key's id, which may stand in logs and records;
the rest is 256 random bits. Only the SHA-256 of the whole key is kept: it has too much entropy for guessing to need
slowing down, and a request must not pay for a password hash.
"""

import hashlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PREFIX: Final = "citator_"
ID_BYTES: Final = 6
"""Random bytes of a key's id: enough for thousands of keys without a clash, short enough to be read aloud."""
SECRET_BYTES: Final = 32
"""Random bytes of the secret part."""

_KEY: Final = re.compile(r"citator_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class NewKey:
    """A key that was just made. `key` is shown once and not kept; `hashed` is what is kept."""

    id: str
    key: str
    hashed: str


def new_key() -> NewKey:
    """A fresh key."""
    ident = secrets.token_hex(ID_BYTES)
    key = f"{PREFIX}{ident}_{secrets.token_urlsafe(SECRET_BYTES)}"
    return NewKey(id=ident, key=key, hashed=hashed(key))


def hashed(key: str) -> str:
    """What is kept of a key: the hex SHA-256 of its bytes. Any text has one, so any claimed key can be looked up."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def masked(text: str) -> str:
    """`text` with the secret part of every key in it replaced."""
    return _KEY.sub(r"citator_\1_…", text) if PREFIX in text else text


def write_first_key(path: Path, key: str) -> None:
    """Write the first key where only its owner can read it. Durable on return.

    Raises:
        FileExistsError: there is a file already; it is left alone.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(key + "\n")
        file.flush()
        os.fsync(file.fileno())
