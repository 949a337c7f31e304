"""Dialling: resolve, check every number, connect to exactly what was checked.

There is no other place in this package that opens a connection.
"""

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

import httpcore2

from crawler.addresses import Address
from crawler.errors import ConnectFailed, TimedOut, TlsFailed
from crawler.guard import Guard, Ip
from crawler.resolving import Resolver
from crawler.stream import PlainStream, Stream, TlsStream
from crawler.tls import TlsClient

MAX_TRIED: Final = 4
"""Numbers of one host that are tried; more would only spend the time on a dead host."""


@dataclass(frozen=True)
class Dialler:
    """Opens connections to where the guard lets it. `seconds` bound name look-up and connecting, and TLS once more."""

    guard: Guard
    resolver: Resolver
    client: TlsClient
    seconds: float

    async def dial(self, address: Address) -> Stream:
        """Connect to the address's host and port, with TLS if its scheme asks for it.

        Raises:
            AddressRefused, NameNotFound, ConnectFailed, TimedOut, TlsFailed: see there.
        """
        self.guard.check_asked(address)
        try:
            async with asyncio.timeout(self.seconds):
                numbers = [address.ip] if address.ip is not None else list(await self.resolver.resolve(address.host))
                self.guard.check(address, numbers)
                connection = await self._connect(address, interleaved(numbers)[:MAX_TRIED])
        except TimeoutError as error:
            raise TimedOut("connect_timeout", f"no connection to {address.origin} within {self.seconds:g} s") from error
        try:
            stream = PlainStream(connection)
        except OSError as error:  # it was reset as soon as it stood
            connection.close()
            raise ConnectFailed(f"the connection to {address.origin} was lost at once") from error
        return stream if address.scheme == "http" else await self._encrypted(stream, address)

    async def _connect(self, address: Address, numbers: list[Ip]) -> socket.socket:
        """Try the numbers in order; all but the last get only their share of the time."""
        failure: OSError | None = None
        for place, number in enumerate(numbers, 1):
            share = None if place == len(numbers) else self.seconds / len(numbers)
            try:
                async with asyncio.timeout(share):
                    return await _connected(number, address.port)
            except OSError as error:  # TimeoutError, when the share is spent, is one
                failure = error
        said = failure.strerror if failure is not None and failure.strerror else "no answer"
        raise ConnectFailed(f"nobody answers at {address.origin}: {said}") from failure

    async def _encrypted(self, plain: PlainStream, address: Address) -> TlsStream:
        """Put TLS on top; the plain connection does not outlive a failure."""
        try:
            stream = TlsStream(plain, self.client, address.host.strip("[]").rstrip("."))
            await stream.handshake(self.seconds)
        except httpcore2.TimeoutException as error:
            await plain.aclose()
            raise TimedOut("connect_timeout", f"no TLS with {address.origin} within {self.seconds:g} s") from error
        except httpcore2.NetworkError as error:
            await plain.aclose()
            raise ConnectFailed(f"the connection to {address.origin} was lost during TLS") from error
        except ValueError as error:  # host names that cannot stand in a certificate
            await plain.aclose()
            raise ConnectFailed(f"no TLS is possible with {address.origin}") from error
        except (TlsFailed, asyncio.CancelledError):
            await plain.aclose()
            raise
        return stream


def interleaved(numbers: Sequence[Ip]) -> list[Ip]:
    """Put IPv4 and IPv6 in turns, so that a network that lacks one of them does not use up the time (RFC 8305)."""
    first = [number for number in numbers if number.version == numbers[0].version]
    second = [number for number in numbers if number.version != numbers[0].version]
    return [number for pair in zip_longest(first, second) for number in pair if number is not None]


async def _connected(number: Ip, port: int) -> socket.socket:
    family = socket.AF_INET if number.version == 4 else socket.AF_INET6  # noqa: PLR2004 - IP version 4
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(0)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(connection, (str(number), port))
    except BaseException:
        connection.close()
        raise
    return connection
