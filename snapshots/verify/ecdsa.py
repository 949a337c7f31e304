"""Verifies ECDSA signatures on the NIST curves P-256, P-384 and P-521 (FIPS 186-5).

Refused are points that are not on the curve and numbers out of range. Nothing secret is handled, so nothing has to
take the same time.
"""

from dataclasses import dataclass
from typing import TypeAlias

from snapshots.errors import Unsound
from snapshots.verify.der import SEQUENCE, integer, only_value

_UNCOMPRESSED = 4


@dataclass(frozen=True)
class Curve:
    """y^2 = x^3 - 3x + b over the integers modulo `prime`, with a base point of order `order`."""

    name: str
    prime: int
    b: int
    order: int
    base: tuple[int, int]

    @property
    def size(self) -> int:
        """Bytes of a coordinate."""
        return (self.prime.bit_length() + 7) // 8


P256 = Curve(
    "P-256",
    2**256 - 2**224 + 2**192 + 2**96 - 1,
    0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    (
        0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
    ),
)
P384 = Curve(
    "P-384",
    2**384 - 2**128 - 2**96 + 2**32 - 1,
    0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
    (
        0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
        0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F,
    ),
)
P521 = Curve(
    "P-521",
    2**521 - 1,
    int(
        "0051953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E1"
        "56193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00",
        16,
    ),
    int(
        "01FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"
        "FA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409",
        16,
    ),
    (
        int(
            "00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBA"
            "A14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66",
            16,
        ),
        int(
            "011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C"
            "97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650",
            16,
        ),
    ),
)

_Jacobian: TypeAlias = tuple[int, int, int]
_INFINITY = (1, 1, 0)


def point_on(curve: Curve, data: bytes) -> tuple[int, int]:
    """The point that an uncompressed encoding stands for. Raises Unsound(key) if there is none on the curve."""
    size = curve.size
    if len(data) != 1 + 2 * size or data[0] != _UNCOMPRESSED:
        raise Unsound("key", f"the public key is no uncompressed point of {curve.name}")
    x, y = int.from_bytes(data[1 : 1 + size], "big"), int.from_bytes(data[1 + size :], "big")
    prime = curve.prime
    if x >= prime or y >= prime or (y * y - (x * x * x - 3 * x + curve.b)) % prime:
        raise Unsound("key", f"the public key is no point of {curve.name}")
    return x, y


def ecdsa_verifies(curve: Curve, key: tuple[int, int], digest: bytes, r: int, s: int) -> bool:
    """Whether `(r, s)` is the signature of `key` (a point on the curve) under a message with this digest."""
    order = curve.order
    if not (0 < r < order and 0 < s < order):
        return False
    number = int.from_bytes(digest, "big") >> max(0, len(digest) * 8 - order.bit_length())
    inverse = pow(s, -1, order)
    found = _two_products(curve, number * inverse % order, curve.base, r * inverse % order, key)
    x, _, z = found
    return z != 0 and (x * pow(z, -2, curve.prime) % curve.prime) % order == r


def der_signature(data: bytes) -> tuple[int, int]:
    """The numbers r and s of a signature as X.509 writes it. Raises Unsound(der)."""
    reader = only_value(data, SEQUENCE).inside()
    r, s = integer(reader.take()), integer(reader.take())
    reader.end()
    return r, s


def raw_signature(curve: Curve, data: bytes) -> tuple[int, int]:
    """The numbers r and s of a signature that is both of them, one after the other. Raises Unsound(signature)."""
    if len(data) != 2 * curve.size:
        raise Unsound("signature", f"the signature has {len(data)} bytes instead of {2 * curve.size}")
    return int.from_bytes(data[: curve.size], "big"), int.from_bytes(data[curve.size :], "big")


def _two_products(curve: Curve, a: int, one: tuple[int, int], b: int, two: tuple[int, int]) -> _Jacobian:
    """Gives a times one plus b times two, both at once from the highest bit down."""
    prime = curve.prime
    first, second = (*one, 1), (*two, 1)
    both = _added(prime, first, second)
    total = _INFINITY
    for place in range(max(a.bit_length(), b.bit_length()) - 1, -1, -1):
        total = _doubled(prime, total)
        bits_here = a >> place & 1, b >> place & 1
        if bits_here == (1, 1):
            total = _added(prime, total, both)
        elif bits_here == (1, 0):
            total = _added(prime, total, first)
        elif bits_here == (0, 1):
            total = _added(prime, total, second)
    return total


def _doubled(prime: int, point: _Jacobian) -> _Jacobian:
    x, y, z = point
    if not z or not y:
        return _INFINITY
    square = z * z % prime
    slope = 3 * (x - square) * (x + square) % prime
    y_square = y * y % prime
    s = 4 * x * y_square % prime
    x3 = (slope * slope - 2 * s) % prime
    return x3, (slope * (s - x3) - 8 * y_square * y_square) % prime, 2 * y * z % prime


def _added(prime: int, one: _Jacobian, two: _Jacobian) -> _Jacobian:
    if not one[2]:
        return two
    if not two[2]:
        return one
    z1, z2 = one[2] * one[2] % prime, two[2] * two[2] % prime
    u1, u2 = one[0] * z2 % prime, two[0] * z1 % prime
    s1, s2 = one[1] * z2 * two[2] % prime, two[1] * z1 * one[2] % prime
    h, r = (u2 - u1) % prime, (s2 - s1) % prime
    if not h:
        return _INFINITY if r else _doubled(prime, one)
    h2 = h * h % prime
    h3, v = h2 * h % prime, u1 * h2 % prime
    x3 = (r * r - h3 - 2 * v) % prime
    return x3, (r * (v - x3) - s1 * h3) % prime, one[2] * two[2] * h % prime
