"""The proxy that the operator has all connections go through, and what is reached without it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final, Literal, Self
from urllib.parse import unquote, urlsplit

from crawler.addresses import Address
from crawler.errors import AddressRefused
from crawler.guard import Ip

PORTS: Final = {"http": 8080, "https": 443, "socks5": 1080}
"""Where a proxy listens that is named without a port."""
MAX_SECRET: Final = 255
"""Bytes of a name or password: SOCKS5 has one byte for their length (RFC 1929)."""
LOCAL_NAMES: Final = ("localhost", ".localhost", ".local", ".internal", ".home.arpa")
"""Names that mean something within a network only (RFC 6761, RFC 6762, RFC 8375, and ICANN's reservation)."""

Scheme = Literal["http", "https", "socks5"]


@dataclass(frozen=True)
class Proxy:
    """One proxy. Name and password are sent to it, and stand nowhere else.

    `looks_up`: it is told names, and finds their numbers itself. Otherwise it is told numbers that were checked here.
    """

    scheme: Scheme
    host: str
    port: int
    login: tuple[str, str] | None = field(default=None, repr=False)
    looks_up: bool = False

    @classmethod
    def of(cls, text: str, *, looks_up: bool = False) -> Self:
        """Read `SCHEME://[NAME:PASSWORD@]HOST[:PORT]`; `socks5h` is a SOCKS5 proxy that looks names up.

        Raises:
            ValueError: it is none. The message repeats nothing of it, since it may hold a password.
        """
        try:
            parts = urlsplit(text.strip())
            scheme, host, port = parts.scheme, parts.hostname, parts.port
        except ValueError:
            raise ValueError("the address of a proxy cannot be read") from None
        looks_up = looks_up or scheme == "socks5h"
        known: dict[str, Scheme] = {"http": "http", "https": "https", "socks5": "socks5", "socks5h": "socks5"}
        if scheme not in known or not host or parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError("a proxy is written like http://HOST:PORT, https://…, socks5://… or socks5h://…")
        login = None
        if parts.username is not None:
            login = (unquote(parts.username), unquote(parts.password or ""))
            if not all(len(each.encode()) <= MAX_SECRET and each.isprintable() for each in login) or ":" in login[0]:
                raise ValueError("name and password of a proxy are at most 255 bytes of printable text")
        return cls(known[scheme], host, port or PORTS[known[scheme]], login, looks_up)


@dataclass(frozen=True)
class Bypass:
    """What is reached without the proxy: hosts, all below a domain, and networks of numbers."""

    hosts: frozenset[str] = frozenset()
    below: tuple[str, ...] = ()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def of(cls, entries: Sequence[str]) -> Self:
        """Read `host`, `.domain` (and all below it), a number or a network.

        Raises:
            ValueError: an entry is none of these.
        """
        hosts, below, networks = set(), [], []
        for entry in entries:
            text = entry.strip().lower()
            try:
                networks.append(ip_network(text.strip("[]"), strict=False))
            except ValueError:
                name = text.removeprefix("*")
                if not name.strip(".") or any(sign in name for sign in "*/:@ "):
                    raise ValueError(f"{entry!r} is neither a host nor a domain, number or network") from None
                below += [name] if name.startswith(".") else []
                hosts.add(name.removeprefix("."))
        return cls(frozenset(hosts), tuple(below), tuple(networks))

    def names(self, address: Address) -> bool:
        """Whether an address's host is named, as a name or as a number."""
        host = address.host.rstrip(".")
        if address.ip is not None:
            return self.holds([address.ip])
        return host in self.hosts or host.endswith(self.below)

    def holds(self, numbers: Sequence[Ip]) -> bool:
        """Whether all that a host's name has just been resolved to lies in the networks."""
        return all(any(n.version == net.version and n in net for net in self.networks) for n in numbers)


@dataclass(frozen=True)
class Proxies:
    """Which way connections go out.

    `authorities` are files (PEM) that certificates may rest on besides: the proxy's own, and those it shows for others.
    """

    proxy: Proxy | None = None
    bypass: Bypass = Bypass()
    authorities: tuple[str, ...] = ()

    def way_to(self, address: Address) -> Proxy | None:
        """The proxy for an address, as far as its host alone tells; None for a connection of our own."""
        return None if self.proxy is None or self.bypass.names(address) else self.proxy


DIRECT: Final = Proxies()
"""No proxy at all."""


def refuse_local(address: Address) -> None:
    """Refuse names that a proxy would take for its own machine, or look up in its own network.

    Its numbers cannot be seen from here, so that names are all there is to go by.

    Raises:
        AddressRefused: by the rule `local_name`.
    """
    name = address.host.rstrip(".")
    if address.ip is None and ("." not in name or name.endswith(LOCAL_NAMES)):
        raise AddressRefused(address.origin, "local_name", "its host's name means something within a network only")
