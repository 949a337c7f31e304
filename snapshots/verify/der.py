"""Reads DER, the strict form of ASN.1 in which certificates and time-stamp tokens are written.

One value has one spelling: definite lengths in their shortest form, nothing after the end, nesting with an end.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from snapshots.errors import Unsound

BOOLEAN = 0x01
INTEGER = 0x02
BIT_STRING = 0x03
OCTET_STRING = 0x04
NULL = 0x05
OBJECT_ID = 0x06
UTC_TIME = 0x17
GENERALIZED_TIME = 0x18
SEQUENCE = 0x30
SET = 0x31

MAX_DER_DEPTH = 32
"""Levels that are descended; a certificate in a token needs some fifteen."""

MAX_DER_LENGTH_BYTES = 4
"""Bytes of a length: values of up to 4 GiB, far beyond any that is read here."""

MAX_DER_INTEGER = 2100
"""Bytes of an integer: a signature of 16,384 bits and a little more."""

_LONG = 0x80
_HIGH_TAG = 0x1F
_MAX_OID_BYTES = 64  # the longest in use have some fifteen
_GENERALIZED = re.compile(r"(\d{14})(?:\.(\d{0,5}[1-9]))?Z", re.ASCII)
_UTC = re.compile(r"\d{12}Z", re.ASCII)
_CENTURY = 50


@dataclass(frozen=True)
class Der:
    """One value: its tag byte, its contents, and the whole bytes it was read from."""

    tag: int
    body: bytes
    whole: bytes
    depth: int = 0

    def inside(self) -> "DerReader":
        """A reader over the values that this one is made of."""
        if self.depth >= MAX_DER_DEPTH:
            raise _bad(f"is nested more than {MAX_DER_DEPTH} deep")
        return DerReader(self.body, self.depth + 1)

    def parts(self) -> "list[Der]":
        """The values that this one is made of, one after the other."""
        reader = self.inside()
        found = []
        while reader.more():
            found.append(reader.take())
        return found


class DerReader:
    """Takes values off the beginning of some bytes."""

    def __init__(self, data: bytes, depth: int = 0) -> None:
        self.data = data
        self.depth = depth
        self.at = 0

    def more(self) -> bool:
        """Whether anything is left."""
        return self.at < len(self.data)

    def next_is(self, tag: int) -> bool:
        """Whether the next value has this tag."""
        return self.more() and self.data[self.at] == tag

    def take(self, tag: int | None = None) -> Der:
        """The next value, which must have this tag if one is given. Raises Unsound(der)."""
        start = self.at
        if start + 2 > len(self.data):
            raise _bad("ends too early")
        found = self.data[start]
        if found & _HIGH_TAG == _HIGH_TAG:
            raise _bad("has a tag of more than one byte")
        if tag is not None and found != tag:
            raise _bad(f"has the tag {found:#04x} where {tag:#04x} was expected")
        length, body = self._length(start + 1)
        end = body + length
        if end > len(self.data):
            raise _bad("ends too early")
        self.at = end
        return Der(found, self.data[body:end], self.data[start:end], self.depth)

    def take_if(self, tag: int) -> Der | None:
        """The next value if it has this tag, else None and nothing is taken."""
        return self.take(tag) if self.next_is(tag) else None

    def end(self) -> None:
        """Raises Unsound(der) if anything is left."""
        if self.more():
            raise _bad("has something after its end")

    def _length(self, at: int) -> tuple[int, int]:
        first = self.data[at]
        if first < _LONG:
            return first, at + 1
        count = first & ~_LONG
        if not 1 <= count <= MAX_DER_LENGTH_BYTES or at + 1 + count > len(self.data):
            raise _bad("has a length of a form that DER does not know")
        digits = self.data[at + 1 : at + 1 + count]
        length = int.from_bytes(digits, "big")
        if digits[0] == 0 or length < _LONG:
            raise _bad("has a length that is not in its shortest form")
        return length, at + 1 + count


def only_value(data: bytes, tag: int | None = None) -> Der:
    """The one value that `data` is. Raises Unsound(der)."""
    reader = DerReader(data)
    value = reader.take(tag)
    reader.end()
    return value


def integer(value: Der) -> int:
    """An INTEGER in its shortest form."""
    body = value.body
    if value.tag != INTEGER or not body or len(body) > MAX_DER_INTEGER:
        raise _bad("has no integer where one was expected")
    if len(body) > 1 and ((body[0] == 0 and body[1] < _LONG) or (body[0] == 0xFF and body[1] >= _LONG)):  # noqa: PLR2004 - all bits set
        raise _bad("has an integer that is not in its shortest form")
    return int.from_bytes(body, "big", signed=True)


def boolean(value: Der) -> bool:
    """A BOOLEAN, of which DER knows two."""
    if value.tag != BOOLEAN or value.body not in {b"\x00", b"\xff"}:
        raise _bad("has no boolean where one was expected")
    return value.body == b"\xff"


def object_id(value: Der) -> str:
    """An OBJECT IDENTIFIER as dotted numbers."""
    body = value.body
    if value.tag != OBJECT_ID or not 0 < len(body) <= _MAX_OID_BYTES or body[-1] >= _LONG:
        raise _bad("has no object identifier where one was expected")
    numbers: list[int] = []
    number, fresh = 0, True
    for byte in body:
        if fresh and byte == _LONG:
            raise _bad("has an object identifier that is not in its shortest form")
        number = number << 7 | byte & ~_LONG
        fresh = byte < _LONG
        if fresh:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))


def bits(value: Der) -> bytes:
    """A BIT STRING of whole bytes."""
    if value.tag != BIT_STRING or value.body[:1] != b"\x00":
        raise _bad("has no string of whole bytes where one was expected")
    return value.body[1:]


def bit_flags(value: Der) -> frozenset[int]:
    """A BIT STRING as the numbers of the bits that are set, from 0."""
    body = value.body
    if value.tag != BIT_STRING or not body or body[0] > 7 or (len(body) == 1 and body[0]):  # noqa: PLR2004 - unused bits
        raise _bad("has no flags where some were expected")
    return frozenset(place * 8 + bit for place, byte in enumerate(body[1:]) for bit in range(8) if byte & 0x80 >> bit)


def moment_of(value: Der) -> datetime:
    """A UTCTime or GeneralizedTime in UTC, as DER writes them."""
    text = value.body.decode("latin-1")
    try:
        if value.tag == UTC_TIME and _UTC.fullmatch(text):
            century = "20" if int(text[:2]) < _CENTURY else "19"
            return datetime.strptime(century + text[:-1], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        found = _GENERALIZED.fullmatch(text)
        if value.tag == GENERALIZED_TIME and found:
            whole = datetime.strptime(found[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            return whole.replace(microsecond=int((found[2] or "").ljust(6, "0")))
    except ValueError:
        pass
    raise _bad("has no time where one was expected")


def _bad(detail: str) -> Unsound:
    return Unsound("der", f"it {detail}")
