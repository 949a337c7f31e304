"""Where the parts of a log lie in the bucket, and the two objects that several writers agree through.

`log/lock` is the truth about what has been committed: the signed checkpoint of the newest tree, and the name of the
staging object that holds all that its last growth writes. Whoever swaps it has committed. `log/staging/…` is that
object. Both are texts (a staging object with bytes after its head) that name their version, parsed strictly.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_hex

from snapshots.errors import BadProof
from snapshots.tiles import parse_path

PREFIX = "log/"
CHECKPOINT = "log/checkpoint"
LOCK = "log/lock"
STAGING = "log/staging/"
KEYS = "log/keys/"
TILES = "log/tile/"
STAMPS = "log/stamps/"

_LOCK_HEAD = "citator/log-lock@v1"
_STAGING_HEAD = b"citator/log-staging@v1\n"
_STAGING_FILE = re.compile(rb"\nfile ([0-9]{1,9}) ([a-z0-9./]{1,200})")
_STAGING_LINES = re.compile(rb"base ([0-9]{1,19})\ncheckpoint ([0-9]{1,9})((?:\nfile [0-9]{1,9} [a-z0-9./]{1,200})*)")
_STAGED_NAME = re.compile(r"([0-9a-f]{64})-(0|[1-9][0-9]{0,18})-[0-9a-f]{16}")

MAX_LOCK = 16 * 1024
"""Bytes of a lock; one with a long origin has some 400."""


@dataclass(frozen=True, slots=True)
class Lock:
    """What `log/lock` says: the newest signed checkpoint, and which staging object led to it (None: nothing grew)."""

    checkpoint: bytes
    staging: str | None

    @property
    def encoded(self) -> bytes:
        """The lock as bytes."""
        return f"{_LOCK_HEAD}\nstaging {self.staging or '-'}\n\n".encode() + self.checkpoint


@dataclass(frozen=True, slots=True)
class Staging:
    """All that one growth writes: tiles and bundles by path relative to the log, and the checkpoint over them.

    `base` is the size that the tree had before.
    """

    base: int
    checkpoint: bytes
    files: Mapping[str, bytes]

    @property
    def encoded(self) -> bytes:
        """The staging object as bytes; a hash over everything after it tells whether it is whole."""
        lines = [f"base {self.base}", f"checkpoint {len(self.checkpoint)}"]
        lines += [f"file {len(data)} {path}" for path, data in self.files.items()]
        rest = b"".join(["\n".join(lines).encode(), b"\n\n", self.checkpoint, *self.files.values()])
        return b"%ssha256 %s\n%s" % (_STAGING_HEAD, sha256(rest).hexdigest().encode(), rest)


def staging_name(root: bytes, size: int) -> str:
    """A new name for the staging object of the tree with this root and size.

    The random end tells two attempts apart that lead to the same tree, so that each writer knows whose has won.
    """
    return f"{STAGING}{root.hex()}-{size}-{token_hex(8)}"


def staged_size(name: str) -> int | None:
    """The size of the tree that a staging object leads to, told from its name; None for a name of another form."""
    match = _STAGED_NAME.fullmatch(name.removeprefix(STAGING))
    return int(match[2]) if match else None


def parse_lock(data: bytes) -> Lock:
    """Reads a lock; the checkpoint in it has not been verified then.

    Raises:
        BadProof: it has another form.
    """
    head, separator, checkpoint = data.partition(b"\n\n")
    try:
        version, *lines = head.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise BadProof("the lock is not text") from None
    if not separator or version != _LOCK_HEAD or len(lines) != 1 or len(data) > MAX_LOCK:
        raise BadProof(f"the lock is not in the form {_LOCK_HEAD}")
    word, _, name = lines[0].partition(" ")
    if word != "staging" or (name != "-" and (not name.startswith(STAGING) or staged_size(name) is None)):
        raise BadProof("the lock names no staging object")
    return Lock(checkpoint, None if name == "-" else name)


def parse_staging(data: bytes) -> Staging:
    """Reads a staging object; the checkpoint in it has not been verified then.

    Raises:
        BadProof: it has another form, or is not whole.
    """
    marked, rest = data[: len(_STAGING_HEAD) + 72], data[len(_STAGING_HEAD) + 72 :]
    if marked != b"%ssha256 %s\n" % (_STAGING_HEAD, sha256(rest).hexdigest().encode()):
        raise BadProof("the staging object is not whole")
    head, _, body = rest.partition(b"\n\n")
    match = _STAGING_LINES.fullmatch(head)
    if match is None:
        raise BadProof("the staging object is not in its form")
    base, end = int(match[1]), int(match[2])
    checkpoint = body[:end]
    files = {}
    for length, path in _STAGING_FILE.findall(match[3]):
        name = path.decode("ascii")
        if parse_path(name) is None:
            raise BadProof(f"the staging object holds {name!r}, which is no tile")
        start, end = end, end + int(length)
        files[name] = body[start:end]
    if end != len(body):
        raise BadProof("the staging object is longer or shorter than it says")
    return Staging(base, checkpoint, files)
