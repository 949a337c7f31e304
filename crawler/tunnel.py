"""Asks a proxy for a connection: by CONNECT of HTTP/1.1 (RFC 9110), or by SOCKS5 (RFC 1928, RFC 1929).

Answers are read byte by byte, so that nothing of what comes behind them is taken away from who uses the connection.
"""

import base64
from ipaddress import IPv4Address, IPv6Address
from typing import Final

import httpcore2

from crawler.errors import ProxyFailed
from crawler.proxies import Proxy
from crawler.stream import Stream

MAX_HEAD: Final = 16_384
"""Bytes of a proxy's answer to CONNECT: a status line and a few headers."""
LOGIN_NEEDED: Final = 407
UNREACHED: Final = frozenset({500, 502, 503, 504})
"""Statuses by which proxies say that they did not reach the other end: the next number may be reached."""
SUCCESS: Final = range(200, 300)

SOCKS: Final = 5
NO_LOGIN: Final = 0
BY_PASSWORD: Final = 2
CONNECT: Final = 1
LENGTHS: Final = {1: 4, 4: 16}
"""Bytes of a number in an answer, by its type; a name (3) has its length in front."""
NAMED: Final = 3
REFUSALS: Final = {
    1: "could not do it",
    2: "does not allow it",
    3: "does not reach the network",
    4: "does not reach the host",
    5: "says that nobody answers there",
    6: "waited too long",
    7: "does not open connections",
    8: "does not know this kind of address",
}
NOT_ALLOWED: Final = frozenset({2, 7, 8})
"""Answers that another number would get too."""

Target = IPv4Address | IPv6Address | str
"""A number that was checked, or a name that the proxy looks up."""


async def ask(stream: Stream, proxy: Proxy, target: Target, port: int) -> None:
    """Have the proxy at the other end of STREAM connect it to TARGET.

    Raises:
        ProxyFailed: it did not.
    """
    try:
        if proxy.scheme == "socks5":
            await _socks(stream, proxy, target, port)
        else:
            await _connect(stream, proxy, target, port)
    except httpcore2.NetworkError as error:
        raise ProxyFailed("proxy_failed", "the connection to the proxy was lost") from error


async def _connect(stream: Stream, proxy: Proxy, target: Target, port: int) -> None:
    place = f"[{target}]:{port}" if isinstance(target, IPv6Address) else f"{target}:{port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    if proxy.login is not None:
        token = base64.b64encode(":".join(proxy.login).encode()).decode()
        lines.append(f"Proxy-Authorization: Basic {token}")
    await stream.write("".join(f"{line}\r\n" for line in (*lines, "")).encode())
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        if len(head) >= MAX_HEAD:
            raise ProxyFailed("proxy_failed", "the proxy does not answer in HTTP")
        head += await _exactly(stream, 1)
    version, _, rest = bytes(head).partition(b" ")
    code = rest[:3].decode("latin-1")
    if not version.startswith(b"HTTP/1.") or not (code.isascii() and code.isdigit()):
        raise ProxyFailed("proxy_failed", "the proxy does not answer in HTTP")
    status = int(code)
    if status == LOGIN_NEEDED:
        raise ProxyFailed("proxy_login", "the proxy wants a name and password, or others (status 407)")
    if status not in SUCCESS:
        reached = status not in UNREACHED
        raise ProxyFailed("proxy_refused", f"the proxy made no connection (status {status})", final=reached)


async def _socks(stream: Stream, proxy: Proxy, target: Target, port: int) -> None:
    methods = bytes([NO_LOGIN] if proxy.login is None else [NO_LOGIN, BY_PASSWORD])
    await stream.write(bytes([SOCKS, len(methods)]) + methods)
    version, method = await _exactly(stream, 2)
    if version != SOCKS:
        raise ProxyFailed("proxy_failed", "the proxy does not speak SOCKS5")
    if method == BY_PASSWORD and proxy.login is not None:
        name, password = (each.encode() for each in proxy.login)
        await stream.write(bytes([1, len(name)]) + name + bytes([len(password)]) + password)
        if (await _exactly(stream, 2))[1]:
            raise ProxyFailed("proxy_login", "the proxy does not take this name and password")
    elif method != NO_LOGIN:
        raise ProxyFailed("proxy_login", "the proxy wants a name and password, or another way to log in")
    await stream.write(bytes([SOCKS, CONNECT, 0]) + _place(target) + port.to_bytes(2))
    version, answer, _, kind = await _exactly(stream, 4)
    if version != SOCKS:
        raise ProxyFailed("proxy_failed", "the proxy does not speak SOCKS5")
    if answer:
        said = REFUSALS.get(answer, f"answers {answer}")
        raise ProxyFailed("proxy_refused", f"the proxy {said}", final=answer in NOT_ALLOWED)
    length = LENGTHS.get(kind) if kind != NAMED else (await _exactly(stream, 1))[0]
    if length is None:
        raise ProxyFailed("proxy_failed", "the proxy does not speak SOCKS5")
    await _exactly(stream, length + 2)


def _place(target: Target) -> bytes:
    """Where to, as SOCKS5 writes it: the kind of address, and the address."""
    if isinstance(target, str):
        name = target.encode()
        return bytes([NAMED, len(name)]) + name
    return bytes([1 if isinstance(target, IPv4Address) else 4]) + target.packed


async def _exactly(stream: Stream, length: int) -> bytes:
    data = b""
    while len(data) < length:
        piece = await stream.read(length - len(data))
        if not piece:
            raise ProxyFailed("proxy_failed", "the proxy ended the connection")
        data += piece
    return data
