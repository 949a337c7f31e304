"""A time-stamping authority that says whatever a test wants: tokens written by hand, certificates of any kind."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

STAMPED_AT = datetime.now(UTC).replace(microsecond=0)
"""When tokens were made, and when the page was removed that bundles do without."""
_SHA256 = "2.16.840.1.101.3.4.2.1"
_ECDSA_SHA256 = "1.2.840.10045.4.3.2"
_TST_INFO = "1.2.840.113549.1.9.16.1.4"


def der(tag: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    if len(body) < 128:
        return bytes([tag, len(body)]) + body
    length = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + body


def sequence(*parts: bytes) -> bytes:
    return der(0x30, *parts)


def number(value: int) -> bytes:
    return der(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def oid(dotted: str) -> bytes:
    first, second, *rest = map(int, dotted.split("."))
    body = b""
    for value in (first * 40 + second, *rest):
        digits = [value & 0x7F]
        while value := value >> 7:
            digits.append(value & 0x7F | 0x80)
        body += bytes(reversed(digits))
    return der(0x06, body)


def attribute(kind: str, value: bytes) -> bytes:
    return sequence(oid(kind), der(0x31, value))


def named(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


@dataclass
class Signer:
    """A key and its certificate."""

    key: Any
    certificate: x509.Certificate

    @property
    def encoded(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.DER)


def signer(
    subject: str,
    issuer: Signer | None = None,
    *,
    issuer_name: str | None = None,
    serial: int | None = None,
    begins: datetime = STAMPED_AT - timedelta(days=400),
    ends: datetime = STAMPED_AT + timedelta(days=4000),
    usage: Sequence[ObjectIdentifier] | None = (ExtendedKeyUsageOID.TIME_STAMPING,),
    critical: bool = True,
    ca: bool = False,
) -> Signer:
    """A certificate for time stamps, or an authority's; without `issuer` it signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    above = issuer.certificate.subject if issuer else named(issuer_name or subject)
    made = x509.CertificateBuilder().subject_name(named(subject)).issuer_name(above).public_key(key.public_key())
    made = made.serial_number(serial or x509.random_serial_number()).not_valid_before(begins).not_valid_after(ends)
    if ca:
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    elif usage is not None:
        made = made.add_extension(x509.ExtendedKeyUsage(list(usage)), critical=critical)
    return Signer(key, made.sign(issuer.key if issuer else key, hashes.SHA256()))


@dataclass
class Stamping:
    """An authority: a root, and a leaf that signs tokens."""

    name: str = "Harbour Time"
    root: Signer = field(init=False)
    leaf: Signer = field(init=False)

    def __post_init__(self) -> None:
        self.root = signer(f"{self.name} Root", ca=True)
        self.leaf = signer(self.name, self.root, serial=4711)

    @property
    def roots_pem(self) -> bytes:
        return self.root.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def chain_pem(self) -> bytes:
        return chain_pem(self.leaf, self.root)


def chain_pem(*chain: Signer) -> bytes:
    return b"".join(each.certificate.public_bytes(serialization.Encoding.PEM) for each in chain)


def token(
    stamped: bytes,
    leaf: Signer,
    *others: Signer,
    at: datetime = STAMPED_AT,
    sign_with: Any = None,
) -> bytes:
    """A TimeStampResp over `stamped`; `others` are certificates that it brings along."""
    imprint = sequence(sequence(oid(_SHA256), der(0x05)), der(0x04, hashlib.sha256(stamped).digest()))
    info = sequence(number(1), oid("1.2.3.4.1"), imprint, number(77), der(0x18, f"{at:%Y%m%d%H%M%S}Z".encode()))
    certificate = leaf.encoded
    attributes = sorted(
        [
            attribute("1.2.840.113549.1.9.3", oid(_TST_INFO)),
            attribute("1.2.840.113549.1.9.4", der(0x04, hashlib.sha256(info).digest())),
            attribute(
                "1.2.840.113549.1.9.16.2.47",
                sequence(sequence(sequence(der(0x04, hashlib.sha256(certificate).digest())))),
            ),
        ],
        key=lambda each: (len(each), each),
    )
    signature = (sign_with or leaf.key).sign(der(0x31, *attributes), ec.ECDSA(hashes.SHA256()))
    issuer = leaf.certificate.issuer.public_bytes()
    info_of_signer = sequence(
        number(1),
        sequence(issuer, number(leaf.certificate.serial_number)),
        sequence(oid(_SHA256)),
        der(0xA0, *attributes),
        sequence(oid(_ECDSA_SHA256)),
        der(0x04, signature),
    )
    certificates = sorted(each.encoded for each in (leaf, *others))
    signed = sequence(
        number(3),
        der(0x31, sequence(oid(_SHA256))),
        sequence(oid(_TST_INFO), der(0xA0, der(0x04, info))),
        der(0xA0, *certificates),
        der(0x31, info_of_signer),
    )
    return sequence(sequence(number(0)), sequence(oid("1.2.840.113549.1.7.2"), der(0xA0, signed)))


REJECTION = sequence(sequence(number(2)))
