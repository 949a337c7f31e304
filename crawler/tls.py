"""Encryption that leaves evidence: which certificates the server showed on this very connection, and whether they hold.

OpenSSL decides whether a chain holds. It gives the certificates away only if they do; so they are read from the
handshake's own Certificate message, which is there in either case.
"""

import ssl
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final
from weakref import WeakKeyDictionary

import certifi

from crawler.visit import Tls

CERTIFICATE_MESSAGE: Final = 11
"""Type of the handshake message with the server's certificates (RFC 8446, RFC 5246)."""
MAX_CHAIN: Final = 20
"""Certificates kept of a chain; honest ones have two to five."""

TLS13: Final = 0x0304
PROTOCOLS: Final = {0x0301: "TLSv1", 0x0302: "TLSv1.1", 0x0303: "TLSv1.2", TLS13: "TLSv1.3"}


class TlsClient:
    """Settings for connections to web servers: verified with the system's, certifi's and the given authorities (PEM).

    Raises:
        OSError: one of the files with authorities cannot be read (`ssl.SSLError` if it holds none).
    """

    def __init__(self, authorities: Sequence[str] = (), *, http2: bool = True) -> None:
        self._seen: WeakKeyDictionary[ssl.SSLObject, tuple[int, bytes]] = WeakKeyDictionary()
        self._authorities = tuple(authorities)
        self._http2 = http2
        if authorities:  # a wrong file is told at the start, not in the middle of a crawl
            _ = self._context

    @cached_property
    def _context(self) -> ssl.SSLContext:
        """Built when first needed: reading all authorities takes tens of milliseconds."""
        context = self._noting(ssl.create_default_context())
        # Python 3.13 began to ask more of certificates than browsers do (an authority key identifier, for one). What
        # holds must not depend on the Python that asks.
        context.verify_flags &= ~(ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN)
        context.load_verify_locations(certifi.where())
        for path in self._authorities:
            context.load_verify_locations(path)
        return context

    @cached_property
    def _unchecked(self) -> ssl.SSLContext:
        """For a server whose certificate was seen not to hold, and which is to be asked all the same."""
        context = self._noting(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context

    def _noting(self, context: ssl.SSLContext) -> ssl.SSLContext:
        """Have a context say what it speaks, and tell what the other end shows."""
        context.set_alpn_protocols(["h2", "http/1.1"] if self._http2 else ["http/1.1"])
        # Not documented, but there since 3.8; the public ways give no certificates when they do not hold.
        context._msg_callback = self._note  # type: ignore[attr-defined]  # noqa: SLF001 - reason above
        return context

    def connection(
        self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, host: str, *, checked: bool = True
    ) -> ssl.SSLObject:
        """Begin a connection to `host` over two buffers.

        Raises:
            ValueError: no certificate could name this host.
        """
        context = self._context if checked else self._unchecked
        return context.wrap_bio(incoming, outgoing, server_hostname=host)

    def described(self, connection: ssl.SSLObject, *, error: str | None = None) -> Tls:
        """Say what is known of a connection whose handshake is over, or has failed with `error`."""
        version, message = self._seen.pop(connection, (0, b""))
        cipher = connection.cipher()
        return Tls(
            protocol=connection.version() or PROTOCOLS.get(version),
            cipher=cipher[0] if cipher else None,
            chain=certificates(message, tls13=version == TLS13),
            verified=error is None,
            error=error,
        )

    def _note(self, connection: Any, direction: str, version: Any, _content: Any, message: Any, data: bytes) -> None:
        """Keep the server's Certificate message; OpenSSL calls this for every message."""
        if message == CERTIFICATE_MESSAGE and direction == "read":
            self._seen[connection] = (int(version), bytes(data))


def certificates(message: bytes, *, tls13: bool) -> tuple[bytes, ...]:
    """Take the certificates (DER, as sent) out of a Certificate message; as many as are whole.

    RFC 8446 4.4.2 puts a request context before the list and extensions behind each; RFC 5246 7.4.2 does neither.
    """
    rest = message[4:]  # type and length of the message
    if tls13:
        rest = rest[1 + rest[0] :] if rest else rest
    rest = rest[3:]  # length of the list
    chain: list[bytes] = []
    while len(rest) > 3 and len(chain) < MAX_CHAIN:  # noqa: PLR2004 - the length in front of each takes three bytes
        size = int.from_bytes(rest[:3])
        certificate, rest = rest[3 : 3 + size], rest[3 + size :]
        if len(certificate) < size or not size:
            break
        chain.append(certificate)
        if tls13:
            rest = rest[2 + int.from_bytes(rest[:2]) :]
    return tuple(chain)
