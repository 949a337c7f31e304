"""A connection to one checked address: bytes in and out, with time-outs, and encryption on top.

Reads go to the socket only when asked, so that a server cannot push more into memory than is wanted, and let other
tasks have their turn, so that one that never pauses cannot keep us to itself. The two classes are network streams as
httpcore2 knows them.
"""

import asyncio
import select
import socket
import ssl
from dataclasses import replace
from typing import Any, Final

import httpcore2

from crawler.errors import TlsFailed
from crawler.tls import TlsClient
from crawler.visit import Tls

READ_SIZE: Final = 65_536
"""Bytes asked of a socket at a time."""


def shown_place(number: object, port: int) -> str:
    """A number and a port as records hold them."""
    return f"[{number}]:{port}" if ":" in str(number) else f"{number}:{port}"


class PlainStream(httpcore2.AsyncNetworkStream):
    """A connected socket.

    `remote` is `ip:port` of the other end. Behind a proxy that is what the proxy was told to connect to, None if it was
    told a name; `via` says then that there is one.
    """

    tls: Tls | None = None
    via: str | None = None
    remote: str | None
    ended_abruptly = False

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._loop = asyncio.get_running_loop()
        host, port, *_ = connection.getpeername()
        self.remote = shown_place(host, port)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore2's
        """Give what has come, up to `max_bytes`; nothing at the end."""
        await asyncio.sleep(0)  # `sock_recv` does not wait where something has come, and no deadline would be heard of
        try:
            async with asyncio.timeout(timeout):
                return await self._loop.sock_recv(self._socket, max_bytes)
        except TimeoutError as error:
            raise httpcore2.ReadTimeout from error
        except OSError as error:
            raise httpcore2.ReadError(error.strerror or "connection lost") from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore2's
        """Send all of it."""
        if not buffer:
            return
        try:
            async with asyncio.timeout(timeout):
                await self._loop.sock_sendall(self._socket, buffer)
        except TimeoutError as error:
            raise httpcore2.WriteTimeout from error
        except OSError as error:
            raise httpcore2.WriteError(error.strerror or "connection lost") from error

    async def aclose(self) -> None:
        """Close the socket at once."""
        self._socket.close()

    def get_extra_info(self, info: str) -> Any:
        """Tell what httpcore2 asks about: whether bytes (or the end) wait unread, and that there is no encryption."""
        if info == "is_readable":
            return self.has_unread()
        return None

    def has_unread(self) -> bool:
        """Whether bytes or the end of the connection wait to be read; in an idle connection neither should."""
        if self._socket.fileno() < 0:
            return True
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(0))


class TlsStream(httpcore2.AsyncNetworkStream):
    """An encrypted connection over another one. `tls` says what was negotiated and shown."""

    tls: Tls
    remote: str | None
    via: str | None

    def __init__(self, inner: "Stream", client: TlsClient, host: str, *, accepted: Tls | None = None) -> None:
        """`accepted` is a chain that was seen not to hold, and why: nothing is checked then, and that is told."""
        self._inner = inner
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._client = client
        self._accepted = accepted
        self._tls = client.connection(self._incoming, self._outgoing, host, checked=accepted is None)
        self.remote, self.via = inner.remote, inner.via
        self.ended_abruptly = False
        """The other end closed without saying so in the protocol: what was read may have been cut."""

    async def handshake(self, seconds: float) -> None:
        """Agree on encryption and verify the other end; nothing of a request is sent before.

        Raises:
            TlsFailed: it did not come about, or the certificate does not hold.
            httpcore2.TimeoutException, httpcore2.NetworkError: the connection failed.
        """
        try:
            while True:
                try:
                    self._tls.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    await self._exchange(seconds)
            await self._flush(seconds)
        except ssl.SSLCertVerificationError as error:
            message = error.verify_message or "certificate does not hold"
            seen = self._client.described(self._tls, error=message)
            raise TlsFailed(
                "tls_certificate", f"the certificate does not hold: {message}", seen, self.remote
            ) from error
        except (ssl.SSLError, ValueError) as error:
            message = getattr(error, "reason", None) or "handshake failed"
            seen = self._client.described(self._tls, error=message)
            raise TlsFailed("tls_failed", f"no encrypted connection: {message}", seen, self.remote) from error
        self.tls = self._client.described(self._tls)
        if self._accepted is not None:
            why = self._accepted.error
            if self.tls.chain != self._accepted.chain:
                why = f"not checked; another one, shown a moment before, did not hold: {why}"
            self.tls = replace(self.tls, verified=False, error=why)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore2's
        """Give what has come, up to `max_bytes`; nothing at the end."""
        while True:
            try:
                return self._tls.read(max_bytes)
            except ssl.SSLWantReadError:
                await self._exchange(timeout)
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLEOFError:
                self.ended_abruptly = True
                return b""
            except ssl.SSLError as error:
                raise httpcore2.ReadError(error.reason or "encryption failed") from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore2's
        """Send all of it."""
        try:
            if buffer:
                self._tls.write(buffer)
        except ssl.SSLError as error:
            raise httpcore2.WriteError(error.reason or "encryption failed") from error
        await self._flush(timeout)

    async def aclose(self) -> None:
        """Close the connection at once."""
        await self._inner.aclose()

    def get_extra_info(self, info: str) -> Any:
        """Tell what httpcore2 asks about."""
        return self._tls if info == "ssl_object" else self._inner.get_extra_info(info)

    @property
    def speaks_h2(self) -> bool:
        """Whether HTTP/2 was agreed on."""
        return self._tls.selected_alpn_protocol() == "h2"

    def has_unread(self) -> bool:
        """See `PlainStream.has_unread`."""
        return self._inner.has_unread()

    async def _exchange(self, seconds: float | None) -> None:
        await self._flush(seconds)
        data = await self._inner.read(READ_SIZE, seconds)
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()

    async def _flush(self, seconds: float | None) -> None:
        if self._outgoing.pending:
            await self._inner.write(self._outgoing.read(), seconds)


Stream = PlainStream | TlsStream
