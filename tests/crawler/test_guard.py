from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import AddressRefused, Guard, parse_address

CLOSED = [
    ("0.0.0.0", "this_network"),
    ("0.255.255.255", "this_network"),
    ("10.0.0.0", "private"),
    ("10.255.255.255", "private"),
    ("100.64.0.0", "shared"),
    ("100.127.255.255", "shared"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback"),
    ("169.254.169.254", "link_local"),
    ("172.16.0.1", "private"),
    ("172.31.255.255", "private"),
    ("192.0.0.8", "protocol_assignments"),
    ("192.0.0.170", "protocol_assignments"),
    ("192.0.2.1", "documentation"),
    ("192.31.196.1", "as112"),
    ("192.52.193.1", "amt"),
    ("192.88.99.1", "6to4_relay"),
    ("192.168.0.1", "private"),
    ("192.175.48.1", "as112"),
    ("198.18.0.1", "benchmarking"),
    ("198.19.255.255", "benchmarking"),
    ("198.51.100.1", "documentation"),
    ("203.0.113.1", "documentation"),
    ("224.0.0.1", "multicast"),
    ("239.255.255.250", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("::2", "compatible_this_network"),
    ("::7f00:1", "compatible_loopback"),
    ("::8.8.8.8", "compatible"),
    ("::ffff:127.0.0.1", "mapped_loopback"),
    ("::ffff:169.254.169.254", "mapped_link_local"),
    ("::ffff:0:127.0.0.1", "stateless_translated_loopback"),
    ("::ffff:0:8.8.8.8", "stateless_translated"),
    ("64:ff9b::7f00:1", "translated_loopback"),
    ("64:ff9b::a9fe:a9fe", "translated_link_local"),
    ("64:ff9b:1::1", "locally_translated_this_network"),
    ("64:ff9b:1::8.8.8.8", "locally_translated"),
    ("100::1", "discard"),
    ("100:0:0:1::1", "dummy"),
    ("2001::1", "protocol_assignments_reserved"),
    ("2001:0:0:0:0:0:80ff:fffe", "protocol_assignments_loopback"),
    ("2001:2::1", "protocol_assignments"),
    ("2001:20::1", "protocol_assignments"),
    ("2001:db8::1", "documentation"),
    ("2002:7f00:1::", "6to4_loopback"),
    ("2002:808:808::", "6to4"),
    ("2620:4f:8000::1", "as112"),
    ("3fff::1", "documentation"),
    ("4000::1", "not_global_unicast"),
    ("5f00::1", "segment_routing"),
    ("1::1", "not_global_unicast"),
    ("fc00::1", "unique_local"),
    ("fd00:ec2::254", "unique_local"),
    ("fe80::1", "link_local"),
    ("fec0::1", "site_local"),
    ("ff02::1", "multicast"),
]
OPEN = [
    *("8.8.8.8", "93.184.215.14", "1.0.0.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"),
    *("126.255.255.255", "128.0.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0"),
    *("223.255.255.255", "2606:4700:4700::1111", "2a00:1450:4001:829::200e", "2001:200::1", "::ffff:8.8.8.8"),
    *("64:ff9b::808:808", "2003::1", "3ffe::1"),
]


@pytest.mark.parametrize(("number", "rule"), CLOSED)
def test_every_special_range_is_closed_and_named(number: str, rule: str) -> None:
    host = f"[{number}]" if ":" in number else number

    with pytest.raises(AddressRefused) as asked:
        Guard().check_asked(parse_address(f"http://{host}/"))
    with pytest.raises(AddressRefused) as resolved:
        Guard().check(parse_address("http://name.example/"), [ip_address("8.8.8.8"), ip_address(number)])

    assert asked.value.rule == resolved.value.rule == rule
    assert number not in str(resolved.value)


@pytest.mark.parametrize("number", OPEN)
def test_public_addresses_and_the_neighbours_of_closed_ranges_are_open(number: str) -> None:
    host = f"[{number}]" if ":" in number else number

    Guard().check_asked(parse_address(f"http://{host}/"))
    Guard().check(parse_address("http://name.example/"), [ip_address(number)])


@given(st.ip_addresses(v=4))
def test_an_address_is_no_more_open_in_any_ipv6_disguise(number: IPv4Address) -> None:
    def closed(candidate: IPv4Address | IPv6Address) -> bool:
        try:
            Guard().check(parse_address("http://name.example/"), [candidate])
        except AddressRefused:
            return True
        return False

    disguises = [IPv6Address(f"{prefix}{number}") for prefix in ("::ffff:", "::", "64:ff9b::", "64:ff9b:1::")]
    disguises.append(IPv6Address((0x2002 << 112) | (int(number) << 80)))

    assert all(closed(disguise) for disguise in disguises) or not closed(number)


def test_a_scoped_address_is_closed() -> None:
    with pytest.raises(AddressRefused):
        Guard().check(parse_address("http://name.example/"), [ip_address("2606:4700::1111%eth0")])


@pytest.mark.parametrize("port", [1, 22, 25, 110, 143, 465, 587, 993, 2049, 6000, 6667, 10080])
def test_ports_of_other_protocols_are_blocked(port: int) -> None:
    with pytest.raises(AddressRefused) as refusal:
        Guard.of(["0.0.0.0/0"]).check_asked(parse_address(f"http://8.8.8.8:{port}/"))

    assert refusal.value.rule == "blocked_port"


def test_the_allow_list_opens_what_it_names_and_nothing_beside_it() -> None:
    guard = Guard.of(["10.1.0.0/16", "fd00:1::/32"])

    guard.check_asked(parse_address("http://10.1.2.3/"))
    guard.check_asked(parse_address("http://[::ffff:10.1.2.3]/"))
    guard.check_asked(parse_address("http://[fd00:1::5]/"))
    for closed in ("10.2.0.1", "127.0.0.1", "[fd00:2::1]", "[64:ff9b::a01:203]"):
        with pytest.raises(AddressRefused):
            guard.check_asked(parse_address(f"http://{closed}/"))


def test_an_operators_origin_is_exempt_by_exact_origin_only() -> None:
    guard = Guard.of(origins=["http://searx.internal:8080/"])
    inner = [ip_address("10.0.0.7")]

    guard.check(parse_address("http://searx.internal:8080/search?q=x"), inner)
    for other in ("http://searx.internal/", "https://searx.internal:8080/", "http://searx.internal.evil.example:8080/"):
        with pytest.raises(AddressRefused):
            guard.check(parse_address(other), inner)
