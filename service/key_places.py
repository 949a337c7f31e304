"""Where a request carries its key: a header, or where clients cannot send one, the path or the body. Pure.

A key in a path ends up in the histories and logs of whoever calls. There it may only search, and this side forgets it:
what stands behind the gate sees the path without it.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import orjson

from service.errors import ScopeMissing
from service.requests import Caller, Scope

KEY_COOKIE: Final = "citator_key"
"""The cookie in which a browser that has signed in keeps its key."""

BODY_KEYS: Final = ("/tavily/",)
"""Below these paths `api_key` in the body is the key, if no header has one."""

MAX_KEYED: Final = 1024 * 1024
"""Bytes of a body that is read before it is known who sends it."""

_IN_PATH: Final = re.compile(r"^/searxng/k/([^/]+)(/.*)?$")


@dataclass(frozen=True)
class Keyed:
    """A key, and the path without it. `in_path` says that it stood there."""

    key: str | None
    path: str
    in_path: bool = False


def placed(path: str, headers: Mapping[bytes, bytes]) -> Keyed:
    """The key in the head of a request."""
    found = _IN_PATH.match(path)
    if found is not None:
        return Keyed(found.group(1), "/searxng" + (found.group(2) or ""), in_path=True)
    scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
    if scheme.lower() == b"bearer" and given.strip():
        return Keyed(given.strip().decode("latin-1"), path)
    if scheme.lower() == b"basic" and (password := _password(given)):
        return Keyed(password, path)
    plain = headers.get(b"x-api-key", b"").strip()
    return Keyed(plain.decode("latin-1") if plain else _in_cookie(headers.get(b"cookie", b"")), path)


def _password(given: bytes) -> str | None:
    """The password of basic authentication: the key of clients that take `http://any:KEY@host/` and send no header."""
    try:
        _, _, password = base64.b64decode(given.strip(), validate=True).partition(b":")
    except ValueError:
        return None
    return password.decode("latin-1") or None


def _in_cookie(header: bytes) -> str | None:
    for cookie in header.split(b";"):
        name, _, value = cookie.strip().partition(b"=")
        if name == KEY_COOKIE.encode() and value:
            return value.decode("latin-1")
    return None


def may_be_in_body(path: str) -> bool:
    """Whether the body of a request to `path` may hold its key."""
    return path.startswith(BODY_KEYS)


def in_body(body: bytes) -> str | None:
    """The key in a body, if there is one."""
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    key = told.get("api_key") if isinstance(told, dict) else None
    return key.strip() or None if isinstance(key, str) else None


def only_searching(caller: Caller) -> Caller:
    """The holder of a key that stood in a path.

    Raises:
        ScopeMissing: the key may do more than search: such a one does not belong where addresses are written down.
    """
    if caller.scopes != {Scope.SEARCH}:
        raise ScopeMissing("a key in the path may have the scope search and no other: make one for this")
    return replace(caller, scopes=frozenset({Scope.SEARCH}))


def shown(path: str) -> str:
    """`path` as it may be logged, whatever stands where a key would."""
    return _IN_PATH.sub(r"/searxng/k/…\2", path)
