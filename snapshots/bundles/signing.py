"""Two signatures on a bundle: one that the log's key gives, and one that readers of WACZ files understand.

The log's key (Ed25519) signs a statement that lists the hash of every member. Readers of WACZ know only P-384 keys and
sign only the hash of `datapackage.json`; the statement names the key that did, so that the two hold together.
"""

import os
from base64 import b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from snapshots.canonical import Json, canonical
from snapshots.errors import BundleError
from snapshots.log_key import KEY_FILE_MODE, sync_directory

PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:citator:bundle:v1"

_CURVE: Final = ec.SECP384R1()
_HALF: Final = 48
"""Bytes of one of the two numbers that a P-384 signature is made of."""
_MAX_KEY_FILE: Final = 4096
"""Bytes read of a key file; such a key has some 300."""


class BundleKey:
    """The P-384 key that signs `datapackage.json`. Its signatures are the same each time (RFC 6979)."""

    def __init__(self, private: ec.EllipticCurvePrivateKey) -> None:
        self._private = private

    @classmethod
    def at(cls, path: Path) -> "BundleKey":
        """The key in the file `path`; a new one in that file (mode 0600) if there is none.

        Raises:
            BundleError: the file cannot be read or written, or holds another kind of key.
        """
        try:
            with path.open("rb") as file:
                data = file.read(_MAX_KEY_FILE)
        except FileNotFoundError:
            return cls._made(path)
        except OSError as problem:
            raise BundleError(f"the bundle key {path} cannot be read: {problem.strerror}") from problem
        try:
            found = serialization.load_pem_private_key(data, None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as problem:
            raise BundleError(f"the bundle key {path} is damaged") from problem
        if not isinstance(found, ec.EllipticCurvePrivateKey) or found.curve.name != _CURVE.name:
            raise BundleError(f"the bundle key {path} is not a P-384 key")
        return cls(found)

    @classmethod
    def _made(cls, path: Path) -> "BundleKey":
        private = ec.generate_private_key(_CURVE)
        data = private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        written = path.with_name(f".{path.name}.{token_hex(4)}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, KEY_FILE_MODE)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            with suppress(FileExistsError):  # someone else made one in this moment, and theirs counts
                os.link(written, path)
            written.unlink()
            sync_directory(path.parent)
        except OSError as problem:
            with suppress(OSError):
                written.unlink()
            raise BundleError(f"the bundle key cannot be written to {path}: {problem.strerror}") from problem
        return cls.at(path)

    @property
    def public(self) -> str:
        """The public half: base64 of its SubjectPublicKeyInfo."""
        return b64encode(
            self._private.public_key().public_bytes(
                serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        ).decode()

    def sign(self, message: bytes) -> str:
        """Base64 of the signature as browsers give it: two numbers of 48 bytes, one after the other."""
        given = self._private.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
        return b64encode(b"".join(half.to_bytes(_HALF, "big") for half in decode_dss_signature(given))).decode()


def pae(payload_type: str, payload: bytes) -> bytes:
    """What a DSSE signature is over."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def statement(subjects: list[tuple[str, str]], predicate: dict[str, Json]) -> bytes:
    """The statement about members: their names and SHA-256 in hex."""
    return canonical(
        {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": name, "digest": {"sha256": value}} for name, value in subjects],
            "predicateType": PREDICATE_TYPE,
            "predicate": predicate,
        }
    )


def envelope(payload: bytes, vkey: str, signature: bytes) -> bytes:
    """A signed statement as it lies in the bundle."""
    return canonical(
        {
            "payload": b64encode(payload).decode(),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{"keyid": vkey, "sig": b64encode(signature).decode()}],
        }
    )


def digest_file(package: bytes, *, created: str, software: str, key: BundleKey) -> bytes:
    """`datapackage-digest.json` for these bytes of `datapackage.json`."""
    named = f"sha256:{sha256(package).hexdigest()}"
    return canonical(
        {
            "path": "datapackage.json",
            "hash": named,
            "signedData": {
                "hash": named,
                "created": created,
                "software": software,
                "version": "0.1.0",
                "signature": key.sign(named.encode("ascii")),
                "publicKey": key.public,
            },
        }
    )
