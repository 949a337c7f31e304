"""What an RFC 3161 answer says, read from its DER. Pure; nothing is verified here.

Read apart from the library that verifies tokens: authorities are known whose answers are sound and which that library
cannot read, and what was stamped must be known of those too.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from snapshots.errors import BadStamp

MAX_LENGTH: Final = 4
"""Bytes of a length: far more than an answer may have."""

INTEGER, OCTETS, OID, UTF8, TIME, SEQUENCE, SET, CONTEXT_0 = 0x02, 0x04, 0x06, 0x0C, 0x18, 0x30, 0x31, 0xA0

SIGNED_DATA: Final = bytes.fromhex("2a864886f70d010702")
TST_INFO: Final = bytes.fromhex("2a864886f70d0109100104")
MESSAGE_DIGEST: Final = bytes.fromhex("2a864886f70d010904")
SHA256: Final = bytes.fromhex("608648016503040201")
HASHES: Final = {
    SHA256: "sha256",
    bytes.fromhex("608648016503040202"): "sha384",
    bytes.fromhex("608648016503040203"): "sha512",
}

_GRANTED: Final = 0
_SHORT: Final = 0x80
_LONG_TAG: Final = 0x1F


@dataclass(frozen=True, slots=True)
class Node:
    """One value: its tag, what is in it, and the bytes of all of it."""

    tag: int
    content: bytes
    whole: bytes

    def within(self) -> "list[Node]":
        """The values in it, in order."""
        return nodes(self.content)


@dataclass(frozen=True)
class Signer:
    """Who signed, by issuer (DER) and serial number, and the signature over `attributes`, which hold `digest`.

    `hashed` is the name of the hash of both, None for one that is not known here.
    """

    issuer: bytes
    serial: int
    hashed: str | None
    attributes: bytes
    digest: bytes | None
    signature: bytes


@dataclass(frozen=True)
class Answer:
    """What a granted answer says: the hash that was stamped, when, the number that came with the request, and by whom.

    `certificates` are DER, in the order in which they lie there. `content` is what was signed.
    """

    imprint: bytes
    time: datetime
    nonce: int | None
    certificates: tuple[bytes, ...]
    content: bytes
    signer: Signer


def nodes(data: bytes) -> list[Node]:
    """The values that `data` is made of, one after the other.

    Raises:
        BadStamp: it is no DER.
    """
    found, at = [], 0
    while at < len(data):
        start, size = _length(data, at)
        end = start + size
        if end > len(data):
            raise BadStamp("the answer is cut short, or is no DER")
        found.append(Node(data[at], data[start:end], data[at:end]))
        at = end
    return found


def _length(data: bytes, at: int) -> tuple[int, int]:
    """Where the content of the value at `at` begins, and how long it is."""
    if at + 2 > len(data) or data[at] & _LONG_TAG == _LONG_TAG:
        raise BadStamp("the answer is cut short, or is no DER")
    first = data[at + 1]
    if first < _SHORT:
        return at + 2, first
    count = first - _SHORT
    if not 0 < count <= MAX_LENGTH or at + 2 + count > len(data):
        raise BadStamp("the answer holds a length that is no DER")
    return at + 2 + count, int.from_bytes(data[at + 2 : at + 2 + count])


def read_answer(data: bytes) -> Answer:
    """What the DER TimeStampResp `data` says.

    Raises:
        BadStamp: it is none, or the authority has not granted the request; the text says why.
    """
    try:
        return _answer(data)
    except (IndexError, ValueError, OverflowError):
        raise BadStamp("the answer has not the form of RFC 3161") from None


def _answer(data: bytes) -> Answer:
    (response,) = nodes(data)
    status, *token = _within(response)
    _granted(status)
    kind, explicit = _within(token[0])
    if _the(kind, OID) != SIGNED_DATA:
        raise BadStamp("the answer holds something else than a signed token")
    (signed,) = _within(explicit, CONTEXT_0)
    version, algorithms, stamped, *rest = _within(signed)
    _number(version), _the(algorithms, SET)
    info_kind, info = _within(stamped)
    if _the(info_kind, OID) != TST_INFO:
        raise BadStamp("what the authority signed is no time stamp")
    (octets,) = _within(info, CONTEXT_0)
    (fields,) = nodes(_the(octets, OCTETS))
    imprint, time, nonce = _info(_within(fields))
    certificates = tuple(one.whole for part in rest if part.tag == CONTEXT_0 for one in part.within())
    signers = [one for part in rest if part.tag == SET for one in part.within()]
    if len(signers) != 1:
        raise BadStamp(f"the token has {len(signers)} signers; one is right")
    return Answer(imprint, time, nonce, certificates, octets.content, _signer(_within(signers[0])))


def _signer(parts: list[Node]) -> Signer:
    """A SignerInfo."""
    _, named, algorithm, *rest = parts
    issuer, serial = _within(named)
    attributes, signature = rest[0], rest[2]
    digests = [
        one.content
        for attribute in _within(attributes, CONTEXT_0)
        for kind, values in [_within(attribute)]
        if kind.content == MESSAGE_DIGEST
        for one in _within(values, SET)
    ]
    return Signer(
        issuer=issuer.whole,
        serial=_number(serial),
        hashed=HASHES.get(_the(_within(algorithm)[0], OID)),
        attributes=bytes([SET]) + attributes.whole[1:],  # RFC 5652 5.4: signed as the set that they are
        digest=digests[0] if len(digests) == 1 else None,
        signature=_the(signature, OCTETS),
    )


def _granted(status: Node) -> None:
    code, *said = _within(status)
    if _number(code) == _GRANTED:
        return
    words = [one.content.decode("utf-8", "replace") for part in said if part.tag == SEQUENCE for one in part.within()]
    told = "; ".join(words)[:200]
    raise BadStamp(f"the authority does not grant a time stamp (status {_number(code)}{': ' if told else ''}{told})")


def _info(fields: list[Node]) -> tuple[bytes, datetime, int | None]:
    """Imprint, time and nonce of a TSTInfo."""
    _, _, imprint, _, time, *rest = fields
    algorithm, value = _within(imprint)
    if _the(_within(algorithm)[0], OID) != SHA256:
        raise BadStamp("the token is over another kind of hash than was asked for")
    nonces = [_number(one) for one in rest if one.tag == INTEGER]
    return _the(value, OCTETS), _time(_the(time, TIME)), nonces[0] if nonces else None


def _time(value: bytes) -> datetime:
    """GeneralizedTime as DER has it: `20261129234337Z`, or with a fraction."""
    text = value.decode("ascii")
    whole, _, fraction = text.removesuffix("Z").partition(".")
    if not text.endswith("Z") or len(whole) != 14 or not (whole + fraction).isdecimal():  # noqa: PLR2004 - digits of a time
        raise BadStamp("the token's time is not in the form of RFC 3161")
    moment = datetime.strptime(whole, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return moment.replace(microsecond=int((fraction + "000000")[:6]))


def _within(node: Node, tag: int = SEQUENCE) -> list[Node]:
    return nodes(_the(node, tag))


def _the(node: Node, tag: int) -> bytes:
    """The content of a value that must have this tag."""
    if node.tag != tag:
        raise BadStamp("the answer has not the form of RFC 3161")
    return node.content


def _number(node: Node) -> int:
    content = _the(node, INTEGER)
    if not content:
        raise BadStamp("the answer holds a number without digits")
    return int.from_bytes(content, signed=True)


def in_order(data: bytes) -> bytes:
    """The answer with its certificates in the order that DER wants for a set. No signature covers that order."""
    certificates = read_answer(data).certificates
    run = b"".join(certificates)
    at = data.find(run)
    if not run or at < 0:
        return data
    return data[:at] + b"".join(sorted(certificates)) + data[at + len(run) :]
