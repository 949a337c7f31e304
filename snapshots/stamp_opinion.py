"""What the usual implementation of time stamps says of a token, beside our own that bundles carry."""

from cryptography.x509 import load_der_x509_certificate
from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response

from snapshots.errors import Unsound


def second_opinion(response: bytes, stamped: bytes, chain: tuple[bytes, ...], roots: tuple[bytes, ...]) -> str | None:
    """None if the token holds for `stamped` under `roots` there too, else why not.

    `chain` is the signer's, its own certificate first; all certificates are DER.

    Raises:
        Unsound: it cannot read the token; some public authorities write them in an order that it does not take.
    """
    try:
        found = decode_timestamp_response(response)
        leaf, *above = (load_der_x509_certificate(each) for each in chain)
        trusted = [load_der_x509_certificate(each) for each in roots]
        between = [each for each in above if each not in trusted]
        verifier = VerifierBuilder(tsa_certificate=leaf, intermediates=between, roots=trusted).build()
    except ValueError as problem:
        raise Unsound("token-malformed", str(problem)) from None
    try:
        verifier.verify_message(found, stamped)
    except (VerificationError, ValueError) as problem:
        return str(problem)
    return None
