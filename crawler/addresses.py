"""Addresses as browsers read them (WHATWG, by ada), in one canonical form.

An `Address` is what may be asked: http or https, a host, no credentials, no fragment. The text of an address is never
taken apart by hand anywhere else.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Literal

from ada_url import HostType, join_url, parse_url

from crawler.errors import BadAddress

MAX_ADDRESS = 8192
"""Code points of an address; servers refuse lines beyond 8 KiB, and longer ones are traps or data in disguise."""

PARTS = ("protocol", "username", "password", "origin", "hostname", "host_type", "port", "pathname", "search")
SCHEMES = {"http:": ("http", 80), "https:": ("https", 443)}

HostKind = Literal["name", "ipv4", "ipv6"]
HOST_KINDS: dict[HostType, HostKind] = {HostType.DEFAULT: "name", HostType.IPV4: "ipv4", HostType.IPV6: "ipv6"}


@dataclass(frozen=True, slots=True)
class Address:
    """One address that may be asked.

    `href` is the canonical text without fragment, `host` the host as it stands there (IPv6 in brackets), `port` the
    port that is connected to, `origin` scheme, host and (if not the scheme's own) port, `path` and `query` the rest
    (`query` with its question mark, or empty).
    """

    href: str
    scheme: Literal["http", "https"]
    host: str
    kind: HostKind
    port: int
    origin: str
    path: str
    query: str

    @property
    def target(self) -> str:
        """What stands in the request line."""
        return self.path + self.query

    @property
    def authority(self) -> str:
        """What stands in the Host header."""
        return self.origin.partition("://")[2]

    @property
    def ip(self) -> IPv4Address | IPv6Address | None:
        """The host as a number, if it is one."""
        return None if self.kind == "name" else ip_address(self.host.strip("[]"))

    def __str__(self) -> str:
        return self.href


def parse_address(text: str, base: str | None = None, *, drop_credentials: bool = False) -> Address:
    """Read `text` as a browser would, relative to `base` if one is given.

    Raises:
        BadAddress: with reason `bad_address` (not parsable, no host), `address_too_long`, `scheme` (neither http nor
            https) or `credentials` (a name or password stands in it, unless they are to be dropped).
    """
    if len(text) > MAX_ADDRESS:
        raise BadAddress(text, "address_too_long", f"it is longer than {MAX_ADDRESS} characters")
    try:
        parts = parse_url(text if base is None else join_url(base, text), PARTS)
    except ValueError as error:  # also lone surrogates, which have no UTF-8
        raise BadAddress(text, "bad_address", "it is no address (whole ones begin with https:// or http://)") from error
    known = SCHEMES.get(parts["protocol"])
    if known is None:
        raise BadAddress(text, "scheme", "only http and https are fetched")
    scheme, default_port = known
    if (parts["username"] or parts["password"]) and not drop_credentials:
        raise BadAddress(text, "credentials", "names and passwords in addresses are not sent or kept")
    origin, path, query = parts["origin"], parts["pathname"], parts["search"]
    href = origin + path + query
    if len(href) > MAX_ADDRESS * 3:  # percent-encoding may triple it
        raise BadAddress(text, "address_too_long", f"it is longer than {MAX_ADDRESS} characters")
    return Address(
        href=href,
        scheme="http" if scheme == "http" else "https",
        host=parts["hostname"],
        kind=HOST_KINDS[parts["host_type"]],
        port=int(parts["port"] or default_port),
        origin=origin,
        path=path,
        query=query,
    )


def joined(text: str, base: str) -> str | None:
    """Resolve a link quickly, without the rules of `parse_address`; None if it is no address. Keeps its fragment."""
    if len(text) > MAX_ADDRESS:
        return None
    try:
        href: str = join_url(base, text)
    except ValueError:
        return None
    return href


def canonical(text: str, base: str | None = None) -> str | None:
    """Give the canonical form of a link, or None if it is nothing that can be fetched."""
    try:
        return parse_address(text, base).href
    except BadAddress:
        return None


def same_origin(one: str, other: str) -> bool:
    """Whether both are of one scheme, host and port."""
    try:
        return parse_address(one).origin == parse_address(other).origin
    except BadAddress:
        return False


def same_site(one: str, other: str) -> bool:
    """Whether both belong to one registrable domain (by the public suffix list that tld ships) or one number."""
    try:
        first, second = parse_address(one), parse_address(other)
    except BadAddress:
        return False
    return first.host == second.host or (
        first.kind == second.kind == "name" and _registrable(first.host) == _registrable(second.host) is not None
    )


def _registrable(host: str) -> str | None:
    """Give the registrable domain of a host name; None for a public suffix itself.

    A top-level domain that is not on the list counts as a suffix by itself, as the list's own rules say.
    """
    from tld import get_fld, is_tld  # noqa: PLC0415 - its list of suffixes is read on first use only

    labels = host.rstrip(".").split(".")
    if len(labels) > 1 and not is_tld(labels[-1]):
        return ".".join(labels[-2:])
    name: str | None = get_fld(".".join(labels), fail_silently=True, fix_protocol=True, search_private=True)
    return name
