"""Which addresses are not the public Internet: IANA's special-purpose registries, whole, and what hides in them.

Source: the IANA IPv4 and IPv6 Special-Purpose Address Registries, multicast (RFC 5771, RFC 4291), and the forms of IPv6
that carry an IPv4 address. The standard library's `is_global` is not used: it calls multicast, translated, compatible
and several reserved ranges global.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

IPV4_RANGES: Final = (
    (IPv4Network("0.0.0.0/8"), "this_network"),  # RFC 791; 0.0.0.0 reaches the own machine
    (IPv4Network("10.0.0.0/8"), "private"),  # RFC 1918
    (IPv4Network("100.64.0.0/10"), "shared"),  # RFC 6598, carrier-grade NAT
    (IPv4Network("127.0.0.0/8"), "loopback"),  # RFC 1122
    (IPv4Network("169.254.0.0/16"), "link_local"),  # RFC 3927; cloud metadata services live here
    (IPv4Network("172.16.0.0/12"), "private"),  # RFC 1918
    (
        IPv4Network("192.0.0.0/24"),
        "protocol_assignments",
    ),  # RFC 6890, with its global exceptions: nothing to read there
    (IPv4Network("192.0.2.0/24"), "documentation"),  # RFC 5737
    (IPv4Network("192.31.196.0/24"), "as112"),  # RFC 7535
    (IPv4Network("192.52.193.0/24"), "amt"),  # RFC 7450
    (IPv4Network("192.88.99.0/24"), "6to4_relay"),  # RFC 7526
    (IPv4Network("192.168.0.0/16"), "private"),  # RFC 1918
    (IPv4Network("192.175.48.0/24"), "as112"),  # RFC 7534
    (IPv4Network("198.18.0.0/15"), "benchmarking"),  # RFC 2544
    (IPv4Network("198.51.100.0/24"), "documentation"),  # RFC 5737
    (IPv4Network("203.0.113.0/24"), "documentation"),  # RFC 5737
    (IPv4Network("224.0.0.0/4"), "multicast"),  # RFC 5771
    (IPv4Network("240.0.0.0/4"), "reserved"),  # RFC 1112, with limited broadcast
)

IPV6_GLOBAL: Final = IPv6Network("2000::/3")
"""The only part of IPv6 that is handed out as global unicast (RFC 4291)."""

IPV6_RANGES: Final = (
    (IPv6Network("::/128"), "unspecified"),  # RFC 4291
    (IPv6Network("::1/128"), "loopback"),  # RFC 4291
    (IPv6Network("100::/64"), "discard"),  # RFC 6666
    (IPv6Network("100:0:0:1::/64"), "dummy"),  # RFC 9780
    (IPv6Network("2001::/23"), "protocol_assignments"),  # RFC 2928, with Teredo, ORCHID, benchmarking, DETs
    (IPv6Network("2001:db8::/32"), "documentation"),  # RFC 3849
    (IPv6Network("2002::/16"), "6to4"),  # RFC 3056
    (IPv6Network("2620:4f:8000::/48"), "as112"),  # RFC 7534
    (IPv6Network("3fff::/20"), "documentation"),  # RFC 9637
    (IPv6Network("5f00::/16"), "segment_routing"),  # RFC 9602
    (IPv6Network("fc00::/7"), "unique_local"),  # RFC 4193
    (IPv6Network("fe80::/10"), "link_local"),  # RFC 4291
    (IPv6Network("fec0::/10"), "site_local"),  # RFC 3879
    (IPv6Network("ff00::/8"), "multicast"),  # RFC 4291
)

MAPPED: Final = IPv6Network("::ffff:0:0/96")  # RFC 4291: the kernel connects to the IPv4 address inside
IPV4_CARRIERS: Final = (
    (MAPPED, "mapped"),
    (IPv6Network("::ffff:0:0:0/96"), "stateless_translated"),  # RFC 2765
    (IPv6Network("64:ff9b::/96"), "translated"),  # RFC 6052: a NAT64 leads it to the IPv4 address inside
    (IPv6Network("64:ff9b:1::/48"), "locally_translated"),  # RFC 8215
    (IPv6Network("::/96"), "compatible"),  # RFC 4291, deprecated
)


def special_use(address: IPv4Address | IPv6Address) -> str | None:
    """Give the rule that keeps `address` out of the public Internet, or None if it is a public one.

    An IPv6 address that carries an IPv4 address is named after both: `mapped_loopback`. Only mapped and (well-known)
    translated forms of a public IPv4 address are themselves public.
    """
    if isinstance(address, IPv4Address):
        return next((rule for network, rule in IPV4_RANGES if address in network), None)
    if address.scope_id is not None:
        return "scoped"
    for network, rule in IPV6_RANGES:
        if address in network:
            inner = _tunnelled(address)
            held = inner and special_use(inner)
            return f"{rule}_{held}" if held else rule
    for network, rule in IPV4_CARRIERS:
        if address in network:
            held = special_use(IPv4Address(int(address) & 0xFFFFFFFF))
            if held:
                return f"{rule}_{held}"
            return None if rule in {"mapped", "translated"} else rule
    return None if address in IPV6_GLOBAL else "not_global_unicast"


def carried(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Give the IPv4 address inside a mapped one, which is where the kernel connects; others as they are."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped


def _tunnelled(address: IPv6Address) -> IPv4Address | None:
    """Give the IPv4 address to which a 6to4 or Teredo address leads, for the name of the rule."""
    if address.sixtofour is not None:
        return address.sixtofour
    return None if address.teredo is None else address.teredo[1]
