"""Dialling: resolve, check every number, connect to exactly what was checked.

There is no other place in this package that opens a connection.
"""

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Final

import httpcore2

from crawler.addresses import Address, parse_address
from crawler.errors import BadAddress, ConnectFailed, NameNotFound, ProxyFailed, TimedOut, TlsFailed
from crawler.guard import Guard, Ip
from crawler.proxies import DIRECT, Proxies, Proxy, refuse_local
from crawler.resolving import Resolver
from crawler.stream import PlainStream, Stream, TlsStream, shown_place
from crawler.tls import TlsClient
from crawler.tunnel import Target, ask
from crawler.visit import Tls

VIA_NUMBERS: Final = "via proxy"
VIA_NAMES: Final = "via proxy, which looks up names"
"""What records say of a connection that a proxy made: never which one."""
MAX_TRIED: Final = 4
"""Numbers of one host that are tried; more would only spend the time on a dead host."""


@dataclass(frozen=True)
class Dialler:
    """Opens connections to where the guard lets it. `seconds` bound name look-up and connecting, and TLS once more.

    `lenient` takes servers whose certificate does not hold: the connection's `tls` says so.
    """

    guard: Guard
    resolver: Resolver
    client: TlsClient
    seconds: float
    lenient: bool = False
    proxies: Proxies = DIRECT

    async def dial(self, address: Address) -> Stream:
        """Connect to the address's host and port, with TLS if its scheme asks for it.

        Raises:
            AddressRefused, NameNotFound, ConnectFailed, TimedOut, TlsFailed: see there.
        """
        self.guard.check_asked(address)
        stream, numbers = await self._reached(address)
        if address.scheme == "http":
            return stream
        try:
            return await self._encrypted(stream, address)
        except TlsFailed as error:
            if not self.lenient or error.reason != "tls_certificate":
                raise
            refused = error.tls
        stream, _ = await self._reached(address, numbers)
        return await self._encrypted(stream, address, accepted=refused)

    async def _reached(self, address: Address, numbers: Sequence[Ip] = ()) -> tuple[Stream, Sequence[Ip]]:
        """A connection, and the numbers it was chosen from; they are looked up and checked if none are given."""
        proxy = self.proxies.way_to(address)
        try:
            async with asyncio.timeout(self.seconds):
                if proxy is not None and proxy.looks_up and address.ip is None:
                    if address.origin not in self.guard.origins:
                        refuse_local(address)
                    return await self._through(proxy, address, [address.host]), ()
                if not numbers:
                    numbers = [address.ip] if address.ip is not None else await self.resolver.resolve(address.host)
                    self.guard.check(address, numbers)
                tried = interleaved(numbers)[:MAX_TRIED]
                if proxy is not None and not self.proxies.bypass.holds(numbers):
                    return await self._through(proxy, address, tried), numbers
                return await self._connect(address.origin, address.port, tried), numbers
        except TimeoutError as error:
            raise TimedOut("connect_timeout", f"no connection to {address.origin} within {self.seconds:g} s") from error

    async def _through(self, proxy: Proxy, address: Address, targets: Sequence[Target]) -> Stream:
        """A connection that the proxy makes to one of the targets, in order."""
        for place, target in enumerate(targets, 1):
            stream = await self._to_proxy(proxy)
            try:
                await ask(stream, proxy, target, address.port)
            except ProxyFailed as error:
                await stream.aclose()
                if error.final or place == len(targets):
                    raise
            except BaseException:
                await stream.aclose()
                raise
            else:
                stream.via = VIA_NAMES if isinstance(target, str) else VIA_NUMBERS
                stream.remote = None if isinstance(target, str) else shown_place(target, address.port)
                return stream
        raise ProxyFailed("proxy_failed", "there is nothing to connect to")

    async def _to_proxy(self, proxy: Proxy) -> Stream:
        """A connection to the proxy itself, which the operator named: no guard, and no word of where it is."""
        try:
            literal = parse_address(f"http://{f'[{proxy.host}]' if ':' in proxy.host else proxy.host}/").ip
            numbers = [literal] if literal is not None else await self.resolver.resolve(proxy.host)
            plain = await self._connect("the proxy", proxy.port, interleaved(numbers)[:MAX_TRIED])
        except (BadAddress, NameNotFound, ConnectFailed) as error:
            raise ProxyFailed("proxy_unreachable", "the proxy is not reached") from error
        if proxy.scheme != "https":
            return plain
        try:
            stream = TlsStream(plain, _client_for_proxies(self.proxies.authorities), proxy.host)
            await stream.handshake(self.seconds)
        except (TlsFailed, httpcore2.TimeoutException, httpcore2.NetworkError, ValueError) as error:
            await plain.aclose()
            raise ProxyFailed("proxy_unreachable", "no trusted encrypted connection to the proxy") from error
        except BaseException:
            await plain.aclose()
            raise
        return stream

    async def _connect(self, where: str, port: int, numbers: list[Ip]) -> PlainStream:
        """Try the numbers in order; all but the last get only their share of the time."""
        failure: OSError | None = None
        for place, number in enumerate(numbers, 1):
            share = None if place == len(numbers) else self.seconds / len(numbers)
            try:
                async with asyncio.timeout(share):
                    connection = await _connected(number, port)
            except OSError as error:  # TimeoutError, when the share is spent, is one
                failure = error
                continue
            try:
                return PlainStream(connection)
            except OSError as error:  # it was reset as soon as it stood
                connection.close()
                raise ConnectFailed(f"the connection to {where} was lost at once") from error
        said = failure.strerror if failure is not None and failure.strerror else "no answer"
        raise ConnectFailed(f"nobody answers at {where}: {said}") from failure

    async def _encrypted(self, plain: Stream, address: Address, *, accepted: Tls | None = None) -> TlsStream:
        """Put TLS on top; the plain connection does not outlive a failure. `accepted` is taken unchecked."""
        try:
            stream = TlsStream(plain, self.client, address.host.strip("[]").rstrip("."), accepted=accepted)
            async with asyncio.timeout(self.seconds):  # of all that comes, not of each piece
                await stream.handshake(self.seconds)
        except (httpcore2.TimeoutException, TimeoutError) as error:
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


@cache
def _client_for_proxies(authorities: tuple[str, ...]) -> TlsClient:
    """Proxies are spoken to in HTTP/1.1."""
    return TlsClient(authorities, http2=False)


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
