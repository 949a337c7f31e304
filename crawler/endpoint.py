"""Asks an address that the operator has set, and nobody else: by exactly this origin, without redirects."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self

from crawler.addresses import Address, parse_address
from crawler.dialling import Dialler
from crawler.errors import BadRedirect, TimedOut, TooLarge
from crawler.exchange import Http1
from crawler.guard import Guard
from crawler.proxies import DIRECT, Proxies
from crawler.resolving import Resolver, SystemResolver
from crawler.tls import TlsClient
from crawler.trip import REDIRECTS
from crawler.visit import Header

CONNECT_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Answered:
    """What an endpoint answered: status, headers as they came, and the body after transfer decoding."""

    status: int
    headers: tuple[Header, ...]
    body: bytes


class Endpoint:
    """One address from the operator's settings. The guard lets it lead anywhere, since the operator wrote it down.

    With a `guard` it is an address of somebody else, and leads where that one lets it.

    Raises:
        BadAddress: it is no address that can be asked.
    """

    def __init__(
        self,
        address: str,
        *,
        user_agent: str,
        resolver: Resolver | None = None,
        guard: Guard | None = None,
        proxies: Proxies = DIRECT,
    ) -> None:
        self.address: Address = parse_address(address)
        self._user_agent = user_agent
        self._own = SystemResolver() if resolver is None else None
        used = resolver or self._own
        assert used is not None, "one of the two is there"
        own = Guard(origins=frozenset({self.address.origin}))
        client = TlsClient(proxies.authorities, http2=False)
        self._dialler = Dialler(guard or own, used, client, CONNECT_SECONDS, proxies=proxies)

    @classmethod
    def all(
        cls,
        addresses: tuple[str, ...],
        *,
        user_agent: str,
        resolver: Resolver | None = None,
        proxies: Proxies = DIRECT,
    ) -> dict[str, Self]:
        """An endpoint for each address, by the address as it was written. Raises BadAddress."""
        return {
            address: cls(address, user_agent=user_agent, resolver=resolver, proxies=proxies) for address in addresses
        }

    def close(self) -> None:
        """Give back what resolving names took."""
        if self._own is not None:
            self._own.close()

    async def post(self, body: bytes, *, media_type: str, limit: int, seconds: float) -> Answered:
        """Send `body` over a connection of its own and read the whole answer, whatever its status.

        Raises:
            BadRedirect: it wants to send us elsewhere. TooLarge: the answer has more than `limit` bytes.
            TimedOut: it took longer than `seconds` altogether.
            CrawlError: there is no connection, or no whole answer.
        """
        sent = (("Content-Type", media_type), ("Content-Length", str(len(body))))
        return await self.ask(self.address, sent, body=body, limit=limit, seconds=seconds)

    async def get(self, target: str, headers: tuple[Header, ...], *, limit: int, seconds: float) -> Answered:
        """Ask for a path with query on this origin, as `post` does."""
        return await self.ask(parse_address(self.address.origin + target), headers, limit=limit, seconds=seconds)

    async def ask(
        self,
        address: Address,
        headers: tuple[Header, ...],
        *,
        body: bytes | None = None,
        limit: int,
        seconds: float,
        coming: Callable[[Answered, bytes], None] | None = None,
    ) -> Answered:
        """Ask an address of this origin; with `body` by POST. Raises as `post` does.

        `coming` is told each piece of the body as it comes, with the head (an answer without a body); what it raises is
        raised.
        """
        assert address.origin == self.address.origin, "whoever makes the address keeps to the origin"
        try:
            async with asyncio.timeout(seconds):
                return await self._ask(address, headers, body, limit, seconds, coming)
        except TimeoutError as error:
            raise TimedOut("deadline", f"{self.address.origin} did not answer within {seconds:g} seconds") from error

    async def _ask(
        self,
        address: Address,
        headers: tuple[Header, ...],
        body: bytes | None,
        limit: int,
        seconds: float,
        coming: Callable[[Answered, bytes], None] | None,
    ) -> Answered:
        connection = Http1(await self._dialler.dial(self.address))
        try:
            sent = (
                ("Host", self.address.authority),
                ("User-Agent", self._user_agent),
                *headers,
                ("Connection", "close"),
            )
            head = await connection.ask(address, sent, seconds, posted=body)
            if head.status in REDIRECTS:
                raise BadRedirect("redirect_refused", f"{self.address.origin} redirects, which it may not")
            taken = bytearray()
            async for piece in connection.body(seconds):
                taken += piece
                if len(taken) > limit:
                    raise TooLarge("body_limit", f"the answer is larger than {limit} bytes")
                if coming is not None:
                    coming(Answered(head.status, head.headers, b""), piece)
            return Answered(head.status, head.headers, bytes(taken))
        finally:
            await connection.close()
