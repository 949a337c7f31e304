"""The key under which an index of a web archive lists an address: a SURT, as the tools that read such indexes make it.

    https://www.Example.org/b/../a?y=2&x=1   ->   org,example)/a?x=1&y=2

The host is turned round, letters are made small, what does not tell pages apart (port, `www.`, session ids, the order
of a query) is taken out. Pure, and nothing but the standard library, so that whoever verifies can carry it along.
"""

import re
import socket
from contextlib import suppress
from typing import Final

_SCHEME: Final = re.compile(rb"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_WEB: Final = {b"http": b"80", b"https": b"443", b"ftp": b"21"}
_WWW: Final = re.compile(rb"www[0-9]*\.")
_ESCAPE: Final = re.compile(rb"%([0-9a-fA-F]{2})")
_NUMBER: Final = re.compile(rb"[0-9]{1,10}")
_SESSION_PATH: Final = re.compile(rb"/\((?:[a-z]\([0-9a-z]{24}\))+\)(?=/[^?]*\.aspx)")
_SESSION_QUERY: Final = re.compile(
    rb"(?:(?<=&)|^)(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}"
    rb"|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
_PRINTED: Final = range(0x21, 0x7F)

MAX_UNESCAPES: Final = 20
"""Rounds of taking escapes out of escapes; a hostile address could ask for as many as it has characters."""


def surt(url: str) -> str:
    """The key of an address. Every text has one."""
    data = url.encode("utf-8", "surrogatepass").strip(b" \t\r\n")
    data = data.translate(None, b"\t\r\n").partition(b"#")[0]
    found = _SCHEME.match(data)
    scheme = found[1].lower() if found else b""
    rest = data[found.end() :] if found else data
    if scheme in _WEB and rest.startswith(b"//"):
        key = _of_web(scheme, rest[2:])
        if key is not None:
            return key.decode("ascii")
    before, mark, query = data.partition(b"?")
    before = _escape(_unescape(before)).lower()
    return (before.removesuffix(b"/") + _query(query, mark)).decode("ascii")


def _of_web(scheme: bytes, rest: bytes) -> bytes | None:
    """The key of a web address; None if it is none."""
    end = min((place for place in (rest.find(b"/"), rest.find(b"?")) if place >= 0), default=len(rest))
    authority, rest = rest[:end].rpartition(b"@")[2], rest[end:]
    host, port = authority, b""
    if authority.startswith(b"["):
        host, _, port = authority[1:].partition(b"]")
        port = port.removeprefix(b":")
    elif b":" in authority:
        host, _, port = authority.rpartition(b":")
    if port and not port.isdigit():
        return None
    path, mark, query = rest.partition(b"?")
    turned = b",".join(reversed(_host(host).split(b".")))
    if port and port != _WEB[scheme]:
        turned += b":" + port
    return turned + b")" + _path(path) + _query(query, mark)


def _host(host: bytes) -> bytes:
    host = re.sub(rb"\.{2,}", b".", _unescape(host)).strip(b".")
    if not host.isascii():
        with suppress(UnicodeError):
            host = host.decode().encode("idna")
    host = _escape(host.lower())
    if _NUMBER.fullmatch(host) and int(host) < 2**32:
        host = socket.inet_ntoa(int(host).to_bytes(4, "big")).encode()
    return _WWW.sub(b"", host, count=1) if _WWW.match(host) else host


def _path(path: bytes) -> bytes:
    parts: list[bytes] = []
    for part in _unescape(path).removeprefix(b"/").split(b"/"):
        if part == b".." and parts and parts[-1] != b"..":
            parts.pop()
        elif part != b".":
            parts.append(part)
    whole = b"/".join(part for part in parts if part)
    return _SESSION_PATH.sub(b"", _escape(b"/" + whole).lower())


def _query(query: bytes, mark: bytes) -> bytes:
    if not mark or not query:
        return b""
    small = _SESSION_QUERY.sub(b"", _escape(_unescape(query)).lower())
    pairs: list[bytes] = small.split(b"&")
    pairs.sort(key=_by_name)
    kept = b"&".join(pairs)
    return b"?" + kept if kept else b""


def _by_name(pair: bytes) -> list[bytes]:
    return pair.split(b"=", 1)


def _unescape(data: bytes) -> bytes:
    for _ in range(MAX_UNESCAPES):
        found = _ESCAPE.sub(lambda one: bytes([int(one[1], 16)]), data)
        if found == data:
            break
        data = found
    return data


def _escape(data: bytes) -> bytes:
    if all(value in _PRINTED and value not in b"#%" for value in data):
        return data
    return b"".join(bytes([value]) if value in _PRINTED and value not in b"#%" else b"%%%02x" % value for value in data)
