"""Signed notes, checkpoints and verifier keys as C2SP defines them (c2sp.org/signed-note, c2sp.org/tlog-checkpoint).

A note is text, an empty line and signature lines. A checkpoint is a note whose text says: this log (*origin*), with
this many leaves (*size*), has this *root*. A *vkey* is the text form of a public key: `name+key id+base64`.

Pure, and nothing but the standard library: whoever verifies hands in the function that checks an Ed25519 signature.
Parsing is strict: what is not exactly in the form is refused, so that one statement has one text.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256

from snapshots.errors import BadProof
from snapshots.merkle import HASH_SIZE

MAX_NOTE = 256 * 1024
"""Bytes of a note: room for 16 signatures of post-quantum size, as the specification asks, and a long text."""

MAX_SIGNATURES = 64
"""Signature lines of a note; the specification asks for at least 16."""

MAX_SIZE = 2**63 - 1
"""Leaves of a tree; other implementations count them in signed 64-bit integers."""

ED25519 = 0x01
"""The signature type of plain Ed25519 in key ids and vkeys."""

KEY_SIZE = 32
KEY_ID_SIZE = 4
SIGNATURE_SIZE = 64

SignatureCheck = Callable[[bytes, bytes, bytes], bool]
"""`(public key, message, signature)` to whether the Ed25519 signature holds; it never raises for bytes of any kind."""

_NUMBER = re.compile(rb"0|[1-9][0-9]{0,18}")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_NOT_IN_NAMES = re.compile(r"[\s+\x00-\x1f]")
_SIGNATURE_START = "— "


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public Ed25519 key and the name it signs under."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        """The 4 bytes that stand before its signatures."""
        return sha256(self.name.encode() + b"\n" + bytes([ED25519]) + self.public).digest()[:KEY_ID_SIZE]

    @property
    def text(self) -> str:
        """The vkey: `name+key id in hex+base64 of type and key`."""
        return f"{self.name}+{self.id.hex()}+{encode64(bytes([ED25519]) + self.public)}"


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line: who signed, the key's id, and what the algorithm gave."""

    name: str
    key_id: bytes
    value: bytes

    @property
    def line(self) -> str:
        """The line as it stands in a note, with its newline."""
        return f"{_SIGNATURE_START}{self.name} {encode64(self.key_id + self.value)}\n"


@dataclass(frozen=True, slots=True)
class Note:
    """A text (it ends with a newline) and its signatures, none of which has been checked."""

    text: str
    signatures: tuple[Signature, ...]

    @property
    def encoded(self) -> bytes:
        """The note as bytes."""
        return f"{self.text}\n{''.join(signature.line for signature in self.signatures)}".encode()


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a checkpoint's text says. `extensions` are further lines, kept as they are."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text that is signed."""
        return "".join(f"{line}\n" for line in (self.origin, self.size, encode64(self.root), *self.extensions))


def encode64(data: bytes) -> str:
    """Standard base64 with padding."""
    return base64.b64encode(data).decode()


def decode64(text: str) -> bytes:
    """The bytes of standard base64 in its one canonical form.

    Raises:
        BadProof: other characters, missing padding, or bits set that stand for nothing.
    """
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BadProof(f"{text[:80]!r} is not base64") from None
    if encode64(data) != text:
        raise BadProof(f"{text[:80]!r} is not canonical base64")
    return data


def parse_number(text: str) -> int:
    """An ASCII decimal without sign and leading zeros, below 2^63; raises BadProof for anything else."""
    if _NUMBER.fullmatch(text.encode()) is None or int(text) > MAX_SIZE:
        raise BadProof(f"{text[:80]!r} is not a size or an index")
    return int(text)


def check_name(name: str) -> str:
    """`name` if a key may have it: not empty, without spaces, plus signs and control characters; raises BadProof."""
    if not name or _NOT_IN_NAMES.search(name):
        raise BadProof(f"{name[:80]!r} is no name for a key: it is empty or has a space or a plus sign")
    return name


def parse_vkey(text: str) -> VerifierKey:
    """Reads a vkey of an Ed25519 key.

    Raises:
        BadProof: it has another form, another type of key, or an id that is not this key's.
    """
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    raw = decode64(encoded)
    if len(raw) != 1 + KEY_SIZE or raw[0] != ED25519:
        raise BadProof("the verifier key is not an Ed25519 key")
    key = VerifierKey(check_name(name), raw[1:])
    if key.id.hex() != key_id:
        raise BadProof("the verifier key's id is not the one its name and bytes give")
    return key


def parse_note(data: bytes) -> Note:
    """Takes a signed note apart; nothing in it has been verified then.

    Raises:
        BadProof: it is too long, not UTF-8, has control characters, or has not the form of a note.
    """
    if len(data) > MAX_NOTE:
        raise BadProof(f"the note has more than {MAX_NOTE} bytes")
    try:
        whole = data.decode()
    except UnicodeDecodeError:
        raise BadProof("the note is not UTF-8") from None
    if _CONTROL.search(whole):
        raise BadProof("the note has control characters")
    text, separator, block = whole.rpartition("\n\n")
    if not separator or not text or not block.endswith("\n"):
        raise BadProof("the note has no signatures after an empty line")
    lines = block[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise BadProof(f"the note has more than {MAX_SIGNATURES} signatures")
    return Note(f"{text}\n", tuple(_parse_signature(line) for line in lines))


def parse_checkpoint(text: str) -> Checkpoint:
    """Reads a checkpoint's text.

    Raises:
        BadProof: a line is missing, empty or malformed.
    """
    lines = text.split("\n")
    if len(lines) < 4 or lines.pop() or not all(lines):  # noqa: PLR2004 - three lines and what follows the last newline
        raise BadProof("the checkpoint's text is not three or more lines")
    root = decode64(lines[2])
    if len(root) != HASH_SIZE:
        raise BadProof(f"the checkpoint's root has {len(root)} bytes instead of {HASH_SIZE}")
    return Checkpoint(lines[0], parse_number(lines[1]), root, tuple(lines[3:]))


def check_signatures(note: Note, keys: Iterable[VerifierKey], holds: SignatureCheck) -> list[VerifierKey]:
    """The keys of `keys` whose signatures stand in the note and hold, at least one. Unknown signatures are ignored.

    Raises:
        BadProof: a signature of a known key does not hold, or no known key has signed.
    """
    known = {(key.name, key.id): key for key in keys}
    signers = []
    for signature in note.signatures:
        key = known.get((signature.name, signature.key_id))
        if key is None:
            continue
        if not holds(key.public, note.text.encode(), signature.value):
            raise BadProof(f"the signature of {key.name} (key {key.id.hex()}) does not hold")
        signers.append(key)
    if not signers:
        raise BadProof("no known key has signed this")
    return signers


def open_checkpoint(data: bytes, keys: Iterable[VerifierKey], holds: SignatureCheck) -> Checkpoint:
    """Reads a signed checkpoint and verifies it.

    Raises:
        BadProof: it is malformed, none of `keys` has signed it, a signature does not hold, or its origin is not the
            name of the key that signed it.
    """
    note = parse_note(data)
    signers = check_signatures(note, keys, holds)
    checkpoint = parse_checkpoint(note.text)
    if any(key.name != checkpoint.origin for key in signers):
        raise BadProof(f"the checkpoint of {checkpoint.origin} is signed under another name")
    return checkpoint


def _parse_signature(line: str) -> Signature:
    name, separator, encoded = line.removeprefix(_SIGNATURE_START).partition(" ")
    if not line.startswith(_SIGNATURE_START) or not separator:
        raise BadProof(f"{line[:80]!r} is not a signature line")
    raw = decode64(encoded)
    if len(raw) <= KEY_ID_SIZE:
        raise BadProof("a signature is shorter than a key id")
    return Signature(check_name(name), raw[:KEY_ID_SIZE], raw[KEY_ID_SIZE:])
