"""Time-stamp tokens (RFC 3161): read, and checked as far as anybody can who holds the bytes that were stamped.

A token is a CMS message (RFC 5652) that an authority has signed: these bytes existed at this time.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from snapshots.errors import UnknownAlgorithm, Unsound
from snapshots.verify.chains import known_chain, trusted_chain
from snapshots.verify.der import (
    BOOLEAN,
    GENERALIZED_TIME,
    INTEGER,
    OCTET_STRING,
    SEQUENCE,
    SET,
    Der,
    DerReader,
    integer,
    moment_of,
    object_id,
    only_value,
)
from snapshots.verify.x509 import Certificate, check_time_stamping, parse_certificate, signature_holds

MAX_TOKEN = 1024 * 1024
"""Bytes of a token; with its chain it has some five thousand."""

_SIGNED_DATA = "1.2.840.113549.1.7.2"
_TST_INFO = "1.2.840.113549.1.9.16.1.4"
_CONTENT_TYPE = "1.2.840.113549.1.9.3"
_MESSAGE_DIGEST = "1.2.840.113549.1.9.4"
_SIGNING_CERTIFICATE = "1.2.840.113549.1.9.16.2.12"
_SIGNING_CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.47"
_HASHES = {
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}
_GRANTED = {0, 1}
_CERTIFICATES, _REVOCATIONS, _SIGNED_ATTRIBUTES, _UNSIGNED_ATTRIBUTES = 0xA0, 0xA1, 0xA0, 0xA1
_SIGNER_BY_KEY = 0x80


@dataclass(frozen=True)
class Token:
    """What a token says, and what it takes to check that; nothing in it has been checked."""

    time: datetime
    hashed_with: str
    imprint: bytes
    content: bytes
    certificates: tuple[Certificate, ...]
    signer: Der
    digest_algorithm: str
    attributes: Der
    signature_algorithm: Der
    signature: bytes


def parse_token(data: bytes) -> Token:
    """Takes a TimeStampResp (DER) apart.

    Raises:
        UnknownAlgorithm: it uses a hash that is not known here.
        Unsound: `token-malformed`.
    """
    if len(data) > MAX_TOKEN:
        raise Unsound("token-malformed", f"it has more than {MAX_TOKEN} bytes")
    try:
        return _token(data)
    except UnknownAlgorithm:
        raise
    except Unsound as problem:
        raise Unsound("token-malformed", str(problem)) from None


def _token(data: bytes) -> Token:
    reply = only_value(data, SEQUENCE).inside()
    status = integer(reply.take(SEQUENCE).inside().take())
    if status not in _GRANTED:
        raise Unsound("der", f"the authority refused it (status {status})")
    message = reply.take(SEQUENCE).inside()
    reply.end()
    if object_id(message.take()) != _SIGNED_DATA:
        raise Unsound("der", "it is no signed message")
    signed = only_value(message.take(0xA0).body, SEQUENCE).inside()
    message.end()
    integer(signed.take())
    signed.take(SET)
    content = _content(signed.take(SEQUENCE))
    certificates = signed.take_if(_CERTIFICATES)
    signed.take_if(_REVOCATIONS)
    signers = signed.take(SET).parts()
    signed.end()
    if len(signers) != 1:
        raise Unsound("der", f"it has {len(signers)} signers instead of one")
    # A token may carry certificates of old forms beside the ones that matter; those have the tag of a SEQUENCE.
    chain = (
        ()
        if certificates is None
        else tuple(parse_certificate(each.whole) for each in certificates.parts() if each.tag == SEQUENCE)
    )
    return _with_signer(content, chain, signers[0])


def _content(value: Der) -> bytes:
    reader = value.inside()
    if object_id(reader.take()) != _TST_INFO:
        raise Unsound("der", "what it signs is no time stamp")
    content = only_value(reader.take(0xA0).body, OCTET_STRING).body
    reader.end()
    return content


def _with_signer(content: bytes, chain: tuple[Certificate, ...], signer: Der) -> Token:
    time, hashed_with, imprint = _stamp(content)
    reader = signer.inside()
    integer(reader.take())
    identity = reader.take()
    digest_algorithm = _hash_of(reader.take(SEQUENCE))
    attributes = reader.take(_SIGNED_ATTRIBUTES)
    algorithm = reader.take(SEQUENCE)
    signature = reader.take(OCTET_STRING).body
    reader.take_if(_UNSIGNED_ATTRIBUTES)
    reader.end()
    return Token(
        time, hashed_with, imprint, content, chain, identity, digest_algorithm, attributes, algorithm, signature
    )


def _stamp(content: bytes) -> tuple[datetime, str, bytes]:
    """Time, hash algorithm and imprint of a TSTInfo."""
    reader = only_value(content, SEQUENCE).inside()
    version = integer(reader.take())
    object_id(reader.take())
    imprint = reader.take(SEQUENCE).inside()
    hashed_with, value = _hash_of(imprint.take(SEQUENCE)), imprint.take(OCTET_STRING).body
    imprint.end()
    integer(reader.take(INTEGER))
    time = moment_of(reader.take(GENERALIZED_TIME))
    for tag in (SEQUENCE, BOOLEAN, INTEGER, 0xA0, 0xA1):
        reader.take_if(tag)
    reader.end()
    if version != 1:
        raise Unsound("der", f"it is a time stamp of version {version}")
    return time, hashed_with, value


def _hash_of(algorithm: Der) -> str:
    kind = object_id(algorithm.inside().take())
    if kind not in _HASHES:
        raise UnknownAlgorithm("algorithm", f"the hash {kind} is not known here")
    return _HASHES[kind]


def check_imprint(token: Token, stamped: bytes) -> None:
    """Raises Unsound(token-imprint) unless the token is for exactly these bytes."""
    if token.imprint != hashlib.new(token.hashed_with, stamped).digest():
        raise Unsound("token-imprint", "the token was made for other bytes")


def check_token_signature(token: Token, more: Sequence[Certificate]) -> Certificate:
    """The certificate that the token is signed with, found in it or in `more`.

    Raises:
        UnknownAlgorithm: it is signed in a way that is not known here.
        Unsound: `token-signature` if the signature does not hold or whose it is cannot be told.
    """
    for certificate in (*token.certificates, *more):
        if _is_signer(token, certificate):
            break
    else:
        raise Unsound("token-signature", "the certificate of its signer is not there")
    try:
        holds = _signature_holds(token, certificate)
    except UnknownAlgorithm:
        raise
    except Unsound as problem:
        raise Unsound("token-signature", str(problem)) from None
    if not holds:
        raise Unsound("token-signature", f"the signature of {certificate.name} does not hold")
    return certificate


def _signature_holds(token: Token, certificate: Certificate) -> bool:
    attributes = _attributes(token)
    if object_id(_one(attributes, _CONTENT_TYPE)) != _TST_INFO:
        raise Unsound("token-signature", "what is signed is no time stamp")
    if _one(attributes, _MESSAGE_DIGEST).body != hashlib.new(token.digest_algorithm, token.content).digest():
        raise Unsound("token-signature", "the signature is for another time stamp")
    _check_named(attributes, certificate)
    message = bytes([SET]) + token.attributes.whole[1:]
    return signature_holds(token.signature_algorithm, certificate.key, message, token.signature, token.digest_algorithm)


def _is_signer(token: Token, certificate: Certificate) -> bool:
    if token.signer.tag == _SIGNER_BY_KEY:
        extension = certificate.extensions.get("2.5.29.14")
        return extension is not None and extension.value.body == token.signer.body
    if token.signer.tag != SEQUENCE:
        return False
    reader = DerReader(token.signer.body)
    issuer, serial = reader.take(), integer(reader.take())
    return (issuer.whole, serial) == (certificate.issuer, certificate.serial)


def _attributes(token: Token) -> dict[str, list[Der]]:
    found: dict[str, list[Der]] = {}
    for each in token.attributes.parts():
        reader = each.inside()
        kind, values = object_id(reader.take()), reader.take(SET)
        reader.end()
        if kind in found:
            raise Unsound("der", f"it has the attribute {kind} twice")
        found[kind] = values.parts()
    return found


def _one(attributes: dict[str, list[Der]], kind: str) -> Der:
    values = attributes.get(kind, [])
    if len(values) != 1:
        raise Unsound("der", f"it has {len(values)} values of the attribute {kind} instead of one")
    return values[0]


def _check_named(attributes: dict[str, list[Der]], certificate: Certificate) -> None:
    """The signature says with which certificate it was made, so that no other can be put in its place."""
    newer = attributes.get(_SIGNING_CERTIFICATE_V2)
    named = _one(attributes, _SIGNING_CERTIFICATE_V2 if newer else _SIGNING_CERTIFICATE)
    first = next(iter(named.inside().take(SEQUENCE).parts()), None)
    if first is None:
        raise Unsound("der", "it does not say with which certificate it was signed")
    reader = first.inside()
    algorithm = "sha1"
    if newer:
        stated = reader.take_if(SEQUENCE)
        algorithm = "sha256" if stated is None else _hash_of(stated)
    if reader.take(OCTET_STRING).body != hashlib.new(algorithm, certificate.whole).digest():  # the old form has SHA-1
        raise Unsound("token-signature", "it was signed with another certificate")


def check_token_signer(
    token: Token, signer: Certificate, more: Sequence[Certificate], roots: Sequence[Certificate]
) -> tuple[Certificate, ...]:
    """The chain of the token's signer: to one of `roots`, or as far as it is known if there are none.

    Raises:
        UnknownAlgorithm: a certificate cannot be judged here.
        Unsound: `token-usage`, `token-expired` or `token-untrusted`.
    """
    try:
        check_time_stamping(signer)
        pool = (*token.certificates, *more)
        return trusted_chain(signer, pool, roots, token.time) if roots else known_chain(signer, pool, token.time)
    except UnknownAlgorithm:
        raise
    except Unsound as problem:
        known = problem.reason.startswith("token-")
        raise Unsound(problem.reason if known else "token-untrusted", str(problem)) from None
