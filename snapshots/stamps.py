"""Time stamps by RFC 3161 on the log's checkpoints: what is asked of an authority, and whether its answer holds.

Pure: whoever asks is handed in as a `Post`, so nothing here needs a network. A token says that the checkpoint, and with
it every entry of its tree, existed at the token's time; it rests on the authority's word and key.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, Protocol

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512, HashAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding
from rfc3161_client import HashAlgorithm as StampHash
from rfc3161_client import (
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from snapshots.errors import BadProof, BadStamp
from snapshots.note import parse_checkpoint, parse_note
from snapshots.stamp_der import Answer, in_order, read_answer
from snapshots.times import stamp

MAX_RESPONSE: Final = 64 * 1024
"""Bytes of an answer: ten times what a chain of four RSA certificates takes."""
MAX_CHAIN: Final = 10
"""Certificates of a chain; honest ones have two to four."""
CLOCKS_APART: Final = timedelta(minutes=10)
"""An authority that tells another time than we know is of no use: one of the two clocks is wrong."""

_HASHES: Final[dict[str, HashAlgorithm]] = {"sha256": SHA256(), "sha384": SHA384(), "sha512": SHA512()}

Checked = Literal["verified", "unvouched", "openssl"]
"""`verified`: up to one of the roots that were given. `unvouched`: no roots were given, so nobody has said whose the
signature is. `openssl`: it cannot be verified with what is built in; `openssl ts -verify` can."""


class Post(Protocol):
    """Asks an authority."""

    async def __call__(self, authority: str, request: bytes) -> bytes:
        """The body of the answer to a DER TimeStampReq that was sent to the address `authority`.

        Raises:
            BadStamp: there is none within the limits of size and time; the text says why.
        """
        ...


@dataclass(frozen=True)
class Request:
    """A request for a token over `checkpoint`: its DER, and the random number that must come back."""

    checkpoint: bytes
    encoded: bytes
    nonce: int


@dataclass(frozen=True)
class Token:
    """An authority's word that a checkpoint existed at `time` (RFC 3339, milliseconds).

    `checkpoint` are the bytes that were stamped: the signed note, of a tree of `size` entries. `response` is the DER
    TimeStampResp, `request` what it answers, `chain_pem` the signing certificate and those above it, as far as known.
    `ends` is when the signing certificate does, if it came with the token.
    """

    authority: str
    time: str
    size: int
    response: bytes
    checkpoint: bytes
    chain_pem: bytes
    request: bytes
    checked: Checked
    detail: str | None = None
    ends: str | None = None

    @property
    def imprint(self) -> str:
        """Hex SHA-256 of the checkpoint."""
        return hashlib.sha256(self.checkpoint).hexdigest()


def new_request(checkpoint: bytes) -> Request:
    """A request for a token over the signed note `checkpoint`, SHA-256, with a nonce and the signer's certificate."""
    made = TimestampRequestBuilder().data(checkpoint).hash_algorithm(StampHash.SHA256).build()
    assert made.nonce is not None, "the builder adds one unless told otherwise"
    return Request(checkpoint, made.as_bytes(), made.nonce)


def read_roots(pem: bytes) -> tuple[x509.Certificate, ...]:
    """The certificates of a PEM file.

    Raises:
        BadStamp: there is none, or one cannot be read.
    """
    try:
        return tuple(x509.load_pem_x509_certificates(pem))
    except ValueError as error:
        raise BadStamp(f"no certificates can be read: {error}") from None


def checked_token(
    request: Request, response: bytes, *, authority: str, roots: Sequence[x509.Certificate], now: datetime
) -> Token:
    """The token in an authority's answer, if it is one over the request's checkpoint.

    Raises:
        BadStamp: it is not; the text says what does not hold.
    """
    if len(response) > MAX_RESPONSE:
        raise BadStamp(f"the answer has more than {MAX_RESPONSE} bytes")
    answer = read_answer(response)
    if answer.imprint != hashlib.sha256(request.checkpoint).digest():
        raise BadStamp("the token is over other bytes than the checkpoint")
    if answer.nonce != request.nonce:
        raise BadStamp("the token answers another request: its nonce is not the one that was sent")
    if abs(answer.time - now) > CLOCKS_APART:
        raise BadStamp(f"the token's time {stamp(answer.time)} is not the time here, {stamp(now)}: one clock is wrong")
    brought = _certificates(answer)
    signer = next((one for one in brought if _signs(one, answer)), None)
    _require_signature(answer, signer)
    state, detail = _verified(request, response, roots)
    return Token(
        authority=authority,
        time=stamp(answer.time),
        size=_size(request.checkpoint),
        response=response,
        checkpoint=request.checkpoint,
        chain_pem=_chain(signer, [*brought, *roots]),
        request=request.encoded,
        checked=state,
        detail=detail,
        ends=stamp(signer.not_valid_after_utc) if signer else None,
    )


def _verified(request: Request, response: bytes, roots: Sequence[x509.Certificate]) -> tuple[Checked, str | None]:
    """How far the token was checked. Raises BadStamp where it was, and does not hold."""
    try:
        parsed = _decoded(response)
    except ValueError as error:
        return "openssl", f"verify by openssl: the token's form is not one that is read here ({str(error)[:200]})"
    if not roots:
        return "unvouched", "no roots are set, so that nobody has said whose signature it is"
    verifier = VerifierBuilder(nonce=request.nonce, roots=list(roots)).build()
    try:
        verifier.verify_message(parsed, request.checkpoint)
    except VerificationError as error:
        raise BadStamp(f"the token does not hold: {str(error).partition('[')[0][:300]}") from None
    except ValueError as error:
        return "openssl", f"verify by openssl: {str(error)[:200]}"
    return "verified", None


def _decoded(response: bytes) -> TimeStampResponse:
    """Some authorities send the certificates unsorted, which the parser takes for damage; their order means nothing."""
    try:
        return decode_timestamp_response(response)
    except ValueError:
        return decode_timestamp_response(in_order(response))


def _certificates(answer: Answer) -> list[x509.Certificate]:
    """Those that came with the token, as far as they can be read."""
    found = []
    for data in answer.certificates:
        try:
            certificate = x509.load_der_x509_certificate(data)
            # The parts are parsed when they are asked for, and must not fail then.
            _ = certificate.issuer, certificate.subject, certificate.not_valid_after_utc, certificate.extensions
        except (ValueError, x509.InvalidVersion):
            continue
        found.append(certificate)
    return found


def _signs(certificate: x509.Certificate, answer: Answer) -> bool:
    signer = answer.signer
    return certificate.serial_number == signer.serial and certificate.issuer.public_bytes() == signer.issuer


def _require_signature(answer: Answer, certificate: x509.Certificate | None) -> None:
    """Holds the signature against the certificate that came along, which says nothing yet about whose that is.

    Raises:
        BadStamp: it does not hold. An algorithm that is not known here passes; the token is then for openssl.
    """
    signer = answer.signer
    if certificate is None:
        raise BadStamp("the token does not hold: the certificate that it was signed with did not come with it")
    if signer.hashed is None:
        return
    if signer.digest != hashlib.new(signer.hashed, answer.content).digest():
        raise BadStamp("the token does not hold: its signature is over something else")
    hashed = _HASHES[signer.hashed]
    try:
        match certificate.public_key():
            case EllipticCurvePublicKey() as key:
                key.verify(signer.signature, signer.attributes, ECDSA(hashed))
            case RSAPublicKey() as key:
                key.verify(signer.signature, signer.attributes, PKCS1v15(), hashed)
            case _:
                return
    except InvalidSignature:
        raise BadStamp("the token does not hold: its signature does not") from None
    except (ValueError, UnsupportedAlgorithm) as error:
        raise BadStamp(f"the token's signature cannot be checked: {error}") from None


def _chain(signer: x509.Certificate | None, others: Iterable[x509.Certificate]) -> bytes:
    """The signer's certificate, then each one's issuer among `others`, as PEM."""
    chain = [] if signer is None else [signer]
    known = list(others)
    while chain and chain[-1].issuer != chain[-1].subject and len(chain) < MAX_CHAIN:
        above = next((one for one in known if _issued(chain[-1], one)), None)
        if above is None:
            break
        chain.append(above)
    return b"".join(one.public_bytes(Encoding.PEM) for one in chain)


def _issued(certificate: x509.Certificate, by: x509.Certificate) -> bool:
    if certificate.issuer != by.subject:
        return False
    try:
        certificate.verify_directly_issued_by(by)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def _size(checkpoint: bytes) -> int:
    try:
        return parse_checkpoint(parse_note(checkpoint).text).size
    except BadProof as error:
        raise BadStamp(f"what was to be stamped is no checkpoint: {error}") from None
