"""Signatures are verified as the standards say, and in one spelling only."""

import hashlib

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshots import Unsound, ed25519_holds
from snapshots.verify.der import only_value
from snapshots.verify.ecdsa import P256, P384, P521, der_signature, ecdsa_verifies, point_on, raw_signature
from snapshots.verify.ed25519 import ed25519_verifies
from snapshots.verify.rsa import rsa_verifies
from snapshots.verify.x509 import ec_key

ORDER = 2**252 + 27742317777372353535851937790883648493
CURVES = [(P256, ec.SECP256R1(), "sha256"), (P384, ec.SECP384R1(), "sha384"), (P521, ec.SECP521R1(), "sha512")]
KNOWN = [  # RFC 8032, section 7.1: public key, message, signature
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
            "d25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
            "387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
            "4a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
]


@pytest.mark.parametrize(("public", "message", "signature"), KNOWN)
def test_known_ed25519_signatures_hold_and_no_others(public: str, message: str, signature: str) -> None:
    key, text, signed = bytes.fromhex(public), bytes.fromhex(message), bytes.fromhex(signature)

    assert ed25519_verifies(key, text, signed)
    assert not ed25519_verifies(key, text + b"!", signed)
    for place in range(0, 64, 7):
        assert not ed25519_verifies(key, text, signed[:place] + bytes([signed[place] ^ 1]) + signed[place + 1 :])


def test_an_ed25519_signature_has_one_spelling() -> None:
    key, text, signed = (bytes.fromhex(part) for part in KNOWN[2])
    scalar = int.from_bytes(signed[32:], "little")

    for more in range(1, 8):
        other = scalar + more * ORDER
        assert other >= 2**256 or not ed25519_verifies(key, text, signed[:32] + other.to_bytes(32, "little"))
    assert not ed25519_verifies(key, text, signed[:63])
    assert not ed25519_verifies(key, text, signed + b"\0")
    assert not ed25519_verifies(key[:31], text, signed)


@pytest.mark.parametrize(
    "key",
    [
        "0100000000000000000000000000000000000000000000000000000000000000",  # the neutral point
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  # of order 2
        "0000000000000000000000000000000000000000000000000000000000000000",  # of order 4
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",  # of order 8
        "0100000000000000000000000000000000000000000000000000000000000080",  # minus zero
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  # y beyond the field
        "0200000000000000000000000000000000000000000000000000000000000000",  # on no curve
    ],
)
def test_keys_under_which_anything_holds_are_refused(key: str) -> None:
    neutral = bytes([1]) + bytes(31)

    assert not ed25519_verifies(bytes.fromhex(key), b"anything", neutral + bytes(32))


@settings(max_examples=25)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 64 * 8 - 1))
def test_ed25519_agrees_with_another_implementation(seed: bytes, message: bytes, bit: int) -> None:
    private = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
    public, signature = private.public_key().public_bytes_raw(), private.sign(message)
    flipped = bytearray(signature)
    flipped[bit // 8] ^= 1 << bit % 8

    assert ed25519_verifies(public, message, signature)
    assert ed25519_verifies(public, message, bytes(flipped)) is ed25519_holds(public, message, bytes(flipped)) is False


@pytest.mark.parametrize(("curve", "named", "algorithm"), CURVES, ids=["P-256", "P-384", "P-521"])
def test_ecdsa_agrees_with_another_implementation(curve: object, named: object, algorithm: str) -> None:
    for message in (b"", b"one", b"two" * 100):
        private = ec.generate_private_key(named)  # type: ignore[arg-type]
        signature = private.sign(message, ec.ECDSA(getattr(hashes, algorithm.upper())()))
        found = ec_key(only_value(private.public_key().public_bytes(*_SPKI)))
        assert found is not None
        r, s = der_signature(signature)
        digest = hashlib.new(algorithm, message).digest()

        assert found[0] is curve
        assert (r, s) == decode_dss_signature(signature)
        assert ecdsa_verifies(*found, digest, r, s)
        assert ecdsa_verifies(
            *found, digest, r, found[0].order - s
        )  # the curve's own symmetry, in every implementation
        assert not ecdsa_verifies(*found, hashlib.new(algorithm, b"?").digest(), r, s)
        assert not ecdsa_verifies(*found, digest, s, r)


_SPKI = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


@pytest.mark.parametrize(("curve", "named", "algorithm"), CURVES, ids=["P-256", "P-384", "P-521"])
def test_ecdsa_numbers_out_of_range_are_refused(curve: object, named: object, algorithm: str) -> None:
    private = ec.generate_private_key(named)  # type: ignore[arg-type]
    found = ec_key(only_value(private.public_key().public_bytes(*_SPKI)))
    assert found is not None
    order, digest = found[0].order, hashlib.new(algorithm, b"x").digest()
    r, s = decode_dss_signature(private.sign(b"x", ec.ECDSA(getattr(hashes, algorithm.upper())())))

    wrong = [
        (0, 0),
        (0, s),
        (r, 0),
        (r + order, s),
        (r, s + order),
        (order, order),
        (-r, s),
        (r, -s),
        (1, 1),
        (order - r, s),
    ]
    assert [pair for pair in wrong if ecdsa_verifies(*found, digest, *pair)] == []


def test_points_off_the_curve_and_compressed_ones_are_refused() -> None:
    x, y = P384.base
    good = b"\4" + x.to_bytes(48, "big") + y.to_bytes(48, "big")

    assert point_on(P384, good) == P384.base
    for wrong in (
        b"\4" + y.to_bytes(48, "big") + x.to_bytes(48, "big"),
        b"\4" + bytes(96),
        b"\4" + (x + P384.prime).to_bytes(49, "big")[-48:] + y.to_bytes(48, "big"),
        b"\2" + x.to_bytes(48, "big"),
        good[:-1],
        b"\0",
    ):
        with pytest.raises(Unsound):
            point_on(P384, wrong)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda good: good + b"\0",
        lambda good: good[:-1],
        lambda good: b"\x30\x81" + good[1:],
        lambda good: good.replace(b"\x02\x01\x05", b"\x02\x02\x00\x05").replace(b"\x30\x06", b"\x30\x07"),
        lambda good: b"\x31" + good[1:],
        lambda _: b"\x30\x00",
        lambda _: b"\x30\x80\x02\x01\x05\x02\x01\x05\x00\x00",
    ],
    ids=["more", "less", "long form", "padded", "set", "empty", "indefinite"],
)
def test_a_der_signature_has_one_spelling(spoil: object) -> None:
    good = encode_dss_signature(5, 5)

    assert der_signature(good) == (5, 5)
    with pytest.raises(Unsound):
        der_signature(spoil(good))  # type: ignore[operator]


def test_a_raw_signature_has_one_length() -> None:
    assert raw_signature(P384, bytes(95) + b"\1") == (0, 1)
    for length in (0, 95, 97, 104):
        with pytest.raises(Unsound):
            raw_signature(P384, bytes(length))


@pytest.mark.parametrize("algorithm", ["sha256", "sha384", "sha512"])
def test_rsa_agrees_with_another_implementation(algorithm: str) -> None:
    private = rsa.generate_private_key(65537, 2048)
    numbers = private.public_key().public_numbers()
    signature = private.sign(b"message", padding.PKCS1v15(), getattr(hashes, algorithm.upper())())
    number = int.from_bytes(signature, "big")

    assert rsa_verifies(numbers.n, numbers.e, algorithm, b"message", signature)
    assert not rsa_verifies(numbers.n, numbers.e, algorithm, b"massage", signature)
    assert not rsa_verifies(
        numbers.n, numbers.e, "sha256" if algorithm != "sha256" else "sha512", b"message", signature
    )
    assert not rsa_verifies(numbers.n, numbers.e, algorithm, b"message", (number + numbers.n).to_bytes(257, "big"))
    assert not rsa_verifies(numbers.n, numbers.e, algorithm, b"message", b"\0" + signature)
    assert not rsa_verifies(numbers.n, 1, algorithm, b"message", signature)


def test_rsa_padding_is_looked_at_whole() -> None:
    """With exponent 3 a cube root forges whatever is not looked at."""
    modulus, exponent = (1 << 2048) - 1942289, 3
    wanted = b"\0\1\xff\xff\xff\xff\xff\xff\xff\xff\0" + bytes.fromhex("3031300d060960864801650304020105000420")
    wanted += hashlib.sha256(b"message").digest()
    number = int.from_bytes(wanted.ljust(256, b"\0"), "big")
    low, high = 0, 1 << 700
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**3 < number else (low, middle)

    assert (low**3).to_bytes(256, "big").startswith(wanted[:-1])
    assert not rsa_verifies(modulus, exponent, "sha256", b"message", low.to_bytes(256, "big"))


def test_short_rsa_keys_are_not_trusted() -> None:
    private = rsa.generate_private_key(65537, 1024)
    numbers = private.public_key().public_numbers()
    signature = private.sign(b"message", padding.PKCS1v15(), hashes.SHA256())

    assert not rsa_verifies(numbers.n, numbers.e, "sha256", b"message", signature)
