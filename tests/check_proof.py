"""Checks a .tlog-proof on its own: python check_proof.py PROOF VKEY RECORD. Knows nothing of Citator, only C2SP."""

import base64
import re
import sys
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FORM = re.compile(
    r"c2sp\.org/tlog-proof@v1\n(?:extra [^\n]*\n)?index (0|[1-9][0-9]*)\n((?:[^\n]+\n)*)\n"
    r"(([^\n]+)\n(0|[1-9][0-9]*)\n([^\n]+)\n(?:[^\n]+\n)*)\n((?:\u2014 \S+ \S+\n)+)"
)


def unbase64(text: str) -> bytes:
    data = base64.b64decode(text, validate=True)
    if base64.b64encode(data).decode() != text:
        raise ValueError("not canonical base64")
    return data


def root_over(leaf: bytes, index: int, size: int, hashes: list[bytes]) -> bytes:
    if index >= size or (size == 1 and hashes):
        raise ValueError("not a proof for a tree of this size")
    if size == 1:
        return leaf
    left = 1 << ((size - 1).bit_length() - 1)
    *rest, other = hashes  # RFC 6962, 2.1.1, from the top: the last one is that of the other half
    if index < left:
        return sha256(b"\1" + root_over(leaf, index, left, rest) + other).digest()
    return sha256(b"\1" + other + root_over(leaf, index - left, size - left, rest)).digest()


def check(proof: str, vkey: str, record: bytes) -> tuple[int, int]:
    """The record's index and the log's size if the proof holds, else ValueError or InvalidSignature."""
    if (match := FORM.fullmatch(proof)) is None:
        raise ValueError("not a proof")
    index, hashes, text, origin, size, root, lines = match.groups()
    name, key_id, key = vkey.split("+", 2)
    true_id = sha256(f"{name}\n".encode() + unbase64(key)).hexdigest()[:8]
    if (name, key_id, unbase64(key)[0]) != (origin, true_id, 1):
        raise ValueError("not this log's key")
    values = [unbase64(line.split(" ")[2]) for line in lines.split("\n")[:-1] if line.split(" ")[1] == name]
    signature = next((value[4:] for value in values if value[:4].hex() == key_id), b"")
    Ed25519PublicKey.from_public_bytes(unbase64(key)[1:]).verify(signature, text.encode())
    leaf = sha256(b"\0" + sha256(record).digest()).digest()  # an entry is the SHA-256 of the record
    if root_over(leaf, int(index), int(size), [unbase64(line) for line in hashes.split("\n")[:-1]]) != unbase64(root):
        raise ValueError("the entry is not in the log")
    return int(index), int(size)


if __name__ == "__main__":
    try:
        place, count = check(Path(sys.argv[1]).read_text(), sys.argv[2], Path(sys.argv[3]).read_bytes())
        print(f"entry {place} of {count}")
    except (ValueError, InvalidSignature) as problem:
        sys.exit(f"does not hold: {problem or 'the signature is wrong'}")
