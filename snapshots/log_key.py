"""The log's Ed25519 key: made, kept in a file that only its owner reads, and used to sign.

The file holds one line in the form that Go's `sumdb/note` uses for signing keys,
`PRIVATE+KEY+<name>+<key id>+<base64 of type and seed>`, so that other tools can sign and verify with it.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from snapshots.errors import BadProof, LogError
from snapshots.note import ED25519, KEY_SIZE, Note, Signature, VerifierKey, check_name, decode64, encode64

KEY_FILE_MODE = 0o600

MAX_KEY_FILE = 4096
"""Bytes read of a key file; a key with a long name has some 200."""

_PREFIX = "PRIVATE+KEY+"


class LogKey:
    """A signing key and the name it signs under, which is the log's origin."""

    def __init__(self, origin: str, seed: bytes) -> None:
        self._seed = seed
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.origin = check_name(origin)
        self.verifier = VerifierKey(origin, self._private.public_key().public_bytes_raw())
        self.id = self.verifier.id

    def __repr__(self) -> str:
        return f"<LogKey {self.vkey}>"

    @classmethod
    def generate(cls, origin: str | None = None) -> "LogKey":
        """A new key. Without `origin` the log gets a random one: `citator/` and 16 hex digits."""
        return cls(origin or f"citator/{token_hex(8)}", os.urandom(KEY_SIZE))

    @classmethod
    def parse(cls, text: str) -> "LogKey":
        """The key whose text form is `text`; raises BadProof."""
        name, _, rest = text.removeprefix(_PREFIX).partition("+")
        key_id, _, encoded = rest.partition("+")
        if not text.startswith(_PREFIX):
            raise BadProof("this is not a signing key")
        raw = decode64(encoded)
        if len(raw) != 1 + KEY_SIZE or raw[0] != ED25519:
            raise BadProof("the signing key is not an Ed25519 key")
        key = cls(name, raw[1:])
        if key.id.hex() != key_id:
            raise BadProof("the signing key's id is not the one its name and bytes give")
        return key

    @classmethod
    def load(cls, path: Path) -> "LogKey":
        """The key in the file `path`.

        Raises:
            LogError: the file is missing, cannot be read, or holds no key.
        """
        try:
            with path.open("rb") as file:
                data = file.read(MAX_KEY_FILE)
            return cls.parse(data.decode().strip())
        except OSError as problem:
            raise LogError(f"the log key {path} cannot be read: {problem.strerror}") from problem
        except (BadProof, UnicodeDecodeError) as problem:
            raise LogError(f"the log key {path} is damaged: {problem}") from problem

    @property
    def vkey(self) -> str:
        """The public half, as text."""
        return self.verifier.text

    @property
    def text(self) -> str:
        """The whole key as text. Whoever has it can sign in this log's name."""
        return f"{_PREFIX}{self.origin}+{self.id.hex()}+{encode64(bytes([ED25519]) + self._seed)}"

    def save(self, path: Path) -> None:
        """Writes the key to a new file with mode 0600, durably; also what a backup of the key is.

        Raises:
            LogError: the file exists, or cannot be written. What was begun is removed then.
        """
        if path.exists():
            raise LogError(f"{path} exists and is left alone")
        written = path.with_name(f".{path.name}.{token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, KEY_FILE_MODE)
            with os.fdopen(descriptor, "wb") as file:
                os.fchmod(descriptor, KEY_FILE_MODE)
                file.write(f"{self.text}\n".encode())
                file.flush()
                os.fsync(descriptor)
            written.rename(path)
            sync_directory(path.parent)
        except OSError as problem:
            with suppress(OSError):
                written.unlink()
            raise LogError(f"the log key cannot be written to {path}: {problem.strerror}") from problem

    def signature(self, text: str) -> Signature:
        """The signature line of this key under `text`."""
        return Signature(self.origin, self.id, self._private.sign(text.encode()))

    def sign_bytes(self, data: bytes) -> bytes:
        """The bare Ed25519 signature under `data`.

        For statements that begin in a form of their own (DSSE's `DSSEv1 `): a note begins with an origin, which has no
        space, so neither can be taken for the other.
        """
        return self._private.sign(data)

    def sign(self, text: str) -> bytes:
        """`text` (which ends with a newline) as a note signed by this key."""
        return signed_note(text, [self])


def signed_note(text: str, keys: Sequence[LogKey]) -> bytes:
    """`text` as a note signed by each of `keys`, in order."""
    return Note(text, tuple(key.signature(text) for key in keys)).encoded


def ed25519_holds(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` is that of the Ed25519 key `public` under `message`."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def sync_directory(path: Path) -> None:
    """Makes the names in a directory durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
