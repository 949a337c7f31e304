"""Verifies RSA signatures with PKCS #1 v1.5 padding (RFC 8017, section 8.2.2), by writing out what must be there."""

import hashlib

MIN_RSA_BITS = 2048
"""Bits of a modulus that are still trusted; NIST gave up 1,024 in 2013."""

MAX_RSA_BITS = 16384
"""Bits of a modulus that are computed with; four times the largest in use."""

MAX_RSA_EXPONENT_BITS = 64
"""Bits of the public exponent; nearly everybody uses 65537."""

_DIGEST_INFO = {
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "sha384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "sha512": bytes.fromhex("3051300d060960864801650304020305000440"),
}


def rsa_verifies(modulus: int, exponent: int, algorithm: str, message: bytes, signature: bytes) -> bool:
    """Whether `signature` is that of the key under `message`, hashed with `algorithm` (sha256, sha384 or sha512)."""
    bits_of_key = modulus.bit_length()
    size = (bits_of_key + 7) // 8
    if not MIN_RSA_BITS <= bits_of_key <= MAX_RSA_BITS or not modulus & 1:
        return False
    if exponent < 3 or not exponent & 1 or exponent.bit_length() > MAX_RSA_EXPONENT_BITS:  # noqa: PLR2004 - the smallest there can be
        return False
    number = int.from_bytes(signature, "big")
    if len(signature) != size or number >= modulus:
        return False
    tail = _DIGEST_INFO[algorithm] + hashlib.new(algorithm, message).digest()
    expected = b"\x00\x01" + b"\xff" * (size - len(tail) - 3) + b"\x00" + tail
    return pow(number, exponent, modulus).to_bytes(size, "big") == expected
