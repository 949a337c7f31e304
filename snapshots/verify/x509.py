"""Certificates (RFC 5280), as far as judging the signer of a time-stamp token needs them."""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass, field
from datetime import datetime

from snapshots.errors import UnknownAlgorithm, Unsound
from snapshots.verify.der import (
    BOOLEAN,
    NULL,
    OCTET_STRING,
    SEQUENCE,
    Der,
    bit_flags,
    bits,
    boolean,
    integer,
    moment_of,
    object_id,
    only_value,
)
from snapshots.verify.ecdsa import P256, P384, P521, Curve, der_signature, ecdsa_verifies, point_on
from snapshots.verify.ed25519 import ed25519_verifies
from snapshots.verify.rsa import rsa_verifies

MAX_PEM = 1024 * 1024
"""Bytes of a file of certificates; a chain has some ten thousand."""

MAX_CERTIFICATES = 64
"""Certificates that are looked at for one chain; a chain has three or four."""

RSA_KEY = "1.2.840.113549.1.1.1"
_EC_KEY = "1.2.840.10045.2.1"
_ED25519 = "1.3.101.112"
_CURVES = {"1.2.840.10045.3.1.7": P256, "1.3.132.0.34": P384, "1.3.132.0.35": P521}
_RSA_SIGNATURES = {
    "1.2.840.113549.1.1.11": "sha256",
    "1.2.840.113549.1.1.12": "sha384",
    "1.2.840.113549.1.1.13": "sha512",
}
_EC_SIGNATURES = {
    "1.2.840.10045.4.3.2": "sha256",
    "1.2.840.10045.4.3.3": "sha384",
    "1.2.840.10045.4.3.4": "sha512",
}
_BASIC_CONSTRAINTS = "2.5.29.19"
_KEY_USAGE = "2.5.29.15"
_EXTENDED_KEY_USAGE = "2.5.29.37"
_UNDERSTOOD = {
    _BASIC_CONSTRAINTS,
    _KEY_USAGE,
    _EXTENDED_KEY_USAGE,
    "2.5.29.14",  # subject key identifier
    "2.5.29.35",  # authority key identifier
    "2.5.29.17",  # alternative names: of no weight here
    "2.5.29.32",  # policies: any is taken
}
_SIGN_CERTIFICATES = 5
_DIGITAL_SIGNATURE, _NON_REPUDIATION = 0, 1
_TIME_STAMPING = "1.3.6.1.5.5.7.3.8"
_NAMES = {"2.5.4.3": "CN", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C"}
_PEM_BLOCK = re.compile(rb"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----")


@dataclass(frozen=True)
class Extension:
    """One extension of a certificate: whether it must be understood, and what it says."""

    critical: bool
    value: Der


@dataclass(frozen=True)
class Certificate:
    """A certificate, taken apart. Two are equal if their bytes are."""

    whole: bytes
    signed: bytes = field(compare=False)
    serial: int = field(compare=False)
    issuer: bytes = field(compare=False)
    subject: bytes = field(compare=False)
    not_before: datetime = field(compare=False)
    not_after: datetime = field(compare=False)
    key: Der = field(compare=False)
    algorithm: Der = field(compare=False)
    signature: bytes = field(compare=False)
    extensions: dict[str, Extension] = field(compare=False)

    @property
    def name(self) -> str:
        """The subject as a person reads it."""
        return name_of(self.subject)

    def valid_at(self, at: datetime) -> bool:
        """Whether `at` lies between its first and its last moment."""
        return self.not_before <= at <= self.not_after


def parse_certificate(data: bytes) -> Certificate:
    """The certificate that `data` (DER) is. Raises Unsound(der)."""
    outer = only_value(data, SEQUENCE).inside()
    signed, algorithm, signature = outer.take(SEQUENCE), outer.take(SEQUENCE), bits(outer.take())
    outer.end()
    inner = signed.inside()
    version = inner.take_if(0xA0)
    serial, inner_algorithm = integer(inner.take()), inner.take(SEQUENCE)
    issuer, validity, subject, key = (inner.take(SEQUENCE) for _ in range(4))
    times = validity.inside()
    not_before, not_after = moment_of(times.take()), moment_of(times.take())
    times.end()
    inner.take_if(0x81)
    inner.take_if(0x82)
    extensions = inner.take_if(0xA3)
    inner.end()
    if inner_algorithm.whole != algorithm.whole:
        raise Unsound("der", "it names two algorithms for one signature")
    if extensions is not None and version is None:
        raise Unsound("der", "it has extensions, which its version does not know")
    return Certificate(
        data,
        signed.whole,
        serial,
        issuer.whole,
        subject.whole,
        not_before,
        not_after,
        key,
        algorithm,
        signature,
        {} if extensions is None else _extensions(extensions),
    )


def _extensions(value: Der) -> dict[str, Extension]:
    found: dict[str, Extension] = {}
    for each in only_value(value.body, SEQUENCE).parts():
        reader = each.inside()
        kind = object_id(reader.take())
        critical = reader.take_if(BOOLEAN)
        content = reader.take(OCTET_STRING)
        reader.end()
        if kind in found:
            raise Unsound("der", f"it has the extension {kind} twice")
        found[kind] = Extension(critical is not None and boolean(critical), only_value(content.body))
    return found


def parse_pem(data: bytes) -> tuple[Certificate, ...]:
    """The certificates in a PEM file, at least one. Raises Unsound(der)."""
    if len(data) > MAX_PEM:
        raise Unsound("der", f"it has more than {MAX_PEM} bytes")
    found = []
    for block in _PEM_BLOCK.findall(data):
        try:
            found.append(parse_certificate(base64.b64decode(b"".join(block.split()), validate=True)))
        except binascii.Error:
            raise Unsound("der", "it is no base64") from None
    if not 0 < len(found) <= MAX_CERTIFICATES:
        raise Unsound("der", f"it has {len(found)} certificates instead of 1 to {MAX_CERTIFICATES}")
    return tuple(found)


def name_of(subject: bytes) -> str:
    """A distinguished name in the usual short form."""
    parts = []
    for group in only_value(subject, SEQUENCE).parts():
        for pair in group.parts():
            reader = pair.inside()
            kind, value = object_id(reader.take()), reader.take()
            parts.append(f"{_NAMES.get(kind, kind)}={value.body.decode('utf-8', 'replace')}")
    return ", ".join(parts)


def ec_key(spki: Der) -> tuple[Curve, tuple[int, int]] | None:
    """Curve and point of a public key; None if it is of another kind. Raises Unsound for a point off its curve."""
    reader = spki.inside()
    algorithm, key = reader.take(SEQUENCE).inside(), bits(reader.take())
    reader.end()
    if object_id(algorithm.take()) != _EC_KEY:
        return None
    curve = _CURVES.get(object_id(algorithm.take()))
    algorithm.end()
    if curve is None:
        raise UnknownAlgorithm("algorithm", "the key is on a curve that is not known here")
    return curve, point_on(curve, key)


def signature_holds(algorithm: Der, spki: Der, message: bytes, signature: bytes, hashed_with: str = "") -> bool:
    """Whether `signature` holds under `message`; `hashed_with` is for algorithms that leave the hash open.

    Raises:
        UnknownAlgorithm: it is made in a way that is not known here.
        Unsound: key or signature are malformed.
    """
    reader = algorithm.inside()
    kind = object_id(reader.take())
    if kind == RSA_KEY and hashed_with in _RSA_SIGNATURES.values():
        reader.take(NULL)
        return _rsa_holds(spki, hashed_with, message, signature)
    if kind in _RSA_SIGNATURES:
        reader.take(NULL)
        return _rsa_holds(spki, _RSA_SIGNATURES[kind], message, signature)
    if kind in _EC_SIGNATURES:
        found = ec_key(spki)
        if found is None:
            return False
        digest = hashlib.new(_EC_SIGNATURES[kind], message).digest()
        return ecdsa_verifies(found[0], found[1], digest, *der_signature(signature))
    if kind == _ED25519:
        return ed25519_verifies(bits(spki.parts()[-1]), message, signature)
    raise UnknownAlgorithm("algorithm", f"signatures of the kind {kind} cannot be checked here")


def _rsa_holds(spki: Der, hashed_with: str, message: bytes, signature: bytes) -> bool:
    reader = spki.inside()
    algorithm, key = reader.take(SEQUENCE).inside(), bits(reader.take())
    if object_id(algorithm.take()) != RSA_KEY:
        return False
    numbers = only_value(key, SEQUENCE).inside()
    modulus, exponent = integer(numbers.take()), integer(numbers.take())
    numbers.end()
    return rsa_verifies(modulus, exponent, hashed_with, message, signature)


def check_time_stamping(certificate: Certificate) -> None:
    """Raises Unsound(token-usage) unless the certificate is for time stamps and nothing else, as RFC 3161 asks."""
    usage = certificate.extensions.get(_EXTENDED_KEY_USAGE)
    if usage is None or not usage.critical or [object_id(each) for each in usage.value.parts()] != [_TIME_STAMPING]:
        raise Unsound("token-usage", f"the certificate of {certificate.name} is not made for time stamps alone")
    key_usage = certificate.extensions.get(_KEY_USAGE)
    if key_usage is not None and not bit_flags(key_usage.value) & {_DIGITAL_SIGNATURE, _NON_REPUDIATION}:
        raise Unsound("token-usage", f"the certificate of {certificate.name} is not made for signing")
    check_understood(certificate)


def check_understood(certificate: Certificate) -> None:
    """Raises UnknownAlgorithm if the certificate has a condition that is not understood here."""
    for kind, extension in certificate.extensions.items():
        if extension.critical and kind not in _UNDERSTOOD:
            raise UnknownAlgorithm("algorithm", f"the certificate of {certificate.name} has a condition {kind}")


def may_issue(certificate: Certificate, below: int) -> bool:
    """Whether it is an authority's, with `below` authorities between it and the end of the chain."""
    constraints = certificate.extensions.get(_BASIC_CONSTRAINTS)
    if constraints is None:
        return False
    reader = constraints.value.inside()
    is_authority = reader.take_if(BOOLEAN)
    if is_authority is None or not boolean(is_authority):
        return False
    if reader.more() and integer(reader.take()) < below:
        return False
    usage = certificate.extensions.get(_KEY_USAGE)
    return usage is None or _SIGN_CERTIFICATES in bit_flags(usage.value)
