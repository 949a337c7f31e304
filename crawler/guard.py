"""The guard: where a connection may lead. Checked on the address that is dialled, at the moment it is dialled.

A check of the name, or of an earlier look-up, protects nothing: names change between two look-ups. So the guard sees
numbers only, and what it let pass is what is connected to (`crawler/dialling.py`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final, Self

from crawler.addresses import Address, parse_address
from crawler.errors import AddressRefused
from crawler.ranges import carried, special_use

# Ports of other protocols, which browsers never connect to (WHATWG Fetch, "port blocking"): a request could be read
# there as mail, IRC or a printer's command.
# fmt: off
BLOCKED_PORTS: Final = frozenset({
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
})
# fmt: on

Ip = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@dataclass(frozen=True)
class Guard:
    """Says whether an address may be dialled.

    `allowed` opens ranges that are closed by default (operator's setting). `origins` are endpoints that the operator
    named himself (`http://searxng:8080`): they may lead anywhere, at any port, but only by exactly this origin and
    without redirects, which is for the caller to see to.
    """

    allowed: tuple[Network, ...] = ()
    origins: frozenset[str] = frozenset()

    @classmethod
    def of(cls, allowed: Iterable[str] = (), origins: Iterable[str] = ()) -> Self:
        """Make a guard from texts: networks as CIDR, origins as addresses.

        Raises:
            ValueError: a network is none.
            BadAddress: an origin is none.
        """
        networks = tuple(ip_network(text.strip(), strict=False) for text in allowed)
        return cls(networks, frozenset(parse_address(text).origin for text in origins))

    def check_asked(self, address: Address) -> None:
        """Refuse what needs no look-up: blocked ports, and hosts that are numbers of closed ranges.

        Raises:
            AddressRefused: naming the rule.
        """
        if address.origin in self.origins:
            return
        if address.port in BLOCKED_PORTS:
            raise AddressRefused(address.origin, "blocked_port", f"port {address.port} belongs to another protocol")
        if (number := address.ip) is not None:
            self.check(address, [number])

    def check(self, address: Address, numbers: Sequence[Ip]) -> None:
        """Refuse `address` if any of the `numbers` that its host has just resolved to is closed.

        Any, not all: a name that mixes public and inner addresses is an attack or a mistake, and which one is dialled
        would be chance.

        Raises:
            AddressRefused: naming the rule. The message does not hold the inner address of a name, so that a page
                cannot map the inner network through our records.
        """
        if address.origin in self.origins:
            return
        for number in numbers:
            rule = self._rule(number)
            if rule is not None:
                why = "its host" if address.kind == "name" else "the address"
                raise AddressRefused(address.origin, rule, f"{why} does not lead to the public Internet")

    def _rule(self, number: Ip) -> str | None:
        rule = special_use(number)
        if rule is None:
            return None
        inner = carried(number)
        return None if any(inner.version == net.version and inner in net for net in self.allowed) else rule
