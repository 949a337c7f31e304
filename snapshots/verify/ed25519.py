"""Verifies Ed25519 signatures (RFC 8032, section 5.1.7), strictly: one signature has one spelling.

Refused are points and scalars that are not in their canonical form, and keys of small order, under which one signature
fits many messages. Nothing secret is handled, so nothing has to take the same time.
"""

from hashlib import sha512
from typing import TypeAlias

_FIELD = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_EDWARDS_D = -121665 * pow(121666, -1, _FIELD) % _FIELD
_ROOT_OF_MINUS_1 = pow(2, (_FIELD - 1) // 4, _FIELD)
_POINT_BYTES = 32
_ED25519_BYTES = 64
_SIGN_BIT = 1 << 255

_Extended: TypeAlias = tuple[int, int, int, int]
_NEUTRAL = (0, 1, 1, 0)


def ed25519_verifies(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` (64 bytes) is that of the key `public` (32 bytes) under `message`."""
    if len(public) != _POINT_BYTES or len(signature) != _ED25519_BYTES:
        return False
    scalar = int.from_bytes(signature[_POINT_BYTES:], "little")
    key = _decode_point(public)
    if key is None or scalar >= _ORDER or _decode_point(signature[:_POINT_BYTES]) is None:
        return False
    if _is_neutral(_times(8, key)):
        return False
    challenge = int.from_bytes(sha512(signature[:_POINT_BYTES] + public + message).digest(), "little") % _ORDER
    x, y, z, t = key
    found = _plus(_times(scalar, _BASE_POINT), _times(challenge, (_FIELD - x, y, z, _FIELD - t)))
    return _encode_point(found) == signature[:_POINT_BYTES]


def _plus(one: _Extended, two: _Extended) -> _Extended:
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = two
    a = (y1 - x1) * (y2 - x2) % _FIELD
    b = (y1 + x1) * (y2 + x2) % _FIELD
    c = 2 * t1 * t2 * _EDWARDS_D % _FIELD
    d = 2 * z1 * z2 % _FIELD
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _FIELD, g * h % _FIELD, f * g % _FIELD, e * h % _FIELD)


def _times(factor: int, point: _Extended) -> _Extended:
    total = _NEUTRAL
    while factor:
        if factor & 1:
            total = _plus(total, point)
        point = _plus(point, point)
        factor >>= 1
    return total


def _is_neutral(point: _Extended) -> bool:
    return point[0] % _FIELD == 0 and (point[1] - point[2]) % _FIELD == 0


def _encode_point(point: _Extended) -> bytes:
    inverse = pow(point[2], -1, _FIELD)
    x, y = point[0] * inverse % _FIELD, point[1] * inverse % _FIELD
    return (y | (x & 1) << 255).to_bytes(_POINT_BYTES, "little")


def _decode_point(data: bytes) -> _Extended | None:
    """The point that 32 bytes stand for; None if there is none, or this is not how it is written."""
    y = int.from_bytes(data, "little")
    odd, y = y >> 255, y & ~_SIGN_BIT
    if y >= _FIELD:
        return None
    x = _recover_x(y, odd)
    return None if x is None else (x, y, 1, x * y % _FIELD)


def _recover_x(y: int, odd: int) -> int | None:
    square = (y * y - 1) * pow(_EDWARDS_D * y * y + 1, -1, _FIELD) % _FIELD
    if square == 0:
        return None if odd else 0
    x = pow(square, (_FIELD + 3) // 8, _FIELD)
    if (x * x - square) % _FIELD:
        x = x * _ROOT_OF_MINUS_1 % _FIELD
    if (x * x - square) % _FIELD:
        return None
    return x if x & 1 == odd else _FIELD - x


_BASE_Y = 4 * pow(5, -1, _FIELD) % _FIELD
_BASE_X = _recover_x(_BASE_Y, 0) or 0
_BASE_POINT = (_BASE_X, _BASE_Y, 1, _BASE_X * _BASE_Y % _FIELD)
