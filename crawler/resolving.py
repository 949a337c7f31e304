"""From names to numbers, once for each dial."""

import asyncio
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, Protocol

from crawler.errors import NameNotFound, shown

Ip = IPv4Address | IPv6Address

LOOK_UPS: Final = 16
"""Look-ups at a time: each holds a thread for as long as the name servers are silent (up to half a minute)."""


class Resolver(Protocol):
    """Gives the numbers of a host name.

    It is asked anew for every connection, and the numbers it gives are those that are checked and dialled; it must not
    filter them. They come in the order in which they should be tried.
    """

    async def resolve(self, host: str) -> Sequence[Ip]:
        """Give the numbers of `host`, at least one.

        Raises:
            NameNotFound: there are none, or nobody could say.
        """


class SystemResolver:
    """The machine's resolver (`getaddrinfo`: hosts file, DNS, its order of preference)."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(LOOK_UPS, thread_name_prefix="look-up")

    async def resolve(self, host: str) -> Sequence[Ip]:
        """Ask the system; see `Resolver`."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._threads, _look_up, host)
        except (OSError, UnicodeError) as error:  # UnicodeError: labels that are empty or too long
            raise NameNotFound(f"the name {shown(host)} has no address") from error
        if not found:
            raise NameNotFound(f"the name {shown(host)} has no address")
        return found

    def close(self) -> None:
        """Let the threads end once their look-ups do."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str) -> list[Ip]:
    answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(sockaddr[0]) for *_, sockaddr in answers))
