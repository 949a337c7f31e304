"""What a server's certificate says, for reading. Certificates come from outside: what cannot be read is no error."""

from dataclasses import dataclass

from cryptography import x509
from cryptography.x509.oid import ExtensionOID


@dataclass(frozen=True)
class Certificate:
    """Times are RFC 3339 UTC in seconds."""

    subject: str
    issuer: str
    serial: str
    begins: str
    ends: str
    names: tuple[str, ...]


def read_certificate(data: bytes) -> Certificate | None:
    """What a DER certificate says; None if this is none."""
    try:
        found = x509.load_der_x509_certificate(data)
        return Certificate(
            subject=found.subject.rfc4514_string(),
            issuer=found.issuer.rfc4514_string(),
            serial=f"{found.serial_number:x}",
            begins=found.not_valid_before_utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
            ends=found.not_valid_after_utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
            names=_names(found),
        )
    except (ValueError, x509.InvalidVersion):
        return None


def _names(found: x509.Certificate) -> tuple[str, ...]:
    try:
        extension = found.extensions.get_extension_for_oid(ExtensionOID.SUBJECT_ALTERNATIVE_NAME)
    except (x509.ExtensionNotFound, x509.DuplicateExtension, x509.UnsupportedGeneralNameType, ValueError):
        return ()
    value = extension.value
    return tuple(value.get_values_for_type(x509.DNSName)) if isinstance(value, x509.SubjectAlternativeName) else ()
