"""Certificates as the pages show them: made by others, and by those who want to see a page fail."""

from datetime import UTC, datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from service.web.certificates import read_certificate


def certificate() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "harbour.example")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(datetime(2026, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2027, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("harbour.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(Encoding.DER)


def test_a_certificate_says_whose_it_is_and_how_long() -> None:
    found = read_certificate(certificate())

    assert found is not None
    assert (found.subject, found.names, found.serial) == ("CN=harbour.example", ("harbour.example",), "7")


def test_what_is_no_good_certificate_is_none_and_no_error() -> None:
    good = certificate()
    version = good.index(b"\xa0\x03\x02\x01\x02")
    of_no_version = good[: version + 4] + b"\x09" + good[version + 5 :]

    assert read_certificate(of_no_version) is None
    assert read_certificate(b"") is None


@pytest.mark.filterwarnings("ignore::cryptography.utils.CryptographyDeprecationWarning")
def test_no_changed_byte_of_a_certificate_makes_its_page_fail() -> None:
    good = certificate()
    for place in range(len(good)):
        for value in (0x00, 0x05, 0x7F, 0xA3, 0xFF):
            read_certificate(good[:place] + bytes([value]) + good[place + 1 :])
